"""Counts of the *real* table, read off the noisy marginals of a release.

A released marginal holds the exact counts plus noise of known spread, so a sum of its cells
estimates the real count without bias, and its interval covers the real count (not a population
behind it) at the stated rate. This is better than counting synthetic rows, which add the errors of
the model and of sampling.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import sqrt

import numpy as np

from understudy.errors import UsageError
from understudy.inference.estimate import Estimate
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy


def count(
    measured: Sequence[Noisy], domain: Domain, where: Mapping[str, Collection[int]]
) -> Estimate:
    """The number of real rows whose columns fall into the given cells.

    Uses every measured marginal that contains all columns of ``where``, weighted by precision; one
    that was counted by groups of cells only where these cells are whole groups.
    """
    for column, cells in where.items():
        (size,) = domain.shape([column])
        if not cells or not all(0 <= cell < size for cell in cells):
            raise UsageError(f"cells of column {column!r} are numbers from 0 to {size - 1}")
    holding = [noisy for noisy in measured if set(where) <= set(noisy.columns)]
    found = [estimate for noisy in holding if (estimate := _sum(noisy, where)) is not None]
    if not found:
        raise UsageError(
            f"no released marginal holds these cells of {', '.join(map(repr, where))} together; "
            "count synthetic rows instead, or fit a method that measures them"
        )
    return average(found)


def average(estimates: Sequence[Estimate]) -> Estimate:
    """Independent estimates of one number, weighted by their precision."""
    # A huge budget's noise is so narrow that its square would be too small for a float.
    precisions = np.array([1.0 / max(estimate.stddev, 1e-100) ** 2 for estimate in estimates])
    values = np.array([estimate.value for estimate in estimates])
    return Estimate(float(precisions @ values / precisions.sum()), 1.0 / sqrt(precisions.sum()))


def _sum(noisy: Noisy, where: Mapping[str, Collection[int]]) -> Estimate | None:
    selections: list[Sequence[int]] = []
    for column, size in zip(noisy.columns, noisy.values.shape, strict=True):
        held = noisy.holding(column, where[column]) if column in where else range(size)
        if held is None:
            return None
        selections.append(held)
    cells = noisy.values[np.ix_(*selections)]
    return Estimate(float(cells.sum()), noisy.stddev * sqrt(cells.size))
