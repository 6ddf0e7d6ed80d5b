"""From a cell to a feature in whole steps: the public definition of what is summed.

Like ``codec.cell_of`` it is total, public and row by row: any text at all has a number of steps
from -granularity to granularity, and it follows from that one cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.schema.columns import Column
from understudy.schema.domain import Axis, BinAxis
from understudy.schema.moment import Feature
from understudy.table.codec import encode, places
from understudy.table.drawing import sentinels


def quantise(
    column: Column, axis: Axis, feature: Feature, values: NDArray[Any], *, granularity: int
) -> NDArray[np.int64]:
    """The feature of each value, in steps of 1 / granularity, rounded half up.

    ``values`` is an array of text or None, or a typed array, as ``encode`` takes it.
    """
    if feature.cell is not None:
        return np.where(encode(column, axis, values) == feature.cell, granularity, 0)
    if not isinstance(axis, BinAxis):
        raise UsageError(f"column {column.name!r} has levels, no numbers; give the cell to count")
    scaled = _scaled(axis, _inside(column, axis, places(column, values)))
    missing = np.isnan(scaled)
    shares = np.where(missing, feature.missing, scaled)
    steps = np.floor(np.clip(shares, -1.0, 1.0) * granularity + 0.5)
    return steps.astype(np.int64)


def _inside(column: Column, axis: BinAxis, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places clipped to the axis; NaN where missing. Unreadable is missing, else the lower end."""
    low, high = axis.edges[0], axis.edges[-1] - axis.whole
    absent = np.isnan(found) | np.isin(found, sentinels(column))
    return np.where(absent, np.nan if axis.nullable else low, np.clip(found, low, high))


def _scaled(axis: BinAxis, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """-1 at the lower end of the axis, 1 at the upper; the ends may be the largest doubles."""
    low, high = axis.edges[0], axis.edges[-1] - axis.whole
    middle, half = low / 2 + high / 2, high / 2 - low / 2
    away = found / 2 - middle / 2
    return away / half * 2 if half > 0 else away
