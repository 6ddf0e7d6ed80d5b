"""No text that was made harmless begins like a formula, wherever a spreadsheet splits it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.formulas import harmless

PIECES = st.sampled_from(
    [
        "=",
        "+",
        "-",
        "@",
        "\uff1d",
        " ",
        "\t",
        "\r",
        "\n",
        ";",
        ",",
        "|",
        "\ufeff",
        "a",
        "1",
        ".",
        "'",
    ]
)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+SUM(A1)", "'+SUM(A1)"),
        ("-1+1", "'-1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1+1", "\t'=1+1"),
        ("\ufeff =1+1", "\ufeff '=1+1"),
        ("\uff1d1+1", "'\uff1d1+1"),
        ("a;=1+1", "a;'=1+1"),
        ("a\n=1+1", "a\n'=1+1"),
    ],
)
def test_formulas_get_an_apostrophe(text: str, made: str) -> None:
    assert harmless(text) == made


@pytest.mark.parametrize(
    "text",
    ["", "-", "a=b", "a - b", "x+y", "a@b.example", "-1", "+3.5", "-1e-9", ".5", "2020-01-02"],
)
def test_other_texts_and_numbers_stay(text: str) -> None:
    assert harmless(text) == text


@given(st.lists(PIECES, max_size=9).map("".join))
def test_no_part_begins_like_a_formula(text: str) -> None:
    made = harmless(text)
    assert made.replace("'", "") == text.replace("'", "")
    if not is_number(text):
        parts = re.split("[,;|\t\r\n]", made)
        assert not any(re.match("[\\s\ufeff]*[=+@\uff1d-].", part) for part in parts)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text == text.strip()
