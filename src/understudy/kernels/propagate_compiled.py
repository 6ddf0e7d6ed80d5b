"""Belief propagation in compiled code: the fast half of ``propagate.py``.

Every sum of a clique over some of its axes, and every product with a smaller table, is a walk
through the clique's cells with a second index that moves along. A walk is a row of numbers: where
the clique starts, its shape and the second index's strides, neighbouring axes merged where one
stride serves both. The program of a tree is a few such tables, so that one compiled function serves
every structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import compiled
from understudy.kernels.junction import NO_PARENT

if TYPE_CHECKING:
    from understudy.kernels.propagate import Floats, Propagation, Slot, State

TINY: Final = 1e-250
"""The least cell, as in ``propagate.TINY``: compiled code keeps its own copy of a number."""
AXES: Final = 32
"""The most axes of a walk; a clique with more would not fit any memory."""
START, DIMENSIONS, OTHER, SIZE, SHAPE = 0, 1, 2, 3, 4
STRIDES: Final = SHAPE + AXES
ROW: Final = STRIDES + AXES


class _Walks(NamedTuple):
    """The walks of a tree: to the measured marginals, and to separators from both sides."""

    measured: NDArray[np.int64]
    up: NDArray[np.int64]
    down: NDArray[np.int64]
    parents: NDArray[np.int64]
    starts: NDArray[np.int64]


@final
class Program:
    """The walks of one propagation."""

    def __init__(self, work: Propagation) -> None:
        self._walks = _Walks(
            measured=_walks(work, work.measured),
            up=_walks(work, work.up),
            down=_walks(work, work.down),
            parents=np.array(work.tree.parents, dtype=np.int64),
            starts=np.array(work.starts, dtype=np.int64),
        )
        self._width = work.width

    def advance(self, state: State, factors: Floats) -> tuple[Floats, Floats, Floats, float]:
        """Cells, separators, measured marginals and log mass after one step."""
        cells, separators = state.cells.copy(), state.separators.copy()
        marginals = np.empty(self._width)
        mass = _advance(cells, separators, factors, marginals, self._walks)
        return cells, separators, marginals, float(mass)


def _walks(work: Propagation, slots: list[Slot]) -> NDArray[np.int64]:
    rows = np.zeros((len(slots), ROW), dtype=np.int64)
    for row, slot in zip(rows, slots, strict=True):
        shape, strides = _merged(work.shapes[slot.clique], slot.spread)
        row[[START, DIMENSIONS, OTHER, SIZE]] = (
            work.starts[slot.clique],
            len(shape),
            slot.start,
            slot.size,
        )
        row[SHAPE : SHAPE + len(shape)] = shape
        row[STRIDES : STRIDES + len(strides)] = strides
    return rows


def _merged(shape: tuple[int, ...], spread: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The walk's shape and strides: axes that are both kept, or both summed, become one."""
    sizes: list[int] = []
    kept: list[bool] = []
    for length, size in zip(shape, spread, strict=True):
        if length == 1:
            continue
        if kept and kept[-1] == (size > 1):
            sizes[-1] *= length
        else:
            sizes.append(length)
            kept.append(size > 1)
    if not sizes:
        return [1], [1]
    strides, step = [0] * len(sizes), 1
    for axis in reversed(range(len(sizes))):
        if kept[axis]:
            strides[axis] = step
            step *= sizes[axis]
    return sizes, strides


@compiled(fastmath={"reassoc", "contract", "nsz"})
def _add_up(table: Any, row: Any, out: Any) -> None:
    """out = table summed over the axes without a stride."""
    last = row[DIMENSIONS] - 1
    length, stride = row[SHAPE + last], row[STRIDES + last]
    index = np.zeros(AXES, dtype=np.int64)
    here, there, size = row[START], row[OTHER], row[SIZE]
    for cell in range(there, there + size):
        out[cell] = 0.0
    outer = 1
    for axis in range(last):
        outer *= row[SHAPE + axis]
    for _ in range(outer):
        if stride == 0:
            total = 0.0
            for j in range(length):
                total += table[here + j]
            out[there] += total
        else:
            for j in range(length):
                out[there + j] += table[here + j]
        here += length
        axis = last - 1
        while axis >= 0:
            index[axis] += 1
            there += row[STRIDES + axis]
            if index[axis] < row[SHAPE + axis]:
                break
            there -= row[STRIDES + axis] * row[SHAPE + axis]
            index[axis] = 0
            axis -= 1


@compiled()
def _multiply(table: Any, row: Any, factors: Any, first: int) -> None:
    """table *= factors, a smaller table that starts at ``first``; no cell falls below TINY."""
    last = row[DIMENSIONS] - 1
    length, stride = row[SHAPE + last], row[STRIDES + last]
    index = np.zeros(AXES, dtype=np.int64)
    here, there = row[START], first
    outer = 1
    for axis in range(last):
        outer *= row[SHAPE + axis]
    for _ in range(outer):
        if stride == 0:
            factor = factors[there]
            for j in range(length):
                table[here + j] = max(table[here + j] * factor, TINY)
        else:
            for j in range(length):
                table[here + j] = max(table[here + j] * factors[there + j], TINY)
        here += length
        axis = last - 1
        while axis >= 0:
            index[axis] += 1
            there += row[STRIDES + axis]
            if index[axis] < row[SHAPE + axis]:
                break
            there -= row[STRIDES + axis] * row[SHAPE + axis]
            index[axis] = 0
            axis -= 1


@compiled()
def _agree(cells: Any, separators: Any, source: Any, onto: Any, new: Any) -> None:
    """Make the clique of ``onto`` agree with that of ``source`` on their separator."""
    _add_up(cells, source, new)
    for cell in range(source[OTHER], source[OTHER] + source[SIZE]):
        old = separators[cell]
        separators[cell] = new[cell]
        new[cell] /= old
    _multiply(cells, onto, new, onto[OTHER])


@compiled()
def _advance(cells: Any, separators: Any, factors: Any, marginals: Any, walks: Any) -> float:
    for row in walks.measured:
        _multiply(cells, row, factors, row[OTHER])
    new = np.empty_like(separators)
    mass = 0.0
    for i in range(len(walks.parents) - 1, -1, -1):
        if walks.parents[i] == NO_PARENT:
            total = cells[walks.starts[i] : walks.starts[i + 1]].sum()
            cells[walks.starts[i] : walks.starts[i + 1]] /= total
            separators[walks.up[i, OTHER]] = 1.0
            mass += np.log(total)
        else:
            _agree(cells, separators, walks.up[i], walks.down[i], new)
    for i in range(len(walks.parents)):
        if walks.parents[i] != NO_PARENT:
            _agree(cells, separators, walks.down[i], walks.up[i], new)
    for row in walks.measured:
        _add_up(cells, row, marginals)
    return mass
