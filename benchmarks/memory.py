"""Whether the memory that ``plan`` forecasts is enough for the run, and not far too much.

Each run synthesizes in a process of its own, from a dataframe to rows: a small table, one as large
as adult14 (14 columns, 39,073 rows) and a wide one, by the methods that buy tables. The rows have a
hidden class each, on which every column depends.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from benchmarks import isolated
from benchmarks.harness import Report
from understudy.api import plan
from understudy.cli.forecast import forecast
from understudy.schema.columns import Integer
from understudy.schema.schema import Schema

SHAPES = {"small": (3, 500, 8), "as adult14": (14, 39_073, 24), "wide": (60, 10_000, 8)}
METHODS = ("independent", "mst", "planned", "aim")
SLOW = {("wide", "aim")}
EPSILONS = {"smoke": ("1",), "usual": ("1", "10"), "full": ("0.1", "1", "10")}
CLASSES, KEPT, DELTA = 4, 0.6, "1e-9"
MEGABYTE, MOST_OVER = 1_000_000, 2.2


def main(arguments: Sequence[str]) -> int:
    """Forecast and run every method on every table."""
    report = Report.begin("memory", arguments)
    for name, (columns, rows, cells) in SHAPES.items():
        if report.size == "smoke" and name != "small":
            continue
        schema = schema_of(columns, cells)
        for method in METHODS:
            if (name, method) in SLOW and report.size != "full":
                continue
            for epsilon in EPSILONS[report.size]:
                planned = plan(schema, epsilon=epsilon, delta=DELTA, method=method, rows=rows)
                told = forecast(schema, planned).megabytes
                run = ("benchmarks.memory:synthesize", columns, rows, cells, method, epsilon)
                found = isolated.run(*run).peak_bytes / MEGABYTE
                label = f"{name}, {method}, epsilon {epsilon}"
                report.figure(f"{label}: peak MB", found)
                report.floor(f"{label}: forecast over peak", told / found, at_least=1.0)
                over = MOST_OVER * found / told
                report.floor(f"{label}: {MOST_OVER} peaks over forecast", over, at_least=1.0)
    return report.end()


def schema_of(columns: int, cells: int) -> Schema:
    """Whole numbers in every column."""
    names = [f"c{place:03}" for place in range(columns)]
    described = {name: Integer(name=name, min=0, max=cells - 1) for name in names}
    return Schema(name="memory", columns=described)


def synthesize(columns: str, rows: str, cells: str, method: str, epsilon: str) -> int:
    """One run on a made-up table; how many rows it made."""
    import pandas as pd

    import understudy as us

    schema, size, width = schema_of(int(columns), int(cells)), int(rows), int(cells) // CLASSES
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, CLASSES, size)
    made = {
        name: np.where(
            rng.random(size) < KEPT,
            hidden * width + rng.integers(0, max(width, 1), size),
            rng.integers(0, int(cells), size),
        )
        for name in schema.columns
    }
    release = us.synthesize(
        pd.DataFrame(made), schema, epsilon=epsilon, delta=DELTA, method=method, rows=size
    )
    return len(release.table)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
