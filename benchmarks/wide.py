"""Wide tables: what a method makes of them, in what time and memory, as one command.

    python -m benchmarks.wide             100 columns through ``planned``; memory has a ceiling
    python -m benchmarks.wide --method mst --columns 120 --epsilon 10 [--delta 1e-9] [--kind real]
                              [--cells 8] [--rows 10000]

No junction tree holds all pairs of so many columns. ``cpu s`` is what ``synthesize`` took in a
process of its own, from a dataframe to rows; ``tvd 2`` is the mean total variation of 600 pairs,
beside that of columns that are right and independent.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks import isolated
from benchmarks.harness import Report, timed
from benchmarks.tables.wide_rows import KINDS, Codes, rows_of
from tests.data_dir import ABSENT, find_data_dir

COLUMNS = {"smoke": 20, "usual": 100, "full": 200}
ROWS = {"smoke": 2_000, "usual": 50_000, "full": 50_000}
CELLS, PAIRS = 16, 600
MOST_MEGABYTES, MEGABYTE = 1_000.0, 1_000_000


def main(arguments: Sequence[str]) -> int:
    """Measure one run at each size, or the one that is asked for."""
    asked, rest = _asked(arguments)
    report = Report.begin("wide", rest)
    columns, rows, cells, kind = asked.columns, asked.rows, asked.cells, asked.kind
    if asked.method is None:
        columns, rows, cells, kind = COLUMNS[report.size], ROWS[report.size], CELLS, KINDS[0]
    elif kind == "real" and find_data_dir(os.environ) is None:
        print(f"  nothing measured: {ABSENT}")
        return report.end()
    method = asked.method or "planned"
    run: dict[str, Any] = {"method": method, "epsilon": asked.epsilon}
    if asked.delta != "none":
        run["delta"] = asked.delta
    if method == "planned":
        run["options"] = {"size_guess": rows}
    shape = {"columns": columns, "rows": rows, "cells": cells}
    use = isolated.run("benchmarks.wide:synthesize", kind, json.dumps(shape), json.dumps(run))
    label = f"{kind}, {columns} columns of {cells} cells, {rows:,} rows, {method}"
    for name, value in use.answer.items():
        report.figure(f"{label}: {name}", value)
    report.figure(f"{label}: peak MB", use.peak_bytes / MEGABYTE)
    if asked.method is None:
        spare = MOST_MEGABYTES - use.peak_bytes / MEGABYTE
        report.floor("memory below 1 GB: MB to spare", spare, at_least=0.0)
    return report.end()


def synthesize(kind: str, shape: str, run: str) -> dict[str, float]:
    """Synthesize a wide table; what it cost and how near it came."""
    import pandas as pd

    import understudy as us
    from understudy.schema.columns import Integer
    from understudy.schema.schema import Schema

    codes = rows_of(kind, **json.loads(shape), data=find_data_dir(os.environ))
    cells = json.loads(shape)["cells"]
    names = [f"c{place:03}" for place in range(codes.shape[1])]
    described = {name: Integer(name=name, min=0, max=cells - 1) for name in names}
    schema = Schema(name="wide", columns=described)
    frame = pd.DataFrame(codes, columns=names)
    given = json.loads(run)
    release, cpu, _ = timed(lambda: us.synthesize(frame, schema, rows=len(codes), **given))
    drawn = release.table[names].to_numpy(dtype=np.int64)
    rng = np.random.default_rng(2)
    mixed = np.stack([rng.permutation(column) for column in codes.T], axis=1)
    return {
        "cpu s": cpu,
        "noisy marginals": float(len(release.measurements)),
        "tvd 2": _distance(codes, drawn, cells),
        "tvd 2 of independent columns": _distance(codes, mixed, cells),
    }


def _distance(one: Codes, other: Codes, cells: int) -> float:
    pairs = list(combinations(range(one.shape[1]), 2))
    chosen = np.random.default_rng(1).permutation(len(pairs))[:PAIRS]
    return float(np.mean([_gap(one[:, pairs[i]], other[:, pairs[i]], cells) for i in chosen]))


def _gap(one: Codes, other: Codes, cells: int) -> float:
    shares = [
        np.bincount(codes @ [cells, 1], minlength=cells**2) / len(codes) for codes in (one, other)
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def _asked(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser("python -m benchmarks.wide", allow_abbrev=False)
    parser.add_argument("--method", help="a method of the package, on the table described here")
    parser.add_argument("--kind", choices=KINDS, default="real")
    parser.add_argument("--epsilon", default="1")
    parser.add_argument("--delta", default="1e-9", help="or none")
    for name, usual in (("--columns", 120), ("--rows", 10_000), ("--cells", 8)):
        parser.add_argument(name, type=int, default=usual)
    return parser.parse_known_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
