"""Every method, found by its file's name, passes every check; new methods need no line here."""

from __future__ import annotations

import pytest

from tests.methods.checks import Check, checks
from tests.methods.subjects import subject_names, subject_of
from understudy import methods


def test_there_are_methods_and_checks() -> None:
    assert "independent" in methods.names()
    assert len(checks()) >= 16


@pytest.mark.parametrize("check", checks(), ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("name", subject_names())
def test_every_method_passes_every_check(name: str, check: Check) -> None:
    check(subject_of(name))
