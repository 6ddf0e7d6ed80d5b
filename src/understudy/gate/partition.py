"""The ``partition`` verb: a table's cells in boxes that are small where many rows are (PrivTree).

The box of all cells is halved, again and again, as long as a box holds noisily many rows for its
depth. Only the final boxes leave, no counts. Proof: partition.md. Test:
tests/gate/test_partition.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.noise import Noise
from understudy.gate.scale import gumbel_scale, laplace_scale
from understudy.gate.sensitive import Sensitive, reveal
from understudy.gate.sensitivity import tree_loss, tree_range
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.neighbours import Neighbours

Integers = NDArray[np.int64]
MOST_CELLS: Final = 2**27
MOST_AXES: Final = 8
LARGEST_THRESHOLD: Final = 2**40
LOG_2: Final = Fraction(6_931_471_805_599_454, 10**16)
"""The natural logarithm of 2, rounded up."""


@final
@dataclass(frozen=True)
class Splitting:
    """Split a box if its rows - depth * decay, but at least threshold - decay, plus noise pass."""

    scale: float
    decay: int
    threshold: int

    def boxes(self, sealed: Sensitive[Integers], noise: Noise) -> Integers:
        """The final boxes, shaped (boxes, axes, 2): from the first cell to before the last."""
        exact = reveal(sealed)
        upto = _summed(exact)
        waiting = np.array([[(0, size) for size in exact.shape]], dtype=np.int64)
        final_boxes = []
        depth = 0
        while len(waiting):
            whole = np.prod(waiting[:, :, 1] - waiting[:, :, 0], axis=1) == 1
            large = waiting[~whole]
            splits = self._splits(_rows_in(upto, large), depth, noise)
            final_boxes += [waiting[whole], large[~splits]]
            waiting = _halves(large[splits])
            depth += 1
        return _in_order(np.concatenate(final_boxes))

    def _splits(self, exact_rows: Integers, depth: int, noise: Noise) -> NDArray[np.bool_]:
        if not len(exact_rows):
            return np.zeros(0, dtype=np.bool_)
        biased = np.maximum(exact_rows - depth * self.decay, self.threshold - self.decay)
        splits: NDArray[np.bool_] = noise.laplace(biased, scale=self.scale) > self.threshold
        return splits

    @property
    def detail(self) -> dict[str, Any]:
        """What the ledger keeps."""
        return {"scale": repr(self.scale), "decay": self.decay, "threshold": self.threshold}


def splitting_for(
    spend: Budget, neighbours: Neighbours, *, contribution: int, threshold: int
) -> Splitting:
    """The noise and decay with which the whole tree costs ``spend``."""
    whole = isinstance(threshold, int) and not isinstance(threshold, bool)
    if not whole or abs(threshold) > LARGEST_THRESHOLD:
        raise UsageError("the threshold is a public whole number of at most 2^40 rows")
    match spend:
        case PureDP():
            scale = laplace_scale(1, spend.epsilon / tree_loss(neighbours, contribution))
        case ZCDP() if not spend.delta:
            spread = tree_range(neighbours, contribution)
            scale = gumbel_scale(1, spend.rho / spread**2, monotone=True)
        case _:
            raise UsageError(f"partition spends PureDP or ZCDP without delta, not {spend}")
    return Splitting(scale, ceil(Fraction(scale) * LOG_2), threshold)


def check_grid(shape: tuple[int, ...]) -> None:
    """Refuse a table whose cumulative sums would not fit, before anything is charged."""
    if len(shape) > MOST_AXES:
        raise UsageError(f"a partition is over at most {MOST_AXES} columns, not {len(shape)}")
    if prod(size + 1 for size in shape) > MOST_CELLS:
        raise UsageError(
            f"the columns have {prod(shape):,} cells together, and about {MOST_CELLS:,} fit in "
            "memory; choose fewer columns, or give them fewer levels or bins"
        )


def _summed(exact: Integers) -> Integers:
    """At each corner, the rows in all cells below it on every axis."""
    upto = np.zeros([size + 1 for size in exact.shape], dtype=np.int64)
    upto[(slice(1, None),) * exact.ndim] = exact
    for axis in range(exact.ndim):
        np.cumsum(upto, axis=axis, out=upto)
    return upto


def _rows_in(upto: Integers, boxes: Integers) -> Integers:
    """The rows in each box, from its corners by inclusion and exclusion."""
    rows = np.zeros(len(boxes), dtype=np.int64)
    axes = np.arange(upto.ndim)
    for corner in product((0, 1), repeat=upto.ndim):
        sign = (-1) ** (upto.ndim - sum(corner))
        rows += sign * upto[tuple(boxes[:, axes, corner].T)]
    return rows


def _halves(boxes: Integers) -> Integers:
    """Both halves of each box, cut across its longest axis (the first of equals)."""
    lengths = boxes[:, :, 1] - boxes[:, :, 0]
    axis = np.argmax(lengths, axis=1)
    number = np.arange(len(boxes))
    middle = boxes[number, axis, 0] + lengths[number, axis] // 2
    lower, upper = boxes.copy(), boxes.copy()
    lower[number, axis, 1] = middle
    upper[number, axis, 0] = middle
    return np.concatenate([lower, upper])


def _in_order(boxes: Integers) -> Integers:
    """Sorted by first cell: the order must tell nothing but the boxes themselves."""
    return boxes[np.lexsort(boxes[:, ::-1, 0].T)]
