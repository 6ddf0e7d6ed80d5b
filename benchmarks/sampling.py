"""Drawing rows of a graphical model, and writing them to a Parquet file.

The model has 15 columns with the kinds and sizes of a well-known census extract, in 13 cliques of
two or three columns with skewed beliefs. The contender draws each column by inverse CDF, as one
would with NumPy: one ``searchsorted`` among the running sums of all configurations. The second race
is the whole way from the model to a file: draw, values inside their cells, write. Its contender
hands the same rows to pyarrow. Memory is the peak of a fresh process.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import isolated
from benchmarks.harness import REPEATS, Report
from understudy.kernels.ancestral import Chain
from understudy.models.graphical import GraphicalModel
from understudy.models.separators import conditional, links, marginal
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Category, Column, Integer
from understudy.schema.schema import Schema
from understudy.table.table import Table
from understudy.table.write import write_pieces

ROWS = {"smoke": 20_000, "usual": 10_000_000, "full": 10_000_000}
NUMBERS = {
    "age": (0, 84, 85), "weight": (12_285, 1_490_400, 100), "school": (1, 16, 16),
    "gain": (0, 99_999, 100), "loss": (0, 4_356, 100), "hours": (1, 99, 99),
}  # fmt: skip
LEVELS = {
    "work": 9, "married": 7, "job": 15, "role": 6, "race": 5, "land": 42, "degree": 16,
}  # fmt: skip
CLIQUES = (
    ("age", "married"), ("married", "role"), ("married", "role", "sex"), ("age", "hours"),
    ("age", "school"), ("school", "job"), ("school", "degree"), ("job", "work"),
    ("role", "married", "income"), ("income", "gain"), ("income", "loss"), ("race", "land"),
    ("age", "weight"),
)  # fmt: skip
FLOOR = 5  # times NumPy
SECONDS = 5.0  # of CPU, from the model to the file
MOST_BYTES = 1_000_000_000


def main(arguments: Sequence[str]) -> int:
    """Race the draws, then time the whole way to a file."""
    report = Report.begin("sampling", arguments)
    rows, model = ROWS[report.size], census()
    report.figure("rows", rows)
    race = report.race(
        f"{rows:,} rows of {len(model.domain.columns)} columns, as codes",
        {
            "alias tables": lambda: model._chain.draw(rows, np.random.default_rng(1)),
            "numpy inverse CDF": lambda: inverse_cdf(model._chain, rows),
        },
        agree=alike,
    )
    report.floor("times numpy", race.ratio("numpy inverse CDF"), at_least=FLOOR)
    with TemporaryDirectory() as folder:
        to_file(report, model, rows, Path(folder))
    return report.end()


def to_file(report: Report, model: GraphicalModel, rows: int, folder: Path) -> None:
    """The whole way, ours and with pyarrow's writer; then ours once more as a fresh process."""
    ours, theirs = folder / "ours.parquet", folder / "theirs.parquet"
    report.race(
        f"{rows:,} rows from the model to a Parquet file",
        {
            "understudy": lambda: write_pieces(model.pieces(rows, rng()), ours, force=True),
            "pyarrow's writer": lambda: with_pyarrow(model, rows, theirs),
        },
    )
    for place in (ours, theirs):
        report.figure(f"bytes of {place.name}", place.stat().st_size)
    uses = [isolated.run("benchmarks.sampling:write_alone", rows, ours) for _ in range(REPEATS)]
    seconds, peak = median(use.cpu for use in uses), max(use.peak_bytes for use in uses)
    report.figure("CPU seconds of a fresh process, Python's start included", seconds)
    report.floor("allowed over used CPU seconds", SECONDS / seconds, at_least=1)
    report.figure("peak bytes of a fresh process", peak)
    report.floor("1 GB / peak", MOST_BYTES / peak, at_least=1)


def rng() -> np.random.Generator:
    """The same draws for all."""
    return np.random.default_rng(2)


def census() -> GraphicalModel:
    """The model, its beliefs made clique by clique from skewed conditional weights."""
    columns: dict[str, Column] = {
        name: Integer(name=name, min=low, max=high, bins=bins)
        for name, (low, high, bins) in NUMBERS.items()
    }
    for name, count in LEVELS.items():
        levels = tuple(f"{name} number {place}" for place in range(count))
        columns[name] = Category(name=name, levels=levels)
    columns |= {name: Boolean(name=name) for name in ("sex", "income")}
    domain = domain_of(Schema(name="census", columns=columns))
    weights = np.random.default_rng(20260101)
    beliefs: list[np.ndarray[Any, Any]] = []
    for clique, link in zip(CLIQUES, links(CLIQUES), strict=True):
        skewed = weights.exponential(size=domain.shape(clique)) ** 3
        belief = conditional(skewed, clique, link.separator)
        if link.parent is not None:
            above = marginal(beliefs[link.parent], CLIQUES[link.parent], link.separator)
            shape = [domain.axes[n].size if n in link.separator else 1 for n in clique]
            belief *= above.reshape(shape)
        beliefs.append(belief / belief.sum())
    return GraphicalModel(domain, 1e7, CLIQUES, tuple(beliefs))


def inverse_cdf(chain: Chain, rows: int) -> list[np.ndarray[Any, Any]]:
    """Each column by one search among the running sums of all its configurations."""
    draws = np.random.default_rng(1)
    codes: list[Any] = [None] * len(chain.sizes)
    for given, column, weights in chain.steps:
        width = chain.sizes[column]
        flat = weights.reshape(-1, width)
        upto = np.cumsum(flat / flat.sum(axis=1, keepdims=True), axis=1)
        upto[:, -1] = 1.0
        upto += np.arange(len(flat))[:, None]
        place = np.zeros(rows, dtype=np.int64)
        for other in given:
            place = place * chain.sizes[other] + codes[other]
        found = np.searchsorted(upto.ravel(), place + draws.random(rows), side="right")
        codes[column] = (found - place * width).astype(np.uint8)
    return codes


def alike(ours: list[np.ndarray[Any, Any]], theirs: list[np.ndarray[Any, Any]]) -> bool:
    """Whether all one-way counts are within 7 standard deviations of each other."""
    for one, other in zip(ours, theirs, strict=True):
        counts = [np.bincount(codes, minlength=256) for codes in (one, other)]
        if (np.abs(counts[0] - counts[1]) > 7 * np.sqrt(counts[0] + counts[1]) + 7).any():
            return False
    return True


def with_pyarrow(model: GraphicalModel, rows: int, place: Path) -> None:
    """The same rows, handed piece by piece to pyarrow with its usual settings."""
    from pyarrow import parquet

    writer = None
    for piece in model.pieces(rows, rng()):
        table = as_arrow(piece)
        writer = writer or parquet.ParquetWriter(place, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def as_arrow(table: Table) -> Any:
    """Columns of levels as dictionaries, which is the fastest that pyarrow takes them."""
    import pyarrow

    arrays = {}
    for name, values in table.columns.items():
        array = pyarrow.array(values.data)
        if table.schema.columns[name].kind == "boolean":
            array = pyarrow.array(values.data != 0)
        elif values.levels is not None:
            array = pyarrow.DictionaryArray.from_arrays(array, list(values.levels))
        arrays[name] = array
    return pyarrow.table(arrays)


def write_alone(rows: str, place: str) -> None:
    """The whole way once, as a program of its own."""
    write_pieces(census().pieces(int(rows), rng()), place, force=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
