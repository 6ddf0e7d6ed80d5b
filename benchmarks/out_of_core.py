"""Tables larger than memory: all pairs straight from Parquet, and a whole run within a limit.

First, all 105 pairs of 10 million rows of 15 columns are counted from one Parquet file, against
DuckDB's own GROUP BY of one pair after the other from the same file, with the same thread. Then
Parquet files of growing size, the largest five times the memory limit, are synthesized, each in a
process of its own whose peak memory is reported: it must not grow with the rows, and must stay
within the limit.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import understudy
from benchmarks import THREADS, isolated
from benchmarks.counting import SIZES, same, table
from benchmarks.harness import Report
from understudy.data.open import open_source
from understudy.schema.axes import domain_of
from understudy.schema.columns import Integer
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

ROWS = {"smoke": 20_000, "usual": 10_000_000, "full": 10_000_000}
TIMES_DUCKDB = 5
SPILLS = {"temp_directory": tempfile.gettempdir()}
MOST_BYTES = 1_000_000_000
LIMIT = {"smoke": 300_000, "usual": 512_000_000, "full": 512_000_000}
STEPS = (1, 5)  # sizes of the synthesized files, in memory limits

COLUMNS = {f"c{i}": Integer(name=f"c{i}", min=0, max=size - 1) for i, size in enumerate(SIZES)}
SCHEMA = Schema(name="large", columns=COLUMNS)


def main(arguments: Sequence[str]) -> int:
    """Race the pairs, then watch the memory."""
    report = Report.begin("out_of_core", arguments)
    with tempfile.TemporaryDirectory() as folder:
        _race(report, Path(folder) / "pairs.parquet")
        _within_the_limit(report, Path(folder))
    return report.end()


def pairs(path: str | Path, memory: int) -> list[Any]:
    """Every pair of columns, in pieces."""
    domain = domain_of(SCHEMA)
    return open_source(path, SCHEMA, memory=memory).count(domain, _pairs(domain))


def count_pairs(path: str) -> None:
    """Every pair of columns, as a program of its own."""
    pairs(path, 0)


def synthesize_within(path: str, memory: str) -> None:
    """A whole run within a memory limit, as a program of its own."""
    os.environ["UNDERSTUDY_MEMORY"] = memory
    understudy.synthesize(path, SCHEMA, rho=1, rows=1000, seed=0)


def grouped(path: Path) -> list[Any]:
    """Every pair of columns, by DuckDB alone."""
    tables = []
    with duckdb.connect(config={"threads": THREADS, **SPILLS}) as connection:
        for one, other in combinations(range(len(SIZES)), 2):
            query = f"SELECT c{one}, c{other}, count(*) FROM '{path}' GROUP BY ALL"
            left, right, counts = connection.execute(query).fetchnumpy().values()
            counted = np.zeros((SIZES[one], SIZES[other]), dtype=np.int64)
            counted[left, right] = counts
            tables.append(counted)
    return tables


def write(path: Path, rows: int) -> None:
    """A Parquet file of small integers; beyond ten million rows they repeat."""
    block = {f"c{i}": codes for i, codes in enumerate(table(min(rows, 10_000_000)))}
    with duckdb.connect(config=SPILLS) as connection:
        connection.register("block", block)
        copies = -(-rows // len(block["c0"]))
        source = f"{' UNION ALL '.join(['FROM block'] * copies)} LIMIT {rows}"
        connection.execute(f"COPY ({source}) TO '{path}' (FORMAT parquet)")


def _pairs(domain: Domain) -> list[tuple[str, ...]]:
    return list(combinations(domain.columns, 2))


def _race(report: Report, path: Path) -> None:
    rows = ROWS[report.size]
    write(path, rows)
    report.figure("rows", rows)
    report.figure("bytes on disk", path.stat().st_size)
    race = report.race(
        f"all 105 pairs of {rows:,} x {len(SIZES)} from Parquet",
        {"understudy": lambda: pairs(path, 0), "duckdb GROUP BY each": lambda: grouped(path)},
        agree=same,
    )
    times = race.ratio("duckdb GROUP BY each")
    report.floor("times duckdb GROUP BY each", times, at_least=TIMES_DUCKDB)
    peak = isolated.run("benchmarks.out_of_core:count_pairs", path).peak_bytes
    report.figure("peak bytes of counting the pairs", peak)
    report.floor("1 GB / peak of counting", MOST_BYTES / peak, at_least=1)


def _within_the_limit(report: Report, folder: Path) -> None:
    limit = LIMIT[report.size]
    bytes_per_row = (folder / "pairs.parquet").stat().st_size / ROWS[report.size]
    peaks = []
    for step in STEPS:
        path = folder / f"{step}.parquet"
        write(path, int(step * limit / bytes_per_row))
        report.figure(f"file of {step} limits, bytes", path.stat().st_size)
        work = "benchmarks.out_of_core:synthesize_within"
        peaks.append(isolated.run(work, path, limit).peak_bytes)
        report.figure(f"file of {step} limits, peak bytes of synthesizing", peaks[-1])
        path.unlink()
    report.floor("limit / peak", limit / peaks[-1], at_least=1)
    report.floor("flat: peak of the smallest / of the largest", peaks[0] / peaks[-1], at_least=0.8)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
