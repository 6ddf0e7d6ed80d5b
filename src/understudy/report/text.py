"""The card for a terminal: the same sentences as the page, in fixed width and without colour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from understudy.report.card import Card
from understudy.report.spending import independence, spending_in_short, unspent
from understudy.report.visible import visible
from understudy.report.words import (
    ROWS,
    RULES,
    STATUS,
    copies_sentence,
    ledger_sentence,
    promise,
    size_sentence,
)


def card_text(card: Card, *, width: int = 88) -> str:
    """The card in plain words, ending in a line break."""
    lines: list[str] = []
    for title, paragraphs in _sections(card):
        lines += ["", title] if lines else [title]
        for paragraph in paragraphs:
            lines += _indented(paragraph, width)
    return "\n".join(lines) + "\n"


def _sections(card: Card) -> Iterator[tuple[str, Iterable[str]]]:
    yield f"CARD OF THE SYNTHETIC TABLE {visible(card.table)!r}", [promise(card.guarantee)]
    yield "The promise", _promise(card)
    yield "Where the budget went", _spending(card)
    yield (
        "The rows",
        [f"{card.output.rows:,} rows. {copies_sentence(card)} {ROWS[card.output.reason]}"],
    )
    yield "Taken as public", _columns(card)
    yield "Not covered", [f"- {sentence}" for sentence in card.not_covered]
    yield "Made by", _making(card)


def _promise(card: Card) -> Iterator[str]:
    guarantee = card.guarantee
    yield f"Budget: {guarantee.asked}"
    if guarantee.conversion:
        yield f"Worked in: {guarantee.worked} ({guarantee.conversion})"
    yield f"To whom: {guarantee.unit}"
    yield f"Which tables cannot be told apart: {guarantee.neighbours_sentence}"
    yield f"Status: {guarantee.status}. {STATUS[guarantee.status]}"


def _spending(card: Card) -> Iterator[str]:
    lines = spending_in_short(card)
    for spent in lines:
        yield f"{spent.share:>7}  {spent.verb}: {spent.what} ({spent.cost})"
    if len(lines) < len(card.charges):
        yield "Every payment, one by one, stands in the release's report.html and card.json."
    if left := unspent(card):
        yield f"Not spent: {left}"
    if alone := independence(card):
        yield alone
    yield ledger_sentence(card)


def _making(card: Card) -> Iterator[str]:
    yield f"{card.method.name}: {card.method.summary}"
    if card.method.reason:
        yield f"Chosen by auto: {card.method.reason}"
    yield f"After: {card.method.paper}"
    yield ", ".join(f"{name} {number}" for name, number in card.versions.items())
    yield card.created


def _columns(card: Card) -> Iterator[str]:
    yield size_sentence(card)
    widest = min(max(len(visible(column.name)) for column in card.columns), 24)
    for column in card.columns:
        name = visible(column.name).ljust(widest)
        missing = ", may be missing" if column.missing else ""
        yield f"{name}  {column.origin:<9} {column.kind}: {column.public}{missing}"
    for rule in card.rules:
        yield f"Rule: {rule}"
    if card.rules:
        yield RULES


def _indented(paragraph: str, width: int) -> list[str]:
    text = visible(paragraph)
    return wrap(text, width, initial_indent="  ", subsequent_indent="    ") or [""]
