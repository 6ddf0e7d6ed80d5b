"""What telling apart two normal variables whose means lie mu apart costs in epsilon and delta.

Gaussian differential privacy with parameter mu is (epsilon, delta)-differential privacy for exactly
the pairs with (Balle and Wang 2018; Dong, Roth and Su 2022, Corollary 1)

    delta >= Q(a) - e^epsilon Q(b),   a = epsilon / mu - mu / 2,   b = epsilon / mu + mu / 2,

where Q is the upper tail of the standard normal distribution. Since phi(a) = e^epsilon phi(b), the
right side is phi(a) (M(a) - M(b)) with Mills' ratio M = Q / phi. It grows with mu and falls with
epsilon, so that ``delta_of``, which rounds every part outwards, may be searched: what the search
returns was confirmed, and a careless search would cost tightness, never privacy.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import log, log1p
from typing import Final

from understudy.privacy.normal import density, mills, upper_tail

DIGITS: Final = 40
STEPS: Final = 60
CLOSE: Final = Fraction(1, 10**17)
LEAST_LOG: Final = -1e5


def delta_of(mu_squared: Fraction, epsilon: Fraction) -> Fraction:
    """The least delta for this epsilon, rounded up; 1 where it is more than a half."""
    if not mu_squared:
        return Fraction(0)
    mu = _root(mu_squared)
    a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if a < -1:  # then delta is at least Phi(1) - phi(1) M(1), which is 0.68
        return Fraction(1)
    least, most = density(a, digits=DIGITS)
    beyond, _ = mills(b, digits=DIGITS)
    if a < 0:
        tail, _ = upper_tail(-a, digits=DIGITS)
        return 1 - tail - least * beyond
    _, ratio = mills(a, digits=DIGITS)
    return most * max(ratio - beyond, Fraction(0))


def least_epsilon(mu_squared: Fraction, *, delta: Fraction, at_most: Fraction) -> Fraction:
    """The least epsilon for this delta, up to the search's last step; ``at_most`` if none less."""

    def cost(epsilon: Fraction) -> Fraction:
        return delta_of(mu_squared, epsilon)

    nothing = Fraction(0)
    return nothing if cost(nothing) <= delta else _edge(nothing, at_most, cost, most=delta)


def largest_mu_squared(epsilon: Fraction, *, delta: Fraction, at_least: Fraction) -> Fraction:
    """The largest mu^2 inside epsilon and delta, up to the search's last step, or ``at_least``."""

    def cost(mu_squared: Fraction) -> Fraction:
        return delta_of(mu_squared, epsilon)

    above = 2 * at_least
    while cost(above) <= delta:
        above *= 2
    return _edge(above, at_least, cost, most=delta)


def _edge(
    outside: Fraction, inside: Fraction, cost: Callable[[Fraction], Fraction], *, most: Fraction
) -> Fraction:
    """Near where the cost is ``most``, on the side where it is no more: ``inside`` is known to be.

    By false position on the logarithm of the cost, which is nearly straight; an end that stays
    twice counts half (the Illinois rule), so that both ends close in.
    """
    within, beyond, stayed = _log(cost(inside) / most), _log(cost(outside) / most), 0
    for _ in range(STEPS):
        if within >= 0 or abs(outside - inside) <= CLOSE * inside:
            break
        share = within / (within - beyond)
        middle = inside + (outside - inside) * Fraction(share)
        found = cost(middle)
        if found <= most:
            beyond *= 0.5 if stayed > 0 else 1.0
            inside, within, stayed = middle, _log(found / most), 1
        else:
            within *= 0.5 if stayed < 0 else 1.0
            outside, beyond, stayed = middle, _log(found / most), -1
    return inside


def _log(ratio: Fraction) -> float:
    """The logarithm, also where no float holds the ratio; of nothing, less than of any delta."""
    if abs(ratio - 1) < 1:
        return log1p(ratio - 1)  # all digits of what is near 1
    return log(ratio.numerator) - log(ratio.denominator) if ratio else LEAST_LOG


def _root(square: Fraction) -> Fraction:
    """A number that is not below the square root: quotient and root are rounded up."""
    context = Context(prec=DIGITS, rounding=ROUND_CEILING)
    quotient = context.divide(Decimal(square.numerator), Decimal(square.denominator))
    return Fraction(context.next_plus(context.sqrt(quotient)))
