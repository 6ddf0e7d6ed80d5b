"""Runs the contract of engines over all engines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.data.contract import ENGINES, Engine, checks


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_the_engine(engine: Engine, check: Callable[[Engine, Path], None], tmp_path: Path) -> None:
    check(engine, tmp_path)
