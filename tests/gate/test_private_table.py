"""The door itself: charged before read, journalled before shown, refused before charged."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.methods import privacy_section
from tests.noise_sources import ForbiddenNoise, SeededNoise
from tests.tables import (
    Paid,
    Purse,
    Row,
    SealedBackend,
    TinyBackend,
    cells,
    numbers,
    purse_for,
    schema_of,
)
from understudy.errors import BudgetExceeded, LedgerError, TableMismatch, UsageError
from understudy.gate import private_table
from understudy.gate.losses import CellLoss
from understudy.gate.noise import Noise, SystemNoise
from understudy.gate.private_table import PrivateTable
from understudy.gate.scores import L1Gap, Score
from understudy.gate.statistics import CellsHolding
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.privacy.ledger import Ledger, Reservation
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Integer
from understudy.schema.moment import Feature, Moment
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

CITY = Category(name="city", levels="discover")
SCHEMA = schema_of(cells("a", 2), cells("b", 3), CITY, numbers("x", 0, 9))
CLOSED = schema_of(cells("a", 2), cells("b", 3))
DOMAIN = domain_of(CLOSED)
NUMBERS = domain_of(schema_of(numbers("x", 0, 9)))
ROWS: list[Row] = [("0", "1", "Ulm", "3"), ("1", "2", "Bonn", "7"), ("1", "2", "Ulm", "7")]
GRID = (0, 2, 4, 6, 8, 9)


def count(table: PrivateTable, spend: Budget) -> Any:
    return [n.values.tolist() for n in table.count(DOMAIN, [("a",), ("b", "a")], spend=spend)]


def select(table: PrivateTable, spend: Budget) -> Any:
    score = L1Gap([np.zeros(2), np.ones(3)])
    return table.select(DOMAIN, [("a",), ("b",)], score, spend=spend)


def quantiles(table: PrivateTable, spend: Budget) -> Any:
    return table.quantiles("x", probabilities=[0.5, 0.9], grid=GRID, spend=spend)


def discover(table: PrivateTable, spend: Budget) -> Any:
    assert isinstance(spend, ZCDP)
    return table.discover(["city"], spend=ZCDP(spend.rho, "1/20"))


def draw(table: PrivateTable, spend: Budget) -> Any:
    return table.draw(DOMAIN, ("a", "b"), rows=3, spend=spend).tolist()


def partition(table: PrivateTable, spend: Budget) -> Any:
    return table.partition(NUMBERS, ("x",), spend=spend).tolist()


def sums(table: PrivateTable, spend: Budget) -> Any:
    return table.sums(NUMBERS, [Moment((Feature("x"),))], spend=spend).values.tolist()


def statistic(table: PrivateTable, spend: Budget) -> Any:
    return table.statistic(DOMAIN, CellsHolding(("a", "b"), (1, 2)), spend=spend).values.tolist()


def minimise(table: PrivateTable, spend: Budget) -> Any:
    return table.minimise(DOMAIN, CellLoss(("b",), 1.0 - np.eye(3), clip=1.0), spend=spend)


Verb = Callable[[PrivateTable, Budget], Any]
VERBS: dict[str, Verb] = {
    "count": count,
    "select": select,
    "quantiles": quantiles,
    "discover": discover,
    "draw": draw,
    "partition": partition,
    "sums": sums,
    "statistic": statistic,
    "minimise": minimise,
}
TOTAL = ZCDP(2, "1/10")
PART = ZCDP(1)


@pytest.mark.parametrize("verb", VERBS)
def test_the_charge_is_committed_before_anything_is_read(verb: str) -> None:
    diary: list[str] = []
    purse = purse_for(SCHEMA, TOTAL, diary=diary)
    table = PrivateTable(TinyBackend(SCHEMA, ROWS, diary=diary), purse, noise=SeededNoise(1))
    VERBS[verb](table, PART)
    assert diary == ["charge", "read", "journal"]
    (charge,) = purse.charges
    assert charge.verb == verb


@pytest.mark.parametrize("verb", VERBS)
def test_a_refused_charge_reads_and_draws_nothing(verb: str) -> None:
    purse = purse_for(SCHEMA, ZCDP(Fraction(999, 1000), "1/10"))
    table = PrivateTable(SealedBackend(SCHEMA, []), purse, noise=ForbiddenNoise())
    with pytest.raises(BudgetExceeded, match="nothing more was read"):
        VERBS[verb](table, PART)
    assert not purse.charges
    assert not purse.answers


@pytest.mark.parametrize("verb", VERBS)
def test_an_answer_that_cannot_be_journalled_does_not_leave(verb: str) -> None:
    class Full(Purse):
        def journal(self, charge: Paid, answer: Mapping[str, Any]) -> None:
            raise LedgerError("the disk is full")

    purse = Full(TOTAL, SCHEMA.neighbours)
    table = PrivateTable(TinyBackend(SCHEMA, ROWS), purse, noise=SeededNoise(1))  # type: ignore[arg-type]
    with pytest.raises(LedgerError, match="full"):
        VERBS[verb](table, PART)
    assert table.measured(DOMAIN) == []


def reserved(path: Path, schema: Schema = SCHEMA) -> tuple[Ledger, Reservation]:
    ledger = Ledger.init(
        path,
        table=schema.name,
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=ZCDP(12, "1/2"),
    )
    return ledger, ledger.reserve(ZCDP(11, "1/3"), purpose="test")


def test_a_journal_replays_every_verb_over_any_other_table(tmp_path: Path) -> None:
    ledger, reservation = reserved(tmp_path / "ledger.db")
    backend = TinyBackend(SCHEMA, ROWS)
    first = PrivateTable(backend, reservation, noise=SeededNoise(4))
    answers = {name: verb(first, PART) for name, verb in VERBS.items()}

    again = ledger.resume(reservation.run_id)
    second = PrivateTable(SealedBackend(SCHEMA, []), again, noise=ForbiddenNoise())
    assert {name: verb(second, PART) for name, verb in VERBS.items()} == answers
    assert repr(second.measured(DOMAIN)) == repr(first.measured(DOMAIN))
    assert [c.verb for c in again.charges] == list(VERBS)
    with pytest.raises(AssertionError, match="private rows"):
        count(second, PART)  # a new question is asked afresh


def test_a_replay_that_asks_something_else_is_refused(tmp_path: Path) -> None:
    ledger, reservation = reserved(tmp_path / "ledger.db")
    count(PrivateTable(TinyBackend(SCHEMA, ROWS), reservation, noise=SeededNoise(4)), PART)
    again = ledger.resume(reservation.run_id)
    second = PrivateTable(SealedBackend(SCHEMA, []), again, noise=ForbiddenNoise())
    with pytest.raises(LedgerError, match="a resumed run repeats itself"):
        second.count(DOMAIN, [("a",)], spend=PART)


def test_a_kill_between_charge_and_answer_draws_once(tmp_path: Path) -> None:
    class KilledError(Exception):
        pass

    class Dying(TinyBackend):
        def count(self, *_: Any) -> Any:
            raise KilledError

    ledger, reservation = reserved(tmp_path / "ledger.db")
    with pytest.raises(KilledError):
        count(PrivateTable(Dying(SCHEMA, ROWS), reservation, noise=ForbiddenNoise()), PART)
    again = ledger.resume(reservation.run_id)
    answer = count(PrivateTable(TinyBackend(SCHEMA, ROWS), again, noise=SeededNoise(4)), PART)
    third = ledger.resume(reservation.run_id)
    replayed = PrivateTable(SealedBackend(SCHEMA, []), third, noise=ForbiddenNoise())
    assert count(replayed, PART) == answer
    assert len(third.charges) == 1


def test_measured_lists_what_was_counted_over_a_domain() -> None:
    table = PrivateTable(TinyBackend(SCHEMA, ROWS), purse_for(SCHEMA, TOTAL), noise=SeededNoise(1))
    same, other = domain_of(CLOSED), domain_of(schema_of(cells("a", 2), cells("b", 4)))
    assert table.measured(DOMAIN) == []
    (one,) = table.count(DOMAIN, [("a",)], spend=ZCDP("1/4"))
    (two,) = table.count(other, [("b",)], spend=ZCDP("1/4"))
    (three,) = table.count(same, [("b",)], spend=ZCDP("1/4"))
    select(table, ZCDP("1/4"))
    assert list(map(id, table.measured(DOMAIN))) == [id(one), id(three)]
    assert list(map(id, table.measured(other))) == [id(two)]


def test_answers_cannot_be_changed_behind_the_releases_back(tmp_path: Path) -> None:
    """A method that overwrites its answers would falsify the released measurements."""
    ledger, reservation = reserved(tmp_path / "ledger.db")
    run_id = reservation.run_id
    for resumed in (False, True):
        held = ledger.resume(run_id) if resumed else reservation
        table = PrivateTable(TinyBackend(SCHEMA, ROWS), held, noise=SeededNoise(1))
        for noisy in table.count(DOMAIN, [("a",), ("b", "a")], spend=PART):
            with pytest.raises(ValueError, match="read-only"):
                noisy.values[...] = 0


def test_nothing_of_the_table_shows() -> None:
    table = PrivateTable(TinyBackend(SCHEMA, ROWS), purse_for(SCHEMA, TOTAL))
    assert repr(table) == str(table) == "<PrivateTable 'toy'>"
    assert table.schema is SCHEMA
    assert table.neighbours is Neighbours.ADD_REMOVE
    for refused_by in (len, iter, pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError):
            refused_by(table)  # type: ignore[arg-type]


def test_products_draw_from_the_system() -> None:
    table = PrivateTable(TinyBackend(SCHEMA, ROWS), purse_for(SCHEMA, TOTAL))
    assert isinstance(table._noise, SystemNoise)
    spread = {tuple(count(table, ZCDP("1/1000"))[0]) for _ in range(20)}
    assert len(spread) > 10  # noise of standard deviation 31 or more


class Thief(Score):
    """A score from elsewhere, which could keep what it sees."""

    def sensitivity(self, neighbours: Neighbours, contribution: int) -> Fraction:
        return Fraction(1)

    def monotone(self, neighbours: Neighbours) -> bool:
        return True

    def check(self, shapes: Any) -> None:
        pass

    def __call__(self, exact: Any) -> Any:
        raise AssertionError("a score from outside saw exact tables")


ANY_SCORE = L1Gap([np.zeros(2)])
MISTAKES: dict[str, tuple[Callable[[PrivateTable], Any], str]] = {
    "no marginal": (lambda t: t.count(DOMAIN, [], spend=PART), "at least one marginal"),
    "empty marginal": (lambda t: t.count(DOMAIN, [()], spend=PART), "one or more different"),
    "doubled": (lambda t: t.count(DOMAIN, [("a", "a")], spend=PART), "one or more different"),
    "unknown": (lambda t: t.count(DOMAIN, [("z",)], spend=PART), "'z'; there are 'a', 'b'"),
    "weights": (lambda t: t.count(DOMAIN, [("a",)], spend=PART, weights=[]), "0 weights"),
    "approximate": (lambda t: count(t, ApproxDP(1, "1/10")), "PureDP, GDP or ZCDP without delta"),
    "with delta": (lambda t: count(t, ZCDP(1, "1/10")), "PureDP, GDP or ZCDP without delta"),
    "nothing": (lambda t: count(t, ZCDP(0)), "above 0"),
    "too little": (lambda t: count(t, ZCDP("1e-40")), "too small"),
    "no candidate": (lambda t: t.select(DOMAIN, [], ANY_SCORE, spend=PART), "one candidate"),
    "more candidates": (
        lambda t: t.select(DOMAIN, [("a",), ("b",)], ANY_SCORE, spend=PART),
        "2 candidates and 1 estimates",
    ),
    "wrong shape": (lambda t: t.select(DOMAIN, [("b",)], ANY_SCORE, spend=PART), r"shape \(2,\)"),
    "unknown candidate": (lambda t: t.select(DOMAIN, [("z",)], ANY_SCORE, spend=PART), "'z'"),
    "foreign score": (
        lambda t: t.select(DOMAIN, [("a",)], Thief(), spend=PART),
        "Thief is no score of understudy.gate.scores",
    ),
    "too little to select": (lambda t: select(t, ZCDP("1e-60")), "too small"),
    "nothing to select with": (lambda t: select(t, ZCDP(0)), "above 0"),
    "select with delta": (lambda t: select(t, ZCDP(1, "1/10")), "without delta"),
    "too little to discover": (lambda t: discover(t, ZCDP("1e-60")), "too small"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_refused_before_they_are_charged(name: str) -> None:
    mistake, message = MISTAKES[name]
    purse = purse_for(SCHEMA, TOTAL)
    table = PrivateTable(SealedBackend(SCHEMA, []), purse, noise=ForbiddenNoise())
    with pytest.raises(UsageError, match=message):
        mistake(table)
    assert not purse.charges


def refused(schema: Schema, purse: Purse, *, rows: int = 0) -> str:
    with pytest.raises(UsageError) as refusal:
        PrivateTable(SealedBackend(schema, [()] * rows), purse)  # type: ignore[arg-type]
    return str(refusal.value)


def test_a_ledger_about_other_neighbours_or_units_does_not_pay() -> None:
    row = schema_of(cells("a", 2))
    public = schema_of(cells("a", 2), rows=0)
    person = schema_of(cells("a", 2), contribution=2)
    more = schema_of(cells("a", 2), contribution=3)
    for schema in (row, public, person, more):
        for other in (row, public, person, more):
            purse = purse_for(other, PureDP(1))
            if schema is other:
                PrivateTable(SealedBackend(schema, []), purse)  # type: ignore[arg-type]
            else:
                assert "use a ledger made for this schema" in refused(schema, purse)
    assert "under add-remove" in refused(public, purse_for(row, PureDP(1)))


@pytest.mark.parametrize(
    ("options", "word"), [({"rows": 5}, "'rows'"), ({"persons": 5}, "'units'")]
)
def test_a_public_size_that_is_not_the_tables_is_refused_without_the_true_one(
    options: dict[str, int], word: str
) -> None:
    schema = schema_of(cells("a", 2), **options)

    class Other(TinyBackend):
        def fits_declared_size(self) -> bool:
            return False

    with pytest.raises(TableMismatch, match=word) as refusal:
        PrivateTable(Other(schema, [("1",)] * 4711), purse_for(schema, PureDP(1)))
    assert "4711" not in str(refusal.value)


@pytest.mark.parametrize("noise", [SeededNoise(2), None])
def test_answers_have_the_domains_shape_and_whole_numbers(noise: Noise | None) -> None:
    schema = schema_of(Integer(name="x", min=0, max=4, missing=("",)), cells("b", 3))
    domain = domain_of(schema)
    rows: list[Row] = [("3", "1"), ("", "2"), (None, None)]
    budget = PureDP(3)
    table = PrivateTable(TinyBackend(schema, rows), purse_for(schema, budget), noise=noise)
    (noisy,) = table.count(domain, [("b", "x")], spend=budget)
    assert noisy.values.shape == (3, 6)
    assert noisy.values.dtype == np.int64


def test_every_verb_has_a_proof_and_a_place_in_the_grammar_of_methods() -> None:
    free = {"prepare", "measured", "schema", "neighbours"}
    verbs = {name for name in vars(PrivateTable) if not name.startswith("_")} - free
    room = Path(private_table.__file__).parent
    assert {verb for verb in verbs if not (room / f"{verb}.md").is_file()} == set()
    assert verbs == set(VERBS) == set(privacy_section.VERBS) - {"prepare"}
