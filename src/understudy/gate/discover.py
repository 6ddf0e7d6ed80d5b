"""The ``discover`` verb: the levels of a category column that enough units hold.

Only levels that occur are looked at, so the answer is private up to a probability delta and the
threshold pays for it. Proof: discover.md. Test: tests/gate/test_discover.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from understudy.errors import UsageError
from understudy.gate.noise import Noise
from understudy.gate.scale import gaussian_scale
from understudy.gate.sensitive import Sensitive, reveal
from understudy.gate.sensitivity import marginal_l2_squared
from understudy.privacy.budget import ZCDP, Budget
from understudy.schema.neighbours import Neighbours

SMALLEST_TAIL: Final = 1e-290
"""Below it floats lose digits, and with them the margin that ``tail`` relies on."""


@dataclass(frozen=True)
class Threshold:
    """Keep a level if its count plus discrete Gaussian noise reaches ``least``."""

    scale: float
    least: int

    def keep(self, sealed: Sensitive[Mapping[str, int]], noise: Noise) -> tuple[str, ...]:
        """The levels kept, in alphabetical order (the order of the rows tells nothing)."""
        exact_counts = reveal(sealed)
        levels = sorted(exact_counts)
        noisy = noise.gaussian(
            np.array([exact_counts[level] for level in levels], dtype=np.int64), scale=self.scale
        )
        return tuple(
            level for level, count in zip(levels, noisy, strict=True) if count >= self.least
        )


def threshold_for(spend: Budget, neighbours: Neighbours, *, contribution: int) -> Threshold:
    """The noise and threshold with which one column's discovery costs ``spend``."""
    if not isinstance(spend, ZCDP) or not spend.delta:
        raise UsageError(
            "levels can be discovered only with a delta: a level that nobody else holds must stay "
            "hidden with probability 1 - delta. Give delta, or declare the levels in the schema"
        )
    scale = gaussian_scale(marginal_l2_squared(neighbours, contribution), spend.rho)
    return Threshold(scale, contribution + tail(scale, spend.delta / contribution))


def tail(scale: float, probability: Fraction) -> int:
    """The least t >= 1, or a little more, with P(discrete Gaussian >= t) <= probability.

    P(Z >= t) <= P(scale * N(0, 1) >= t - 1); see discover.md. The bound is evaluated in floats
    and must hold with a margin of one part in a million, far more than erfc can be off.
    """
    allowed = float(probability) * (1.0 - 1e-6)
    if allowed < SMALLEST_TAIL:
        raise UsageError("delta is too small to discover levels with; declare them instead")
    low, high = 0, 1
    while _upper_tail(high, scale) > allowed:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _upper_tail(middle, scale) > allowed else (low, middle)
    return high


def _upper_tail(t: int, scale: float) -> float:
    return 0.5 * math.erfc((t - 1) / (scale * math.sqrt(2.0)))
