"""A table of a hundred columns through ``planned``: all pairs, foretold, answered and modelled.

No junction tree holds all pairs of so many columns. The rows have a hidden class each, on which
every column depends, so all pairs are related. ``cpu s`` is what ``synthesize`` took in a process
of its own, from a dataframe to rows; ``tvd 2`` is the mean total variation of 300 pairs beside that
of independent columns.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmarks import isolated
from benchmarks.harness import Report, timed

COLUMNS = {"smoke": 20, "usual": 100, "full": 200}
ROWS = {"smoke": 2_000, "usual": 50_000, "full": 50_000}
CELLS, CLASSES, KEPT = 16, 4, 0.6
MOST_MEGABYTES, MEGABYTE = 1_000.0, 1_000_000

Codes = NDArray[np.int64]


def main(arguments: Sequence[str]) -> int:
    """Measure one run at each size; memory has a ceiling."""
    report = Report.begin("wide", arguments)
    columns, rows = COLUMNS[report.size], ROWS[report.size]
    use = isolated.run("benchmarks.wide:synthesize", columns, rows)
    for name, value in use.answer.items():
        report.figure(f"{columns} columns of {CELLS} cells, {rows:,} rows: {name}", value)
    megabytes = use.peak_bytes / MEGABYTE
    report.floor("memory below 1 GB: MB to spare", MOST_MEGABYTES - megabytes, at_least=0.0)
    return report.end()


def synthesize(columns: str, rows: str) -> dict[str, float]:
    """Plan and synthesize a made-up table; what it cost and how near it came."""
    import pandas as pd

    import understudy as us
    from understudy.schema.columns import Integer
    from understudy.schema.schema import Schema

    codes = _table(int(columns), int(rows))
    names = [f"c{place:03}" for place in range(int(columns))]
    described = {name: Integer(name=name, min=0, max=CELLS - 1) for name in names}
    schema = Schema(name="wide", columns=described)
    frame = pd.DataFrame(codes, columns=names)
    release, cpu, _ = timed(
        lambda: us.synthesize(
            frame,
            schema,
            epsilon=1,
            delta="1e-9",
            method="planned",
            options={"size_guess": int(rows)},
            rows=int(rows),
        )
    )
    drawn = release.table[names].to_numpy(dtype=np.int64)
    rng = np.random.default_rng(2)
    mixed = np.stack([rng.permutation(column) for column in codes.T], axis=1)
    return {
        "cpu s": cpu,
        "noisy marginals": float(len(release.measurements)),
        "tvd 2": _distance(codes, drawn),
        "tvd 2 of independent columns": _distance(codes, mixed),
    }


def _table(columns: int, rows: int) -> Codes:
    """Columns that rise or fall with their row's hidden class, or follow chance."""
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, CLASSES, rows)
    made = []
    for place in range(columns):
        wide = CELLS // CLASSES
        own = (hidden if place % 2 else CLASSES - 1 - hidden) * wide + rng.integers(0, wide, rows)
        made.append(np.where(rng.random(rows) < KEPT, own, rng.integers(0, CELLS, rows)))
    return np.stack(made, axis=1)


def _distance(one: Codes, other: Codes) -> float:
    pairs = list(combinations(range(one.shape[1]), 2))
    chosen = np.random.default_rng(1).permutation(len(pairs))[:300]
    return float(np.mean([_gap(one[:, pairs[i]], other[:, pairs[i]]) for i in chosen]))


def _gap(one: Codes, other: Codes) -> float:
    shares = [
        np.bincount(codes @ [CELLS, 1], minlength=CELLS**2) / len(codes) for codes in (one, other)
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
