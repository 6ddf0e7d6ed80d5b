"""Ledgers to test on: in a file and in memory, always about the same toy table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from understudy.privacy.budget import Budget, PureDP
from understudy.privacy.ledger import Ledger
from understudy.schema.neighbours import Neighbours

Make = Callable[..., Ledger]
ONE = PureDP(1)
TOY = {"table": "toy", "unit": "row", "neighbours": Neighbours.ADD_REMOVE}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a ledger?#%.db"


@pytest.fixture(params=["file", "memory"])
def make(request: pytest.FixtureRequest, path: Path) -> Make:
    """Makes the toy table's ledger with a total, in a file or in memory."""

    def made(total: Budget | None = ONE, **fields) -> Ledger:
        if request.param == "memory":
            return Ledger.in_memory(**{**TOY, "total": total, **fields})
        return Ledger.init(path, **{**TOY, "total": total, **fields})

    return made
