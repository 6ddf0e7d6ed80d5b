"""What several releases and a choice among them cost together: the plain sum in one currency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from understudy.privacy.accountant import compose
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP, budget_from_json
from understudy.privacy.convert import (
    Conversion,
    gdp_to_approx,
    gdp_to_zcdp,
    pure_to_zcdp,
    zcdp_to_approx,
)
from understudy.report.card import Amount, Card

Status = Literal["proven", "caller-owes", "ideal-numbers"]
_TO_ZCDP: Final[dict[type[Budget], Conversion[Any, ZCDP]]] = {
    PureDP: pure_to_zcdp,
    GDP: gdp_to_zcdp,
}
WEAKEST_LAST: Final[tuple[Status, ...]] = ("proven", "caller-owes", "ideal-numbers")


@dataclass(frozen=True)
class Total:
    """The sum: in the currency of the work, and as it may be stated to a reader.

    ``first`` has, for each candidate, the place of the first one from the same run of a ledger:
    what one run made is paid for once, if its card shows that it is the same. ``plain`` tells
    whether every cost was in one currency from the start, ``choice`` is the cost of the choice in
    its own.
    """

    worked: Budget
    asked: Budget
    choice: Budget
    plain: bool
    first: tuple[int, ...]
    status: Status
    words: str

    def enter(self, cost: Budget) -> Budget:
        """A cost in the currency of the sum."""
        return cost if type(cost) is type(self.worked) else _TO_ZCDP[type(cost)](cost)

    def cost_of(self, card: Card) -> Budget:
        """What a candidate cost, in the currency of the sum."""
        return self.enter(_budget(card.guarantee.worked))


def total_of(cards: Sequence[Card], *, asked: Budget, cost: Budget) -> Total:
    """The cost of all candidates and of a choice for ``cost``, for which ``asked`` was named."""
    first = _first_of_run(cards)
    counted = sorted(set(first))
    parts = [_budget(cards[place].guarantee.worked) for place in counted] + [cost]
    kinds = {type(part) for part in parts}
    plain = len(kinds) == 1
    worked = compose(parts, kinds.pop()) if plain else _as_zcdp(parts)
    named = [_budget(cards[place].guarantee.asked) for place in counted] + [asked]
    status = max((card.guarantee.status for card in cards), key=WEAKEST_LAST.index)
    words = f"the sum of {len(counted)} candidates and the choice of one of them"
    for conversion in (step for kind, step in _TO_ZCDP.items() if kind in kinds and not plain):
        words += f"; {conversion.name}: {conversion.price}"
    stated, how = _stated(worked, named)
    return Total(worked, stated, cost, plain, first, status, words + how)


def _stated(worked: Budget, named: Sequence[Budget]) -> tuple[Budget, str]:
    """As epsilon and delta if somebody named a delta: at the sum of the deltas that were named."""
    deltas = [part.delta for part in named if isinstance(part, ApproxDP)]
    delta = sum(deltas, start=Fraction(0))
    if isinstance(worked, GDP) and 0 < delta < 1:
        return gdp_to_approx(worked, delta=delta), f"; stated by {gdp_to_approx.name}"
    if isinstance(worked, ZCDP) and worked.delta < delta < 1:
        return zcdp_to_approx(worked, delta=delta), f"; stated by {zcdp_to_approx.name}"
    return worked, ""


def _as_zcdp(parts: Sequence[Budget]) -> ZCDP:
    """The sum of costs in different currencies, in the one that all can enter."""
    return compose([_TO_ZCDP[type(p)](p) if type(p) in _TO_ZCDP else p for p in parts], ZCDP)


def _first_of_run(cards: Sequence[Card]) -> tuple[int, ...]:
    """Without a ledger nobody knows which releases are of one run, so each is the first of its.

    Nor is the ledger's name enough: a file may be made anew, and its runs are numbered from 1. Only
    what was made at the same time, for the same promise and the same charges, is of one run.
    """
    keys = [(c.ledger, c.created, c.guarantee, c.charges) for c in cards]
    return tuple(place if key[0] is None else keys.index(key) for place, key in enumerate(keys))


def _budget(amount: Amount) -> Budget:
    return budget_from_json({"currency": amount.currency, **amount.parts})
