"""Reservations: charges fit or are refused, answers are journalled, a killed run goes on."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.privacy.conftest import TOY
from understudy.errors import BudgetExceeded, LedgerError, UsageError
from understudy.privacy import ledger_rows
from understudy.privacy.budget import ZCDP, ApproxDP, PureDP
from understudy.privacy.convert import approx_to_zcdp
from understudy.privacy.ledger import Ledger

HALF = PureDP(0.5)


def ask(run, cost, *, verb="count", step=0):
    return run.charge(verb, detail={"step": step}, cost=cost)


def test_a_reservation_knows_its_promise(make):
    run = make(ApproxDP(1, 0)).reserve(HALF, purpose="x")
    assert (run.run_id, run.purpose, run.unit) == ("run-0001", "x", "row")
    assert run.neighbours is TOY["neighbours"]
    assert (run.budget, run.entered, run.left) == (HALF, ApproxDP(0.5, 0), HALF)
    assert run.charges == []
    assert "run-0001" in repr(run)


@settings(max_examples=25)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=8))
def test_the_shares_of_a_reservation_fit_exactly(weights):
    run = Ledger.in_memory(**TOY, total=ZCDP(1)).reserve(ZCDP("1/7"), purpose="x")
    shares = run.budget.split(**{f"w{i}": weight for i, weight in enumerate(weights)})
    for step, share in enumerate(shares.values()):
        assert run.left.covers(share)
        charge = ask(run, share, step=step)
        assert (charge.position, charge.cost) == (step, share)
    assert run.left.is_zero
    with pytest.raises(BudgetExceeded):
        ask(run, ZCDP(Fraction(1, 10**40)))
    assert [charge.cost for charge in run.charges] == list(shares.values())


def test_a_charge_that_does_not_fit_is_refused_and_not_written(make):
    run = make().reserve(HALF, purpose="x")
    ask(run, PureDP(0.375))
    with pytest.raises(BudgetExceeded) as caught:
        ask(run, PureDP(0.25), verb="select")
    assert str(caught.value) == (
        "select asks for epsilon = 0.25, and epsilon = 0.125 is left of the epsilon = 0.5 that "
        "this run reserved: epsilon = 0.125 too much. Nothing more was read"
    )
    assert len(run.charges) == 1
    ask(run, PureDP(0.125))


def test_a_charge_in_another_currency_is_refused(make):
    run = make().reserve(HALF, purpose="x")
    with pytest.raises(UsageError, match="cannot combine pure with zcdp"):
        ask(run, ZCDP(0.01))
    for verb in ("", "two\nlines"):
        with pytest.raises(UsageError, match="verb"):
            ask(run, HALF, verb=verb)
    with pytest.raises(UsageError, match="plain JSON"):
        run.charge("count", detail={"a": object()}, cost=HALF)
    assert run.charges == []


def test_a_charge_is_on_the_disk_when_it_returns(path):
    ledger = Ledger.init(path, **TOY, total=PureDP(1))
    run = ledger.reserve(HALF, purpose="x")
    charge = run.charge("count", detail={"columns": ["b", "a"]}, cost=PureDP(0.2))
    (seen,) = Ledger.open(path).entries()
    assert seen.charges == (charge,)
    assert seen.charges[0].detail == {"columns": ["b", "a"]}
    assert seen.status == "open"


def test_answers_are_journalled_once_and_recalled_exactly(make):
    run = make().reserve(HALF, purpose="x")
    first, second = ask(run, PureDP(0.1)), ask(run, PureDP(0.1), step=1)
    assert run.recall(first) is None
    answer = {"tables": [np.array([3, -1]), np.array([[0.5]])], "levels": ("x", None), "n": 1}
    run.journal(first, answer)
    back = run.recall(first)
    assert back["levels"] == ("x", None)
    assert [table.tolist() for table in back["tables"]] == [[3, -1], [[0.5]]]
    assert [table.dtype.name for table in back["tables"]] == ["int64", "float64"]
    with pytest.raises(LedgerError, match="never answered twice"):
        run.journal(first, answer)
    assert run.recall(second) is None
    with pytest.raises(UsageError, match="an answer cannot hold"):
        run.journal(second, {"a": object()})
    assert run.recall(second) is None


def test_a_charge_of_another_run_is_not_answered(make):
    ledger = make()
    one, two = (ledger.reserve(PureDP(0.1), purpose="x") for _ in range(2))
    charge = ask(one, PureDP(0.1))
    for use in (two.recall, lambda charge: two.journal(charge, {})):
        with pytest.raises(UsageError, match="run-0001 is not one of run-0002"):
            use(charge)


def test_a_clean_end_gives_back_what_was_never_charged(make):
    ledger = make()
    run = ledger.reserve(HALF, purpose="x")
    ask(run, PureDP(0.2))
    assert ledger.state().left == HALF
    assert run.close() == PureDP(0.3)
    state = ledger.state()
    assert (state.spent, state.reserved, state.left) == (PureDP(0.2), PureDP(0), PureDP(0.8))
    assert state.runs[0].status == "closed"
    assert state.runs[0].counted == PureDP(0.2)


def test_without_a_clean_end_all_stays_spent(make):
    ledger = make()
    run = ledger.reserve(HALF, purpose="x")
    ask(run, PureDP(0.2))
    del run
    assert ledger.state().left == HALF
    assert ledger.state().reserved == HALF


def test_a_closed_run_asks_nothing_new(make):
    ledger = make()
    run = ledger.reserve(HALF, purpose="x")
    answered, open_question = ask(run, PureDP(0.1)), ask(run, PureDP(0.1), step=1)
    run.journal(answered, {"n": 1})
    run.close()
    for use in (
        lambda: ask(run, PureDP(0)),
        lambda: run.journal(open_question, {"n": 2}),
    ):
        with pytest.raises(LedgerError, match="closed"):
            use()
    assert run.recall(answered) == {"n": 1}
    assert run.close() == PureDP(0.3)
    assert ledger.state().spent == PureDP(0.2)


@pytest.mark.parametrize(
    ("total", "working", "entered", "charged"),
    [
        (ZCDP(1), ZCDP(0.5, 0), None, (ZCDP(0.125), ZCDP(0.125))),
        (ZCDP(1, 0.1), ZCDP(0.5, 0.1), None, (ZCDP(0.125), ZCDP(0.125))),
        (ZCDP(1), PureDP(1), None, (PureDP(0.5), ZCDP("1/8"))),
        (ZCDP(1), PureDP(1), ZCDP(0.75), (PureDP(0.5), ZCDP("1/8"))),
        (ApproxDP(1, 0), PureDP(1), None, (PureDP(0.25), ApproxDP(0.25, 0))),
        (ApproxDP(1, 1e-6), ZCDP(0.001), ApproxDP(1, 1e-6), (ZCDP(1e-9), ApproxDP(1, 1e-6))),
    ],
)
def test_what_is_kept_in_the_currency_of_the_ledger(make, total, working, entered, charged):
    cost, kept = charged
    ledger = make(total)
    run = ledger.reserve(working, entered=entered, purpose="x")
    ask(run, cost)
    back = run.close()
    assert ledger.state().spent == kept
    assert back + kept == run.entered


def test_nothing_charged_is_all_given_back_in_any_currency(make):
    asked = ApproxDP(1, 1e-6)
    ledger = make(asked)
    run = ledger.reserve(approx_to_zcdp(asked), entered=asked, purpose="x")
    assert run.close() == asked
    assert ledger.state().left == asked


# Resuming.


def interrupted(ledger):
    """A run killed after an answer and, inside the second question, before its answer."""
    run = ledger.reserve(HALF, purpose="x")
    run.journal(ask(run, PureDP(0.1)), {"noisy": np.array([4, 2])})
    ask(run, PureDP(0.1), step=1)
    return run


def test_a_resumed_run_repeats_its_charges_for_nothing_and_goes_on(make):
    ledger = make()
    run = ledger.resume(interrupted(ledger).run_id)
    assert run.left == HALF
    first = ask(run, PureDP(0.1))
    assert run.left == PureDP(0.4)
    assert run.recall(first)["noisy"].tolist() == [4, 2]
    second = ask(run, PureDP(0.1), step=1)
    assert run.recall(second) is None  # nothing left under it: noising it now is the first time
    run.journal(second, {"noisy": np.array([7])})
    ask(run, PureDP(0.2), step=2)
    assert run.left == PureDP(0.1)
    assert len(run.charges) == 3
    assert run.close() == PureDP(0.1)
    assert ledger.state().spent == PureDP(0.4)


@pytest.mark.parametrize(
    ("verb", "step", "cost"),
    [("select", 0, 0.1), ("count", 1, 0.1), ("count", 0, 0.2), ("count", 0, 0.1000001)],
)
def test_a_resumed_run_that_asks_something_else_is_refused(make, verb, step, cost):
    ledger = make()
    run = ledger.resume(interrupted(ledger).run_id)
    with pytest.raises(LedgerError, match=r"at step 0 run-0001 recorded count for epsilon = 0\.1"):
        ask(run, PureDP(cost), verb=verb, step=step)
    with pytest.raises(LedgerError, match="same schema, arguments, seed"):
        ask(run, PureDP(cost), verb=verb, step=step)
    ask(run, PureDP(0.1))  # the right question is still answered


def test_a_resumed_run_must_repeat_everything_before_it_ends(make):
    ledger = make()
    run = ledger.resume(interrupted(ledger).run_id)
    ask(run, PureDP(0.1))
    with pytest.raises(LedgerError, match="ended after 1 of its 2 recorded charges"):
        run.close()
    assert ledger.state().reserved == HALF


def test_resuming_takes_the_run_away_from_whoever_held_it(make):
    ledger = make()
    old = interrupted(ledger)
    (_, unanswered) = old.charges
    new = ledger.resume(old.run_id)
    for use in (
        lambda: ask(old, PureDP(0.1), step=2),
        lambda: old.journal(unanswered, {"noisy": 1}),
        lambda: old.recall(unanswered),
        old.close,
    ):
        with pytest.raises(LedgerError, match="resumed elsewhere"):
            use()
    ask(new, PureDP(0.1))
    assert new.recall(ask(new, PureDP(0.1), step=1)) is None


def test_a_closed_run_can_be_replayed_but_not_extended(make):
    ledger = make()
    run = interrupted(ledger)
    run.close()
    again = ledger.resume(run.run_id)
    assert again.recall(ask(again, PureDP(0.1)))["noisy"].tolist() == [4, 2]
    unanswered = ask(again, PureDP(0.1), step=1)
    with pytest.raises(LedgerError, match="closed"):
        again.journal(unanswered, {})
    with pytest.raises(LedgerError, match="closed"):
        ask(again, PureDP(0), step=2)
    before = ledger.state()
    assert again.close() == PureDP(0.3)
    assert ledger.state() == before


def test_one_run_used_by_two_holders_of_the_same_object_is_noticed(path):
    """As after a fork: both sides think that the next place is theirs."""
    ledger = Ledger.init(path, **TOY, total=PureDP(1))
    run = ledger.reserve(HALF, purpose="x")
    twin = object.__new__(type(run))
    twin.__dict__.update(run.__dict__)
    ask(run, PureDP(0.1))
    with pytest.raises(LedgerError, match="used twice at the same time"):
        ask(twin, PureDP(0.1))
    assert len(run.charges) == 1


def test_what_was_asked_before_is_not_read_again_with_every_charge(monkeypatch):
    """A choice among thousands of tables has a detail of megabytes, and there are hundreds."""
    ledger = Ledger.in_memory(**TOY, total=ZCDP(1))
    run = ledger.reserve(ZCDP(1), purpose="x")
    read = []
    decode = ledger_rows.json.loads
    monkeypatch.setattr(ledger_rows.json, "loads", lambda text: read.append(text) or decode(text))
    for step in range(20):
        ask(run, ZCDP("1/20"), step=step)
        assert run.left == ZCDP(1) * Fraction(19 - step, 20)
    run.close()
    assert sum('"step"' in text for text in read) == 20, "each once, by the charge that writes it"
    again = ledger.resume(run.run_id)
    read.clear()
    for step in range(20):
        assert ask(again, ZCDP("1/20"), step=step).detail == {"step": step}
    assert sum('"step"' in text for text in read) == 20
