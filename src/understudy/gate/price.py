"""What a marginal's noise will be at a price, told from public facts before anything is asked."""

from __future__ import annotations

from typing import Final

from understudy.gate.count import noise_for
from understudy.privacy.budget import Budget
from understudy.schema.schema import Schema

LEAST_NOISE: Final = 1e-9
"""What numbers are divided by where a huge budget makes noise 0 in floats."""


def stddev_bought(spend: Budget, schema: Schema) -> float:
    """The standard deviation of each cell of a marginal that ``count`` answers at ``spend``."""
    return noise_for(spend, schema.neighbours, contribution=schema.contribution).stddev
