"""Belief propagation: marginals of a distribution on a junction tree, and how they change.

A ``State`` is a calibrated distribution: a table for every clique, and one for every separator, of
which neighbouring cliques agree. ``Propagation.advance`` multiplies it by a factor per measured
marginal and calibrates again, which is one step of every solver in ``models/estimate.py``. Tables
are kept in linear space: only the factors are exponentials, so that a step costs a few passes of
multiplications and sums.

Compiled code (``propagate_compiled.py``) and NumPy do the same; forecast work decides which runs.
Compiled code takes the structure as tables and is never compiled again for another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.compiling import worth_compiling
from understudy.kernels.junction import NO_PARENT, JunctionTree, Positions

if TYPE_CHECKING:
    from understudy.kernels.propagate_compiled import Program

Floats = NDArray[np.float64]

TINY: Final = 1e-250
"""No cell ever falls below this, so that a later step can undo what an earlier one did."""
LOWEST: Final = -100.0
"""The least logarithm of a factor in one step: even TINY times this is no zero."""
WORTH_LOADING: Final = 2e8
"""Cell visits after which loading, and perhaps compiling, the compiled code pays."""
CALL: Final = 3000
"""As many cells could be visited in the time of one call of NumPy."""


class Slot(NamedTuple):
    """Where a smaller table comes from: a clique, and which of its axes are kept."""

    clique: int
    summed: tuple[int, ...]
    spread: tuple[int, ...]
    start: int
    size: int

    @property
    def place(self) -> slice:
        """Its cells in the flat array that it lives in."""
        return slice(self.start, self.start + self.size)


@dataclass(frozen=True)
class State:
    """The tables of all cliques and of all separators, each one after the other."""

    cells: Floats
    separators: Floats


class Propagation:
    """Steps on one junction tree for one list of measured marginals.

    ``measured`` are column positions, ascending; their cells are handed over and back as one flat
    array, one marginal after the other. About so many ``steps`` are expected.
    """

    def __init__(
        self, tree: JunctionTree, measured: Sequence[Positions], *, steps: int = 200
    ) -> None:
        self.tree = tree
        self.shapes = [tuple(tree.sizes[c] for c in clique) for clique in tree.cliques]
        self.starts = np.cumsum([0, *map(prod, self.shapes)]).tolist()
        self.measured = self._slots([(tree.holder(columns), columns) for columns in measured])
        children = range(len(tree.cliques))
        self.up = self._slots([(i, tree.separator(i)) for i in children])
        down = [(parent, tree.separator(i)) for i, parent in enumerate(tree.parents)]
        self.down = self._slots([(max(parent, 0), columns) for parent, columns in down])
        self._compiled = self._program() if self._pays(steps) else None

    @property
    def width(self) -> int:
        """The number of measured cells."""
        return sum(slot.size for slot in self.measured)

    def table(self, state: State, clique: int) -> Floats:
        """The table of a clique, shaped by its columns."""
        flat = state.cells[self.starts[clique] : self.starts[clique + 1]]
        return flat.reshape(self.shapes[clique])

    def marginals(self, state: State) -> Floats:
        """The measured marginals of a calibrated state."""
        return self._read(state.cells, self.measured)

    def uniform(self) -> State:
        """All cells equally likely."""
        sizes = [prod(shape) for shape in self.shapes]
        cells = np.repeat([1.0 / size for size in sizes], sizes)
        return State(cells, self._read(cells, self.up))

    def calibrated(self, logarithms: Floats) -> State:
        """The distribution proportional to the product of exp(logarithms) of measured marginals.

        Slower than ``advance`` and safe for logarithms of any size.
        """
        tables = [np.zeros(shape) for shape in self.shapes]
        for slot in self.measured:
            tables[slot.clique] += logarithms[slot.place].reshape(slot.spread)
        messages = [np.zeros(slot.spread) for slot in self.up]
        for i in reversed(range(len(tables))):
            messages[i] = _log_sum(tables[i], self.up[i].summed)
            if self.tree.parents[i] != NO_PARENT:
                tables[self.tree.parents[i]] += messages[i].reshape(self.down[i].spread)
        cells = np.empty(self.starts[-1])
        for i, table in enumerate(tables):
            flat = cells[self.starts[i] : self.starts[i + 1]].reshape(self.shapes[i])
            np.exp(table - messages[i].reshape(self.up[i].spread), out=flat)  # given the separator
            if self.tree.parents[i] != NO_PARENT:
                above = self._read(cells, [self.down[i]._replace(start=0)])
                flat *= above.reshape(self.up[i].spread)
            np.maximum(flat, TINY, out=flat)
        return State(cells, self._read(cells, self.up))

    def advance(self, state: State, logarithms: Floats) -> tuple[State, Floats, float]:
        """The state times exp(logarithms), its measured marginals, and the log of its mass.

        ``logarithms`` must not be positive, nor below ``LOWEST``.
        """
        factors = np.exp(logarithms)
        if self._compiled is not None:
            cells, separators, marginals, mass = self._compiled.advance(state, factors)
            return State(cells, separators), marginals, mass
        return self._advance(state, factors)

    def _advance(self, state: State, factors: Floats) -> tuple[State, Floats, float]:
        cells, separators = state.cells.copy(), state.separators.copy()
        after = State(cells, separators)
        tables = [self.table(after, i) for i in range(len(self.shapes))]
        for slot in self.measured:
            _multiply(tables[slot.clique], factors[slot.place].reshape(slot.spread))
        mass = 0.0
        for i in reversed(range(len(tables))):
            if self.tree.parents[i] == NO_PARENT:
                total = float(tables[i].sum())
                tables[i] /= total
                mass += float(np.log(total))
            else:
                self._pass(after, tables, self.up[i], onto=self.down[i])
        for i, parent in enumerate(self.tree.parents):
            if parent != NO_PARENT:
                self._pass(after, tables, self.down[i], onto=self.up[i])
            else:
                separators[self.up[i].place] = 1.0
        return after, self.marginals(after), mass

    def _pass(self, state: State, tables: list[Floats], source: Slot, *, onto: Slot) -> None:
        """Make one clique agree with the other's new table of their separator."""
        new = tables[source.clique].sum(axis=source.summed).ravel()
        ratio = new / state.separators[source.place]
        _multiply(tables[onto.clique], ratio.reshape(onto.spread))
        state.separators[source.place] = new

    def _read(self, cells: Floats, slots: Sequence[Slot]) -> Floats:
        found = np.empty(sum(slot.size for slot in slots))
        for slot in slots:
            flat = cells[self.starts[slot.clique] : self.starts[slot.clique + 1]]
            table = flat.reshape(self.shapes[slot.clique])
            found[slot.place] = table.sum(axis=slot.summed).ravel()
        return found

    def _slots(self, wanted: Sequence[tuple[int | None, Positions]]) -> list[Slot]:
        slots, start = [], 0
        for clique, columns in wanted:
            if clique is None:
                raise ValueError("a measured marginal lies inside no clique of the tree")
            held = self.tree.cliques[clique]
            kept = set(columns)
            spread = tuple(self.tree.sizes[c] if c in kept else 1 for c in held)
            summed = tuple(axis for axis, c in enumerate(held) if c not in kept)
            slots.append(Slot(clique, summed, spread, start, prod(spread)))
            start += slots[-1].size
        return slots

    def _pays(self, steps: int) -> bool:
        calls = len(self.measured) + 4 * len(self.up)
        visits = steps * (6.0 * self.starts[-1] + CALL * calls)
        return worth_compiling(visits, above=WORTH_LOADING)

    def _program(self) -> Program:
        from understudy.kernels.propagate_compiled import Program

        return Program(self)


def _multiply(table: Floats, factors: Floats) -> None:
    table *= factors
    np.maximum(table, TINY, out=table)


def _log_sum(table: Floats, axes: tuple[int, ...]) -> Floats:
    """log(sum(exp(table))) over some axes, kept as axes of length 1."""
    top = table.max(axis=axes, keepdims=True)
    total: Floats = np.log(np.exp(table - top).sum(axis=axes, keepdims=True)) + top
    return total
