"""The Laplace sanitizer: exact small cases, the exact price, what is refused, and Adult."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import understudy as us
from tests.methods.adult import adult_schema
from tests.noise_sources import ForbiddenNoise, KeyedNoise, SeededNoise
from tests.tables import (
    Row,
    SealedBackend,
    TinyBackend,
    cells,
    numbers,
    purse_for,
    schema_of,
)
from understudy.gate.private_table import PrivateTable
from understudy.methods import facts
from understudy.methods.marginal import Marginal
from understudy.models.histogram import HistogramModel
from understudy.models.product import ProductModel
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Drop, Integer
from understudy.schema.schema import Rule, Schema, Unit

PAIR = (cells("a", 2), cells("b", 3))
ROWS: list[Row] = [("0", "0")] * 40 + [("1", "2")] * 60


def fitted(
    rows: list[Row], budget: Budget, *, size: int | None = None, method: Any = None, seed: int = 0
) -> tuple[HistogramModel, Any]:
    schema = schema_of(*PAIR, rows=size)
    purse = purse_for(schema, budget)
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=SeededNoise(seed))
    rng = np.random.default_rng(seed)
    return (method or Marginal()).fit(table, domain_of(schema), budget, rng), purse


def test_without_noise_worth_mentioning_the_table_comes_back() -> None:
    model, _ = fitted(ROWS, PureDP(1000))
    assert model.cells.tolist() == [0, 5]
    assert model.shares.tolist() == [0.4, 0.6]
    assert model.total == 100.0


def test_dependence_between_columns_is_kept() -> None:
    model, _ = fitted(ROWS, PureDP(2))
    codes = model.draw(4000, np.random.default_rng(1))
    same = float(np.mean((codes.columns["a"] == 0) == (codes.columns["b"] == 0)))
    assert same > 0.9  # independent columns with these shares agree in 52 of 100 rows


@pytest.mark.parametrize("budget", [PureDP(Fraction(2, 3)), ZCDP(Fraction(1, 7))])
@pytest.mark.parametrize("size", [None, 100])
def test_one_charge_of_the_whole_budget_for_one_table(budget: Budget, size: int | None) -> None:
    _, purse = fitted(ROWS, budget, size=size)
    (charge,) = purse.charges
    assert (charge.verb, charge.cost) == ("count", budget)
    assert charge.detail["marginals"] == [["a", "b"]]
    factor = 2 if size else 1
    if isinstance(budget, PureDP):
        assert charge.detail["noise"] == [f"laplace {factor * 1.5!r}"]
    else:
        law, scale = charge.detail["noise"][0].split()
        assert law == "gaussian"
        assert float(scale) == pytest.approx(sqrt(factor * 7 / 2))


def test_every_cell_of_the_product_is_there_and_none_because_of_a_row() -> None:
    # two tables that differ by one row in an otherwise empty cell can leave the same model
    schema = schema_of(*PAIR)
    outcomes: list[set[Hashable]] = []
    for rows in (ROWS, [*ROWS, ("0", "2")]):
        seen: set[Hashable] = set()
        for seed in range(60):
            purse = purse_for(schema, PureDP(1))
            table = PrivateTable(TinyBackend(schema, rows), purse, noise=SeededNoise(seed))
            model = Marginal().fit(table, domain_of(schema), PureDP(1), np.random.default_rng(0))
            seen.add(2 in model.cells.tolist())
        outcomes.append(seen)
    assert outcomes == [{True, False}, {True, False}]


def test_clip_and_project_differ_as_said() -> None:
    sparse: list[Row] = [("0", "0")] * 50
    clipped, _ = fitted(sparse, PureDP("1/10"), method=Marginal(negatives="clip"), seed=4)
    projected, _ = fitted(sparse, PureDP("1/10"), method=Marginal(), seed=4)
    assert projected.total == clipped.total
    assert projected.shares[0] > clipped.shares[0]


def test_a_public_size_is_the_size() -> None:
    model, _ = fitted(ROWS, PureDP("1/100"), size=100)
    assert model.total == 100.0


@pytest.mark.parametrize("rows", [[], [("0", "1")]])
@pytest.mark.parametrize("negatives", ["project", "clip"])
@pytest.mark.parametrize("seed", range(4))
def test_hardly_any_rows_still_leave_a_model(rows: list[Row], negatives: Any, seed: int) -> None:
    model, _ = fitted(rows, PureDP("1/50"), method=Marginal(negatives=negatives), seed=seed)
    assert model.total >= 0.0
    assert model.draw(5, np.random.default_rng(0)).rows == 5


def test_nothing_left_after_clipping_is_uniform() -> None:
    schema = schema_of(*PAIR)

    class Sink(KeyedNoise):
        def laplace(self, values: Any, *, scale: float) -> Any:
            return values - 1000

    table = PrivateTable(TinyBackend(schema, ROWS), purse_for(schema, PureDP(1)), noise=Sink())
    method = Marginal(negatives="clip")
    model = method.fit(table, domain_of(schema), PureDP(1), np.random.default_rng(0))
    assert model.total == 0.0
    assert model.shares.tolist() == pytest.approx([1 / 6] * 6)


def test_too_many_cells_are_refused_before_anything_is_charged() -> None:
    schema = schema_of(*PAIR)
    method = Marginal(most_cells=5)
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, ()), purse, noise=ForbiddenNoise())
    for attempt in (
        lambda: method.scope(schema),
        lambda: method.fit(table, domain_of(schema), PureDP(1), np.random.default_rng(0)),
    ):
        with pytest.raises(us.UsageError, match="2 columns has 6 cells, and at most 5"):
            attempt()
    assert purse.charges == []
    assert Marginal(most_cells=6).scope(schema) is schema


def test_a_table_too_large_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    columns = {f"x{i}": Integer(name=f"x{i}", min=0, max=99) for i in range(6)}
    schema = Schema(name="wide", columns=columns)
    schema.save(tmp_path / "s.toml")
    book = us.Ledger.init(
        tmp_path / "l",
        table="wide",
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=us.PureDP(1),
    )
    with pytest.raises(us.UsageError, match=r"about 10\^12 cells"):
        us.synthesize(tmp_path / "absent.csv", schema, epsilon=1, method="marginal", ledger=book)
    assert not list(book.entries())


def test_open_columns_that_cannot_fit_are_refused_only_if_that_is_certain() -> None:
    columns = {"a": cells("a", 4), "b": Category(name="b", levels="discover"), "c": Drop(name="c")}
    schema = Schema(name="t", columns=columns)
    assert Marginal(most_cells=4).scope(schema) is schema
    with pytest.raises(us.UsageError, match="has 4 cells, and at most 3"):
        Marginal(most_cells=3).scope(schema)


def test_columns_not_chosen_are_not_bought_either() -> None:
    columns = {"a": cells("a", 4), "b": Category(name="b", levels="discover")}
    schema = Schema(name="t", columns=columns)
    plan = us.plan(schema, epsilon=1, method="marginal", options={"columns": ["a"]})
    assert [charge.verb for charge in plan.charges] == ["count"]
    with pytest.raises(us.UsageError, match="needs a delta"):
        us.plan(schema, epsilon=1, method="marginal")


def test_unknown_columns_are_refused_with_the_nearest_name() -> None:
    with pytest.raises(us.SchemaError, match=r"'agee'.*Did you mean 'age'"):
        us.plan(
            schema_of(numbers("age", 0, 9)),
            epsilon=1,
            method="marginal",
            options={"columns": ["agee"]},
        )


def test_a_release_of_some_columns(tmp_path: Path) -> None:
    import pandas

    columns = {
        "id": us_fake("id"),
        "age": numbers("age", 0, 9),
        "works": cells("works", 2),
        "hours": numbers("hours", 0, 9),
    }
    rules = (Rule(require="age < 5 implies hours == 0"), Rule(require="age <= 9"))
    schema = Schema(name="t", columns=columns, rules=rules)
    frame = pandas.DataFrame(
        {
            "id": ["p", "q"] * 50,
            "age": ["1", "8"] * 50,
            "works": ["0", "1"] * 50,
            "hours": ["0", "7"] * 50,
        }
    )
    release = us.synthesize(
        frame, schema, epsilon=20, method=us.Marginal(columns=("works", "age")), rows=30, seed=1
    )
    assert list(release.table.columns) == ["id", "age", "works"]
    assert set(zip(release.table["age"], release.table["works"], strict=True)) == {
        (1, "0"),
        (8, "1"),
    }
    assert [noisy.columns for noisy in release.measurements] == [("age", "works")]
    card = release.card
    assert {note.name: note.origin for note in card.columns}["hours"] == "left out"
    assert card.rules == ("age <= 9",)
    assert "'age < 5 implies hours == 0'" in card.description
    again = us.load(release.save(tmp_path / "release"))
    assert again.model.sample(30, seed=3).equals(release.model.sample(30, seed=3))
    assert again.measurements[0].values.tolist() == release.measurements[0].values.tolist()


def us_fake(name: str) -> Any:
    from understudy.schema.columns import Fake

    return Fake(name=name)


def test_refits_share_the_budget_and_keep_all_measurements() -> None:
    import pandas

    frame = pandas.DataFrame({"a": ["0", "1"] * 20, "b": ["2", "0"] * 20})
    release = us.synthesize(
        frame, schema_of(*PAIR), epsilon=2, method=us.Marginal(columns=("b",)), copies=2, refit=True
    )
    assert [charge.cost.part("epsilon") for charge in release.card.charges] == [1.0, 1.0]
    assert [noisy.columns for noisy in release.measurements] == [("b",), ("b",)]


def test_people_with_several_rows_get_noise_for_all_of_them() -> None:
    schema = schema_of(*PAIR, contribution=3)
    purse = purse_for(schema, PureDP(1))
    rows: list[Row] = [("0", "0", "p")] * 3
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=SeededNoise(0))
    Marginal().fit(table, domain_of(schema), PureDP(1), np.random.default_rng(0))
    assert purse.charges[0].detail["noise"] == ["laplace 3.0"]
    assert isinstance(schema.unit, Unit)


def test_the_plan_tells_what_a_column_of_a_joint_table_costs() -> None:
    schema = schema_of(numbers("age", 0, 9), cells("works", 4))
    joint = us.plan(schema, epsilon=1, method="marginal", rows=1000)
    alone = us.plan(schema, epsilon=1, method="independent", rows=1000)
    errors = {error.column: error for error in joint.errors}
    assert (errors["age"].cells, errors["works"].cells) == (10, 4)
    cell = us.plan(
        schema, epsilon=1, method="marginal", options={"columns": ["age"]}, rows=1000
    ).errors[0]
    assert errors["age"].stddev == pytest.approx(cell.stddev * 2)  # four cells in a sum
    assert errors["works"].stddev == pytest.approx(cell.stddev * sqrt(10))
    # two columns: each of two one-way tables has noise of twice the scale
    assert {e.column: e.stddev for e in alone.errors}["age"] == pytest.approx(
        cell.stddev * 2, rel=0.1
    )
    assert joint.mean_tvd == pytest.approx(sum(e.tvd for e in joint.errors) / 2)


def test_what_it_says_about_itself() -> None:
    about = facts("marginal")
    assert about["status"] == "proven"
    assert about["guarantee"] == ["pure", "zcdp", "gdp"]
    assert about["neighbours"] == ["add-remove", "replace-one"]
    assert set(about["settings"]) == {"columns", "negatives", "most_cells"}


def test_adult_in_one_table(data_dir: Path) -> None:
    schema, source = adult_schema(data_dir)
    release = us.synthesize(
        source,
        schema,
        epsilon=1,
        method=us.Marginal(columns=("age", "occupation", "sex", "income")),
        seed=1,
    )
    (noisy,) = release.measurements
    assert noisy.values.shape == (100, 15, 2, 2)
    # the noise of the sum of all cells is normal to a very good approximation
    assert abs(noisy.values.sum() - 32561) < 5.4 * noisy.stddev * sqrt(noisy.values.size)
    ages = np.asarray(noisy.values.sum(axis=(1, 2, 3)))[21:33].sum()
    assert abs(ages - 9878) < 5.4 * noisy.stddev * sqrt(12 * 60)


def test_more_cells_mean_more_noise_in_a_column(data_dir: Path) -> None:
    """Why the joint table is not always better: the noise of an age grows with the other cells."""
    schema, _ = adult_schema(data_dir)
    spread = []
    for columns in (("age",), ("age", "occupation"), ("age", "occupation", "sex")):
        plan = us.plan(
            schema, epsilon=1, method="marginal", options={"columns": columns}, rows=32561
        )
        spread.append(next(e.stddev for e in plan.errors if e.column == "age"))
    assert spread[1] / spread[0] == pytest.approx(sqrt(15))
    assert spread[2] / spread[1] == pytest.approx(sqrt(2))


def test_the_model_beats_independent_columns_where_columns_depend() -> None:
    rng = np.random.default_rng(11)
    a = rng.integers(0, 2, 2000)
    rows: list[Row] = [(str(x), str(2 * x)) for x in a]
    joint, _ = fitted(rows, PureDP(1))
    truth = np.zeros((2, 3))
    np.add.at(truth, (a, 2 * a), 1 / 2000)
    found = np.zeros(6)
    found[joint.cells] = joint.shares
    alone = np.outer(truth.sum(1), truth.sum(0)).ravel()
    assert np.abs(found - truth.ravel()).sum() / 2 < 0.02
    assert np.abs(alone - truth.ravel()).sum() / 2 > 0.4
    assert ProductModel.kind != joint.kind
    assert log(joint.total / 2000) == pytest.approx(0.0, abs=0.02)
