"""How many rows the real table has, as far as the public may know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

LEAST_VARIANCE: Final = 1e-12
"""A huge budget buys noise whose variance is 0 in floats; such sums simply count alike."""


def size_of(schema: Schema, measured: Sequence[Noisy]) -> float:
    """The declared number of rows, else the best unbiased estimate from noisy marginals.

    Every marginal's noisy cells sum to the size plus noise; the sums are averaged with the
    inverses of their variances as weights. Costs nothing: it only uses what was bought.
    """
    if schema.rows is not None:
        return float(schema.rows)
    variances = [noisy.values.size * noisy.stddev**2 for noisy in measured]
    precisions = [1.0 / max(variance, LEAST_VARIANCE) for variance in variances]
    sums = [float(noisy.values.sum(dtype=np.float64)) for noisy in measured]
    estimate = sum(p * s for p, s in zip(precisions, sums, strict=True)) / sum(precisions)
    return max(estimate, 0.0)
