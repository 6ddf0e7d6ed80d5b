"""Declared statistics: found by themselves, attacked on neighbours, and whole on tiny tables."""

from __future__ import annotations

import inspect
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gate.mechanisms import frozen, pairs_of_laws
from tests.gate.neighbours import Pair, neighbouring_tables
from tests.gate.promises import TOLERANCE, share_used
from tests.noise_sources import ForbiddenNoise
from tests.tables import SealedBackend, TinyBackend, cells, purse_for, schema_of, universe
from understudy.data.backend import Capability
from understudy.errors import UsageError
from understudy.gate import statistics as statistics_module
from understudy.gate.impurity import TreeImpurity
from understudy.gate.private_table import PrivateTable
from understudy.gate.select import SLACK, UNITS
from understudy.gate.statistics import SIZE_STEPS, CellsHolding, LeastImpurity, Statistic
from understudy.models.known import KnownTables
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
SHAPE = (3, 2)


def impurity_of(line: list[float], rows: float) -> TreeImpurity:
    known = KnownTables((("a", "b"),), np.array([line]))
    return TreeImpurity(("a", "b"), SHAPE, known, rows=rows)


thresholds = st.lists(st.integers(1, 8), min_size=1, max_size=4, unique=True).map(tuple)
ATTACKS: dict[type[Statistic], st.SearchStrategy[Statistic]] = {
    CellsHolding: st.builds(CellsHolding, st.just(("a", "b")), thresholds),
    LeastImpurity: st.builds(
        LeastImpurity,
        st.builds(
            impurity_of,
            st.lists(st.floats(0, 1), min_size=6, max_size=6),
            st.sampled_from([1e-6, 0.3, 2.0, 1e5]),
        ),
        st.booleans(),
    ),
}


def all_statistics() -> set[type[Statistic]]:
    classes = {item for _, item in inspect.getmembers(statistics_module, inspect.isclass)}
    return {item for item in classes if issubclass(item, Statistic) and item is not Statistic}


def test_every_statistic_is_attacked_and_has_its_proof() -> None:
    assert all_statistics() == set(ATTACKS)
    for statistic in all_statistics():
        proof = Path(statistics_module.__file__).parent / statistic.proof
        assert f"**{statistic.__name__}**" in proof.read_text(encoding="utf-8")
        assert isinstance(statistic.capability, Capability)


@pytest.mark.parametrize("kind", sorted(ATTACKS, key=lambda kind: kind.__name__))
def test_statistics_keep_their_declared_sensitivity(kind: type[Statistic]) -> None:
    @given(ATTACKS[kind], neighbouring_tables(SHAPE))
    def attack(statistic: Statistic, case: tuple[Neighbours, int, Pair]) -> None:
        relation, c, tables = case
        one, two = (statistic([table] * len(statistic.marginals)) for table in tables)
        assert one.dtype == np.int64
        moved = np.abs(one - two)
        assert moved.sum() <= statistic.l1(relation, c)
        assert (moved**2).sum() <= statistic.l2_squared(relation, c)

    attack()


@pytest.mark.parametrize("c", [1, 2, 5])
def test_the_numbers_of_cells_do_move_that_far(c: int) -> None:
    def moved(least: tuple[int, ...], one: list[int], two: list[int]) -> tuple[int, int]:
        statistic = CellsHolding(("a",), least)
        change = statistic([np.array(one)]) - statistic([np.array(two)])
        return int(np.abs(change).sum()), int((change**2).sum())

    def declared(least: tuple[int, ...], relation: Neighbours) -> tuple[int, int]:
        statistic = CellsHolding(("a",), least)
        return statistic.l1(relation, c), statistic.l2_squared(relation, c)

    empty, full = [0] * c, [1] * c
    assert moved((1,), full, empty) == declared((1,), ADD_REMOVE) == declared((1,), REPLACE_ONE)
    # c cells rise over the threshold 1 while c others sink below 2
    before, after = [*empty, *[2] * c], [*full, *full]
    assert moved((1, 2), before, after) == declared((1, 2), REPLACE_ONE) == (2 * c, 2 * c * c)
    assert declared((1, 2), ADD_REMOVE) == (c, c * c)


@pytest.mark.parametrize("c", [1, 3])
def test_the_impurity_and_the_size_do_move_that_far(c: int) -> None:
    """c rows that all candidate rows share a cell with, or none: GI from 0 to c k / (c + k)."""
    asked = LeastImpurity(impurity_of([1.0, 0, 0, 0, 0, 0], 1e6), sized=True)
    empty, full = np.zeros(SHAPE, dtype=np.int64), np.zeros(SHAPE, dtype=np.int64)
    full[0, 0] = c
    change = asked([full]) - asked([empty])
    assert change.tolist() == [pytest.approx(c * UNITS, abs=2), c * SIZE_STEPS]
    for relation in Neighbours:
        assert asked.l1(relation, c) == c * UNITS + SLACK + c * SIZE_STEPS
        unsized = LeastImpurity(asked.score, sized=False)
        assert unsized.l1(relation, c) == c * UNITS + SLACK
        assert unsized([full]).shape == (1,)


@pytest.mark.parametrize("names", [(), ("4f2a",)])
def test_the_ledger_names_the_table_that_is_judged(names: tuple[str, ...]) -> None:
    schema = schema_of(cells("a", 3), cells("b", 2))
    purse = purse_for(schema, PureDP(1))
    known = KnownTables((("a", "b"),), np.full((1, 6), 1 / 6), names)
    asked = LeastImpurity(TreeImpurity(("a", "b"), SHAPE, known, rows=3.0), sized=True)
    table = PrivateTable(TinyBackend(schema, []), purse)  # type: ignore[arg-type]
    found = table.statistic(domain_of(schema), asked, spend=PureDP(1))
    assert found.values.shape == (2,)
    (charge,) = purse.charges
    assert charge.detail.get("names", []) == list(names)
    assert charge.detail["sized"] is True
    assert charge.detail["rows"] == 3.0


def test_the_impurity_is_refused_on_cells_that_it_was_not_made_for() -> None:
    """As many cells in all, of other sizes: a row could lie in two leaves, and move it by 2."""
    schema = schema_of(cells("a", 4), cells("b", 3), cells("c", 2))
    tables = (("a", "b"), ("a", "c"), ("b", "c"))
    line = [0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 1]
    known = KnownTables(tables, np.array([line], dtype=np.float64))
    asked = LeastImpurity(TreeImpurity(("a", "b", "c"), (3, 4, 2), known, rows=1e6), sized=False)
    before = [("3", "0", "0"), ("1", "0", "1"), ("2", "0", "1")]
    told = [
        asked(TinyBackend(schema, rows).count(domain_of(schema), tables))
        for rows in (before, [*before, ("1", "1", "1")])
    ]
    assert abs(told[0] - told[1]) > 1.9 * asked.l1(ADD_REMOVE, 1)
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, []), purse)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"scored on \(3, 4, 2\) cells"):
        table.statistic(domain_of(schema), asked, spend=PureDP(1))
    assert not purse.charges


def test_the_impurity_is_asked_of_one_table() -> None:
    known = KnownTables((("a", "b"),), np.full((2, 6), 1 / 6))
    with pytest.raises(UsageError, match="one table at a time"):
        LeastImpurity(TreeImpurity(("a", "b"), SHAPE, known, rows=3.0), sized=False)


def test_every_candidate_has_a_name_or_none_has() -> None:
    with pytest.raises(UsageError, match="every candidate a name"):
        KnownTables((("a", "b"),), np.full((2, 6), 1 / 6), ("one",))


def test_cells_are_counted_by_the_rows_they_hold() -> None:
    table = np.array([[0, 1, 5], [2, 2, 0]])
    assert CellsHolding(("a", "b"), (1, 2, 3, 6))([table]).tolist() == [4, 3, 1, 0]


@pytest.mark.parametrize("least", [(), (0,), (1, 1), (1.0,), (True,), (-3,)])
def test_thresholds_are_different_whole_numbers(least: tuple[int, ...]) -> None:
    with pytest.raises(UsageError, match="least"):
        CellsHolding(("a",), least)


def occupied(table: PrivateTable, budget: Budget) -> object:
    answer = table.statistic(domain_of(table.schema), CellsHolding(("a",)), spend=budget)
    return frozen(answer.values)


def unique_and_rare(table: PrivateTable, budget: Budget) -> object:
    statistic = CellsHolding(("a",), (1, 2))
    return frozen(table.statistic(domain_of(table.schema), statistic, spend=budget).values)


@pytest.mark.parametrize("contribution", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize(
    "budget", [PureDP(Fraction(3, 2)), ZCDP(Fraction(2, 5)), GDP(Fraction(4, 5))], ids=str
)
@pytest.mark.parametrize("mechanism", [occupied, unique_and_rare])
def test_the_whole_verb_keeps_its_promise(
    mechanism: object, budget: Budget, relation: Neighbours, contribution: int
) -> None:
    pairs = pairs_of_laws(
        mechanism,  # type: ignore[arg-type]
        [cells("a", 3)],
        universe(3),
        budget,
        relation=relation,
        contribution=contribution,
        others=2 if contribution == 1 else 1,
        window=(-2, 4),
    )
    assert 0.3 < share_used(pairs, budget) <= 1 + TOLERANCE


def test_answers_carry_their_deviation_and_their_parameters() -> None:
    schema = schema_of(cells("a", 4))
    purse = purse_for(schema, PureDP(10**9))
    table = PrivateTable(TinyBackend(schema, [("0",), ("0",), ("3",)]), purse)
    statistic = CellsHolding(("a",), (1, 2))
    answer = table.statistic(domain_of(schema), statistic, spend=PureDP(10**9))
    assert answer.values.tolist() == [2, 1]
    assert answer.stddev < 1e-6
    assert purse.charges[0].detail == {
        "statistic": "CellsHolding",
        "columns": ["a"],
        "least": [1, 2],
    }


class Smuggled(Statistic):
    """A statistic from outside the gate."""

    marginals = (("a",),)
    detail: ClassVar[dict[str, object]] = {}

    def l1(self, neighbours: Neighbours, contribution: int) -> int:
        return 1

    l2_squared = l1

    def __call__(self, exact: object) -> np.ndarray:
        raise AssertionError("it saw exact tables")


class NeedsRows(Statistic):
    """A statistic that no engine at hand can answer."""

    __module__ = "understudy.gate.statistics"
    capability = Capability.ROWS
    marginals = (("a",),)
    detail: ClassVar[dict[str, object]] = {}
    l1 = l2_squared = Smuggled.l1
    __call__ = Smuggled.__call__


class CountsOnly(SealedBackend):
    capabilities = frozenset({Capability.COUNT})


def test_strangers_see_nothing_and_cost_nothing() -> None:
    schema = schema_of(cells("a", 2))
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(CountsOnly(schema, []), purse, noise=ForbiddenNoise())
    domain = domain_of(schema)
    with pytest.raises(UsageError, match="Smuggled is no statistic"):
        table.statistic(domain, Smuggled(), spend=PureDP(1))
    with pytest.raises(UsageError, match="rows"):
        table.statistic(domain, NeedsRows(), spend=PureDP(1))
    with pytest.raises(UsageError, match="no statistic"):
        table.statistic(domain, "mean", spend=PureDP(1))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no modelled column"):
        table.statistic(domain, CellsHolding(("z",)), spend=PureDP(1))
    for spend in (ApproxDP(1, "1e-6"), ZCDP(1, "1e-6"), PureDP(0)):
        with pytest.raises(UsageError):
            table.statistic(domain, CellsHolding(("a",)), spend=spend)
    assert purse.charges == []
