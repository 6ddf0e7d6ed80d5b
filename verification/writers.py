"""A hundred processes that spend from one ledger at the same moment."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.privacy.conftest import TOY
from understudy.errors import BudgetExceeded, LedgerError
from understudy.privacy.budget import PureDP
from understudy.privacy.ledger import Ledger

ATTEMPTS = 3
SECONDS = 500


def spend(path: Path, share: Fraction, together: Any, outcomes: Any) -> None:
    """Try to reserve a share a few times; what is won is charged, journalled and, partly, ended."""
    together.wait()
    for attempt in range(ATTEMPTS):
        try:
            run = Ledger.open(path).reserve(PureDP(share), purpose="race")
            for cost in run.budget.shares(2):
                run.journal(run.charge("count", detail={"n": attempt}, cost=cost), {"a": [attempt]})
            if attempt % 2:
                run.close()
        except BudgetExceeded:
            outcomes.put("refused")
        except LedgerError:
            outcomes.put("busy")
        else:
            outcomes.put("won")


@pytest.mark.parametrize("writers", [8, pytest.param(100, marks=pytest.mark.slow)])
def test_no_writer_overspends(tmp_path: Path, writers: int) -> None:
    path, places = tmp_path / "x.ledger", writers * ATTEMPTS // 2
    Ledger.init(path, **TOY, total=PureDP(1))
    context = get_context("fork")
    together, outcomes = context.Barrier(writers), context.Queue()
    share = Fraction(1, places)
    processes = [
        context.Process(target=spend, args=(path, share, together, outcomes))
        for _ in range(writers)
    ]
    for process in processes:
        process.start()
    said = Counter(outcomes.get(timeout=SECONDS) for _ in range(writers * ATTEMPTS))
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * writers
    state = Ledger.open(path).state()
    assert state.total is not None
    assert state.total.covers(state.spent + state.reserved)
    assert state.spent + state.reserved == PureDP(share * len(state.runs))
    assert said["won"] <= len(state.runs) <= said["won"] + said["busy"]
    if not said["busy"]:  # nobody waited too long: then everything that fits was given away
        assert said["won"] == places
        assert said["refused"] == writers * ATTEMPTS - places
    assert all(len(run.charges) == 2 for run in state.runs) or said["busy"]
