"""Counting all pairs and all triples of a coded table of 15 columns.

The table has 10 million rows of 8-bit codes, columns of the sizes of a well-known census extract,
skewed. The baseline counts one marginal after the other with ``numpy.bincount``; forming the index
of the cells is part of its work, as it is part of ours.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from benchmarks.harness import Report
from understudy.kernels.count import count_marginals, count_with_numpy, cover
from understudy.kernels.count_compiled import count_compiled

SIZES = (85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2, 16)
ROWS = {"smoke": 20_000, "usual": 10_000_000, "full": 10_000_000}
FLOORS = {2: 12, 3: 8}


def main(arguments: Sequence[str]) -> int:
    """Race all pairs and all triples."""
    report = Report.begin("counting", arguments)
    rows = ROWS[report.size]
    codes = table(rows)
    report.figure("rows", rows)
    for ways, floor in FLOORS.items():
        marginals = list(combinations(range(len(SIZES)), ways))
        groups = cover(SIZES, marginals)
        report.figure(f"groups for {len(marginals)} marginals", len(groups))
        race = report.race(
            f"all {len(marginals)} marginals of {ways} columns",
            {
                "count_marginals": lambda m=marginals: count_marginals(codes, SIZES, m),
                "numpy.bincount each": lambda m=marginals: [one_by_one(codes, each) for each in m],
            },
            agree=same,
        )
        name = f"all {ways}-way: times numpy.bincount"
        report.floor(name, race.ratio("numpy.bincount each"), at_least=floor)
    pairs = cover(SIZES, combinations(range(len(SIZES)), 2))
    report.race(
        "the groups of all pairs alone",
        {
            "count_compiled": lambda: count_compiled(codes, SIZES, pairs),
            "count_with_numpy": lambda: count_with_numpy(codes, SIZES, pairs),
        },
        agree=same,
    )
    return report.end()


def table(rows: int) -> list[np.ndarray[Any, Any]]:
    """Skewed codes; the last column follows the first, as columns do."""
    rng = np.random.default_rng(20260101)
    codes = [(rng.random(rows, np.float32) ** 2 * size).astype(np.uint8) for size in SIZES]
    codes[-1] = (codes[0] // 6 + rng.integers(0, 2, rows, dtype=np.uint8)).astype(np.uint8)
    return codes


def one_by_one(codes: list[np.ndarray[Any, Any]], marginal: Sequence[int]) -> Any:
    """One marginal, as one would count it with NumPy."""
    index = codes[marginal[0]].astype(np.intp)
    for column in marginal[1:]:
        index *= SIZES[column]
        index += codes[column]
    shape = [SIZES[column] for column in marginal]
    return np.bincount(index, minlength=prod(shape)).reshape(shape)


def same(ours: list[Any], theirs: list[Any]) -> bool:
    """Whether two lists of tables hold the same counts."""
    return all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
