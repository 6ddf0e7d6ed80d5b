"""Contingency tables of coded rows that arrive in pieces, in memory that does not grow with them.

Pieces are gathered into blocks; a block is counted into running tables and forgotten. A table whose
rows all fit one block is counted as ``count_marginals`` counts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling
from understudy.kernels.count import (
    CAP,
    LARGEST_COMPILED,
    Counts,
    Positions,
    check_codes,
    count_marginals,
    count_with_numpy,
    cover,
    read_off,
)

BLOCK: Final = 1 << 20
FLUSH: Final = 1 << 31  # rows after which 32-bit counters are emptied


@final
class Tally:
    """Counts marginals over coded columns of these sizes; see ``count_marginals``."""

    def __init__(
        self, sizes: Sequence[int], marginals: Sequence[Sequence[int]], *, block: int = BLOCK
    ) -> None:
        self._sizes, self._block = tuple(sizes), block
        self._marginals = [tuple(marginal) for marginal in marginals]
        self._waiting: list[list[NDArray[Any]]] = []
        self._rows_waiting = 0
        self._running: _Running | None = None

    def add(self, codes: Sequence[NDArray[Any]]) -> None:
        """More rows: one unsigned array per column, all of one length."""
        rows = check_codes(codes, self._sizes)
        self._waiting.append(list(codes))
        self._rows_waiting += rows
        if self._rows_waiting >= self._block:
            if self._running is None:
                self._running = _Running(self._sizes, self._marginals)
            self._running.add(self._gathered())

    def tables(self) -> list[Counts]:
        """The table of each marginal over all rows so far, shaped as ``count_marginals`` does."""
        if self._running is None:
            return count_marginals(self._gathered(), self._sizes, self._marginals)
        self._running.add(self._gathered())
        return read_off(self._running.tables(), self._marginals)

    def _gathered(self) -> list[NDArray[Any]]:
        """The rows that wait, as one block."""
        waiting, self._waiting, self._rows_waiting = self._waiting, [], 0
        if not waiting:
            return [np.empty(0, dtype=np.uint8) for _ in self._sizes]
        if len(waiting) == 1:
            return waiting[0]
        return [np.concatenate(pieces) for pieces in zip(*waiting, strict=True)]


class _Running:
    """Running tables: compiled counters for what fits them, NumPy for the rest."""

    def __init__(self, sizes: tuple[int, ...], marginals: Sequence[Positions]) -> None:
        self._sizes = sizes
        groups = cover(sizes, marginals)
        fits = [group for group in groups if self._fits(group)]
        self._compiled = self._plans(fits) if worth_compiling(np.inf, above=0) else []
        taken = {group for part, _ in self._compiled for group in part}
        self._others = [group for group in groups if group not in taken]
        self._totals = [np.zeros(self._shape(group), dtype=np.int64) for group in self._others]
        self._since_flush = 0

    def add(self, codes: list[NDArray[Any]]) -> None:
        """Count one block."""
        rows = len(codes[0]) if codes else 0
        if not rows:
            return
        if self._since_flush + rows > FLUSH:
            self._empty()
        self._since_flush += rows
        for _, plan in self._compiled:
            plan.count(codes, 0, rows)
        for total, part in zip(
            self._totals, count_with_numpy(codes, self._sizes, self._others), strict=True
        ):
            np.add(total, part, out=total)

    def tables(self) -> dict[Positions, Counts]:
        """The table of each group."""
        self._empty()
        found = dict(zip(self._others, self._totals, strict=True))
        for part, plan in self._compiled:
            found.update(zip(part, plan.totals, strict=True))
        return found

    def _fits(self, group: Positions) -> bool:
        shape = self._shape(group)
        return bool(group) and max(shape) <= CAP and prod(shape) <= LARGEST_COMPILED

    def _shape(self, group: Positions) -> tuple[int, ...]:
        return tuple(self._sizes[column] for column in group)

    def _plans(self, groups: list[Positions]) -> list[tuple[list[Positions], Any]]:
        """Small tables are counted apart from large ones, which need wider indices."""
        from understudy.kernels.count_compiled import Counters

        small = [group for group in groups if prod(self._shape(group)) <= CAP]
        large = [group for group in groups if group not in small]
        return [(part, Counters(self._sizes, part)) for part in (small, large) if part]

    def _empty(self) -> None:
        for _, plan in self._compiled:
            plan.empty()
        self._since_flush = 0
