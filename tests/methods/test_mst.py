"""MST: a huge budget gives the table back, and whatever a schema is like, it is worked with."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.methods.relations import (
    CHAIN,
    deviations,
    fit,
    pair_tables,
    rows_of_chain,
    share_of,
)
from tests.tables import Row, cells, numbers, schema_of
from understudy.methods.mst import MST
from understudy.models.graphical import GraphicalModel
from understudy.models.refined import RefinedModel
from understudy.privacy.budget import ZCDP, Budget, PureDP

HUGE: list[Budget] = [ZCDP(10**8), PureDP(10**6)]
POOR: list[tuple[list[Any], Row]] = [
    ([cells("a", 3)], ("1",)),
    ([numbers("x", 0, 10**6)], ("17",)),
    ([cells("a", 1)], ("0",)),
    ([cells("a", 1), cells("b", 1)], ("0", "0")),
    ([cells("a", 3), cells("b", 4), numbers("x", 0, 9)], ("2", "3", "5")),
    ([cells("a", 10_000), cells("b", 2)], ("77", "1")),
]
POOR_NAMES = ["one column", "one number", "one level", "only levels", "constant", "many levels"]


@pytest.mark.parametrize("budget", HUGE)
def test_a_huge_budget_gives_a_tree_of_relations_back(budget: Budget) -> None:
    """The columns hang together in a chain, which a tree can hold: every pair comes out right."""
    rows = rows_of_chain(4000)
    run = fit(MST(), CHAIN, rows, budget)
    pairs = [charge for charge in run.purse.charges if charge.verb == "count"][-1]
    assert sorted(pairs.detail["marginals"]) == [["a", "b"], ["b", "c"], ["c", "d"]]
    for pair in combinations("abcd", 2):
        truth = share_of(rows, CHAIN, pair)
        found = pair_tables(run.model, pair)
        assert np.abs(found - truth).sum() / 2 < 5e-3 + _far(pair) * 0.02, pair
    assert run.model.total == pytest.approx(4000, abs=1e-3)


def _far(pair: tuple[str, ...]) -> bool:
    """Columns that only a way through others joins: the rows follow that law by chance alone."""
    return set(pair) not in ({"a", "b"}, {"b", "c"}, {"c", "d"})


@pytest.mark.parametrize("budget", [ZCDP("1/2"), PureDP(2)])
def test_stated_standard_deviations_are_those_of_the_noise(budget: Budget) -> None:
    rows = rows_of_chain(300)
    runs = [fit(MST(), CHAIN, rows, budget, seed=seed) for seed in range(12)]
    found = np.concatenate([deviations(run) for run in runs])
    # Of n independent values a mean is off by 6 / sqrt(n) once in 10^9 times; their squares have
    # a kurtosis of at most 6.
    assert abs(found.mean()) < 6 / np.sqrt(found.size)
    assert abs((found**2).mean() - 1) < 6 * np.sqrt(5 / found.size)


@pytest.mark.parametrize("budget", [ZCDP("1/2"), PureDP(2)])
@pytest.mark.parametrize(("columns", "row"), POOR, ids=POOR_NAMES)
def test_poor_schemas_give_poor_tables_and_no_errors(
    budget: Budget, columns: list[Any], row: Row
) -> None:
    schema = schema_of(*columns)
    run = fit(MST(), schema, [row] * 200, budget)
    assert run.purse.spent == budget
    drawn = run.model.sample(50, np.random.default_rng(0))
    assert drawn.rows == 50
    assert tuple(drawn.columns) == tuple(schema.columns)


def test_a_budget_too_small_for_relations_goes_to_the_columns() -> None:
    run = fit(MST(), CHAIN, rows_of_chain(60), ZCDP("1/2000"))
    assert [charge.verb for charge in run.purse.charges] == ["count", "count"]
    assert run.purse.spent == ZCDP("1/2000")
    inner = run.model.inner if isinstance(run.model, RefinedModel) else run.model
    assert isinstance(inner, GraphicalModel)
    assert {len(clique) for clique in inner.cliques} == {1}


def test_the_card_says_that_no_relation_was_bought() -> None:
    import pandas

    frame = pandas.DataFrame(rows_of_chain(60), columns=list("abcd"))
    for epsilon, said in ((0.02, True), (20, False)):
        release = us.synthesize(frame, CHAIN, epsilon=epsilon, delta=1e-6, method="mst")
        assert ("No table of two or more columns" in release.card.to_text(width=1000)) is said
        assert ("No table of two or more columns" in release.card.to_html()) is said


def test_one_ways_is_a_share() -> None:
    for wrong in (0, 1, -0.5, 2):
        with pytest.raises(us.UsageError, match="between 0 and 1"):
            MST(one_ways=wrong)


def test_a_single_rare_level_before_a_common_one_keeps_its_counts() -> None:
    """Once its counts went to the other level, and every relation was learned from that error."""
    schema = schema_of(cells("a", 2), cells("b", 2))
    table = pd.DataFrame({"a": ["0"] * 10 + ["1"] * 990, "b": ["0", "1"] * 500})
    made = us.synthesize(table, schema, rho="1/50", method="mst", rows=1000, seed=0)
    assert (made.table["a"] == "1").mean() > 0.8
