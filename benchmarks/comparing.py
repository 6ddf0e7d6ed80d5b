"""``understudy.compare`` on files: seconds on one core, memory, and what a wide table leaves out.

Adult with all its 15 columns (48,842 rows): without classifiers, with a target but no classifiers,
and with logistic regression, boosting and the linear SVM. Then a million rows of 15 columns, which
are Adult's drawn again, and 10,000 rows of 128 columns, whose pairs and triples are too many: the
comparison must look at some and say so. The synthetic table is a bootstrap in which a tenth of the
cells come from other rows.

Each comparison runs in a process of its own, Python's start and both CSV files included; the first
one, which may have to compile, is reported apart. Five runs follow it; of the million and of the
wide table one, but for ``--full``. A floor of 1 means just in time.
"""

from __future__ import annotations

import csv
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import understudy as us
from benchmarks import isolated
from benchmarks.harness import REPEATS, Report
from benchmarks.tables import adult14
from tests.data_dir import ABSENT, find_data_dir
from understudy.schema.columns import Category, Column, Integer
from understudy.schema.schema import Schema

MILLION = {"smoke": 2_000, "usual": 1_000_000, "full": 1_000_000}
ADULT_ROWS = {"smoke": 2_000, "usual": 48_842, "full": 48_842}
WIDE_ROWS = {"smoke": 300, "usual": 10_000, "full": 10_000}
WIDE_COLUMNS, WIDE_CELLS = 128, 10
MOST_BYTES = 2_000_000_000
MOVED = 0.1  # the share of cells of the synthetic table that come from another row

Texts = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """One comparison, and how long it may take."""

    title: str
    target: str = ""
    models: bool = False
    seconds: float | None = None


ADULT = (
    Case("no target", seconds=5),
    Case("a target, no classifiers", adult14.TARGET, seconds=5),
    Case("with classifiers", adult14.TARGET, models=True, seconds=30),
)
LARGE = Case("with classifiers", adult14.TARGET, models=True, seconds=60)
WIDE = Case("no target")


def main(arguments: Sequence[str]) -> int:
    """Compare; each case must end in its time, the million within its memory."""
    report = Report.begin("comparing", arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _of_adult(report, folder)
        _write_pair(folder, _wide_schema(), _wide_rows(WIDE_ROWS[report.size]))
        notes = _measure(report, f"{WIDE_COLUMNS} columns", folder, [WIDE])
        said = sum("random 1000 of 8128 sets of 2" in note for note in notes)
        said += sum("random 200 of 341376 sets of 3" in note for note in notes)
        report.floor("a wide table: notes on what was sampled", said, at_least=2)
    return report.end()


def compare(folder: str, target: str, models: str) -> list[str]:
    """One comparison as a program of its own; its notes."""
    real, synthetic, schema = (Path(folder) / name for name in ("r.csv", "s.csv", "schema.toml"))
    found = us.compare(real, synthetic, schema, target=target or None, models=models == "True")
    return list(found.notes)


def _of_adult(report: Report, folder: Path) -> None:
    data = find_data_dir(os.environ)
    if data is None:
        print(f"  Adult not measured: {ABSENT}")
        return
    lines = np.array(adult14.lines(data), dtype=object)
    schema = _adult_schema(lines)
    _write_pair(folder, schema, lines[: ADULT_ROWS[report.size]])
    _measure(report, "Adult", folder, ADULT)
    drawn = np.random.default_rng(1).integers(0, len(lines), MILLION[report.size])
    _write_pair(folder, schema, lines[drawn])
    _measure(report, f"{MILLION[report.size]:,} rows", folder, [LARGE], most_bytes=MOST_BYTES)


def _measure(
    report: Report,
    name: str,
    folder: Path,
    cases: Sequence[Case],
    *,
    most_bytes: float | None = None,
) -> list[str]:
    """Run every case in turn, round after round; the notes of the last one."""
    uses: dict[str, list[isolated.Use]] = {case.title: [] for case in cases}
    for _ in range(_runs(report, long=cases is not ADULT)):
        for case in cases:
            work = "benchmarks.comparing:compare"
            uses[case.title].append(isolated.run(work, folder, case.target, case.models))
    for case in cases:
        first, *rest = uses[case.title]
        cpu = median(use.cpu for use in rest or [first])
        peak = max(use.peak_bytes for use in rest or [first])
        report.figure(f"{name}, {case.title}: cpu s of the first", first.cpu)
        report.figure(f"{name}, {case.title}: cpu s", cpu)
        report.figure(f"{name}, {case.title}: peak MB", peak / 1_000_000)
        if case.seconds is not None:
            title = f"{name}, {case.title}: {case.seconds:g} s over its time"
            report.floor(title, case.seconds / cpu, at_least=1)
        if most_bytes is not None:
            report.floor(f"{name}: 2 GB over its peak", most_bytes / peak, at_least=1)
    return list(uses[cases[-1].title][-1].answer)


def _runs(report: Report, *, long: bool) -> int:
    """How often each case runs, the first time included."""
    if report.smoke:
        return 1
    return 2 if long and report.size == "usual" else REPEATS + 1


def _adult_schema(lines: Texts) -> Schema:
    """Adult's 14 columns, and the texts of the fifteenth."""
    levels = tuple(sorted(set(lines[:, adult14.FILE_COLUMNS.index("education")])))
    columns = adult14.columns() | {"education": Category(name="education", levels=levels)}
    return Schema(name="adult", columns={name: columns[name] for name in adult14.FILE_COLUMNS})


def _wide_schema() -> Schema:
    names = [f"c{i}" for i in range(WIDE_COLUMNS)]
    columns: dict[str, Column] = {
        name: Integer(name=name, min=0, max=WIDE_CELLS - 1) for name in names
    }
    return Schema(name="wide", columns=columns)


def _wide_rows(rows: int) -> Texts:
    """Columns that lean on the one before, so that there is something to lose."""
    rng = np.random.default_rng(2)
    steps = rng.integers(0, 3, (rows, WIDE_COLUMNS))
    return np.asarray((steps.cumsum(axis=1) % WIDE_CELLS).astype(str).astype(object))


def _write_pair(folder: Path, schema: Schema, real: Texts) -> None:
    """The schema and two files: real rows, and rows that a fair method might make of them."""
    rng = np.random.default_rng(0)
    synthetic = real[rng.integers(0, len(real), len(real))]
    for column in range(real.shape[1]):
        moved = rng.random(len(real)) < MOVED
        synthetic[moved, column] = real[rng.integers(0, len(real), moved.sum()), column]
    schema.save(folder / "schema.toml")
    for name, rows in (("r.csv", real), ("s.csv", synthetic)):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            header: Iterator[Sequence[str]] = iter([list(schema.columns)])
            csv.writer(file).writerows(chain(header, rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
