"""Groups of cells, as fine as the noise of later measurements allows.

A table over two columns is worth its noise only if most of its cells hold more rows than noise. So
columns are cut into about ``resolution`` groups by their noisy one-way counts: heavy cells stand
alone, the rest is put together until a group is worth telling from others. Ordered columns are cut
into stretches of neighbours; of other columns, the rare levels make one group. Everything here is
post-processing of paid counts.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.schema.columns import Ordinal
from understudy.schema.domain import BinAxis, Domain

Floats = NDArray[np.float64]

LEAST_NOISES: Final = 3.0
"""No group is made for fewer rows than so many standard deviations of a cell's own noise."""
LEAST_PAIR_NOISES: Final = 12.0
"""Nor for fewer rows than so many standard deviations of the noise in a table of two columns."""
MOST: Final = 128
PAIR_NOISE: Final = 0.3
"""The noise that a table of two columns may hold: resolution^2 * stddev = this * rows."""


def resolution(*, rows: float, pair_stddev: float) -> int:
    """How many groups a column may have if tables of two columns will get this noise.

    Below 2 no table of two columns is worth its noise.
    """
    return int(min(np.sqrt(PAIR_NOISE * rows / max(pair_stddev, 1e-9)), MOST))


def ordered(domain: Domain, name: str) -> bool:
    """Whether neighbouring cells of a column belong together."""
    return isinstance(domain.axes[name], BinAxis) or isinstance(
        domain.schema.columns[name], Ordinal
    )


def even_groups(proper: int, groups: int, *, missing: bool) -> tuple[int, ...]:
    """So many stretches of as even a number of cells as can be; "missing" stands alone."""
    stretches = tuple(cell * groups // proper for cell in range(proper))
    return (*stretches, groups) if missing else stretches


def groups_of(
    counts: Floats,
    *,
    stddev: float,
    pair_stddev: float,
    groups: int,
    ordered: bool,
    missing: int | None = None,
) -> tuple[int, ...]:
    """The group of each cell of a column with these counts (none negative).

    ``missing`` is the cell of missing values, which has no neighbours.
    """
    least = max(LEAST_NOISES * stddev, LEAST_PAIR_NOISES * pair_stddev)
    if not ordered:
        return _by_size(counts, least)
    if missing is None:
        return _stretches(counts, groups, least)
    proper = np.delete(counts, missing)
    found = np.array(_stretches(proper, groups, least))
    apart = found.max() + 1 if counts[missing] >= least else found[-1]
    return tuple(np.insert(found, missing, apart).tolist())


def _by_size(counts: Floats, least: float) -> tuple[int, ...]:
    """A group for every cell of at least ``least`` rows, and one for all others together.

    Where that puts no two cells together, the groups are the cells in their own order.
    """
    heavy = counts >= least
    if len(counts) - heavy.sum() < 2:
        return tuple(range(len(counts)))
    number = np.cumsum(heavy) - 1
    return tuple(np.where(heavy, number, heavy.sum()).tolist())


def _stretches(counts: Floats, groups: int, least: float) -> tuple[int, ...]:
    """Neighbouring cells together; cells of more than an even share stand alone."""
    alone = counts > counts.sum() / groups
    rest = float(counts[~alone].sum())
    wanted = max(rest / max(groups - int(alone.sum()), 2), least)
    found, group, held = [], 0, 0.0
    for place, count in enumerate(counts.tolist()):
        full = held >= wanted or (bool(alone[place]) and held >= least / 2)
        if place and full:
            group, held = group + 1, 0.0
        found.append(group)
        held = np.inf if alone[place] else held + count
    return tuple(found)
