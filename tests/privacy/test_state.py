"""What a ledger's state adds up to."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from understudy.privacy.budget import ApproxDP
from understudy.privacy.state import About, Charge, LedgerState, Run
from understudy.schema.neighbours import Neighbours

WHEN = "2026-01-01T00:00:00Z"
ABOUT = About("toy", "row", Neighbours.REPLACE_ONE, ApproxDP, ApproxDP(1, 1e-6), WHEN)
OPEN = Run(
    run_id="run-0001",
    kind="run",
    purpose="x",
    status="open",
    working=ApproxDP(0.5, 0),
    entered=ApproxDP(0.5, 0),
    conversion=None,
    kept=None,
    opened=WHEN,
    closed=None,
    charges=(Charge("run-0001", 0, "count", {"a": 1}, ApproxDP(0.1, 0), WHEN),),
)
CLOSED = replace(OPEN, status="closed", kept=ApproxDP(0.1, 0), closed=WHEN)


def test_open_runs_count_whole_and_closed_ones_by_what_they_kept():
    state = LedgerState(ABOUT, (OPEN, CLOSED, CLOSED))
    assert OPEN.counted == ApproxDP(0.5, 0)
    assert CLOSED.counted == ApproxDP(0.1, 0)
    assert state.reserved == ApproxDP(0.5, 0)
    assert state.spent == ApproxDP(0.2, 0)
    assert state.left == ApproxDP(0.3, 1e-6)


def test_nothing_is_left_once_one_part_is_overdrawn():
    for kept in (ApproxDP(2, 0), ApproxDP(0, 1e-5)):
        state = LedgerState(ABOUT, (replace(CLOSED, kept=kept),))
        assert state.left == ApproxDP(0, 0)
        assert state.spent == kept


def test_without_a_total_nothing_is_said_to_be_left():
    state = LedgerState(replace(ABOUT, total=None), (OPEN,))
    assert state.left is None
    assert state.total is None
    assert "records" in state.limit
    assert state.to_json()["total"] is None
    assert state.to_json()["reserved"]["epsilon"] == "1/2"


def test_a_record_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        OPEN.status = "closed"
    with pytest.raises(FrozenInstanceError):
        OPEN.charges[0].verb = "select"


def test_charges_read_as_plain_json():
    assert OPEN.charges[0].to_json() == {
        "position": 0,
        "verb": "count",
        "detail": {"a": 1},
        "cost": {"currency": "approx", "epsilon": "1/10", "delta": "0"},
        "time": WHEN,
    }
