"""The perturbed histogram: what each kind of bins costs, buys and makes of the domain."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import ceil, log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import understudy as us
from tests.gate.mechanisms import frozen, pairs_of_laws
from tests.methods.adult import adult_schema
from tests.methods.privacy_section import section_of
from tests.noise_sources import ForbiddenNoise, SeededNoise, max_log_ratio, renyi
from tests.tables import Purse, Row, SealedBackend, TinyBackend, cells, numbers, purse_for
from understudy.gate.private_table import PrivateTable
from understudy.methods import facts
from understudy.methods import perturbed_histogram as method_module
from understudy.methods.perturbed_histogram import PerturbedHistogram
from understudy.models.histogram import HistogramModel
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Column, Date, Integer, Real
from understudy.schema.domain import BinAxis
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema
from understudy.table.codec import encode_table

RULES = ("sturges", "scott", "freedman-diaconis")
PEOPLE = np.random.default_rng(5).normal(50, 10, 400).clip(0, 99).astype(int)
ROWS: list[Row] = [(str(age), str(age % 2), f"{age / 10}") for age in PEOPLE]
MIXED: tuple[Column, ...] = (
    numbers("age", 0, 99),
    cells("sex", 2),
    Real(name="x", min=0, max=10, missing=("",)),
)


def schema(*columns: Column, rows: int | None = None) -> Schema:
    return Schema(name="toy", columns={c.name: c for c in columns or MIXED}, rows=rows)


def fitted(
    method: PerturbedHistogram,
    budget: Budget,
    *,
    known: Schema | None = None,
    rows: list[Row] | None = None,
    seed: int = 0,
) -> tuple[HistogramModel, Purse]:
    known = known or schema()
    purse = purse_for(known, budget)
    backend = TinyBackend(known, ROWS if rows is None else rows)
    table = PrivateTable(backend, purse, noise=SeededNoise(seed))
    model = method.fit(table, domain_of(known), budget, np.random.default_rng(seed))
    assert purse.spent == budget, "the whole budget must be spent"
    return model, purse


def spent(purse: Purse) -> list[tuple[str, Fraction]]:
    return [(charge.verb, charge.cost.parts[0]) for charge in purse.charges]


def bins_of(model: HistogramModel) -> dict[str, int]:
    axes = model.domain.axes.items()
    return {name: axis.proper for name, axis in axes if isinstance(axis, BinAxis)}


@pytest.mark.parametrize("budget", [PureDP(1), ZCDP(Fraction(1, 3))])
def test_public_bins_cost_nothing(budget: Budget) -> None:
    for bins, expected in (("domain", {"age": 100, "x": 32}), (7, {"age": 7, "x": 7})):
        model, purse = fitted(PerturbedHistogram(bins=bins), budget)  # type: ignore[arg-type]
        assert spent(purse) == [("count", budget.parts[0])]
        assert bins_of(model) == expected


@pytest.mark.parametrize("budget", [PureDP(2), ZCDP(2)])
@pytest.mark.parametrize("rule", ["scott", "freedman-diaconis"])
def test_a_rule_pays_for_the_size_and_for_every_column(rule: Any, budget: Budget) -> None:
    _, purse = fitted(PerturbedHistogram(bins=rule), budget)
    share = Fraction(2, 10)  # a tenth, of which the size weighs 1/5 and each column 1
    assert spent(purse) == [
        ("count", share * Fraction(1, 11)),
        ("quantiles", share * Fraction(5, 11)),
        ("quantiles", share * Fraction(5, 11)),
        ("count", Fraction(9, 5)),
    ]
    assert [purse.charges[n].detail["column"] for n in (1, 2)] == ["age", "x"]
    assert purse.charges[1].detail["probabilities"] == ["1/4", "3/4"]


@pytest.mark.parametrize("rule", RULES)
def test_a_public_size_is_not_bought(rule: Any) -> None:
    model, purse = fitted(PerturbedHistogram(bins=rule), PureDP(1), known=schema(rows=len(ROWS)))
    verbs = [verb for verb, _ in spent(purse)]
    assert verbs == (["count"] if rule == "sturges" else ["quantiles", "quantiles", "count"])
    assert model.total == len(ROWS)


@pytest.mark.parametrize("bins", ["domain", 5, *RULES])
@pytest.mark.parametrize("rows", [None, len(ROWS)])
def test_the_privacy_section_tells_what_every_kind_of_bins_asks(bins: Any, rows: Any) -> None:
    section = section_of(method_module.__doc__)
    _, purse = fitted(PerturbedHistogram(bins=bins), PureDP(1), known=schema(rows=rows))
    verbs = [verb for verb, _ in spent(purse)]
    assert section.describes(verbs)
    assert not section.describes(["select", *verbs])


def test_sturges_pays_for_the_size_alone() -> None:
    model, purse = fitted(PerturbedHistogram(bins="sturges", for_bins=0.25), PureDP(4))
    assert spent(purse) == [("count", Fraction(1)), ("count", Fraction(3))]
    assert purse.charges[0].detail["marginals"] == [["age"]]
    assert bins_of(model) == {"age": ceil(log2(400)) + 1, "x": ceil(log2(400)) + 1}


def test_freedman_diaconis_from_bought_numbers_is_near_the_real_one() -> None:
    known = schema(numbers("age", 0, 99))
    rows: list[Row] = [(str(age),) for age in PEOPLE]
    model, _ = fitted(
        PerturbedHistogram(bins="freedman-diaconis"), PureDP(20), known=known, rows=rows
    )
    low, high = np.quantile(PEOPLE, [0.25, 0.75])
    exact = 100 / (2 * (high - low) * 400 ** (-1 / 3))
    assert abs(bins_of(model)["age"] - exact) <= 2


@pytest.mark.parametrize("rule", RULES)
def test_without_numbers_there_is_nothing_to_buy(rule: Any) -> None:
    known = schema(cells("a", 2), cells("b", 3))
    model, purse = fitted(
        PerturbedHistogram(bins=rule), PureDP(1), known=known, rows=[("0", "1")] * 9
    )
    assert spent(purse) == [("count", Fraction(1))]
    assert model.domain.shape(("a", "b")) == (2, 3)


@pytest.mark.parametrize("rule", RULES)
def test_columns_with_few_values_and_dates_need_no_quartiles(rule: Any) -> None:
    from datetime import date

    known = schema(
        numbers("few", 0, 1), Date(name="day", min=date(2020, 1, 1), max=date(2020, 12, 31))
    )
    model, purse = fitted(
        PerturbedHistogram(bins=rule), PureDP(5), known=known, rows=[("0", "2020-05-05")] * 64
    )
    assert [verb for verb, _ in spent(purse)] == ["count", "count"]
    assert bins_of(model)["few"] == 2
    assert 6 <= bins_of(model)["day"] <= 8  # log2(64) + 1, from a noisy 64


def test_bins_give_way_to_the_largest_table() -> None:
    method = PerturbedHistogram(bins="freedman-diaconis", most_cells=200)
    model, _ = fitted(method, PureDP(50))
    assert model.domain.size(model.domain.columns) <= 200
    assert min(bins_of(model).values()) >= 2


@pytest.mark.parametrize(
    ("method", "sizes"),
    [
        (PerturbedHistogram(most_cells=6599), "6,600"),  # 100 * 2 * (32 + missing)
        (PerturbedHistogram(bins=7, most_cells=111), "112"),
        (PerturbedHistogram(bins="scott", most_cells=3), "4"),  # one bin each, and a missing cell
    ],
)
def test_what_cannot_fit_is_refused_before_anything_is_charged(
    method: PerturbedHistogram, sizes: str
) -> None:
    with pytest.raises(us.UsageError, match=f"has {sizes} cells"):
        method.scope(schema())
    allowed = type(method)(bins=method.bins, most_cells=method.most_cells + 1)
    assert allowed.scope(schema()) == schema()
    purse = purse_for(schema(), PureDP(1))
    sealed = PrivateTable(SealedBackend(schema(), ()), purse, noise=ForbiddenNoise())
    if not isinstance(method.bins, str) or method.bins == "domain":
        with pytest.raises(us.UsageError, match=f"has {sizes} cells"):
            method.fit(sealed, domain_of(schema()), PureDP(1), np.random.default_rng(0))
        assert purse.charges == []


def test_the_size_of_the_model_uses_both_counts() -> None:
    close = []
    for seed in range(30):
        model, _ = fitted(PerturbedHistogram(bins="sturges"), PureDP(1), seed=seed)
        close.append(abs(model.total - 400))
    # the bought size has noise of sd 14.1, the sum of 220 cells of sd 1.52 has 22.5: together 12
    assert np.sqrt(np.mean(np.square(close))) < 12 * 1.75


def test_values_fall_inside_the_bins_that_were_drawn() -> None:
    model, _ = fitted(PerturbedHistogram(bins=5), PureDP(10))
    drawn = model.draw(500, np.random.default_rng(1))
    table = model.sample(500, np.random.default_rng(1))
    again = encode_table(model.domain, table)
    assert all((again.columns[n] == drawn.columns[n]).all() for n in model.domain.columns)
    ages = table.to_pandas()["age"]
    assert ages.nunique() > 20, "values are spread inside a bin of twenty ages"


def test_a_log_scale_is_binned_on_its_own_scale() -> None:
    column = Real(name="cost", min=0, max=10_000, scale="log")
    costs = np.exp(np.random.default_rng(2).normal(4, 1, 500)).clip(0, 10_000)
    rows: list[Row] = [(f"{cost:.2f}",) for cost in costs]
    known = schema(column)
    model, _ = fitted(
        PerturbedHistogram(bins="freedman-diaconis"), PureDP(50), known=known, rows=rows
    )
    axis = model.domain.axes["cost"]
    assert isinstance(axis, BinAxis)
    widths = np.diff(np.arcsinh(axis.edges))
    assert widths == pytest.approx(np.full(len(widths), widths[0]))
    low, high = np.quantile(np.arcsinh(costs), [0.25, 0.75])
    exact = np.arcsinh(10_000) / (2 * (high - low) * 500 ** (-1 / 3))
    assert abs(axis.proper - exact) <= 3


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("rows", [[], [("5", "0", "")], [("5", "0", "5")] * 30])
@pytest.mark.parametrize("seed", range(3))
def test_empty_and_constant_tables_have_bins_too(rule: Any, rows: list[Row], seed: int) -> None:
    for budget in (PureDP("1/20"), ZCDP("1/50")):
        model, _ = fitted(PerturbedHistogram(bins=rule), budget, rows=rows, seed=seed)
        assert model.draw(3, np.random.default_rng(0)).rows == 3
        assert all(count >= 1 for count in bins_of(model).values())


def everything(rule: Any) -> Any:
    def whole(table: PrivateTable, budget: Budget) -> Hashable:
        method = PerturbedHistogram(bins=rule, for_bins=0.5)
        model = method.fit(table, domain_of(table.schema), budget, np.random.default_rng(0))
        return repr(model.domain.axes), model.total, frozen(model.cells), frozen(model.shares)

    return whole


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("rule", ["sturges", "freedman-diaconis"])
def test_the_whole_method_keeps_its_promise_exactly(
    rule: Any, relation: Neighbours, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(method_module, "MOST_BINS", 4)
    setting: dict[str, Any] = {
        "relation": relation,
        "contribution": 1,
        "others": 1,
        "window": (0, 2),
    }
    columns: list[Column] = [numbers("x", 0, 3)]
    rows: list[Row] = [("0",), ("3",)]
    pure = PureDP(Fraction(3, 2))
    pairs = list(pairs_of_laws(everything(rule), columns, rows, pure, **setting))
    costs = [max_log_ratio(p, q) for p, q in pairs]
    assert 0.2 * 1.5 <= max(costs) <= 1.5 + 1e-9
    zcdp = ZCDP(Fraction(2, 5))
    for p, q in pairs_of_laws(everything(rule), columns, rows, zcdp, **setting):
        assert max(renyi(p, q, 3.0), renyi(q, p, 3.0)) <= 0.4 * 3.0 + 1e-9


def test_the_grid_never_follows_from_the_rows_alone() -> None:
    """In the papers Scott's bins are an exact function of the rows; here one row cannot show."""
    known = schema(numbers("age", 0, 99))
    grids = []
    for rows in ([("10",), ("90",)] * 20, [("10",), ("90",)] * 20 + [("50",)]):
        found = set()
        for seed in range(80):
            model, _ = fitted(
                PerturbedHistogram(bins="scott"), PureDP(1), known=known, rows=rows, seed=seed
            )
            found.add(bins_of(model)["age"])
        grids.append(found)
    assert len(grids[0]) > 1
    assert grids[0] & grids[1]


@pytest.mark.parametrize("bins", [0, -3, True, 2.5, "fd", "", None])
def test_odd_bins_are_refused(bins: Any) -> None:
    with pytest.raises(us.UsageError, match="bins is a number of at least 1"):
        PerturbedHistogram(bins=bins)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5])
def test_odd_shares_are_refused(share: float) -> None:
    with pytest.raises(us.UsageError, match="for_bins is a share"):
        PerturbedHistogram(for_bins=share)


def test_a_release_knows_its_grid(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(ROWS, columns=["age", "sex", "x"])
    release = us.synthesize(
        frame,
        schema(),
        epsilon=4,
        method="perturbed-histogram",
        options={"columns": ["age", "sex"], "bins": "scott"},
        seed=1,
    )
    (noisy,) = release.measurements
    assert noisy.columns == ("age", "sex")
    assert {note.name: note.public for note in release.card.columns}["age"].endswith(
        f"{noisy.values.shape[0]} bins"
    )
    again = us.load(release.save(tmp_path / "release"))
    assert again.model.sample(9, seed=3).equals(release.model.sample(9, seed=3))
    assert (again.measurements[0].values == noisy.values).all()


def test_refits_buy_their_own_bins_and_can_be_saved(tmp_path: Path) -> None:
    import pandas

    frame = pandas.DataFrame(ROWS, columns=["age", "sex", "x"])
    release = us.synthesize(
        frame,
        schema(),
        epsilon="1/2",
        method=us.PerturbedHistogram(columns=("age",), bins="scott"),
        copies=3,
        refit=True,
    )
    assert len(release.card.charges) == 9
    again = us.load(release.save(tmp_path / "release"))
    assert len(again.models) == 3
    for model in again.models:
        assert tuple(model.domain.axes) == ("age",)
    released = release.models[0].domain
    assert all(noisy.values.size == released.size(("age",)) for noisy in again.measurements)


def test_bounds_that_were_bought_can_be_binned() -> None:
    known = schema(Integer(name="age", min=0))
    rows: list[Row] = [(str(age),) for age in PEOPLE]
    import pandas

    frame = pandas.DataFrame(rows, columns=["age"])
    release = us.synthesize(
        frame, known, epsilon=10, method="perturbed-histogram", options={"bins": 6}
    )
    assert [charge.verb for charge in release.card.charges] == ["count", "quantiles", "count"]
    assert release.measurements[0].values.shape == (6,)


def test_what_it_says_about_itself() -> None:
    about = facts("perturbed-histogram")
    assert (about["status"], about["needs"]) == ("proven", ["count"])
    assert set(about["settings"]) == {"columns", "bins", "for_bins", "negatives", "most_cells"}


@pytest.mark.parametrize("bins", [20, "scott", "freedman-diaconis"])
def test_adult_on_a_grid(data_dir: Path, bins: Any) -> None:
    known, source = adult_schema(data_dir)
    method = us.PerturbedHistogram(columns=("age", "fnlwgt", "sex", "income"), bins=bins)
    release = us.synthesize(source, known, epsilon=1, method=method, seed=1)
    ages = release.table["age"].astype(float)
    assert abs(ages.mean() - 38.58) < 1.5
    assert abs(len(release.table) - 32561) < 3000
