"""Consistent marginals in closed form, against solving for them by least squares.

All pairs of 100 columns of 32 cells are measured with noise; reconstructing every one of them from
residuals takes no iterations. The contender makes the pairs agree column after column, again and
again, which is what one would write without residuals and comes to the same tables. The best split
of a budget over the same workload is timed beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from statistics import median

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Report
from understudy.kernels.residuals import Measured, residuals_of
from understudy.kernels.splits import Workload, best_split

COLUMNS = {"smoke": 10, "usual": 100, "full": 200}
CELLS = 32
VARIANCE = 2500.0
SWEEPS = 60
MARGINALS_A_SECOND = 5_000.0

Tables = list[NDArray[np.float64]]


def main(arguments: Sequence[str]) -> int:
    """Race the reconstruction of all pairs and time the split."""
    report = Report.begin("residuals", arguments)
    columns = COLUMNS[report.size]
    pairs = list(combinations(range(columns), 2))
    rng = np.random.default_rng(0)
    counts = [rng.integers(0, 100, (CELLS, CELLS)) for _ in pairs]
    measured = [Measured(*one, VARIANCE) for one in zip(pairs, counts, strict=True)]
    sizes = (CELLS,) * columns

    def ours() -> Tables:
        found = residuals_of(measured, sizes)
        return [found.marginal(pair) for pair in pairs]

    race = report.race(
        f"all pairs of {columns} columns of {CELLS} cells, made consistent",
        {"residuals": ours, "alternating projections": lambda: _alternate(pairs, counts, columns)},
        agree=lambda one, two: all(
            np.allclose(a, b, atol=1e-2) for a, b in zip(one, two, strict=True)
        ),
    )
    speed = len(pairs) / median(race.cpu["residuals"])
    report.floor("marginals made consistent a second", speed, at_least=MARGINALS_A_SECOND)
    split = report.race(
        "the best split of a budget over them",
        {"best_split": lambda: best_split(Workload(tuple(pairs), sizes))},
    )
    report.figure("seconds for the split", median(split.cpu["best_split"]))
    return report.end()


def _alternate(
    pairs: list[tuple[int, int]], counts: list[NDArray[np.int64]], columns: int
) -> Tables:
    """Make one-ways agree, column after column, until nothing moves: the plain way."""
    tables = [one.astype(np.float64) for one in counts]
    holders: list[list[tuple[int, int]]] = [[] for _ in range(columns)]
    for place, pair in enumerate(pairs):
        for axis, column in enumerate(pair):
            holders[column].append((place, axis))
    for _ in range(SWEEPS):
        for held in holders:
            sums = [tables[place].sum(axis=1 - axis) for place, axis in held]
            mean = np.mean(sums, axis=0)
            for (place, axis), one in zip(held, sums, strict=True):
                tables[place] += np.expand_dims((mean - one) / CELLS, 1 - axis)
    return tables


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
