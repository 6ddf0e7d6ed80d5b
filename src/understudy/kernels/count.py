"""Contingency tables of coded rows, several marginals per pass.

``cover`` chooses groups of columns, small enough to be counted in cache, so that every marginal
lies inside a group; ``count_marginals`` counts each group once and reads its marginals off by
summing. Two implementations count a group and give the same integers: compiled code
(``count_compiled.py``), and NumPy, which needs neither loading nor compiling. Which one runs is
decided by the forecast work, rows times groups, never by what the rows hold.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling

Positions = tuple[int, ...]
Counts = NDArray[np.int64]

CAP: Final = 1 << 16  # the most cells of a group: 16-bit indices, and counters that fit a cache
ROWS_PER_CELL: Final = 8  # below this, smaller groups are quicker
NUMPY_BLOCK: Final = 1 << 14
WORTH_LOADING: Final = 200_000_000  # row visits after which loading the compiled code pays
WORTH_CALLING: Final = 100_000  # the same, once it is loaded
LARGEST_COMPILED: Final = 1 << 28  # cells; larger tables are left to NumPy, which needs no copy
COMPILED: Final = "understudy.kernels.count_compiled"


def cover(
    sizes: Sequence[int], marginals: Iterable[Sequence[int]], *, cap: int = CAP
) -> tuple[Positions, ...]:
    """Groups of columns such that each marginal lies inside one of them.

    A group has at most ``cap`` cells, unless it is a single marginal that has more. ``sizes`` holds
    the number of cells of each column, ``marginals`` column positions in any order. The choice is
    greedy, deterministic and remembered.
    """
    wanted = {tuple(sorted(set(marginal))) for marginal in marginals}
    return _cover(tuple(map(int, sizes)), frozenset(wanted), cap)


def count_marginals(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], marginals: Sequence[Sequence[int]]
) -> list[Counts]:
    """The contingency table of each marginal, shaped by the sizes of its columns in its order.

    ``codes`` holds one unsigned array per column, all of one length, each code below its column's
    size; anything else raises ``ValueError``. The empty marginal is the number of rows.
    """
    rows = check_codes(codes, sizes)
    tables: dict[Positions, Counts] = {}
    groups = cover(sizes, marginals, cap=_cap_for(rows))
    for count_groups, part in _plan(rows, sizes, groups):
        tables.update(zip(part, count_groups(codes, sizes, part), strict=True))
    return read_off(tables, marginals)


def read_off(
    tables: Mapping[Positions, Counts], marginals: Sequence[Sequence[int]]
) -> list[Counts]:
    """Each marginal from the smallest table of a group of columns that holds it."""
    held = _Tables(tables)
    return [held.marginal(tuple(marginal)) for marginal in marginals]


def count_with_numpy(
    codes: Sequence[NDArray[Any]], sizes: Sequence[int], groups: Sequence[Positions]
) -> list[Counts]:
    """The table of each group, by ``numpy.bincount`` over blocks of rows."""
    return [_count_direct(codes, sizes, group) for group in groups]


def _cap_for(rows: int) -> int:
    """The most cells of a group: with few rows, summing up a table costs more than counting."""
    return min(CAP, 1 << max(rows // ROWS_PER_CELL, 1).bit_length())


def _plan(
    rows: int, sizes: Sequence[int], groups: Sequence[Positions]
) -> Iterator[tuple[Any, list[Positions]]]:
    """Which groups are counted by what: forecast work decides, and what fits 16 and 32 bits."""
    cells = {group: prod(sizes[column] for column in group) for group in groups}
    fits = [g for g in groups if g and max(sizes[c] for c in g) <= CAP and cells[g] <= rows]
    small = [group for group in fits if cells[group] <= CAP]
    large = [group for group in fits if CAP < cells[group] <= LARGEST_COMPILED]
    for part in (small, large):
        yield _counter(rows * len(part)), part
    yield count_with_numpy, [group for group in groups if group not in {*small, *large}]


def _counter(work: int) -> Any:
    above = WORTH_CALLING if COMPILED in sys.modules else WORTH_LOADING
    if work < above or not worth_compiling(work, above=above):
        return count_with_numpy
    from understudy.kernels.count_compiled import count_compiled

    return count_compiled


def check_codes(codes: Sequence[NDArray[Any]], sizes: Sequence[int]) -> int:
    """How many rows there are; ValueError unless every code is below its column's size."""
    if len(codes) != len(sizes):
        raise ValueError("give one size per column of codes")
    lengths = {len(column) for column in codes}
    if len(lengths) > 1:
        raise ValueError("the columns of codes differ in length")
    rows = lengths.pop() if lengths else 0
    for column, size in zip(codes, sizes, strict=True):
        if column.dtype.kind != "u":
            raise ValueError("codes must be unsigned integers")
        if rows and int(column.max()) >= size:
            raise ValueError("a code is not below the size of its column")
    return rows


def _count_direct(codes: Sequence[NDArray[Any]], sizes: Sequence[int], group: Positions) -> Counts:
    shape = tuple(sizes[column] for column in group)
    rows = len(codes[0]) if codes else 0
    if not group:
        return np.array(rows, dtype=np.int64)
    cells = prod(shape)
    block = max(NUMPY_BLOCK, cells)  # no more clearing than counting
    table: Counts | None = None
    for start in range(0, max(rows, 1), block):
        index = codes[group[0]][start : start + block].astype(np.intp)
        for column, size in zip(group[1:], shape[1:], strict=True):
            index *= size
            np.add(index, codes[column][start : start + block], out=index, casting="unsafe")
        part = np.bincount(index, minlength=cells)
        table = part if table is None else np.add(table, part, out=table)
    return np.asarray(table).reshape(shape)


class _Tables:
    """The tables of the groups, from which marginals are read off."""

    def __init__(self, tables: Mapping[Positions, Counts]) -> None:
        self._tables = tables
        small_first = sorted(tables, key=lambda group: tables[group].size)
        self._holders = [(group, frozenset(group)) for group in small_first]
        self._given: set[Positions] = set()

    def marginal(self, columns: Positions) -> Counts:
        """From the smallest table that holds it, axes in the order asked for.

        Answers never share memory; the first that is a whole table takes it over, since copying
        a large table costs more than counting a small number of rows.
        """
        wanted = frozenset(columns)
        group = next(group for group, held in self._holders if wanted <= held)
        rest = tuple(axis for axis, column in enumerate(group) if column not in wanted)
        table = self._tables[group].sum(axis=rest) if rest else self._tables[group]
        kept = [column for column in group if column in wanted]
        turned = table.transpose([kept.index(column) for column in columns])
        if not rest and group in self._given:
            return np.array(turned, order="C")
        self._given.add(group)
        return np.asarray(turned, order="C")


@lru_cache(maxsize=64)
def _cover(sizes: tuple[int, ...], wanted: frozenset[Positions], cap: int) -> tuple[Positions, ...]:
    by_size = sorted(wanted, key=lambda marginal: (-prod(sizes[c] for c in marginal), marginal))
    left = np.zeros((len(by_size), len(sizes)), dtype=bool)
    for row, marginal in enumerate(by_size):
        left[row, list(marginal)] = True
    groups: list[Positions] = []
    while len(left):
        group = _grow(left, np.array(sizes, dtype=np.float64), cap)
        groups.append(tuple(np.flatnonzero(group).tolist()))
        left = left[(left & ~group).any(axis=1)]
    return tuple(groups)


def _grow(left: NDArray[np.bool_], sizes: NDArray[np.float64], cap: int) -> NDArray[np.bool_]:
    """The largest marginal that is left, and columns added while new marginals fit in.

    The column that completes most marginals per doubling of the cells comes first; marginals that
    would still lack one more column count a little.
    """
    group = left[0].copy()
    best: NDArray[np.bool_] = group.copy()
    while True:
        lacking = left & ~group
        lacks = lacking.sum(axis=1)
        gain = lacking[lacks == 1].sum(axis=0) + 1e-3 * lacking[lacks == 2].sum(axis=0)
        fits = ~group & (sizes * sizes[group].prod() <= cap) & (gain > 0)
        if not fits.any():
            return best
        worth = np.where(fits, gain / np.log2(sizes + 1), -1)
        group[int(worth.argmax())] = True
        if (lacks[lacking[:, int(worth.argmax())]] == 1).any():
            best = group.copy()
