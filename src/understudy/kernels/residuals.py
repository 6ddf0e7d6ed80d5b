"""Noisy marginals as sums of residuals, and the best consistent marginals in closed form.

The residual of a set of columns is what its marginal knows and no smaller one does: the table with
its mean along every column taken out. A marginal is the sum of the residuals of all its subsets,
each spread evenly over the other columns. Residuals of different sets are orthogonal, and
independent noise of one variance in all cells stays so inside every residual. Hence the best linear
unbiased estimate of a residual is the average of what the measured marginals say of it, weighted
with inverse variances, and everything put together from such residuals is consistent and has an
exactly known variance (Mullins and others, NeurIPS 2024; Xiao and others, NeurIPS 2023).

Columns are numbered; ``sizes`` holds the number of cells of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import inf, prod
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

Columns = tuple[int, ...]
Table = NDArray[np.float64]

LEAST_VARIANCE: Final = 1e-12
"""A huge budget buys noise whose variance is 0 in floats; such tables simply count alike."""


@final
@dataclass(frozen=True)
class Measured:
    """A noisy marginal: its cells, and the variance of the independent noise in each of them."""

    columns: Columns
    cells: NDArray[Any]
    variance: float


@final
@dataclass(frozen=True)
class Residuals:
    """Estimates of residuals: ``tables`` by their columns, ``variances`` of the noise they carry.

    The noise of a residual is that of a table with this variance in every cell, its means taken
    out. A residual that was never measured counts as 0 with an infinite variance.
    """

    sizes: tuple[int, ...]
    tables: Mapping[Columns, Table]
    variances: Mapping[Columns, float]

    def marginal(self, columns: Columns) -> Table:
        """The best estimate of a marginal; consistent with every other one of this object."""
        ordered = tuple(sorted(columns))
        shape = tuple(self.sizes[column] for column in ordered)
        cells = np.zeros(shape)
        for part, away, over in _parts(ordered, self.sizes):
            if part in self.tables:
                flat = [1 if place in away else size for place, size in enumerate(shape)]
                cells += self.tables[part].reshape(flat) / over
        return cells.transpose([ordered.index(column) for column in columns])

    def variance(self, columns: Columns) -> float:
        """The variance of each cell of ``marginal``: the same in all of them."""
        return marginal_variance(columns, self.variances, self.sizes)


def subsets(columns: Columns) -> list[Columns]:
    """Every subset of these columns, the empty one first, each in the order of ``columns``."""
    sizes = range(len(columns) + 1)
    return list(chain.from_iterable(combinations(columns, size) for size in sizes))


def closure(workload: Iterable[Columns]) -> list[Columns]:
    """All sets of columns inside one of the workload's, small ones first."""
    found = set(chain.from_iterable(subsets(tuple(sorted(columns))) for columns in workload))
    return sorted(found, key=lambda columns: (len(columns), columns))


def freedom(columns: Columns, sizes: Sequence[int]) -> float:
    """The share of a cell that lies in the residual: the product of 1 - 1 / size."""
    return prod(1.0 - 1.0 / sizes[column] for column in columns)


def spread(columns: Columns, part: Columns, sizes: Sequence[int]) -> int:
    """Over how many cells of the marginal over ``columns`` each cell of ``part`` is spread."""
    return prod(sizes[column] for column in columns if column not in part)


def marginal_variance(
    columns: Columns, variances: Mapping[Columns, float], sizes: Sequence[int]
) -> float:
    """The variance of each cell of a marginal put together from residuals of these variances."""
    return sum(
        variances.get(part, inf) * freedom(part, sizes) / spread(columns, part, sizes) ** 2
        for part in subsets(tuple(sorted(columns)))
        if freedom(part, sizes) > 0
    )


def residual_variances(
    measured: Iterable[tuple[Columns, float]], sizes: Sequence[int], *, total_known: bool = False
) -> dict[Columns, float]:
    """The variance of every residual, from the columns and variances of what was measured."""
    precisions: dict[Columns, float] = {}
    for columns, variance in measured:
        own = 1.0 / max(variance, LEAST_VARIANCE)
        for part, _, cells in _parts(tuple(sorted(columns)), sizes):
            precisions[part] = precisions.get(part, 0.0) + own / cells
    found = {part: 1.0 / precision for part, precision in precisions.items()}
    return found | {(): 0.0} if total_known else found


def residuals_of(
    measured: Sequence[Measured], sizes: Sequence[int], *, total: float | None = None
) -> Residuals:
    """The best estimate of every residual that the marginals tell about; ``total`` if known."""
    pairs = [(one.columns, one.variance) for one in measured]
    variances = residual_variances(pairs, sizes)
    sums: dict[Columns, Table] = {}
    for one in measured:
        _add(one, sizes, sums, variances)
    tables = {part: _centred(cells) for part, cells in sums.items()}
    if total is not None:
        tables[()], variances[()] = np.asarray(float(total)), 0.0
    return Residuals(tuple(sizes), tables, variances)


def _add(
    one: Measured,
    sizes: Sequence[int],
    sums: dict[Columns, Table],
    variances: Mapping[Columns, float],
) -> None:
    """Add what one marginal says about each of its residuals, in proportion to its precision."""
    places = sorted(range(len(one.columns)), key=one.columns.__getitem__)
    ordered = tuple(one.columns[place] for place in places)
    cells = np.asarray(one.cells, dtype=np.float64).transpose(places)
    own = 1.0 / max(one.variance, LEAST_VARIANCE)
    for part, away, over in _parts(ordered, sizes):
        said = cells.sum(axis=away) if away else cells
        weight = own / over * variances[part]
        if weight != 1.0:  # mostly the only one that knows: a whole table less to copy
            said = said * weight
        sums[part] = sums[part] + said if part in sums else said


def _parts(
    ordered: Columns, sizes: Sequence[int]
) -> Iterator[tuple[Columns, tuple[int, ...], int]]:
    """Every subset, with the places of the columns it leaves out and their number of cells."""
    for kept, away in _choices(len(ordered)):
        over = prod(sizes[ordered[place]] for place in away)
        yield tuple(ordered[place] for place in kept), away, over


@lru_cache
def _choices(count: int) -> list[tuple[Columns, Columns]]:
    places = tuple(range(count))
    return [
        (kept, tuple(place for place in places if place not in kept)) for kept in subsets(places)
    ]


def _centred(cells: Table) -> Table:
    """The table with its mean along every column taken out."""
    for axis, size in enumerate(cells.shape):
        cells = cells - cells.sum(axis=axis, keepdims=True) / size
    return cells
