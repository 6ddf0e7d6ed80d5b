"""Rows whose counts stay as near to the tables as whole numbers can: systematic draws.

Among the n rows that share a configuration of the columns that a column depends on, each cell gets
n times its share, rounded down or up: one uniform offset is added to the running sum of all shares,
and what the sum passes from one whole number to the next gets a row (systematic sampling, Madow
1949). On average each cell gets exactly its share. Then the n cells are dealt out to the n rows in
a uniformly random order.

Why columns that are independent stay independent. Offset and order are drawn afresh for each column
and each configuration, and used for nothing else. So given the columns that it depends on, all rows
of a column at once are independent of all rows of every other column drawn before. Two children of
one parent are dealt out by two independent uniformly random orders: which cell of the one meets
which cell of the other is left to chance alone, as it is for independent draws. Dealing the cells
out in their own order, as some libraries do, puts the low cells of both into the same rows.

What changes is between rows: they are exchangeable, no longer independent, and the counts of a
table that the chain holds vary less than independent draws would let them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.ancestral import Chain, Step


def draw_systematic(chain: Chain, rows: int, rng: np.random.Generator) -> list[NDArray[Any]]:
    """``rows`` rows of the chain, as one array of small unsigned codes per column."""
    codes: list[NDArray[Any]] = [
        np.zeros(rows, dtype=np.min_scalar_type(size - 1)) for size in chain.sizes
    ]
    for step in chain.steps:
        if rows and chain.sizes[step.column] > 1:
            _deal(step, codes, rng)
    return codes


def _deal(step: Step, codes: list[NDArray[Any]], rng: np.random.Generator) -> None:
    """Draw one column: cells in order of their configuration, rows in a random order of it."""
    column = codes[step.column]
    configuration = _configurations(step, codes)
    shuffled = rng.permutation(len(column))
    order = shuffled[np.argsort(configuration[shuffled], kind="stable")]
    members = np.bincount(configuration)
    met = np.flatnonzero(members)
    counts = _rounded(step.weights.reshape(-1, step.weights.shape[-1])[met], members[met], rng)
    column[order] = np.repeat(_cells(counts), counts.ravel())


def _configurations(step: Step, codes: list[NDArray[Any]]) -> NDArray[np.int64]:
    number = np.zeros(len(codes[step.column]), dtype=np.int64)
    for place, size in zip(step.given, step.weights.shape, strict=False):
        number = number * size + codes[place]
    return number


def _rounded(
    weights: NDArray[np.float64], members: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """How many rows of each configuration get each cell; each row of counts sums to its members.

    A cell without weight gets none, because the running sum does not move there.
    """
    upto = np.cumsum(weights / weights.max(axis=1, keepdims=True), axis=1)
    upto /= upto[:, -1:]
    offset = rng.random((len(members), 1))
    passed = np.floor(upto * members[:, None] + offset).astype(np.int64)
    return np.diff(np.minimum(passed, members[:, None]), axis=1, prepend=0)


def _cells(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.tile(np.arange(counts.shape[1]), len(counts))
