"""The groups that fare worst, which an average hides.

A group is one level of a category, ordinal or boolean column. Its error is the mean total variation
distance, over the other columns, between its rows in the two tables. Small groups have large errors
by chance alone: each stands beside the error of a bootstrap of the real rows, and "worst" is the
largest excess over that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import COARSE, Sample
from understudy.schema.domain import LevelAxis

FEWEST_ROWS: Final = 50
MOST_PAIRS: Final = 2000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """One level of one column: its share of the rows in both tables, and its errors."""

    column: str
    level: str
    real_share: float
    synthetic_share: float
    tvd: float
    ceiling: float = 0.0

    @property
    def excess(self) -> float:
        """The error beyond what chance alone would give."""
        return self.tvd - self.ceiling

    def describe(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


def group_errors(real: Sample, other: Sample, *, rng: np.random.Generator) -> list[Group]:
    """Every group with at least ``FEWEST_ROWS`` real rows, column by column."""
    found: list[Group] = []
    columns = group_columns(real)
    compared = max(1, MOST_PAIRS // max(len(columns), 1))
    for column in columns:
        rest = [name for name in sorted(real.grid.columns) if name != column]
        if len(rest) > compared:
            rest = [rest[i] for i in np.sort(rng.permutation(len(rest))[:compared])]
        found += _groups_of(real, other, column, rest)
    return found


def group_columns(real: Sample) -> list[str]:
    """The columns whose levels are groups: those with at most as many levels as coarse cells."""
    axes = real.grid.domain.axes
    return [
        name
        for name, axis in sorted(axes.items())
        if isinstance(axis, LevelAxis) and axis.proper <= COARSE and len(axes) > 1
    ]


def worst_first(groups: Sequence[Group], ceiling: Sequence[Group]) -> list[Group]:
    """The groups with the bootstrap's errors as ceilings, the largest excess first.

    Both lists name the same groups in the same order: which there are depends on the real rows.
    """
    pairs = zip(groups, ceiling, strict=True)
    beside = [replace(group, ceiling=chance.tvd) for group, chance in pairs]
    return sorted(beside, key=lambda group: -group.excess)


def _groups_of(real: Sample, other: Sample, column: str, rest: Sequence[str]) -> list[Group]:
    axis = real.grid.domain.axes[column]
    levels = (*axis.levels, "(missing)") if isinstance(axis, LevelAxis) else ()
    sizes = [np.bincount(s.cells(column), minlength=axis.size) for s in (real, other)]
    errors = np.mean([_conditional_tvd(real, other, column, name) for name in rest], axis=0)
    return [
        Group(
            column,
            levels[cell],
            float(sizes[0][cell] / real.rows),
            float(sizes[1][cell] / other.rows),
            float(errors[cell]),
        )
        for cell in range(axis.size)
        if sizes[0][cell] >= FEWEST_ROWS
    ]


def _conditional_tvd(real: Sample, other: Sample, group: str, column: str) -> Floats:
    """Per group: the distance of a column's shares within it; 1 if the group is gone."""
    tables = [sample.counts((group, column)).astype(np.float64) for sample in (real, other)]
    sizes = [table.sum(axis=1, keepdims=True) for table in tables]
    shares = [table / np.maximum(size, 1) for table, size in zip(tables, sizes, strict=True)]
    distance = np.abs(shares[0] - shares[1]).sum(axis=1) / 2
    return np.where(np.ravel(sizes[1]) > 0, distance, 1.0)
