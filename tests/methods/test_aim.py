"""AIM: a huge budget gives the workload back, and whatever a schema is like, it is worked with."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import understudy as us
from tests.methods.relations import CHAIN, deviations, fit, pair_tables, rows_of_chain, share_of
from tests.methods.subjects import Run
from tests.methods.test_mst import HUGE, POOR, POOR_NAMES
from tests.noise_sources import ForbiddenNoise
from tests.tables import Row, SealedBackend, cells, numbers, purse_for, schema_of
from understudy.gate.private_table import PrivateTable
from understudy.methods.aim import AIM
from understudy.methods.base import Synthesizer
from understudy.methods.mst import MST
from understudy.models.graphical import GraphicalModel
from understudy.models.refined import RefinedModel
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of

PARITY = schema_of(cells("a", 2), cells("b", 2), cells("c", 2), cells("d", 2))


def rows_of_parity(count: int) -> list[Row]:
    """The third column is the parity of the first two: no pair of columns shows anything."""
    rng = np.random.default_rng(8)
    a, b, d = rng.integers(0, 2, (3, count))
    return [tuple(map(str, row)) for row in zip(a, b, a ^ b, d, strict=True)]


@pytest.mark.parametrize("budget", HUGE)
def test_a_huge_budget_gives_every_pair_back(budget: Budget) -> None:
    rows = rows_of_chain(4000)
    model = fit(AIM(), CHAIN, rows, budget).model
    for pair in combinations("abcd", 2):
        gap = pair_tables(model, pair) - share_of(rows, CHAIN, pair)
        assert np.abs(gap).sum() / 2 < 5e-3, pair
    assert model.total == pytest.approx(4000, abs=1e-3)


@pytest.mark.parametrize(
    ("workload", "found"), [("triples", True), ("a*b*c", True), ("pairs", False)]
)
def test_a_workload_of_triples_finds_what_no_pair_shows(workload: str, found: bool) -> None:
    rows = rows_of_parity(2000)
    model = fit(AIM(workload=(workload,)), PARITY, rows, ZCDP(10)).model
    gap = np.abs(pair_tables(model, "abc") - share_of(rows, PARITY, "abc")).sum() / 2
    assert gap < 0.02 if found else gap > 0.4


def test_relations_with_the_target_are_bought_first() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 3000)
    flips = rng.random((3, 3000)) < np.array([[0.25], [0.28], [0.28]])
    columns = np.stack([a, a ^ flips[0], a, a]) ^ np.concatenate(
        [np.zeros((2, 3000), bool), flips[1:]]
    )
    rows: list[Row] = [tuple(map(str, row)) for row in columns.T]
    bought = {}
    for target in (None, "d"):
        run = fit(AIM(target=target), PARITY, rows, ZCDP("1/2"))
        first = next(
            c for c in run.purse.charges if c.verb == "count" and len(c.detail["marginals"]) == 1
        )
        bought[target] = set(first.detail["marginals"][0])
    assert bought == {None: {"a", "b"}, "d": {"a", "d"}}


@pytest.mark.parametrize("budget", [ZCDP("1/2"), PureDP(2)])
def test_stated_standard_deviations_are_those_of_the_noise(budget: Budget) -> None:
    rows = rows_of_chain(300)
    runs = [fit(AIM(), CHAIN, rows, budget, seed=seed) for seed in range(6)]
    found = np.concatenate([deviations(run) for run in runs])
    # Of n independent values a mean is off by 6 / sqrt(n) once in 10^9 times; their squares have
    # a kurtosis of at most 6.
    assert abs(found.mean()) < 6 / np.sqrt(found.size)
    assert abs((found**2).mean() - 1) < 6 * np.sqrt(5 / found.size)


@pytest.mark.parametrize("budget", [ZCDP("1/2"), PureDP(2)])
@pytest.mark.parametrize("workload", ["pairs", "triples"])
@pytest.mark.parametrize(("columns", "row"), POOR, ids=POOR_NAMES)
def test_poor_schemas_give_poor_tables_and_no_errors(
    budget: Budget, workload: str, columns: list[Any], row: Row
) -> None:
    schema = schema_of(*columns)
    run = fit(AIM(workload=(workload,)), schema, [row] * 200, budget)
    assert run.purse.spent == budget
    drawn = run.model.sample(50, np.random.default_rng(0))
    assert drawn.rows == 50
    assert tuple(drawn.columns) == tuple(schema.columns)


def test_a_budget_too_small_for_relations_goes_to_the_columns() -> None:
    run = fit(AIM(), CHAIN, rows_of_chain(60), ZCDP("1/2000"))
    assert [charge.verb for charge in run.purse.charges] == ["count", "count"]
    assert run.purse.spent == ZCDP("1/2000")
    inner = run.model.inner if isinstance(run.model, RefinedModel) else run.model
    assert isinstance(inner, GraphicalModel)
    assert {len(clique) for clique in inner.cliques} == {1}


def test_the_model_stays_below_its_limit() -> None:
    wide = schema_of(*(cells(name, 6) for name in "abcde"))
    rng = np.random.default_rng(4)
    base = rng.integers(0, 6, 2000)
    rows: list[Row] = [tuple(str(cell) for _ in "abcde") for cell in base]
    for most in (36 * 4, 36 * 36):
        model = fit(AIM(most_cells=most), wide, rows, ZCDP(5)).model
        assert isinstance(model, GraphicalModel)
        assert sum(belief.size for belief in model.beliefs) <= most
        assert {len(clique) for clique in model.cliques} != {1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"workload": ("age*height",)}, "no modelled column is named 'height'"),
        ({"target": "height"}, "'height' is no modelled column"),
        ({"workload": ("age",)}, "2 to 6 different columns"),
    ],
)
def test_unknown_columns_are_refused_before_anything_is_reserved(
    tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    schema = schema_of(numbers("age", 0, 9), cells("works", 2))
    book = us.Ledger.init(
        tmp_path / "l",
        table="toy",
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=us.PureDP(1),
    )
    with pytest.raises(us.UsageError, match=said):
        us.synthesize(
            tmp_path / "absent.csv", schema, epsilon=1, method="aim", options=options, ledger=book
        )
    assert not list(book.entries())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"one_ways": 1}, "between 0 and 1"),
        ({"most_cells": 0}, "most_cells is a whole number"),
        ({"workload": ()}, "a workload is a tuple of names"),
        ({"workload": "pairs"}, "a workload is a tuple of names"),
    ],
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(us.UsageError, match=said):
        AIM(**options)


def test_nothing_is_read_without_a_budget() -> None:
    purse = purse_for(CHAIN, ZCDP(0))
    table = PrivateTable(SealedBackend(CHAIN, []), purse, noise=ForbiddenNoise())  # type: ignore[arg-type]
    with pytest.raises(us.BudgetExceeded):
        AIM().fit(table, domain_of(CHAIN), ZCDP(1), np.random.default_rng(0))


@pytest.mark.parametrize("method", [AIM(), MST()], ids=["aim", "mst"])
def test_columns_are_counted_once_more_where_relations_will_hardly_be_clear(
    method: Synthesizer,
) -> None:
    rows = rows_of_chain(3000)
    budget = ZCDP("1/400")
    run = fit(method, CHAIN, rows, budget)
    verbs = [charge.verb for charge in run.purse.charges]
    assert verbs[:3] == ["count", "count", "select"]
    first, again = run.purse.charges[:2]
    assert first.detail["marginals"] == again.detail["marginals"]
    assert (first.cost, first.cost + again.cost) == (budget * "3/10", budget * "1/2")
    plenty = fit(method, CHAIN, rows, ZCDP(1)).purse.charges
    assert [charge.verb for charge in plenty][:2] == ["count", "select"]
    pure = fit(method, CHAIN, rows, PureDP("1/5")).purse.charges
    assert [charge.verb for charge in pure][:2] == ["count", "select"]


def test_both_answers_count_by_what_they_are_worth() -> None:
    """The columns come out as if they had been asked once, for half of the budget."""
    rows, budget = rows_of_chain(3000), ZCDP("1/400")
    truth = {name: share_of(rows, CHAIN, (name,)) for name in "abcd"}
    twice, once = (
        [_miss(fit(method, CHAIN, rows, budget, seed=seed), truth) for seed in range(24)]
        for method in (MST(), MST(one_ways=0.5))
    )
    assert np.mean(twice) == pytest.approx(np.mean(once), rel=0.18)


def _miss(run: Run, truth: dict[str, np.ndarray]) -> float:
    """The share of rows that the model puts into a wrong cell of a column, summed over columns."""
    drawn = run.model.draw(50_000, np.random.default_rng(1)).columns
    found = {name: np.bincount(drawn[name], minlength=len(truth[name])) / 50_000 for name in "abcd"}
    return sum(float(np.abs(found[name] - truth[name]).sum()) / 2 for name in "abcd")
