"""``Estimate``: a number with the uncertainty that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist

from understudy.errors import UsageError


@dataclass(frozen=True)
class Estimate:
    """A value and the standard deviation of its error, treated as normal and unbiased."""

    value: float
    stddev: float

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and isfinite(self.stddev) and self.stddev >= 0):
            raise UsageError("an estimate needs a finite value and a standard deviation >= 0")

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval that covers the truth in a share ``level`` of all releases."""
        if not 0 < level < 1:
            raise UsageError("the level of an interval lies strictly between 0 and 1")
        reach = NormalDist().inv_cdf((1 + level) / 2) * self.stddev
        return (self.value - reach, self.value + reach)
