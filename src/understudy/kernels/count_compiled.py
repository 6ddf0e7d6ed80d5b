"""Counting groups of columns with compiled code: the fast half of ``count.py``.

Rows are taken in blocks. A block of every column is copied into one matrix of 16-bit codes, so that
the same compiled function serves any mixture of column types and any choice of groups. For each
group, short strips of the block are turned into cell indices and counted. Small tables are counted
into four copies in turn, because an increment that follows another of the same cell waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled

Positions = tuple[int, ...]

WIDEST: Final = 1 << 16  # the largest column that fits the matrix of codes
STRIP: Final = 1 << 13
SHORT_BLOCK: Final = 1 << 16  # while all tables together stay near the core
LONG_BLOCK: Final = 1 << 19  # when each table has to be fetched again for each block
NEAR: Final = 1 << 21  # cells
MATRIX: Final = 1 << 23  # the most codes in a block
LANES: Final = 4
SMALL: Final = 1 << 12  # tables up to this size are counted in ``LANES`` copies
FLUSH: Final = 1 << 31  # rows after which the 32-bit counters are emptied


def count_compiled(
    codes: Sequence[NDArray[Any]],
    sizes: Sequence[int],
    groups: Sequence[Positions],
    *,
    flush: int = FLUSH,
) -> list[NDArray[np.int64]]:
    """The table of each group; every code must be below the size of its column.

    Groups have at least one column, at most 2**32 cells, and columns of at most ``WIDEST`` cells.
    """
    rows = len(codes[0]) if codes else 0
    plan = Counters(sizes, groups)
    for start in range(0, rows, flush):
        plan.count(codes, start, min(start + flush, rows))
        plan.empty()
    return plan.totals


class _Layout(NamedTuple):
    """Where each group's columns, sizes and counters lie in flat arrays."""

    columns: NDArray[np.int64]
    sizes: NDArray[Any]
    bounds: NDArray[np.int64]
    cells: NDArray[np.int64]
    lanes: NDArray[np.int64]
    starts: NDArray[np.int64]


class Counters:
    """The counters of some groups, filled block by block."""

    def __init__(self, sizes: Sequence[int], groups: Sequence[Positions]) -> None:
        shapes = [tuple(sizes[column] for column in group) for group in groups]
        cells = np.array([prod(shape) for shape in shapes], dtype=np.int64)
        self.used = sorted({column for group in groups for column in group})
        self.index = np.empty(STRIP, dtype=np.min_scalar_type(max([WIDEST, *cells]) - 1))
        self.layout = _layout(sizes, groups, cells, self.used, self.index.dtype)
        self.counters = np.zeros(int(self.layout.starts[-1]), dtype=np.uint32)
        self.totals = [np.zeros(shape, dtype=np.int64) for shape in shapes]

    def count(self, codes: Sequence[NDArray[Any]], start: int, stop: int) -> None:
        """Add the rows from ``start`` to ``stop`` to the counters."""
        height = SHORT_BLOCK if len(self.counters) <= NEAR else LONG_BLOCK
        height = min(height, max(STRIP, MATRIX // max(len(self.used), 1)), stop - start)
        block = np.empty((len(self.used), height), dtype=np.uint16)
        for first in range(start, stop, height):
            rows = min(height, stop - first)
            for row, column in enumerate(self.used):
                block[row, :rows] = codes[column][first : first + rows]
            _count_block(block, rows, self.index, self.layout, self.counters)

    def empty(self) -> None:
        """Move the counters to the totals."""
        starts, lanes = self.layout.starts, self.layout.lanes
        for group, total in enumerate(self.totals):
            part = self.counters[starts[group] : starts[group + 1]]
            np.add(
                total,
                part.reshape(lanes[group], *total.shape).sum(axis=0, dtype=np.int64),
                out=total,
            )
        self.counters[:] = 0


def _layout(
    sizes: Sequence[int],
    groups: Sequence[Positions],
    cells: NDArray[np.int64],
    used: list[int],
    dtype: np.dtype[Any],
) -> _Layout:
    place = {column: row for row, column in enumerate(used)}
    flat = [column for group in groups for column in group]
    lanes = np.where(cells <= SMALL, LANES, 1).astype(np.int64)
    return _Layout(
        columns=np.array([place[column] for column in flat], dtype=np.int64),
        # 65,536 becomes 0 in 16 bits, which does no harm: what it multiplies can only be 0
        sizes=np.array([sizes[column] for column in flat], dtype=np.int64).astype(dtype),
        bounds=np.cumsum([0, *map(len, groups)], dtype=np.int64),
        cells=cells,
        lanes=lanes,
        starts=np.cumsum([0, *(cells * lanes)], dtype=np.int64),
    )


@compiled(nogil=True)
def _count_block(block: Any, rows: int, index: Any, layout: Any, counters: Any) -> None:
    columns, sizes, bounds, cells, lanes, starts = layout
    for group in range(len(cells)):
        low, high = bounds[group], bounds[group + 1]
        zero = counters[starts[group] : starts[group + 1]]
        step = cells[group] if lanes[group] > 1 else 0
        one, two, three = zero[step:], zero[2 * step :], zero[3 * step :]
        for begin in range(0, rows, len(index)):
            strip = min(len(index), rows - begin)
            first = block[columns[low], begin:]
            for row in range(strip):
                index[row] = first[row]
            for position in range(low + 1, high):
                codes = block[columns[position], begin:]
                size = sizes[position]
                for row in range(strip):
                    index[row] = index[row] * size + codes[row]
            whole = strip - strip % 4
            for row in range(0, whole, 4):
                zero[index[row]] += np.uint32(1)
                one[index[row + 1]] += np.uint32(1)
                two[index[row + 2]] += np.uint32(1)
                three[index[row + 3]] += np.uint32(1)
            for row in range(whole, strip):
                zero[index[row]] += np.uint32(1)
