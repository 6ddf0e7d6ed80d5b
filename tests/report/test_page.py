"""The page needs no network, escapes every foreign word, and leaves nothing out."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from tests.report.cards import (
    HOSTILE,
    ToyCharge,
    a_card,
    hostile_card,
    person_schema,
    pure_card,
)
from understudy.privacy.budget import ZCDP
from understudy.report.card import Card

LOADING = {"src", "href", "srcset", "data", "action", "poster", "background", "formaction", "cite"}
VOID = {"meta", "br", "link", "img", "hr", "input"}


class Reader(HTMLParser):
    """Collects what a browser would load, run or show, and checks that tags close."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.events: list[str] = []
        self.ids: list[str] = []
        self.shown = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in LOADING]
        self.events += [name for name, _ in attrs if name.startswith("on")]
        self.ids += [value or "" for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.shown += data


CARDS = {
    "approximate": a_card(),
    "pure": pure_card(),
    "persons": a_card(person_schema(), seed=3, copies=2, refit=True),
    "hostile": hostile_card(),
    "nothing bought": a_card(charges=()),
    "many rounds": a_card(charges=(ToyCharge("select", {"score": "L1Gap"}, ZCDP("1/1000")),) * 13),
}


@pytest.fixture(params=CARDS.values(), ids=CARDS)
def card(request: pytest.FixtureRequest) -> Card:
    found: Card = request.param
    return found


def test_no_request_leaves_the_page(card: Card) -> None:
    page = card.to_html()
    reader = Reader(page)
    assert all(target.startswith("#") for target in reader.loaded)
    assert not {"script", "link", "img", "iframe", "object", "form", "base"} & set(reader.tags)
    assert not reader.events
    assert not re.search(r"https?://|//\w|@import|url\(", page)
    assert "default-src 'none'" in page


def test_every_tag_closes_and_every_id_is_unique(card: Card) -> None:
    reader = Reader(card.to_html())
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)


def test_hostile_words_are_shown_and_do_nothing() -> None:
    page = hostile_card().to_html()
    shown = HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")
    assert shown in Reader(page).shown
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert "<script" not in page


def test_the_page_says_everything_that_the_card_says(card: Card) -> None:
    shown = " ".join(Reader(card.to_html()).shown.split())
    for column in card.columns:
        assert column.origin in shown
    for charge in card.charges:
        assert str(charge.cost) in shown
    for sentence in card.not_covered:
        assert " ".join(sentence.partition(". ")[2].split()) in shown
    assert f"{card.output.rows:,}" in shown
    assert str(card.guarantee.asked) in shown
    assert card.guarantee.neighbours_sentence in shown
    assert card.created in shown


def test_structure_for_those_who_do_not_see_it() -> None:
    page = a_card().to_html()
    tags = Reader(page).tags
    assert '<html lang="en">' in page
    assert tags.count("h1") == 1
    assert tags.count("caption") == tags.count("table")
    assert {"header", "main", "footer"} <= set(tags)


def test_equal_cards_give_equal_pages() -> None:
    assert a_card().to_html() == a_card().to_html()


def test_shares_in_the_bar_sum_to_the_whole() -> None:
    widths = re.findall(r"width: ([0-9.]+)%", a_card().to_html().partition("<body>")[2])
    assert [float(width) for width in widths] == pytest.approx([10, 10, 80])
