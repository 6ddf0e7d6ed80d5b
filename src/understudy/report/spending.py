"""Where the budget went, ready to be shown: every charge in words and as a share of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from understudy.report.card import Amount, Card, ChargeNote

SHOWN: Final = 6


@dataclass(frozen=True)
class Spent:
    """One charge: its verb, what was asked, its cost, and its share of the budget in percent."""

    verb: str
    what: str
    cost: str
    percent: float


def spending(card: Card) -> tuple[Spent, ...]:
    """Every charge of the run, in order."""
    whole = card.guarantee.worked
    return tuple(
        Spent(charge.verb, _what(charge), str(charge.cost), _percent(charge.cost, whole))
        for charge in card.charges
    )


def unspent(card: Card) -> str:
    """What was left of the budget the run worked in, or the empty string."""
    whole = card.guarantee.worked
    left = {
        name: str(rest)
        for name, amount in whole.parts.items()
        if (rest := Fraction(amount) - _total(card, name)) > 0
    }
    return str(Amount(whole.currency, left)) if left else ""


def _total(card: Card, name: str) -> Fraction:
    return sum((Fraction(charge.cost.parts.get(name, "0")) for charge in card.charges), Fraction(0))


def _percent(cost: Amount, whole: Amount) -> float:
    if cost.currency != whole.currency or not whole.main:
        return 0.0
    return float(100 * cost.main / whole.main)


def _what(charge: ChargeNote) -> str:
    """The detail of a charge in a line; the full detail stands in ``card.json``."""
    detail = charge.detail
    marginals = detail.get("marginals")
    if isinstance(marginals, list):
        return _marginals(marginals)
    if isinstance(detail.get("columns"), list):
        return f"levels of {_listed([str(name) for name in detail['columns']])}"
    if charge.verb == "quantiles":
        return f"bounds of {detail.get('column', 'a column')}"
    return "; ".join(f"{key}: {value}" for key, value in detail.items())


def _marginals(marginals: list[Any]) -> str:
    names = [" × ".join(map(str, marginal)) for marginal in marginals]
    counted = "1 table" if len(names) == 1 else f"{len(names):,} tables"
    return f"{counted}: {_listed(names)}"


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
