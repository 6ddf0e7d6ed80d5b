"""A hundred thousand hostile inputs by Hypothesis, and as many by atheris."""

from __future__ import annotations

import pytest

from tests.test_fuzzing import fuzz, look_with_atheris

CASES = {"csv": 35_000, "jsonl": 25_000, "schema": 30_000, "release": 10_000}


def test_the_cases_are_a_hundred_thousand() -> None:
    assert sum(CASES.values()) == 10**5


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_hypothesis(name: str) -> None:
    fuzz(name, CASES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_atheris(name: str) -> None:
    pytest.importorskip("atheris", reason="atheris is not made for this machine")
    done = look_with_atheris(name, CASES[name])
    assert done.returncode == 0, done.stderr[-4000:]
    assert f"Done {CASES[name]} runs in" in done.stderr
