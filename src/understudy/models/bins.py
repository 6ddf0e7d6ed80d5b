"""How many bins a numeric column gets, and the axis that has them: public arithmetic only.

    sturges             log2(n) + 1 bins
    scott               bins of width 3.49 s n^(-1 / (d + 2)), s = the quartiles' distance / 1.349
    freedman-diaconis   bins of width 2 (the quartiles' distance) n^(-1 / (d + 2))

d is the number of numeric columns in the joint table; with one column these are the textbook rules.
Scott's s is the standard deviation that a normal column with these quartiles has. n and the
quartiles are public or bought, never read. Where the quartiles fall together, Sturges' rule holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, log2, prod
from typing import Any, Final, Literal

import numpy as np

from understudy.schema.axes import axis_of
from understudy.schema.columns import Column, Number, Real
from understudy.schema.domain import BinAxis

Rule = Literal["sturges", "scott", "freedman-diaconis"]

MOST_BINS: Final = 1024
"""The most bins that a rule gives a column, and the points of the grid for quartiles."""
NORMAL_QUARTILES: Final = 1.349
"""The distance between the quartiles of a normal distribution, in standard deviations."""
WIDTHS: Final = {"scott": 3.49 / NORMAL_QUARTILES, "freedman-diaconis": 2.0}


@dataclass(frozen=True)
class Spread:
    """The range of a column and the distance between its quartiles, on the scale of its bins."""

    range: float
    quartiles: float

    @classmethod
    def of(cls, column: Column, axis: BinAxis, quartiles: tuple[float, ...]) -> Spread:
        """The spread of a column whose lower and upper quartile are near these points."""
        low, high = sorted(quartiles)
        ends = np.array([axis.edges[0], low, high, axis.edges[-1]], dtype=np.float64)
        if getattr(column, "scale", "linear") == "log":
            ends = np.arcsinh(ends)
        return cls(float(ends[3] - ends[0]), float(ends[2] - ends[1]))


def bins_by_rule(rule: Rule, *, size: float, columns: int, spread: Spread | None = None) -> int:
    """The number of bins of one of ``columns`` numeric columns of a table with ``size`` rows."""
    rows = max(size, 1.0)
    if rule == "sturges" or spread is None or spread.quartiles <= 0.0:
        return ceil(log2(rows)) + 1
    width = float(WIDTHS[rule] * spread.quartiles * rows ** (-1.0 / (columns + 2)))
    return min(max(ceil(spread.range / width), 1), MOST_BINS)


def regrid(column: Column, axis: BinAxis, bins: int) -> BinAxis:
    """The axis of a column with (at most) so many even bins over the same range."""
    changes: dict[str, Any] = {"bins": bins}
    if isinstance(column, Number):
        last = axis.edges[-1] - 1 if axis.whole else axis.edges[-1]
        kind = float if isinstance(column, Real) else int
        changes |= {"min": kind(axis.edges[0]), "max": kind(last)}
    found = axis_of(replace(column, **changes))
    assert isinstance(found, BinAxis)
    return found


def within(bins: Mapping[str, int], *, others: int, most: int) -> dict[str, int]:
    """As many bins as asked for, or fewer where the joint table would pass ``most`` cells.

    ``others`` is the number of cells of everything else. The widest column gives way first.
    """
    kept = dict(bins)
    while prod(count + 1 for count in kept.values()) * others > most and max(kept.values()) > 1:
        widest = max(kept, key=lambda name: kept[name])
        kept[widest] = max(kept[widest] * 9 // 10, 1)
    return kept
