"""How a run in one currency enters a ledger in another, and what comes back when it closes.

The working currency may differ from the ledger's; both values are kept. Without words a run enters
only by a conversion that has no free choice. A ZCDP or GDP run enters an ApproxDP ledger with the
amount given (the epsilon and delta that a person asked for), which is checked against the
conversion.

**What may be given back.** Which questions a run asks may depend on the answers it got, so the
amount charged is itself random. In one currency that is harmless: plain sums stay valid when each
cost is chosen as one goes (Rogers, Roth, Ullman and Vadhan 2016 for epsilon and delta; Feldman and
Zrnic 2021 and Whitehouse et al. 2023 for rho). Pure to zCDP is harmless too: half the squared sum
is at least the sum of the halved squares, which is a plain sum; and mu^2 halved is a rho, charge by
charge. But (epsilon, delta) read off from the rho that happened to be charged does *not* hold at a
stopping time: a run that stops exactly when its privacy loss is large would be handed budget back
for it. There all that entered stays spent as soon as anything was charged
(verification/test_privacy_giving_back.py shows the failure).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from understudy.errors import UsageError
from understudy.privacy.accountant import compose
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP
from understudy.privacy.convert import (
    Conversion,
    gdp_to_approx,
    gdp_to_zcdp,
    pure_to_approx,
    pure_to_zcdp,
    zcdp_to_approx,
)

_DIRECT: Final[dict[tuple[type[Budget], type[Budget]], Conversion[Any, Any]]] = {
    (PureDP, ZCDP): pure_to_zcdp,
    (PureDP, ApproxDP): pure_to_approx,
    (GDP, ZCDP): gdp_to_zcdp,
}
_AT_DELTA: Final[dict[type[Budget], Conversion[Any, ApproxDP]]] = {
    ZCDP: zcdp_to_approx,
    GDP: gdp_to_approx,
}


@final
@dataclass(frozen=True)
class Entry:
    """An amount in the working currency and the same promise in the ledger's."""

    working: Budget
    entered: Budget
    conversion: str | None


def enter(working: Budget, currency: type[Budget], *, entered: Budget | None = None) -> Entry:
    """What ``working`` enters a ledger in ``currency`` as; ``entered`` may say more, never less."""
    if entered is not None and type(entered) is not currency:
        raise UsageError(
            f"this ledger counts in {currency.currency}; {entered!r} is in another currency"
        )
    least, conversion = _converted(working, currency, entered)
    if entered is not None and not entered.covers(least):
        raise UsageError(f"a run of {working} costs {least}; it cannot enter as {entered}")
    return Entry(working, least if entered is None else entered, conversion)


def kept(entry: Entry, charged: Sequence[Budget]) -> Budget:
    """What stays spent of ``entry.entered`` after a clean end with these charges."""
    currency = type(entry.entered)
    if not charged:
        return currency.zero()
    sum_charged = compose(charged, type(entry.working))
    if type(sum_charged) is currency:
        return sum_charged
    direct = _DIRECT.get((type(sum_charged), currency))
    return entry.entered if direct is None else direct(sum_charged)


def _converted(
    working: Budget, currency: type[Budget], entered: Budget | None
) -> tuple[Budget, str | None]:
    if type(working) is currency:
        return working, None
    if direct := _DIRECT.get((type(working), currency)):
        return direct(working), direct.name
    at_delta = _AT_DELTA.get(type(working)) if currency is ApproxDP else None
    if at_delta and isinstance(entered, ApproxDP):
        return at_delta(working, delta=entered.delta), at_delta.name
    if at_delta:
        raise UsageError(
            f"a run of {working} enters a ledger in (epsilon, delta) only at a delta that you "
            "choose; ask for epsilon and delta, or use a ledger whose total is a rho"
        )
    raise UsageError(
        f"nothing in {working.currency} can be promised in {currency.currency}, the currency of "
        "this ledger; ask for a budget in that currency, or use another ledger"
    )
