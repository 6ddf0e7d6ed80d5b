"""From a budget to a noise scale, always rounded towards more noise.

Costs are exact rationals while samplers take a float. Each function returns a float whose exact
rational value satisfies the inequality in its docstring, checked in rational arithmetic, so no
rounding can make the noise smaller than the budget paid for.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from understudy.errors import UsageError

LARGEST_SCALE: Final = 2.0**50
SMALLEST_SCALE: Final = 2.0**-20
"""A smaller scale than this would never change an integer either, but breaks float arithmetic."""


def laplace_scale(sensitivity: int, epsilon: Fraction) -> float:
    """The least float s with sensitivity / s <= epsilon."""
    return _round_up(_positive(Fraction(sensitivity), epsilon), power=1)


def gaussian_scale(sensitivity_squared: int, rho: Fraction) -> float:
    """The least float s (up to its last digit) with sensitivity^2 / (2 s^2) <= rho."""
    return _round_up(_positive(Fraction(sensitivity_squared), 2 * rho), power=2)


def selection_scale(sensitivity: int, epsilon: Fraction, *, monotone: bool) -> float:
    """The least float s with 2 sensitivity / s <= epsilon (one sensitivity if monotone)."""
    return laplace_scale(sensitivity if monotone else 2 * sensitivity, epsilon)


def gumbel_scale(sensitivity: int, rho: Fraction, *, monotone: bool) -> float:
    """The least float s (up to its last digit) with (k sensitivity / s)^2 / 8 <= rho.

    k is 2, or 1 if the score is monotone: the bounded range of the exponential mechanism.
    """
    range_ = sensitivity if monotone else 2 * sensitivity
    return _round_up(_positive(Fraction(range_ * range_), 8 * rho), power=2)


def laplace_stddev(scale: float) -> float:
    """The standard deviation of discrete Laplace noise, P(x) ~ exp(-|x| / scale)."""
    decay = math.exp(-1.0 / scale)
    return math.sqrt(2.0 * decay) / -math.expm1(-1.0 / scale)


def gaussian_stddev(scale: float) -> float:
    """The standard deviation of discrete Gaussian noise, P(x) ~ exp(-x^2 / (2 scale^2))."""
    if scale > 8.0:  # the two differ by less than 1e-300 from here on
        return scale
    weights = [math.exp(-(x * x) / (2.0 * scale * scale)) for x in range(1, 400)]
    second = 2.0 * sum(x * x * w for x, w in enumerate(weights, start=1))
    return math.sqrt(second / (1.0 + 2.0 * sum(weights)))


def rounded_stddev(scale: float) -> float:
    """The standard deviation of round(scale Z), Z standard normal.

    Rounding adds the variance of a uniform error, 1/12, but for terms of size exp(-2 (pi scale)^2),
    below 1e-19 from a scale of 1.5 on. Below it, E X^2 is the sum of (2x - 1) P(|X| >= x).
    """
    if scale > 1.5:
        return math.sqrt(scale * scale + 1.0 / 12.0)
    unit = scale * math.sqrt(2.0)
    reached = (math.erfc((x - 0.5) / unit) for x in range(1, 64))  # no float beyond 40 scales
    return math.sqrt(math.fsum((2 * x - 1) * tail for x, tail in enumerate(reached, start=1)))


def _positive(numerator: Fraction, price: Fraction) -> Fraction:
    if price <= 0:
        raise UsageError("a noisy answer needs a budget above 0; give this share a larger weight")
    return numerator / price


def _round_up(target: Fraction, *, power: int) -> float:
    """The float s with s^power >= target exactly, next to the real root or SMALLEST_SCALE."""
    if target > Fraction(LARGEST_SCALE) ** power:
        raise UsageError(
            "the budget of a single answer is too small for any useful noise; "
            "raise epsilon or ask for fewer answers"
        )
    root = float(target) if power == 1 else math.sqrt(float(target))
    guess = max(root, SMALLEST_SCALE)
    while Fraction(guess) ** power < target:
        guess = math.nextafter(guess, math.inf)
    return guess
