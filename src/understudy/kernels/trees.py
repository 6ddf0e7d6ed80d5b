"""Exact optimal trees that tell two tables apart, scored by Gini impurity (pMSE).

A partition of the cells of a public grid has the impurity ``GI = sum a b / (a + b)`` over its
leaves, where a leaf holds a synthetic and b real rows. The smaller, the better the partition tells
the tables apart; identical tables give k n / (k + n), the largest value. With c = k / (k + n)

    pMSE = c (1 - c) - GI / (k + n).

    least_gini       minimum over all axis-parallel trees of depth 1, 2 or 3 on the grid
    partition_gini   one fixed partition
    segment_gini     minimum over all cuts of one ordered column into at most L segments

The families of trees do not depend on the rows, so replacing one real row moves every minimum by at
most k / (k + 1): see ``docs/explanation/how-to-read-the-scores.md``. Counts are whole numbers held
in float64, exact up to 2^53. A tree splits a column between two neighbouring cells, in the order of
the cells, whether that order means something or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling

Rows = Sequence[NDArray[Any]] | NDArray[Any]

WORTH_COMPILING: Final = 5e7  # steps of about 10 ns in NumPy: half a second, the price of numba
MAX_DEPTH: Final = 3


def least_gini(
    real: Rows, synthetic: Rows, sizes: Sequence[int], *, depth: int, calls: int = 1
) -> float:
    """The least impurity of any tree of at most ``depth`` splits in a row.

    ``real`` and ``synthetic`` hold one array of cell numbers per column, ``sizes`` the number of
    cells of each column. ``calls`` is how many such calls the caller is about to make: many make
    compiled code worth loading.
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"exact trees have depth 1, 2 or {MAX_DEPTH}, not {depth}")
    if not len(real) == len(synthetic) == len(sizes) > 0:
        raise ValueError("real, synthetic and sizes must name the same columns, at least one")
    tables = [_matrix(np.asarray(rows), sizes) for rows in (real, synthetic)]
    engine = _engine(calls * _steps(tables, sizes, depth))
    return float(engine.least_gini(*tables, np.asarray(sizes, dtype=np.int64), depth))


def partition_gini(real: NDArray[Any], synthetic: NDArray[Any]) -> float:
    """The impurity of one fixed partition, from the two counts of each of its leaves."""
    a, b = np.asarray(synthetic, dtype=np.float64), np.asarray(real, dtype=np.float64)
    return float(np.sum(a * b / np.maximum(a + b, 1.0)))


def segment_gini(real: NDArray[Any], synthetic: NDArray[Any], *, leaves: int) -> float:
    """The least impurity of one ordered column cut into at most ``leaves`` segments.

    ``real`` and ``synthetic`` count the rows of each cell. best[j] after l rounds is the least
    impurity of cells 0 .. j-1 in l segments; cutting never hurts, so "at most" equals "exactly".
    """
    if leaves < 1:
        raise ValueError("a tree has at least one leaf")
    a, b = (
        np.concatenate([[0.0], np.cumsum(side, dtype=np.float64)]) for side in (synthetic, real)
    )
    inner_a, inner_b = a[None, :] - a[:, None], b[None, :] - b[:, None]
    segment = np.where(inner_a + inner_b > 0, inner_a * inner_b, 0.0)
    segment /= np.maximum(np.abs(inner_a + inner_b), 1.0)
    segment[np.tril_indices(len(a), -1)] = np.inf
    best = segment[0]
    for _ in range(min(leaves, len(a) - 1) - 1):
        best = np.min(best[:, None] + segment, axis=0)
    return float(best[-1])


def pmse(gini: float, *, real: int, synthetic: int) -> float:
    """The propensity mean squared error of a tree with this impurity; 0 for empty tables."""
    rows = real + synthetic
    share = synthetic / rows if rows else 0.0
    return share * (1 - share) - gini / rows if rows else 0.0


def _matrix(rows: NDArray[Any], sizes: Sequence[int]) -> NDArray[Any]:
    """The rows in the narrowest type; compiled code would write wherever a cell number points."""
    if rows.size and (np.any(rows.max(axis=1) >= sizes) or rows.min() < 0):
        raise ValueError("a cell number is not below the number of cells of its column")
    return np.ascontiguousarray(rows, dtype=np.uint8 if max(sizes) <= 256 else np.uint32)


def _steps(tables: list[NDArray[Any]], sizes: Sequence[int], depth: int) -> float:
    """About how many elementary steps NumPy would take."""
    columns, rows, cells = len(sizes), tables[0].shape[1] + tables[1].shape[1], max(sizes)
    return float(columns**depth * (rows + 8 * cells**depth))


def _engine(steps: float) -> ModuleType:
    if worth_compiling(steps, above=WORTH_COMPILING):
        from understudy.kernels import trees_compiled

        return trees_compiled
    from understudy.kernels import trees_numpy

    return trees_numpy
