"""The card as one HTML file: no request leaves it, every foreign word is escaped."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from understudy.report.card import Card
from understudy.report.spending import Spent, independence, spending, spending_in_short, unspent
from understudy.report.tables import bought_tables
from understudy.report.visible import visible
from understudy.report.words import (
    ORIGINS,
    ROWS,
    RULES,
    STATUS,
    copies_sentence,
    ledger_sentence,
    promise,
    size_sentence,
)

TEMPLATES: Final = Path(__file__).parent / "templates"


def card_page(card: Card) -> str:
    """The card as a page for people: plain words first, every number after."""
    return render("card.html.j2", **_context(card))


def render(template: str, **content: Any) -> str:
    """A page from one of the templates, with everything that is printed escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    return environment.get_template(template).render(content)


def _context(card: Card) -> dict[str, Any]:
    return {
        "card": card,
        "promise": promise(card.guarantee),
        "asked": str(card.guarantee.asked),
        "worked": str(card.guarantee.worked),
        "status": STATUS[card.guarantee.status],
        "size": size_sentence(card),
        "rows_reason": ROWS[card.output.reason],
        "copies": copies_sentence(card),
        "ledger": ledger_sentence(card),
        "spent": spending(card),
        "in_short": spending_in_short(card),
        "tables": bought_tables(card),
        "bar": _bar(spending(card)),
        "rules": RULES,
        "unspent": unspent(card),
        "independence": independence(card),
        "origins": ORIGINS,
        "not_covered": [_titled(sentence) for sentence in card.not_covered],
    }


def _bar(spent: tuple[Spent, ...]) -> list[tuple[str, float]]:
    """The share of each verb in percent, in the order of their first charge."""
    shares: dict[str, float] = {}
    for charge in spent:
        shares[charge.verb] = shares.get(charge.verb, 0.0) + charge.percent
    return [(verb, share) for verb, share in shares.items() if share > 0]


def _titled(sentence: str) -> tuple[str, str]:
    title, _, rest = sentence.partition(". ")
    return title, rest


def _finalize(value: Any) -> Any:
    """What every printed value passes through: direction marks and the like become visible."""
    return visible(value) if type(value) is str else value
