"""One clock, that a build can hold still."""

from __future__ import annotations

import re

import pytest

from understudy.errors import UsageError
from understudy.privacy.clock import now


def test_the_present_is_written_in_whole_utc_seconds(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", now())


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        ("0", "1970-01-01T00:00:00Z"),
        ("86399", "1970-01-01T23:59:59Z"),
        ("1767225600", "2026-01-01T00:00:00Z"),
    ],
)
def test_source_date_epoch_holds_the_clock(monkeypatch, seconds, text):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    assert now() == text == now()


@pytest.mark.parametrize("seconds", ["", "now", "1.5", "9" * 30])
def test_a_time_that_is_none_is_refused(monkeypatch, seconds):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH must be whole seconds"):
        now()
