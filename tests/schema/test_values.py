from __future__ import annotations

from datetime import date, datetime, time

import pytest

from understudy.schema import values


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"), (True, "true or false"), ("", "text"), (1, "a number"),
        (0.5, "a number"),
        (datetime(2010, 1, 1), "a moment"), (date(2010, 1, 1), "a date"), (time(), "a time"),
        ([], "a list"), ((), "a list"), ({}, "a table"), (b"", "a bytes"),
    ],
)  # fmt: skip
def test_what_people_call_a_value(value, words):
    assert values.called(value) == words


def test_shown_values_are_short_and_printable():
    assert values.shown("a'b") == '"a\'b"'
    assert values.shown("\u202e\n") == "'\\u202e\\n'"
    assert len(values.shown("x" * 10_000)) == 60
    assert values.shown("x" * 10_000).endswith("x...'")
    assert values.listed(map(str, range(10)), most=2) == "'0', '1' and 8 more"
    assert values.listed([]) == ""


def test_guesses_are_near_or_absent():
    assert values.guess("Agee", ["income", "age"]) == " Did you mean 'age'?"
    assert values.guess("INCOME", ["Income"]) == " Did you mean 'Income'?"
    assert values.guess("x", ["income", "age"]) == ""
    assert values.guess("a" * 101, ["a" * 101]) == ""
    assert values.guess("age", ["age" * 10_000] * 5000) == ""
