"""A thousand runs killed at random moments, and each finished afterwards."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

from tests.cli.killing import kill_and_resume, killer, scene
from tests.cli.program import SCHEMA

KILLS = 1000


@pytest.mark.slow
def test_a_thousand_kills(tmp_path: Path) -> None:
    moments, killed = random.Random(2), 0
    with killer() as runs:
        whole = runs.run(*scene(tmp_path / "whole", SCHEMA).request())
        assert whole.code == 0
        for number in range(KILLS):
            made = scene(tmp_path / str(number), SCHEMA)
            ended = kill_and_resume(runs, made, after=moments.uniform(0, whole.seconds))
            killed += ended.code == -signal.SIGKILL
    assert killed > KILLS / 2
