"""Distances between the k-way marginals of two tables.

Total variation is half the L1 distance of normalised counts, on coarse cells (one-way: on the
schema's own cells). The NIST score follows SDNist 2.5: (2 - mean over all pairs of the L1 distance)
times 500, with ordered columns in 20 bins at percentiles of the real table. The Wasserstein
distance of a marginal is the least L1 distance that mass must move, ordered columns scaled to
[0, 1], categories and "missing" at distance 1 from all else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import Sample, with_missing
from understudy.kernels.transport import least_transport
from understudy.schema.domain import BinAxis

SAMPLED_WITH: Final = 12345
NIST_BINS: Final = 20
TRANSPORTED_ROWS: Final = 2000
COUNTED_AT_ONCE: Final = 128  # sets of columns; bounds the memory of their tables

Floats = NDArray[np.float64]
Subset = tuple[str, ...]


@dataclass(frozen=True)
class Subsets:
    """The sets of k columns that are looked at: all ``of`` them, or a fixed random choice."""

    chosen: tuple[Subset, ...]
    of: int

    @property
    def sampled(self) -> bool:
        """Whether some sets were left out."""
        return len(self.chosen) < self.of


def subsets(columns: Sequence[str], *, k: int, most: int) -> Subsets:
    """At most ``most`` of the sets of ``k`` columns, in lexicographic order of position."""
    of = comb(len(columns), k)
    rng = np.random.default_rng(SAMPLED_WITH)
    if of <= most:
        return Subsets(tuple(combinations(columns, k)), of)
    if of <= 1_000_000:
        every = list(combinations(range(len(columns)), k))
        picked = sorted(every[i] for i in rng.permutation(of)[:most])
    else:
        picked = sorted(_random_sets(len(columns), k, most, rng))
    return Subsets(tuple(tuple(columns[i] for i in chosen) for chosen in picked), of)


def _random_sets(columns: int, k: int, most: int, rng: np.random.Generator) -> set[tuple[int, ...]]:
    found: set[tuple[int, ...]] = set()
    while len(found) < most:
        found.add(tuple(sorted(int(i) for i in rng.choice(columns, k, replace=False))))
    return found


def total_variation(real: Sample, others: Sequence[Sample], chosen: Sequence[Subset]) -> Floats:
    """One row per table, one column per set of columns: half the L1 distance of the shares."""
    found = np.zeros((len(others), len(chosen)))
    for start in range(0, len(chosen), COUNTED_AT_ONCE):
        block = chosen[start : start + COUNTED_AT_ONCE]
        expected = [counts / real.rows for counts in real.counts_of(block)]
        for j, other in enumerate(others):
            for i, counts in enumerate(other.counts_of(block)):
                found[j, start + i] = np.abs(counts / other.rows - expected[i]).sum() / 2
    return found


def total_variation_of_cells(real: Sample, others: Sequence[Sample]) -> Floats:
    """One row per table, one column per column: total variation on the schema's own cells."""
    return np.array(
        [[_cell_distance(real, other, name) for name in real.grid.columns] for other in others]
    )


def _cell_distance(real: Sample, other: Sample, column: str) -> float:
    size = real.grid.domain.axes[column].size
    left, right = (
        np.bincount(sample.cells(column), minlength=size) / sample.rows for sample in (real, other)
    )
    return float(np.abs(left - right).sum() / 2)


def nist_score(real: Sample, others: Sequence[Sample], pairs: Sequence[Subset]) -> Floats:
    """The k-marginal score of each table over these pairs, 0 to 1000 (identical)."""
    if not pairs:
        return np.full(len(others), np.nan)
    names = sorted({name for pair in pairs for name in pair})
    binned = [_nist_bins(real, sample, names) for sample in (real, *others)]
    sizes = {name: max(int(table[name].max()) + 1 for table in binned) for name in names}
    gaps = np.zeros(len(others))
    for one, two in pairs:
        keys = [table[one] * sizes[two] + table[two] for table in binned]
        shares = [np.bincount(k, minlength=sizes[one] * sizes[two]) / len(k) for k in keys]
        gaps += [np.abs(share - shares[0]).sum() for share in shares[1:]]
    return np.asarray((2 - gaps / len(pairs)) * 500)


def _nist_bins(real: Sample, sample: Sample, names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    return {name: percentile_bins(real, name)[sample.codes[name]] for name in names}


def percentile_bins(real: Sample, column: str, *, bins: int = NIST_BINS) -> NDArray[np.int64]:
    """The NIST bin of each fine cell: percentiles 0, 5, ... 95 of the real values, ends open.

    Columns with at most ``bins`` values, and columns of levels, keep their cells.
    """
    axis = real.grid.fine.axes[column]
    if not isinstance(axis, BinAxis) or axis.proper <= bins:
        return np.arange(axis.size)
    values = real.codes[column][~real.missing(column)]
    if not len(values):
        return with_missing(axis, np.zeros(axis.proper, dtype=np.int64), 1)
    edges = np.percentile(values, np.arange(0, 100, 100 // bins), method="higher")
    found = np.searchsorted(np.unique(edges)[1:], np.arange(axis.proper), side="right")
    return with_missing(axis, found, bins)


def wasserstein(
    real: Sample, other: Sample, columns: Subset, rng: np.random.Generator, *, calls: int = 1
) -> float:
    """The 1-Wasserstein distance of one marginal, between equal random subsamples.

    ``calls`` is how many such distances are about to be asked for.
    """
    rows = min(TRANSPORTED_ROWS, real.rows, other.rows)
    here, there = (_drawn(sample, columns, rows, rng) for sample in (real, other))
    points, excess = _without_common(here, there)
    left, right = points[:, excess > 0], points[:, excess < 0]
    cost = np.zeros((left.shape[1], right.shape[1]))
    for i, name in enumerate(columns):
        cost += _cost(real, name, left[i], right[i])
    moved = least_transport(cost, excess[excess > 0], -excess[excess < 0], calls=calls)
    return moved / rows


def _drawn(
    sample: Sample, columns: Subset, rows: int, rng: np.random.Generator
) -> list[NDArray[np.int64]]:
    """The cells of random rows, drawn without replacement."""
    few = sample.take(rng.choice(sample.rows, rows, replace=False), columns)
    return [few.cells(name) for name in columns]


def _without_common(
    left: Sequence[NDArray[np.int64]], right: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The points of both samples and how many more the left has; equal rows need not move."""
    pooled = [np.concatenate(pair) for pair in zip(left, right, strict=True)]
    sizes = tuple(int(column.max()) + 1 for column in pooled)
    points, inverse = np.unique(np.ravel_multi_index(pooled, sizes), return_inverse=True)
    signs = np.repeat([1, -1], [len(left[0]), len(right[0])])
    excess = np.bincount(inverse, weights=signs, minlength=len(points)).astype(np.int64)
    return np.array(np.unravel_index(points, sizes)), excess


def _cost(real: Sample, column: str, left: NDArray[np.int64], right: NDArray[np.int64]) -> Floats:
    """The distance between each cell of ``left`` and each of ``right``."""
    axis = real.grid.domain.axes[column]
    here, there = left[:, None], right[None, :]
    different: Floats = (here != there).astype(np.float64)
    if column not in real.grid.ordered or axis.proper < 2:
        return different
    both = (here < axis.proper) & (there < axis.proper)
    different[both] = (np.abs(here - there) / (axis.proper - 1))[both]
    return different


def worst(
    distances: Floats, chosen: Sequence[Subset], *, most: int = 10
) -> Iterator[dict[str, object]]:
    """The sets of columns with the largest mean distance, worst first."""
    mean = distances.mean(axis=0)
    for i in np.argsort(-mean, kind="stable")[:most]:
        yield {"columns": list(chosen[i]), "tvd": float(mean[i])}
