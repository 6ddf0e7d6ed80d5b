"""The ``quantiles`` verb: points of a public grid near given quantiles of a numeric column.

Proof: quantiles.md. Test: tests/gate/test_quantiles.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.sensitive import Sensitive, reveal
from understudy.schema.columns import Number, Real
from understudy.schema.domain import BinAxis, Domain
from understudy.schema.schema import Schema

FINEST: Final = Fraction(1, 10**6)
HALF: Final = Fraction(1, 2)
POINTS_PER_DECADE: Final = 8
MOST_LOST: Final = 2**61
"""Ranks are below 2^60, so no score leaves 64 bits."""


def log_grid(*, smallest: int = -3, largest: int = 9) -> tuple[float, ...]:
    """0 and plus or minus 10^(j / 8) between 10^smallest and 10^largest: public, fits all units."""
    steps = range(smallest * POINTS_PER_DECADE, largest * POINTS_PER_DECADE + 1)
    positive = [10.0 ** (step / POINTS_PER_DECADE) for step in steps]
    return (*(-x for x in reversed(positive)), 0.0, *positive)


def check_probability(probability: Fraction) -> Fraction:
    """The nearest fraction between 0 and 1 whose denominator keeps rank scores in 64 bits."""
    if not 0 < probability < 1:
        raise UsageError("a quantile's probability must lie strictly between 0 and 1")
    return max(FINEST, min(1 - FINEST, probability.limit_denominator(FINEST.denominator)))


def check_lean(lean: Fraction) -> Fraction:
    """At most as many scales as leave scores in 64 bits."""
    if not 0 <= lean <= 1:
        raise UsageError("'lean' is a number of scales of the noise for each point, from 0 to 1")
    return lean


def grid_domain(schema: Schema, column: str, grid: Sequence[float]) -> Domain:
    """A domain of this one column whose bins are the grid's."""
    kind = schema.columns.get(column)
    if not isinstance(kind, Number):
        raise UsageError(f"quantiles are for integer and real columns; {column!r} is none")
    points = np.unique(np.ceil(grid) if not isinstance(kind, Real) else np.asarray(grid, float))
    if len(points) < 2 or not np.isfinite(points).all():
        raise UsageError("a quantile grid needs at least two different finite points")
    axis = BinAxis(
        nullable=kind.nullable,
        edges=tuple(float(point) for point in points),
        whole=not isinstance(kind, Real),
    )
    return Domain(schema, {column: axis})


def leaning(
    axis: BinAxis, scale: float, lean: Fraction, probability: Fraction
) -> NDArray[np.int64]:
    """What each inner grid point loses: ``lean`` scales for every point from the one at zero on,
    above it for an upper quantile, below it for a lower one, on both sides for the median.

    Beyond all values ranks tell nothing; this prefers the nearer of such points. It is public. The
    other side is left alone: leaning there would draw the bounds of values far from zero to zero.
    """
    inner, step = np.array(axis.edges[1:-1]), ceil(Fraction(scale) * lean)
    beyond = np.arange(len(inner)) - np.abs(inner).argmin()
    above, below = np.maximum(beyond, 0), np.maximum(-beyond, 0)
    away = above * (probability >= HALF) + below * (probability <= HALF)
    lost: NDArray[np.int64] = step * np.minimum(away, MOST_LOST // max(step, 1))
    return lost


def rank_scores(
    sealed: Sensitive[NDArray[np.int64]], axis: BinAxis, probability: Fraction
) -> NDArray[np.int64]:
    """For the quantile a / b and each inner grid point: -|(b - a) below - a above|, exactly."""
    values = reveal(sealed)[: axis.proper]
    below = np.cumsum(values)[:-1]
    above = values.sum() - below
    a, b = probability.numerator, probability.denominator
    scores: NDArray[np.int64] = -np.abs((b - a) * below - a * above)
    return scores
