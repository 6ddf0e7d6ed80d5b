"""The ledger: one table, one currency, one total; exact to the last share."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.privacy.conftest import TOY
from understudy.errors import BudgetExceeded, LedgerError, UsageError
from understudy.privacy.budget import ZCDP, ApproxDP, PureDP, budget_from_json
from understudy.privacy.convert import approx_to_zcdp
from understudy.privacy.ledger import Ledger
from understudy.schema.neighbours import Neighbours


def test_a_new_ledger_says_what_it_is_for(make):
    ledger = make(ApproxDP(1, 1e-6))
    assert (ledger.table, ledger.unit) == ("toy", "row")
    assert ledger.neighbours is Neighbours.ADD_REMOVE
    assert ledger.currency is ApproxDP
    assert ledger.total == ApproxDP(1, 1e-6)
    state = ledger.state()
    assert state.left == state.total == ledger.total
    assert state.spent == state.reserved == ApproxDP.zero()
    assert ledger.entries() == state.runs == ()
    assert "toy" in repr(ledger)


def test_a_file_is_found_again_as_it_was(path):
    made = Ledger.init(str(path), **TOY, total=PureDP("1/3"))
    made.reserve(PureDP("1/9"), purpose="first")
    found = Ledger.open(str(path))
    assert found.state() == made.state()
    assert found.name == made.name == str(path)
    assert found.total == PureDP("1/3")
    assert Ledger.in_memory(**TOY, total=PureDP(1)).name == "memory"


def test_all_shares_of_the_total_fit_and_nothing_more(make):
    total = PureDP("1/3")
    ledger = make(total)
    for share in total.shares(7):
        ledger.reserve(share, purpose="a seventh")
    assert ledger.state().left == PureDP(0)
    assert ledger.state().reserved == total
    with pytest.raises(BudgetExceeded):
        ledger.reserve(PureDP(Fraction(1, 10**30)), purpose="one more")
    assert len(ledger.entries()) == 7
    ledger.reserve(PureDP(0), purpose="nothing")


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from("rsc"), st.integers(0, 40)), max_size=12))
def test_the_total_is_never_exceeded_whatever_is_asked(steps):
    """A plain twin in whole fiftieths: reserve, spend, or charge half and close."""
    ledger = Ledger.in_memory(**TOY, total=PureDP(1))
    used = 0
    for kind, size in steps:
        asked = PureDP(Fraction(size, 50))
        try:
            if kind == "s":
                ledger.spend(asked, purpose="other")
                used += size
            else:
                run = ledger.reserve(asked, purpose="run")
                used += size
                if kind == "c":
                    run.charge("count", detail={}, cost=asked * Fraction(1, 2))
                    run.close()
                    used -= Fraction(size, 2)
        except BudgetExceeded:
            assert used + size > 50
        state = ledger.state()
        assert state.spent + state.reserved == PureDP(Fraction(used) / 50)
        assert state.left == PureDP(1 - Fraction(used) / 50)


def test_a_refusal_tells_what_was_asked_and_what_is_left(make):
    ledger = make(PureDP(1))
    ledger.reserve(PureDP(0.75), purpose="first")
    with pytest.raises(BudgetExceeded) as caught:
        ledger.reserve(PureDP(0.35), purpose="second")
    message = str(caught.value)
    for part in ("second asks for epsilon = 0.35", "epsilon = 0.25 is left", "epsilon = 0.1 too"):
        assert part in message
    assert "nothing was read" in message
    assert caught.value.exit_code == 4
    assert len(ledger.entries()) == 1


def test_each_part_of_a_budget_is_limited(make):
    ledger = make(ApproxDP(1, 1e-6))
    with pytest.raises(BudgetExceeded, match="delta = 1e-06 too much"):
        ledger.reserve(ApproxDP(0.1, 2e-6), purpose="too much delta")
    ledger.reserve(ApproxDP(0.1, 1e-6), purpose="all delta")
    with pytest.raises(BudgetExceeded):
        ledger.reserve(ApproxDP(0.1, 1e-9), purpose="more delta")
    ledger.reserve(ApproxDP(0.9, 0), purpose="no delta")


def test_a_ledger_without_a_total_records_and_never_refuses(make):
    ledger = make(None, currency=ZCDP)
    ledger.reserve(ZCDP(1000), purpose="large")
    ledger.spend(ZCDP(1000), purpose="large")
    state = ledger.state()
    assert state.total is None
    assert state.left is None
    assert state.spent + state.reserved == ZCDP(2000)
    assert "never refuses" in state.limit
    assert ledger.currency is ZCDP
    assert json.loads(json.dumps(state.to_json()))["left"] is None


def test_a_sum_that_promises_nothing_is_not_taken_in(make):
    ledger = make(None, currency=ApproxDP)
    ledger.record(ApproxDP(1, 0.6), purpose="bad")
    for book in (ledger.record, ledger.spend, ledger.reserve):
        with pytest.raises(UsageError, match="nothing is promised"):
            book(ApproxDP(1, 0.6), purpose="worse")
    assert ledger.state().spent == ApproxDP(1, 0.6)


def test_spend_books_ahead_and_is_refused_beyond_the_total(make):
    ledger = make(PureDP(1))
    booked = ledger.spend(PureDP(0.4), purpose="another tool")
    assert (booked.kind, booked.status, booked.kept) == ("elsewhere", "closed", PureDP(0.4))
    assert ledger.state().spent == PureDP(0.4)
    with pytest.raises(BudgetExceeded, match=r"another tool asks for epsilon = 0\.7"):
        ledger.spend(PureDP(0.7), purpose="another tool")
    assert ledger.state().left == PureDP(0.6)


def test_record_notes_even_what_should_not_have_happened(make):
    ledger = make(ApproxDP(1, 1e-6))
    ledger.record(PureDP(3), purpose="a colleague")
    state = ledger.state()
    assert state.spent == ApproxDP(3, 0)
    assert state.left == ApproxDP(0, 0)  # the delta that was not touched is gone as well
    with pytest.raises(BudgetExceeded):
        ledger.reserve(ApproxDP(0, 1e-9), purpose="delta alone")
    (run,) = ledger.entries()
    assert (run.working, run.entered, run.conversion) == (
        PureDP(3),
        ApproxDP(3, 0),
        "pure-to-approx",
    )


@pytest.mark.parametrize(
    ("total", "working", "entered", "conversion"),
    [
        (PureDP(1), PureDP(0.5), PureDP(0.5), None),
        (ZCDP(1, 1e-6), ZCDP(0.5, 1e-7), ZCDP(0.5, 1e-7), None),
        (ZCDP(1), PureDP(0.5), ZCDP("1/8"), "pure-to-zcdp"),
        (ApproxDP(1, 1e-6), PureDP(0.5), ApproxDP(0.5, 0), "pure-to-approx"),
    ],
)
def test_a_run_enters_by_a_named_conversion_and_both_values_are_kept(
    make, total, working, entered, conversion
):
    ledger = make(total)
    reservation = ledger.reserve(working, purpose="x")
    assert reservation.budget == working
    assert reservation.entered == entered
    (run,) = ledger.entries()
    assert (run.working, run.entered, run.conversion) == (working, entered, conversion)
    assert ledger.state().reserved == entered


def test_a_zcdp_run_enters_an_approx_ledger_as_what_was_asked(make):
    ledger = make(ApproxDP(1, 1e-6))
    asked = ApproxDP(1, 1e-6)
    working = approx_to_zcdp(asked, reserve_delta=5e-7)
    with pytest.raises(UsageError, match="ask for epsilon and delta"):
        ledger.reserve(working, purpose="x")
    with pytest.raises(UsageError, match=r"cannot enter as epsilon = 0\.99"):
        ledger.reserve(working, entered=ApproxDP(0.99, 1e-6), purpose="x")
    ledger.reserve(working, entered=asked, purpose="x")
    assert ledger.state().left == ApproxDP(0, 0)
    assert ledger.entries()[0].conversion == "zcdp-to-approx"


@pytest.mark.parametrize(
    ("total", "working"),
    [(PureDP(1), ZCDP(0.1)), (PureDP(1), ApproxDP(0.1, 0)), (ZCDP(1), ApproxDP(0.1, 1e-9))],
)
def test_what_no_conversion_carries_is_refused(make, total, working):
    with pytest.raises(UsageError, match=r"nothing in .* can be promised"):
        make(total).reserve(working, purpose="x")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"total": None}, "say which with currency"),
        ({"total": PureDP(1), "currency": ZCDP}, "currency of its total"),
        ({"total": 1.0}, "a currency is one of"),
        ({"table": ""}, "table must be a few words"),
        ({"table": "a\nb"}, "table must be one line"),
        ({"unit": 3}, "unit must be a few words"),
        ({"unit": "x" * 1001}, "at most 1000"),
        ({"unit": "\ud800"}, "printable"),
        ({"neighbours": "add-remove"}, "must be a Neighbours"),
    ],
)
def test_a_ledger_that_makes_no_sense_is_not_made(make, path, fields, says):
    with pytest.raises(UsageError, match=says):
        make(**{"total": PureDP(1), **fields})
    assert not path.exists()


@pytest.mark.parametrize("purpose", ["", "  ", "a\tb", None, 3])
def test_a_purpose_is_one_line_of_text(make, purpose):
    with pytest.raises(UsageError, match="purpose"):
        make().reserve(PureDP(0.1), purpose=purpose)


def test_expect_holds_a_ledger_to_its_table(make):
    ledger = make()
    ledger.expect(**TOY)
    for wrong in (
        {"table": "other"},
        {"unit": "person"},
        {"neighbours": Neighbours.REPLACE_ONE},
    ):
        with pytest.raises(LedgerError, match=r"about table 'toy'.*use the ledger of that table"):
            ledger.expect(**{**TOY, **wrong})


def test_a_run_that_does_not_exist_cannot_be_resumed(make):
    ledger = make()
    open_run = ledger.reserve(PureDP(0.1), purpose="x")
    ledger.spend(PureDP(0.1), purpose="elsewhere")
    for run_id in ("run-0009", "run-1", "nonsense", "", "run-", "run-0002", "run-" + "9" * 30):
        with pytest.raises(LedgerError, match=f"open runs: {open_run.run_id}"):
            ledger.resume(run_id)


def test_a_file_replaced_by_another_ledger_is_noticed(path):
    ledger = Ledger.init(path, **TOY, total=PureDP(1))
    held = ledger.reserve(PureDP(1), purpose="x")
    path.unlink()
    Ledger.init(path, **TOY, total=PureDP(9))
    for book in (ledger.reserve, ledger.spend, ledger.record):
        with pytest.raises(LedgerError, match="replaced"):
            book(PureDP(0.1), purpose="y")
    with pytest.raises(LedgerError, match=r"not in the ledger .* replaced"):
        held.charge("count", detail={}, cost=PureDP(1))
    Ledger.open(path).reserve(PureDP(9), purpose="z")
    with pytest.raises(LedgerError, match="resumed elsewhere"):
        held.charge("count", detail={}, cost=PureDP(1))


def test_the_state_as_json_is_exact_and_complete(make, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    ledger = make(ApproxDP(1, 1e-6))
    run = ledger.reserve(PureDP("1/3"), purpose="synthesize")
    run.charge("count", detail={"columns": ["a"]}, cost=PureDP("1/7"))
    found = json.loads(json.dumps(ledger.state().to_json()))
    whole = {"currency": "approx", "epsilon": "1", "delta": "1/1000000"}
    third = {"currency": "approx", "epsilon": "1/3", "delta": "0"}
    assert found == {
        "table": "toy",
        "unit": "row",
        "neighbours": "add-remove",
        "currency": "approx",
        "created": "1970-01-01T00:00:00Z",
        "limit": "reservations beyond epsilon = 1, delta = 1e-06 are refused",
        "total": whole,
        "spent": {"currency": "approx", "epsilon": "0", "delta": "0"},
        "reserved": third,
        "left": {"currency": "approx", "epsilon": "2/3", "delta": "1/1000000"},
        "runs": [
            {
                "run": "run-0001",
                "kind": "run",
                "purpose": "synthesize",
                "status": "open",
                "working": {"currency": "pure", "epsilon": "1/3"},
                "entered": third,
                "conversion": "pure-to-approx",
                "kept": None,
                "opened": "1970-01-01T00:00:00Z",
                "closed": None,
                "charges": [
                    {
                        "position": 0,
                        "verb": "count",
                        "detail": {"columns": ["a"]},
                        "cost": {"currency": "pure", "epsilon": "1/7"},
                        "time": "1970-01-01T00:00:00Z",
                    }
                ],
            }
        ],
    }
    assert budget_from_json(found["total"]) == ledger.total
    run.close()
    (closed,) = ledger.state().to_json()["runs"]
    assert closed["kept"] == {"currency": "approx", "epsilon": "1/7", "delta": "0"}
    assert closed["closed"] == "1970-01-01T00:00:00Z"
