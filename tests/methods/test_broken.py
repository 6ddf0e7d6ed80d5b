"""Methods broken on purpose: each is caught by the checks it names, every check by some method."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from tests.methods import checks as checks_module
from tests.methods.checks import checks
from tests.methods.subjects import Subject
from understudy.errors import UnderstudyError

FOLDER = Path(__file__).resolve().parent.parent / "broken"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "method")
ALL = {check.__name__.removeprefix("check_") for check in checks()}


def caught_by(name: str) -> tuple[str, ...]:
    found: tuple[str, ...] = import_module(f"tests.broken.{name}").CAUGHT_BY
    return found


CASES = [(name, check) for name in NAMES for check in caught_by(name)]


@pytest.mark.parametrize(("name", "check"), CASES)
def test_a_broken_method_is_caught(name: str, check: str) -> None:
    module = import_module(f"tests.broken.{name}")
    with pytest.raises((AssertionError, UnderstudyError, ZeroDivisionError)):
        getattr(checks_module, f"check_{check}")(Subject(module.METHOD, module))


def test_every_check_catches_something() -> None:
    assert {check for _, check in CASES} == ALL


def test_the_sound_method_that_they_change_is_sound() -> None:
    """Otherwise they would be caught for nothing."""
    module = import_module("tests.broken.method")
    spared = {
        "says_what_it_is",
        "imports_and_touches_only_what_a_method_may",
        "has_a_privacy_section",
        "ledger_equals_the_privacy_section",
    }
    for check in checks():
        if check.__name__.removeprefix("check_") not in spared:
            check(Subject(module.Sound, module))
