"""Where noisy numbers fall: exact laws of sums of noise, and the moments of what is made of them.

Every tolerance of this experiment comes from here. None is typed in by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, exp, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """Where a number falls, except with the false-alarm probability it was made for."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def laplace_sum_tail(reach: float, *, terms: int, scale: float) -> float:
    """P(S > reach) for a sum S of independent Laplace variables, reach >= 0.

    S / scale is the difference of two waiting times, each for the last of ``terms`` events of two
    clocks of equal speed. When the second clock is done, the first has seen i < terms events with
    probability C(terms - 1 + i, i) / 2^(terms + i); its other terms - i must then take longer
    than ``reach``: a Poisson probability.
    """
    time = reach / scale
    if time == 0.0:
        return 0.5
    poisson = [exp(k * log(time) - time - _log_factorial(k)) for k in range(terms)]
    late = np.cumsum(poisson)  # late[j - 1] = P(fewer than j events)
    return sum(
        comb(terms - 1 + i, i) * 2.0 ** -(terms + i) * float(late[terms - i - 1])
        for i in range(terms)
    )


def laplace_sum(*, terms: int, scale: float, false_alarm: float) -> float:
    """How far such a sum reaches in either direction, except with probability ``false_alarm``."""
    return _solve(
        lambda reach: 2.0 * laplace_sum_tail(reach, terms=terms, scale=scale), false_alarm, scale
    )


def whole_noise_sum(*, terms: int, scale: float, false_alarm: float) -> float:
    """The same for discrete Laplace noise, P(x) ~ exp(-|x| / scale), by adding up its exact law."""
    reach = int(scale * (40 + log(terms + 1)))
    one = np.exp(-np.abs(np.arange(-reach, reach + 1)) / scale)
    one /= one.sum()
    law = np.ones(1)
    for _ in range(terms):
        law = np.convolve(law, one)
    tail = np.cumsum(law[::-1])[: len(law) // 2]  # P(S >= reach), from the far end inwards
    beyond = int(np.searchsorted(tail, false_alarm / 2.0, side="right"))
    return float(len(law) // 2 - beyond)


def normal(stddev: float, *, false_alarm: float) -> float:
    """The same for a normal variable."""
    return NormalDist().inv_cdf(1.0 - false_alarm / 2.0) * stddev


def clipped_mean(counts: Floats, *, scale: float) -> Floats:
    """E[max(c + L, 0)] for Laplace noise L: c + scale / 2 e^(-c / scale), for c >= 0."""
    return np.asarray(counts + scale / 2.0 * np.exp(-counts / scale))


def clipped_variance(counts: Floats, *, scale: float) -> Floats:
    """Var[max(c + L, 0)]: from E[max^2] = c^2 + 2 scale^2 - scale^2 e^(-c / scale)."""
    square = counts**2 + scale**2 * (2.0 - np.exp(-counts / scale))
    return np.asarray(square - clipped_mean(counts, scale=scale) ** 2)


@dataclass(frozen=True)
class Share:
    """The mean and the variance of a weighted share of clipped noisy counts."""

    mean: float
    variance: float


def clipped_share(counts: Floats, weights: Floats, *, scale: float) -> Share:
    """The law of sum(w X) / sum(X) with X = max(c + L, 0), by the delta method.

    The sum of X has a relative error of a few in a thousand here, so what is left out is smaller
    than what is kept by that factor.
    """
    means = clipped_mean(counts, scale=scale)
    total = float(means.sum())
    centre = float((weights * means).sum()) / total
    spread = (weights - centre) ** 2 * clipped_variance(counts, scale=scale)
    return Share(centre, float(spread.sum()) / total**2)


def drawn(share: Share, *, draws: float, false_alarm: float) -> Interval:
    """Where the number of draws falls that hit a cell set of this (noisy) share."""
    own = draws * share.mean * (1.0 - share.mean)
    reach = normal(sqrt(own + draws**2 * share.variance), false_alarm=false_alarm)
    return Interval(draws * share.mean - reach, draws * share.mean + reach)


def around(value: float, reach: float) -> Interval:
    """From value - reach to value + reach."""
    return Interval(value - reach, value + reach)


def _log_factorial(number: int) -> float:
    return float(np.log(np.arange(1, number + 1)).sum())


def _solve(tail: Callable[[float], float], wanted: float, step: float) -> float:
    """The reach at which a falling tail is as small as wanted, to nine digits."""
    high = step
    while tail(high) > wanted:
        high *= 2.0
    low = 0.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if tail(middle) > wanted else (low, middle)
    return high
