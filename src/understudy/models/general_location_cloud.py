"""``GeneralLocationCloud``: candidate tables of categories and candidate places of numbers in them.

Tables with at most one number are known by formula; those with two are simulated, with random
numbers that all candidates have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.rectangles import cells as normal_cells
from understudy.models.cloud import MOST_LEVELS, Cloud, Grid
from understudy.models.general_location import GeneralLocation, numbers_of
from understudy.schema.domain import Domain

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CategoryCells:
    """The joint table of the categories: its cells, and the levels that have an effect."""

    names: tuple[str, ...]
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many cells there are; one where there are no categories."""
        return prod(self.shape)

    @property
    def telling(self) -> dict[str, int]:
        """Columns whose levels have an effect on numbers, and how many levels each has."""
        pairs = zip(self.names, self.shape, strict=True)
        return {name: size for name, size in pairs if size <= MOST_LEVELS}

    @cached_property
    def members(self) -> Floats:
        """A line per cell, a place per telling level: 1 where the cell has that level."""
        levels = np.indices(self.shape).reshape(len(self.shape), self.size)
        parts = [
            np.eye(size)[levels[self.names.index(name)]] for name, size in self.telling.items()
        ]
        return np.concatenate([np.zeros((self.size, 0)), *parts], axis=1)

    def of_level(self, name: str) -> Floats:
        """A line per cell, a place per level of this column."""
        start = 0
        for other, size in self.telling.items():
            if other == name:
                return self.members[:, start : start + size]
            start += size
        raise KeyError(name)


@final
@dataclass(frozen=True, eq=False)
class GeneralLocationCloud(Cloud):
    """Per candidate: shares of the category cells, means, effects of levels on them, covariance.

    Places and spreads are on the scale on which the bounds of a number are -1 and 1, as ``cuts``.
    """

    domain: Domain
    grid: Grid
    size: float
    simulated: int
    table: CategoryCells
    tables: Floats
    means: Floats
    effects: Floats
    spreads: Floats
    correlations: Floats
    missing: Floats
    cuts: tuple[Floats, ...]

    @property
    def candidates(self) -> int:
        return len(self.tables)

    def model(self, index: int) -> GeneralLocation:
        cells = np.flatnonzero(self.tables[index]).astype(np.int64)
        return GeneralLocation(
            self.domain,
            self.size,
            cells,
            self.tables[index, cells],
            self._places(index)[cells],
            self.cuts,
            self.spreads[index],
            self.missing,
            self.correlations[index],
        )

    def _places(self, index: int) -> Floats:
        args = self.table, self.tables[index], self.means[index], self.effects[index]
        return places_of(*args)

    def shares(self, tables: Sequence[tuple[str, ...]], start: int, stop: int) -> Floats:
        numbers = set(numbers_of(self.domain))
        known = [len(numbers & set(table)) < 2 for table in tables]
        formula = [one for one, yes in zip(tables, known, strict=True) if yes]
        if max(map(len, tables)) > 2 or not formula:
            return super().shares(tables, start, stop)
        others = [one for one, yes in zip(tables, known, strict=True) if not yes]
        simulated = self._apart(super().shares(others, start, stop), others) if others else []
        lines = [self._expected(formula, index) for index in range(start, stop)]
        found = iter(np.stack(parts) for parts in zip(*lines, strict=True))
        drawn = iter(simulated)
        return np.concatenate([next(found) if yes else next(drawn) for yes in known], axis=1)

    def _apart(self, lines: Floats, tables: Sequence[tuple[str, ...]]) -> list[Floats]:
        sizes = [self.grid.domain.size(table) for table in tables]
        return np.split(lines, np.cumsum(sizes)[:-1], axis=1)

    def _expected(self, tables: Sequence[tuple[str, ...]], index: int) -> list[Floats]:
        """The tables of a candidate, flattened: categories, and at most one number."""
        places = self._places(index)
        weighted = {
            name: self.tables[index][:, None] * self._cells(name, i, places[:, i], index)
            for i, name in enumerate(numbers_of(self.domain))
            if any(name in table for table in tables)
        }
        return [self._table(table, index, weighted).ravel() for table in tables]

    def _table(self, table: tuple[str, ...], index: int, weighted: dict[str, Floats]) -> Floats:
        lines = [weighted[n] if n in weighted else self.table.of_level(n) for n in table]
        if not weighted.keys() & set(table):
            lines[0] = self.tables[index][:, None] * lines[0]
        found: Floats = lines[0].sum(axis=0) if len(lines) == 1 else lines[0].T @ lines[1]
        return found

    def _cells(self, name: str, i: int, places: Floats, index: int) -> Floats:
        """The chance of each scored cell of a number, a line per cell of the table."""
        runs = self.grid.parents[name][: len(self.cuts[i]) + 1].astype(np.int64)
        cuts = self.cuts[i][np.flatnonzero(np.diff(runs))]
        found = normal_cells((cuts - places[:, None]) / self.spreads[index, i])
        if not self.domain.axes[name].nullable:
            return found
        there = 1.0 - self.missing[i]
        lost = np.full((len(found), 1), self.missing[i])
        return np.concatenate([found * there, lost], axis=1)


def places_of(table: CategoryCells, shares: Floats, means: Floats, effects: Floats) -> Floats:
    """Where the numbers lie in each cell: within the bounds, and right on average."""
    moved = table.members @ effects
    found: Floats = np.clip(means + moved - shares @ moved, -1.0, 1.0)
    return found
