"""The cells on which tables are compared, and ``Sample``: one table's rows on them.

Rows are coded once, on a fine public grid: every bin of the schema's domain is divided further,
whole numbers down to single values where there are not too many. Three views are read off it:

    places   a number for each fine cell of an ordered column (distances, moments, correlations)
    cells    the schema's own cells (one-way shares)
    coarse   at most 32 cells and "missing" (everything over several columns at once)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from understudy.errors import TableMismatch, UsageError
from understudy.evaluate.landmarks import landmarks
from understudy.kernels.count import count_marginals
from understudy.schema.columns import Category
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.table.table import Codes

FINE: Final = 65_535  # with "missing" the cells of a column fit 16 bits
COARSE: Final = 32

Array = NDArray[Any]


@dataclass(frozen=True)
class Grid:
    """A domain and a finer one; make it with ``Grid.of``."""

    domain: Domain
    fine: Domain
    _parents: Mapping[str, Array] = field(repr=False)

    @classmethod
    def of(cls, domain: Domain, *, cells: int = FINE) -> Grid:
        """The grid whose fine cells divide the bins of ``domain``, at most ``cells`` a column."""
        axes: dict[str, Axis] = {}
        parents: dict[str, Array] = {}
        marks = landmarks(domain.schema)
        for name, axis in domain.axes.items():
            axes[name], parents[name] = _divide(axis, cells, sorted(marks.get(name, ())))
        return cls(domain, Domain(domain.schema, axes), MappingProxyType(parents))

    @property
    def columns(self) -> tuple[str, ...]:
        """The compared columns, in the schema's order."""
        return self.domain.columns

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The columns whose cells have an order: all but categories."""
        columns = self.domain.schema.columns
        return tuple(name for name in self.columns if not isinstance(columns[name], Category))

    def parents(self, column: str) -> Array:
        """The domain's cell of each fine cell."""
        return self._parents[column]

    def places(self, column: str) -> NDArray[np.float64]:
        """A value for each fine cell, NaN for missing: the middle of a bin, or the level's rank."""
        return self._places[column]

    @cached_property
    def _places(self) -> dict[str, NDArray[np.float64]]:
        return {name: _places_on(axis) for name, axis in self.fine.axes.items()}

    def lowest(self, column: str) -> NDArray[np.float64]:
        """The least value of each fine cell (rank of each level), NaN for missing."""
        axis = self.fine.axes[column]
        if not isinstance(axis, BinAxis):
            return self.places(column)
        least = np.array(axis.edges[:-1], dtype=np.float64)
        if not axis.whole and axis.edges[-1] == np.nextafter(least[-1], np.inf):
            least[-1] = axis.edges[-1]  # the cell made for the upper bound, which it includes
        return with_missing(axis, least, np.nan)

    def scaled(self, column: str) -> NDArray[np.float64]:
        """``places`` moved to [0, 1]."""
        places = self.places(column)
        low, high = np.nanmin(places), np.nanmax(places)
        return np.asarray((places - low) / (high - low if high > low else 1.0))

    def coarse(self, column: str, *, most: int = COARSE) -> tuple[Array, int]:
        """The coarse cell of each cell of the domain, and how many coarse cells there are.

        More than ``most`` proper cells are cut into ``most`` runs of cells; "missing" stays apart.
        """
        axis = self.domain.axes[column]
        proper = np.arange(axis.proper)
        kept = min(axis.proper, most)
        runs = proper * most // axis.proper if axis.proper > most else proper
        runs = with_missing(axis, runs, kept)
        return runs.astype(np.uint8), kept + axis.nullable


@dataclass(frozen=True)
class Sample:
    """The rows of one table on a grid. ``codes`` holds the fine cell of each row and column."""

    grid: Grid
    codes: Mapping[str, Array]
    rows: int

    @classmethod
    def of(cls, grid: Grid, codes: Codes) -> Sample:
        """The rows of a table that was coded on ``grid.fine``.

        Rows are put into an order of their own, so that figures that look at random rows do not
        depend on the order in which a file has them.
        """
        if dict(codes.domain.axes) != dict(grid.fine.axes):
            raise TableMismatch("compared tables must be coded on the same grid")
        if codes.rows == 0:
            raise UsageError("a table without rows cannot be compared; give one with rows")
        found = cls(grid, dict(codes.columns), codes.rows)
        return found.take(np.argsort(found.keys(fine=True), kind="stable"))

    @cached_property
    def _coarse(self) -> dict[str, Array]:
        return {
            name: self.grid.coarse(name)[0][self.grid.parents(name)][codes]
            for name, codes in self.codes.items()
        }

    def cells(self, column: str) -> Array:
        """The domain's cell of each row."""
        return np.asarray(self.grid.parents(column)[self.codes[column]])

    def coarse(self, column: str) -> Array:
        """The coarse cell of each row."""
        return self._coarse[column]

    def missing(self, column: str) -> NDArray[np.bool_]:
        """Which rows have no value."""
        code = self.grid.fine.axes[column].missing_code
        return np.asarray(self.codes[column] == (-1 if code is None else code))

    def shares(self, column: str) -> NDArray[np.float64]:
        """The share of rows in each fine cell."""
        size = self.grid.fine.axes[column].size
        return np.bincount(self.codes[column], minlength=size) / self.rows

    def keys(self, *, fine: bool) -> NDArray[np.uint64]:
        """A 64-bit number per row: equal for equal (fine or coarse) rows, else almost surely not.

        It does not depend on the order of the columns.
        """
        keys = np.zeros(self.rows, dtype=np.uint64)
        for name in self.grid.columns:
            cells = self.codes[name] if fine else self.coarse(name)
            rng = np.random.default_rng(crc32(name.encode("utf-8", "surrogatepass")))
            size = self.grid.fine.axes[name].size
            keys ^= rng.integers(0, 2**64, size, dtype=np.uint64)[cells]
        return keys

    def counts_of(self, chosen: Sequence[Sequence[str]]) -> list[NDArray[np.int64]]:
        """The contingency table of the coarse cells of each of these sets of columns."""
        names = list(dict.fromkeys(name for columns in chosen for name in columns))
        place = {name: position for position, name in enumerate(names)}
        sizes = [self.grid.coarse(name)[1] for name in names]
        positions = [[place[name] for name in columns] for columns in chosen]
        return count_marginals([self.coarse(name) for name in names], sizes, positions)

    def counts(self, columns: Sequence[str]) -> NDArray[np.int64]:
        """The contingency table of these columns' coarse cells."""
        return self.counts_of([columns])[0]

    def take(self, rows: Array, columns: Sequence[str] | None = None) -> Sample:
        """These rows, in this order, as often as they are named; of ``columns`` only, if given."""
        kept = self.codes if columns is None else {name: self.codes[name] for name in columns}
        return Sample(self.grid, {name: codes[rows] for name, codes in kept.items()}, len(rows))


def with_missing(axis: Axis, values: Array, missing: float) -> Array:
    """One value per proper cell, and ``missing`` for the missing cell of an axis that has one."""
    return np.append(values, values.dtype.type(missing)) if axis.nullable else values


def _places_on(axis: Axis) -> NDArray[np.float64]:
    if isinstance(axis, BinAxis):
        edges = np.array(axis.edges, dtype=np.float64)
        return with_missing(axis, (edges[:-1] + edges[1:] - axis.whole) / 2, np.nan)
    return with_missing(axis, np.arange(axis.proper, dtype=np.float64), np.nan)


def _divide(axis: Axis, cells: int, marks: Sequence[float]) -> tuple[Axis, Array]:
    """An axis with each bin cut evenly and a cell for each mark; and the bin of each cell."""
    if not isinstance(axis, BinAxis) or axis.proper >= cells:
        return axis, np.arange(axis.size)
    edges = np.array(axis.edges, dtype=np.float64)
    each = max(1, (cells - 2 * len(marks) - 1) // axis.proper)
    starts, widths = edges[:-1], np.diff(edges)
    cuts = starts[:, None] + widths[:, None] * (np.arange(each) / each)
    cuts = np.append(np.ceil(cuts) if axis.whole else cuts, edges[-1])
    after = [mark + 1 if axis.whole else np.nextafter(mark, np.inf) for mark in marks]
    last = [np.nextafter(edges[-1], -np.inf)] if edges[-1] in marks and not axis.whole else []
    own = np.array([*marks, *after, *last])
    fine = np.unique(np.append(cuts, own[(edges[0] < own) & (own < edges[-1])]))
    parents = np.searchsorted(edges, fine[:-1], side="right") - 1
    parents = with_missing(axis, parents, axis.proper)
    divided = BinAxis(nullable=axis.nullable, edges=tuple(fine.tolist()), whole=axis.whole)
    return divided, parents.astype(np.int64)
