"""A private choice among releases: its law, what it and all candidates cost, what it records."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.gate.mechanisms import pairs_of_laws
from tests.gate.promises import TOLERANCE, share_used
from tests.paid.candidates import candidate
from tests.tables import cells, schema_of, universe
from understudy.errors import BudgetExceeded, LedgerError, UsageError
from understudy.gate.private_table import PrivateTable
from understudy.paid.cells import fingerprint
from understudy.paid.selection import choose, to_choose
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.release import Release
from understudy.report.card import Card
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

NOWHERE = "no such file.csv"
PAIR = (cells("a", 2), cells("b", 2))
ROWS = [("0", "0"), ("1", "1")] * 40


def lists(schema: Schema) -> list[Release]:
    """Rows like the real ones below, rows with their columns torn apart, rows all alike."""
    return [
        candidate(schema, (0, 1), (1, 0), (0, 0), (1, 1)),
        candidate(schema, (0, 0), (1, 1)),
        candidate(schema, (1, 0), (1, 0), (1, 0)),
    ]


def frame() -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=["a", "b"])


def chosen(table: PrivateTable, budget: Budget) -> int:
    schema = table.schema
    listed = to_choose(
        [candidate(schema, (0, 0)), candidate(schema, (1, 1)), candidate(schema, (0, 0), (1, 1))],
        schema,
        depth=2,
        rows=6.0,
    )
    return choose(table, listed, spend=budget)


@pytest.mark.parametrize(
    ("budget", "contribution"),
    [(PureDP(Fraction(3, 2)), 1), (PureDP(Fraction(3, 2)), 2), (ZCDP(Fraction(2, 5)), 1)],
    ids=str,
)
@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_choice_keeps_its_promise_and_uses_it(
    budget: Budget, relation: Neighbours, contribution: int
) -> None:
    pairs = pairs_of_laws(
        chosen,
        PAIR,
        universe(2, 2),
        budget,
        relation=relation,
        contribution=contribution,
        others=3 - contribution,
    )
    least = 0.4 if isinstance(budget, PureDP) else 0.15
    assert least <= share_used(pairs, budget) <= 1 + TOLERANCE


@pytest.mark.parametrize("rows", [None, len(ROWS)])
def test_with_a_large_budget_the_best_is_chosen(rows: int | None) -> None:
    found = us.select_release(lists(schema_of(*PAIR, rows=rows)), frame(), spend=PureDP(1000))
    assert found.index == 1
    assert found.rows == (8.0 if rows is None else 2.0 * rows)
    assert found.release.synthetic[0].rows == 2


def test_how_many_rows_a_candidate_has_does_not_count() -> None:
    schema = schema_of(*PAIR)
    pair = [candidate(schema, *[(0, 0), (1, 1)] * times) for times in (1, 50)]
    copies = candidate(schema, (0, 0), (1, 1), copies=3)
    score = to_choose([*pair, copies], schema, depth=2, rows=100.0).score
    (first, *others) = score.ginis([np.array([[9, 2], [3, 7]])])
    assert others == [first, first]
    assert score.rows == 100.0


# ---- what it costs ---------------------------------------------------------------------------


def totals(*releases: Release, spend: Budget) -> tuple[Card, Budget]:
    found = us.select_release(releases, frame(), spend=spend)
    assert Card.from_json(found.release.card.to_json()) == found.release.card
    return found.release.card, found.total


def test_all_candidates_and_the_choice_are_summed_on_the_card() -> None:
    schema = schema_of(*PAIR)
    made = [candidate(schema, (0, 0), (1, 1), cost=PureDP(cost)) for cost in ("1/3", "1/2", 2)]
    card, total = totals(*made, spend=PureDP("1/7"))
    assert total == PureDP(Fraction(1, 3) + Fraction(1, 2) + 2 + Fraction(1, 7))
    assert card.guarantee.asked == card.guarantee.worked
    assert Fraction(card.guarantee.worked.parts["epsilon"]) == total.epsilon  # type: ignore[attr-defined]
    assert "sum of 3 candidates" in card.guarantee.conversion
    assert sum(Fraction(charge.cost.parts["epsilon"]) for charge in card.charges) == total.epsilon  # type: ignore[attr-defined]
    assert [charge.verb for charge in card.charges] == [
        *("count", "candidate", "candidate"),
        "minimise",
    ]
    text = card.to_text()
    assert "all of release" in text
    assert "best of 3 candidates for a × b" in text


def test_tables_from_one_run_are_paid_for_once() -> None:
    schema = schema_of(*PAIR)
    one = candidate(schema, (0, 0), (1, 1), run="run-0001")
    two = candidate(schema, (0, 1), (1, 0), run="run-0001")
    three = candidate(schema, (1, 1), (1, 0), run="run-0002")
    for listed in ([one, two, three], [two, one, three], [three, two, one]):
        card, total = totals(*listed, spend=PureDP(1000))
        assert total == PureDP(1002)
        assert [charge.verb for charge in card.charges] == ["count", "candidate", "minimise"]


def test_a_former_choice_is_not_covered_by_the_run_that_made_what_it_chose() -> None:
    schema = schema_of(*PAIR)
    good = candidate(schema, (0, 0), (1, 1), run="run-0001")
    poor = candidate(schema, (0, 1), (1, 0), run="run-0002")
    former = [us.select_release([good, poor], frame(), spend=PureDP(1000)) for _ in range(2)]
    assert [(one.index, one.total) for one in former] == [(0, PureDP(1002))] * 2
    chosen = [one.release for one in former]
    for listed in ([good, chosen[0]], [chosen[0], good]):
        assert us.select_release(listed, frame(), spend=PureDP(1)).total == PureDP(1004)
    # no ledger knows of either choice, so nobody can say that they are one
    assert us.select_release(chosen, frame(), spend=PureDP(1)).total == PureDP(2005)


def test_runs_of_two_ledgers_that_share_a_name_are_both_paid_for() -> None:
    schema = schema_of(*PAIR)
    old, new = (candidate(schema, row, run="run-0001") for row in ((0, 0), (1, 1)))
    new = replace(new, card=replace(new.card, created="2027-01-01T00:00:00Z"))
    _, total = totals(old, new, spend=PureDP(1))
    assert total == PureDP(3)


def test_other_currencies_enter_by_their_price() -> None:
    schema = schema_of(*PAIR)
    pure, rho = candidate(schema, (0, 0)), candidate(schema, (1, 1), cost=ZCDP("1/10"))
    card, total = totals(pure, rho, spend=PureDP("1/5"))
    assert total == ZCDP(Fraction(1, 2) + Fraction(1, 10) + Fraction(1, 50))
    assert "pure-to-zcdp" in card.guarantee.conversion
    assert {charge.cost.currency for charge in card.charges} == {"zcdp"}
    assert sum(Fraction(charge.cost.parts["rho"]) for charge in card.charges) == total.rho  # type: ignore[attr-defined]


def test_deltas_that_were_named_add_up() -> None:
    schema = schema_of(*PAIR)
    made = [
        candidate(schema, row, cost=ZCDP("1/20", part), asked=ApproxDP(1, "1e-6"))
        for row, part in (((0, 0), 0), ((1, 1), "5e-7"))
    ]
    card, total = totals(*made, spend=ApproxDP("1/2", "1e-6"))
    assert card.guarantee.asked.currency == "approx"
    assert Fraction(card.guarantee.asked.parts["delta"]) == Fraction(3, 10**6)
    assert isinstance(total, ZCDP)
    assert total.delta == Fraction(1, 2 * 10**6)


def test_a_sum_is_no_stronger_than_its_weakest_candidate() -> None:
    schema = schema_of(*PAIR)
    weak = candidate(schema, (0, 1))
    promise = replace(weak.card.guarantee, status="ideal-numbers")
    weak = replace(weak, card=replace(weak.card, guarantee=promise))
    strong = [candidate(schema, (0, 0)), candidate(schema, (1, 1))]
    card, _ = totals(*strong, weak, spend=PureDP(1))
    assert card.guarantee.status == "ideal-numbers"


# ---- what it records -------------------------------------------------------------------------


def test_the_list_is_in_the_ledger_before_the_rows_are_read(tmp_path: Path) -> None:
    schema = schema_of(*PAIR)
    made, path = lists(schema), tmp_path / "toy.ledger"
    book = us.Ledger.init(
        path,
        table=schema.name,
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=PureDP(1),
    )
    found = us.select_release(made, frame(), spend=PureDP("3/4"), ledger=path)
    (run,) = book.entries()
    (charge,) = run.charges
    assert (charge.verb, run.counted) == ("minimise", PureDP("3/4"))
    assert tuple(charge.detail["names"]) == found.fingerprints == tuple(map(fingerprint, made))
    assert charge.detail["rows"] == found.rows
    assert found.release.card.ledger is not None
    assert found.release.card.ledger.run == run.run_id
    empty = frame().iloc[:0]
    again = us.select_release(made, empty, spend=PureDP("3/4"), ledger=path, resume=run.run_id)
    assert again.index == found.index
    with pytest.raises(LedgerError, match="same schema, arguments"):
        us.select_release(made[::-1], empty, spend=PureDP("3/4"), ledger=path, resume=run.run_id)
    with pytest.raises(BudgetExceeded, match="nothing was read"):
        us.select_release(made, NOWHERE, spend=PureDP("1/2"), ledger=path)


def test_a_fingerprint_is_of_the_rows_and_survives_the_folder(tmp_path: Path) -> None:
    from tests.release.releases import a_release

    release = a_release()
    release.save(tmp_path / "release")
    assert fingerprint(us.load(tmp_path / "release")) == fingerprint(release)
    schema = schema_of(cells("a", 2), cells("b", 2, missing=("",)))
    rows = [(0, 0), (1, 2), (1, 1)]
    prints = {
        fingerprint(candidate(schema, *changed))
        for changed in (rows, rows[:2], rows[::-1], [(0, 0), (1, 1), (1, 1)])
    }
    assert len(prints) == 4


def test_the_chosen_release_is_saved_with_its_card(tmp_path: Path) -> None:
    schema = schema_of(*PAIR)
    release = us.select_release(lists(schema), frame(), spend=PureDP(1)).release
    release.save(tmp_path / "chosen")
    assert us.load(tmp_path / "chosen").card == release.card


# ---- refusals, all before the table is looked for --------------------------------------------


def test_lists_that_cannot_be_chosen_from_are_refused_unread() -> None:
    schema = schema_of(*PAIR)
    made = lists(schema)
    public = candidate(schema_of(*PAIR, rows=9), (0, 0))
    narrow = candidate(schema_of(PAIR[0]), (0,))
    for listed, message in (
        ([], "a release, not a NoneType"),
        (made[:1], "from 2 to 10,000 releases, not 1"),
        ([*made, frame()], "a release, not a DataFrame"),
        ([*made, public], "release 3 promises privacy of one row in table 'toy' under replace-one"),
        ([*made, candidate(schema)], "without rows"),
        ([*made, narrow], "no column 'b'"),
    ):
        with pytest.raises(UsageError, match=message):
            us.select_release(listed, NOWHERE, spend=PureDP(1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"spend": "1"}, "spend is a budget"),
        ({"spend": PureDP(1), "depth": 0}, "one of 1, 2, 3"),
        ({"spend": PureDP(1), "rows": 0}, "public number of rows"),
        ({"spend": PureDP(1), "rows": True}, "public number of rows"),
        ({"spend": PureDP(1), "rows": float("nan")}, "public number of rows"),
    ],
)
def test_settings_that_make_no_sense_are_refused_unread(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        us.select_release(lists(schema_of(*PAIR)), NOWHERE, **arguments)  # type: ignore[arg-type]
