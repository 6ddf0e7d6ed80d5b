"""How many rows the real table has, as far as the public may know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

LEAST_STDDEV: Final = 1e-100
"""Noise of a huge budget is narrower than this; its square would be too small for a float."""


def size_of(schema: Schema, measured: Sequence[Noisy]) -> float:
    """The declared number of rows, else the best unbiased estimate from noisy marginals.

    Every marginal's noisy cells sum to the size plus noise; the sums are averaged with the
    inverses of their variances as weights. Costs nothing: it only uses what was bought.
    """
    if schema.rows is not None:
        return float(schema.rows)
    precisions = [
        1.0 / (noisy.values.size * max(noisy.stddev, LEAST_STDDEV) ** 2) for noisy in measured
    ]
    sums = [float(noisy.values.sum()) for noisy in measured]
    estimate = sum(p * s for p, s in zip(precisions, sums, strict=True)) / sum(precisions)
    return max(estimate, 0.0)
