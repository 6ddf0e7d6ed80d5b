"""Small chains with a law that can be written down, and counts to hold against it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from understudy.kernels.ancestral import Chain, Step

FALSE_ALARM = 1e-6


def weights(rng: np.random.Generator, *shape: int, empty: float = 0.3) -> NDArray[np.float64]:
    """Skewed weights; this share of them is zero, but in no configuration all of them."""
    found = rng.exponential(size=shape) ** 2
    found[rng.random(shape) < empty] = 0.0
    found[..., rng.integers(shape[-1])] += 0.1
    return found


def small_chain(seed: int) -> Chain:
    """Six columns: a root, two children of it, one with two parents, one alone, one of one cell."""
    rng = np.random.default_rng(seed)
    sizes = (3, 4, 2, 5, 3, 1)
    given = {0: (), 2: (0,), 1: (2, 0), 3: (1,), 4: (), 5: (3,)}
    steps = tuple(
        Step(others, column, weights(rng, *(sizes[place] for place in (*others, column))))
        for column, others in given.items()
    )
    return Chain(sizes, steps)


def joint(chain: Chain) -> NDArray[np.float64]:
    """The exact law of a chain, cell by cell."""
    law = np.ones(chain.sizes)
    for cell in np.ndindex(*chain.sizes):
        for step in chain.steps:
            row = step.weights[tuple(cell[place] for place in step.given)]
            law[cell] *= row[cell[step.column]] / row.sum()
    return law


def counted(codes: list[NDArray[Any]], sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """How many rows fell into each cell of the joint table."""
    return np.bincount(
        np.ravel_multi_index([column.astype(np.int64) for column in codes], sizes),
        minlength=int(np.prod(sizes)),
    ).reshape(sizes)


def follows(found: NDArray[Any], law: NDArray[np.float64]) -> bool:
    """Chi-square at the false alarm; rare cells are put together, impossible ones must be empty."""
    counts, shares = found.ravel().astype(float), law.ravel() / law.sum()
    if counts[shares == 0].any():
        return False
    expected = shares * counts.sum()
    rare = expected < 5
    groups = [np.append(each[~rare], each[rare].sum()) for each in (counts, expected)]
    kept = groups[1] > 0
    return bool(stats.chisquare(groups[0][kept], groups[1][kept]).pvalue > FALSE_ALARM)
