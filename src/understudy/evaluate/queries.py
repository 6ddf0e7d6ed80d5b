"""Random counting queries: how far off would an analyst's answers be?

A query asks for the share of rows that satisfy a condition on each of k columns: an interval of an
ordered column's coarse cells, or a random half of a category's levels. One column makes a range
query, two and three a conjunctive one. The queries are public and the same for every table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.marginals import COUNTED_AT_ONCE


@dataclass(frozen=True)
class Query:
    """Which coarse cells of each column satisfy its condition."""

    accepts: Mapping[str, NDArray[np.bool_]]

    def share(self, counts: NDArray[np.int64]) -> float:
        """The share of the rows of a contingency table that satisfy all conditions."""
        chosen = counts[np.ix_(*self.accepts.values())]
        return float(chosen.sum() / counts.sum())


def random_queries(grid: Grid, *, k: int, count: int, rng: np.random.Generator) -> list[Query]:
    """``count`` queries on ``k`` random columns each."""
    names = sorted(grid.columns)
    return [_query(grid, rng.choice(names, k, replace=False), rng) for _ in range(count)]


def answers(sample: Sample, queries: Sequence[Query]) -> NDArray[np.float64]:
    """The share of rows that satisfies each query."""
    found: list[float] = []
    for start in range(0, len(queries), COUNTED_AT_ONCE):
        block = queries[start : start + COUNTED_AT_ONCE]
        tables = sample.counts_of([tuple(query.accepts) for query in block])
        found += [query.share(counts) for query, counts in zip(block, tables, strict=True)]
    return np.array(found)


def _query(grid: Grid, columns: Iterable[str], rng: np.random.Generator) -> Query:
    return Query({str(name): _condition(grid, str(name), rng) for name in columns})


def _condition(grid: Grid, column: str, rng: np.random.Generator) -> NDArray[np.bool_]:
    size = grid.coarse(column)[1]
    if column not in grid.ordered:
        accepted = rng.random(size) < 0.5
        accepted[rng.integers(size)] = True  # a condition that nothing satisfies asks nothing
        return accepted
    proper = size - grid.domain.axes[column].nullable
    low, high = sorted(rng.integers(0, proper, 2))
    cells = np.arange(size)
    return np.asarray((low <= cells) & (cells <= high))
