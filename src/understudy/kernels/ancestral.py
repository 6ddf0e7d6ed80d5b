"""Rows from conditional tables: each column is drawn given columns that were drawn before it.

A ``Chain`` holds one alias table for every configuration of the columns that a column depends on.
Rows are drawn in blocks that stay near the core: one uniform number and one look-up per cell. The
compiled and the NumPy path turn the same uniform numbers into the same codes.

Each cell of a row is drawn from its conditional table with a uniform number of its own. So the
rows are independent, and within a row a column is independent, given the columns that it depends
on, of all that were drawn before it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.alias import alias_tables
from understudy.kernels.compiling import worth_compiling

HEIGHT: Final = 4096
"""Rows drawn together. Both paths must keep to it: it decides which number goes where."""
COMPILED: Final = "understudy.kernels.ancestral_compiled"
WORTH_LOADING: Final = 30_000_000  # cells: NumPy takes about as long as numba takes to load
WORTH_CALLING: Final = 100_000


class Step(NamedTuple):
    """One column, drawn given others: its weights have an axis for each of them, then its own."""

    given: tuple[int, ...]
    column: int
    weights: NDArray[np.float64]


class Layout(NamedTuple):
    """The steps as flat arrays, which are all that the inner loops see."""

    columns: NDArray[np.int64]
    widths: NDArray[np.int64]
    starts: NDArray[np.int64]
    givens: NDArray[np.int64]
    strides: NDArray[np.int64]
    bounds: NDArray[np.int64]
    accept: NDArray[np.float64]
    other: NDArray[Any]


@dataclass(frozen=True)
class Chain:
    """Columns of these sizes, and the steps that draw all of them in turn.

    ValueError if a column is drawn twice, not at all, or before one that it depends on. Weights
    are finite and not negative; every configuration of ``given`` needs a positive one.
    """

    sizes: tuple[int, ...]
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        drawn: set[int] = set()
        for given, column, weights in self.steps:
            if not drawn.issuperset(given) or column in drawn:
                raise ValueError("a column is drawn once, after those that it depends on")
            if weights.shape != tuple(self.sizes[place] for place in (*given, column)):
                raise ValueError("the weights of a step are shaped like its columns")
            if not np.isfinite(weights).all() or (weights < 0).any():
                raise ValueError("weights must be finite and not negative")
            if not weights.any(axis=-1).all():
                raise ValueError("every configuration needs a positive weight")
            drawn.add(column)
        if drawn != set(range(len(self.sizes))):
            raise ValueError("every column needs a step")

    def draw(self, rows: int, rng: np.random.Generator) -> list[NDArray[Any]]:
        """Independent rows, as one array of small unsigned codes per column."""
        layout = self._layout
        fill = _filler(rows * len(layout.columns))
        codes = [np.zeros(rows, dtype=np.min_scalar_type(size - 1)) for size in self.sizes]
        block = np.zeros((len(self.sizes), HEIGHT), dtype=layout.other.dtype)
        for start in range(0, rows, HEIGHT):
            height = min(HEIGHT, rows - start)
            fill(block, rng.random((len(layout.columns), height)), layout)
            for place in layout.columns.tolist():
                codes[place][start : start + height] = block[place, :height]
        return codes

    @cached_property
    def _layout(self) -> Layout:
        """Columns of one cell need no step: their codes are 0 from the beginning."""
        steps = [step for step in self.steps if self.sizes[step.column] > 1]
        tables = [alias_tables(step.weights.reshape(-1, step.weights.shape[-1])) for step in steps]
        strides = [np.cumprod((1, *step.weights.shape[:0:-1]))[:0:-1] for step in steps]
        narrow = np.min_scalar_type(max(self.sizes, default=1) - 1)
        return Layout(
            columns=np.array([step.column for step in steps], dtype=np.int64),
            widths=np.array([self.sizes[step.column] for step in steps], dtype=np.int64),
            starts=np.cumsum([0, *(table.other.size for table in tables)], dtype=np.int64),
            givens=np.array([place for step in steps for place in step.given], dtype=np.int64),
            strides=np.array([size for each in strides for size in each], dtype=np.int64),
            bounds=np.cumsum([0, *(len(step.given) for step in steps)], dtype=np.int64),
            accept=_flat([table.accept for table in tables], np.dtype(np.float64)),
            other=_flat([table.other for table in tables], max(narrow, np.dtype(np.uint16))),
        )


def fill_with_numpy(block: NDArray[Any], uniforms: NDArray[np.float64], layout: Layout) -> None:
    """Draw the codes of as many rows as there are uniform numbers for each step."""
    height = uniforms.shape[1]
    for step, column in enumerate(layout.columns):
        place = np.full(height, layout.starts[step])
        for position in range(layout.bounds[step], layout.bounds[step + 1]):
            source = block[layout.givens[position], :height].astype(np.int64)
            place += source * layout.strides[position]
        scaled = uniforms[step] * layout.widths[step]
        slot = scaled.astype(np.int64)
        place += slot
        kept = scaled - slot < layout.accept[place]
        block[column, :height] = np.where(kept, slot, layout.other[place])


def _filler(cells: int) -> Any:
    above = WORTH_CALLING if COMPILED in sys.modules else WORTH_LOADING
    if cells < above or not worth_compiling(cells, above=above):
        return fill_with_numpy
    from understudy.kernels.ancestral_compiled import fill_compiled

    return fill_compiled


def _flat(tables: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> NDArray[Any]:
    parts = [table.ravel() for table in tables]
    return np.concatenate(parts, dtype=dtype) if parts else np.zeros(0, dtype=dtype)
