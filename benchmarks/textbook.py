"""The four textbook methods on Adult: one fit and as many rows as the table, from a dataframe.

``independent`` takes all 14 columns. The others hold one joint table, so each gets columns that
fit: up to seven with 1.7 million cells, where noise outweighs the rows, and few enough to be of
use. The smoothed histogram keeps the 1,000 rows that it paid for and resamples them. The first call
of each, with what it compiles, is in the column "first". Beside its seconds each method shows the
mean total variation of its single columns, in one run, and fails if that is not small: fast and
useless does not count.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

import understudy as us
from benchmarks.harness import Report
from benchmarks.tables import PublicTable, adult14
from tests.data_dir import ABSENT, find_data_dir
from understudy.evaluate import marginals
from understudy.evaluate.grid import Grid, Sample
from understudy.table.codec import decode, encode_table
from understudy.table.table import Codes

SECONDS = 5.0
ROWS = {"smoke": 2_000, "usual": adult14.TRAIN_ROWS, "full": adult14.TRAIN_ROWS}
PEOPLE = ("age", "workclass", "education-num", "marital-status", "race", "sex", "income>50K")
FEW = ("age", "sex", "income>50K")
CONTENDERS: dict[str, tuple[dict[str, Any], float]] = {
    "independent": ({}, 0.02),
    "marginal": ({"columns": PEOPLE}, 0.5),
    "marginal, 3 columns": ({"columns": FEW}, 0.02),
    "perturbed-histogram": ({"columns": FEW, "bins": "scott"}, 0.15),
    "smoothed-histogram": ({"columns": ("sex", "income>50K"), "rows": 1_000}, 0.15),
}
"""The settings of each, and the largest total variation of its single columns that passes."""


def main(arguments: Sequence[str]) -> int:
    """Race the methods; each must stay below five seconds on one core."""
    report = Report.begin("textbook", arguments)
    folder = find_data_dir(os.environ)
    if folder is None:
        print(f"  nothing measured: {ABSENT}")
        return report.end()
    table = adult14.load(folder)
    rows = ROWS[report.size]
    train = _first(table.train, rows)
    frame = decode(train, rng=np.random.default_rng(0)).to_pandas()
    made: dict[str, us.Release] = {}

    def run(name: str) -> None:
        made[name] = us.synthesize(
            frame,
            table.domain.schema,
            epsilon=1,
            method=name.partition(",")[0],
            options=CONTENDERS[name][0],
            rows=rows,
        )

    race = report.race(
        f"Adult, {rows:,} rows, epsilon 1", {name: lambda n=name: run(n) for name in CONTENDERS}
    )
    for name, (_, most) in CONTENDERS.items():
        report.floor(f"{name}: 5 s over its time", SECONDS / median(race.cpu[name]), at_least=1)
        reached = distance(table, train, made[name])
        report.figure(f"{name}: mean total variation of its columns", reached)
        report.floor(f"{name}: {most:g} over that", most / reached, at_least=1)
    return report.end()


def distance(table: PublicTable, train: Codes, release: us.Release) -> float:
    """The mean total variation of the single columns that the release has."""
    part = table.domain.only(release.models[0].domain.columns)
    grid = Grid.of(part, cells=1)
    real = Codes(part, {name: train.columns[name] for name in part.columns}, train.rows)
    synthetic = encode_table(part, release.synthetic[0])
    samples = Sample.of(grid, real), [Sample.of(grid, synthetic)]
    return float(marginals.total_variation_of_cells(*samples).mean())


def _first(codes: Codes, rows: int) -> Codes:
    columns = {name: values[:rows] for name, values in codes.columns.items()}
    return Codes(codes.domain, columns, min(rows, codes.rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
