"""The least Gini impurity of any tree, for many candidates at once and from tables alone.

``trees`` scores two sets of rows. Here the real rows are known by their contingency tables, and a
candidate by how many rows it *would* have in each cell: real numbers, not drawn rows. A tree of
depth d is a function of tables over d columns, so both sides are the tables of all choices of d
columns (``tables_of``), flattened one after another.

    least_ginis      the least of a b / (a + b), summed over the leaves, over all trees
    cell_ginis       the mean over the tables of the impurity of all their cells as leaves

Tables of one candidate need not agree with each other: every leaf is taken from one table, whose
rows in it are some number that is not negative. Each leaf may cost a public ``penalty`` more, and
must hold at least ``least`` synthetic rows; the tree with one leaf is always allowed. A minimum for
both kinds of rows together would break the proof of privacy: see ``gate/impurity.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import prod
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling

Floats = NDArray[np.float64]

WORTH_COMPILING: Final = 5e7  # steps of about 10 ns in NumPy: half a second, the price of numba
MAX_DEPTH: Final = 3


def tables_of(columns: int, depth: int) -> list[tuple[int, ...]]:
    """The choices of columns whose tables a tree of this depth is a function of, in order."""
    return list(combinations(range(columns), min(depth, columns)))


def least_ginis(
    real: Floats,
    synthetic: Floats,
    sizes: Sequence[int],
    *,
    depth: int,
    penalty: float = 0.0,
    least: float = 0.0,
) -> Floats:
    """The least impurity of a tree of this depth for each line of ``synthetic``."""
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(f"exact trees have depth 1, 2 or {MAX_DEPTH}, not {depth}")
    check_tables(real, synthetic, sizes, depth=depth)
    padded = [*sizes, *[1] * (depth - len(sizes))]  # a column of one cell is never split
    work = synthetic.size * len(padded) * (8.0 if depth < MAX_DEPTH else 8.0 * max(padded))
    engine = _engine(work)
    found: Floats = engine.least_ginis(real, synthetic, padded, depth, (penalty, least))
    return found


def cell_ginis(real: Floats, synthetic: Floats, sizes: Sequence[int], *, depth: int) -> Floats:
    """The impurity of all cells of a table, averaged over the tables, for each line."""
    check_tables(real, synthetic, sizes, depth=depth)
    leaves = synthetic * real / np.maximum(synthetic + real, 1.0)
    found: Floats = leaves.sum(axis=1) / len(tables_of(len(sizes), depth))
    return found


def check_tables(real: Floats, synthetic: Floats, sizes: Sequence[int], *, depth: int) -> None:
    """Refuse tables of other columns: compiled code would read wherever an index points."""
    if not sizes or min(sizes) < 1:
        raise ValueError("a tree needs at least one column, and each column a cell")
    cells = sum(prod(sizes[f] for f in table) for table in tables_of(len(sizes), depth))
    if real.shape != (cells,) or synthetic.ndim != 2 or synthetic.shape[1] != cells:
        raise ValueError(f"these columns have {cells:,} cells in their tables, not what was given")


def _engine(steps: float) -> ModuleType:
    if worth_compiling(steps, above=WORTH_COMPILING):
        from understudy.kernels import impurity_compiled

        return impurity_compiled
    from understudy.kernels import impurity_numpy

    return impurity_numpy
