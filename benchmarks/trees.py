"""Exact optimal trees against scikit-learn's greedy ones, 2 x 5,000 rows.

A greedy tree looks at one split at a time and can miss what two splits show together; the exact one
cannot. The baseline gets its rows in the layout and type it likes best.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.harness import Report
from understudy.kernels.trees import least_gini

ROWS = 5_000
CASES = (
    # columns, bins, depth, calls per round, least times faster than the greedy tree
    (2, 32, 2, 200, 20.0),
    (5, 32, 2, 50, None),
    (15, 32, 2, 10, 3.0),
    (5, 32, 3, 10, None),
)
DEPTH_3_MS = 10.0
MANY = 10**6  # as for a mechanism that scores candidates: compiled code pays


def main(arguments: Sequence[str]) -> int:
    """Race every case; a round is several calls of each contender."""
    from sklearn.tree import DecisionTreeClassifier

    report = Report.begin("trees", arguments)
    rng = np.random.default_rng(0)
    for columns, bins, depth, calls, floor in CASES:
        real, synthetic = rng.integers(0, bins, (2, columns, ROWS)).astype(np.uint8)
        rows = np.ascontiguousarray(np.hstack([real, synthetic]).T, dtype=np.float32)
        label = np.repeat([0, 1], ROWS)
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        sizes = [bins] * columns
        race = report.race(
            f"{columns} columns, {bins} bins, depth {depth}: {calls} trees",
            {
                "exact": lambda r=real, s=synthetic, z=sizes, d=depth, c=calls: _times(
                    c, least_gini, r, s, z, depth=d, calls=MANY
                ),
                "scikit-learn, greedy": lambda t=tree, r=rows, y=label, c=calls: _times(
                    c, t.fit, r, y
                ),
            },
        )
        milliseconds = 1000 * min(race.cpu["exact"]) / calls
        report.figure(f"exact, {columns} columns, depth {depth}: ms", milliseconds)
        if floor is not None:
            name = f"{columns} columns, depth {depth}: times the greedy tree"
            report.floor(name, race.ratio("scikit-learn, greedy"), at_least=floor)
        if depth == 3:
            report.floor("10 ms over ours at depth 3", DEPTH_3_MS / milliseconds, at_least=1)
    return report.end()


def _times(times: int, run: Any, /, *given: Any, **named: Any) -> None:
    for _ in range(times):
        run(*given, **named)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
