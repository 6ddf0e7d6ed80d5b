"""The card for a terminal: complete, within its width, and without control characters."""

from __future__ import annotations

import pytest

from tests.report.cards import HOSTILE, ToyCharge, a_card, hostile_card, person_schema
from understudy.privacy.budget import ZCDP
from understudy.report.visible import visible


@pytest.mark.parametrize("width", [60, 88, 120])
def test_lines_keep_the_width(width: int) -> None:
    lines = a_card(person_schema()).to_text(width=width).splitlines()
    assert max(map(len, lines)) <= width


def test_every_section_is_there() -> None:
    text = a_card(person_schema(), seed=4).to_text()
    for heading in (
        "CARD OF THE SYNTHETIC TABLE 'toy'",
        "The promise",
        "Where the budget went",
        "The rows",
        "Taken as public",
        "Not covered",
        "Made by",
    ):
        assert heading in text.splitlines()
    flat = " ".join(text.split())
    assert "Rule: age >= 0" in flat
    assert "does not enforce" in flat
    assert "1,234 rows" in flat
    assert "worked by the tight conversion" in flat


def test_no_conversion_no_second_budget() -> None:
    assert "Worked in" not in a_card(conversion="").to_text()


def test_where_charges_are_told_together_it_says_where_each_stands() -> None:
    assert "one by one" not in a_card().to_text()
    choices = (ToyCharge("select", {"score": "L1Gap"}, ZCDP("1/1000")),) * 13
    text = a_card(charges=choices).to_text()
    assert "select, 13 times" in text
    assert "one by one, stands in the release's report.html" in text


def test_an_unspent_rest_is_told() -> None:
    assert "Not spent: rho = 0.05" in a_card(charges=()).to_text()


def test_hostile_names_cannot_move_the_cursor() -> None:
    text = hostile_card().to_text()
    assert all(character.isprintable() or character == "\n" for character in text)
    assert "\\x1b[31m" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, ümläut, 漢字", "plain text, ümläut, 漢字"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u200b", "\\u200b"),
        ("\ud800", "\\ud800"),
        ("", ""),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_visible_text_stays_as_it_is() -> None:
    assert visible(visible(HOSTILE)) == visible(HOSTILE)
