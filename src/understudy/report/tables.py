"""Every noisy table that was bought, with its share of the budget and its noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any, Final

from understudy.report.card import Card, ChargeNote
from understudy.report.spending import crossed, percent_of

VARIANCE: Final = {"gaussian": (1.0, 0.0), "laplace": (2.0, 0.0), "rounded-gaussian": (1.0, 1 / 12)}
"""Of each law, per squared scale and beyond that; for people, who see three digits of its root."""


@dataclass(frozen=True)
class BoughtTable:
    """A marginal, its share of the budget in percent, and what noise does to each of its cells."""

    columns: str
    percent: float
    noise: str


def bought_tables(card: Card) -> tuple[BoughtTable, ...]:
    """The tables of all ``count`` charges, one by one, in order; what a charge does not tell of its
    tables (a card may come from elsewhere) is left out."""
    return tuple(
        table for charge in card.charges if charge.verb == "count" for table in _of(charge, card)
    )


def _of(charge: ChargeNote, card: Card) -> Iterator[BoughtTable]:
    paid = percent_of(charge.cost, card.guarantee.worked)
    told = [charge.detail.get(key) for key in ("marginals", "shares", "noise")]
    if not all(isinstance(part, list) for part in told):
        return
    for columns, share, noise in zip(*told, strict=False):
        yield BoughtTable(crossed(columns), paid * _share(share), _noise(noise))


def _share(text: Any) -> float:
    try:
        return float(Fraction(str(text)))
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0.0


def _noise(text: Any) -> str:
    """The law and scale in which the gate wrote it down, as a standard deviation."""
    law, _, scale = str(text).partition(" ")
    try:
        factor, beyond = VARIANCE[law]
        return f"{sqrt(factor * float(scale) ** 2 + beyond):,.3g} rows"
    except (KeyError, ValueError, OverflowError):
        return str(text)
