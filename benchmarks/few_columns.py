"""What the pMSE mechanism gives where there are few columns, beside ``aim``.

Two normal columns, correlated at 0.5, of 1,000 and 5,000 people: the distance of their joint table
(16 x 16), and how far the slope of a regression is off. Five columns of adult14, all rows and 1,000
of them: the mean total variation of columns and pairs. Each at epsilon 1, delta 1e-9 (add or remove
one row), as many rows asked for as there are. "No choice" spends 99% on the guess and has no other
candidate.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

import understudy as us
from benchmarks.harness import Report
from benchmarks.tables import adult14
from tests.data_dir import ABSENT, find_data_dir
from understudy.evaluate import marginals
from understudy.evaluate.grid import Grid, Sample
from understudy.schema.columns import Real
from understudy.schema.domain import Domain
from understudy.table.codec import decode, encode_table
from understudy.table.table import Codes

RUNS = {"smoke": 1, "usual": 5, "full": 50}
FIVE = ("age", "education-num", "sex", "hours-per-week", "income>50K")
NO_CHOICE = {"candidates": 1, "guess": 0.99}
Contenders = Mapping[str, tuple[str, Mapping[str, Any]]]
OF_LEVELS: Contenders = {
    "independent": ("independent", {}),
    "mst": ("mst", {}),
    "aim": ("aim", {}),
    "pmse, copula": ("pmse", {}),
    "pmse, copula, no choice": ("pmse", NO_CHOICE),
    "pmse, general-location": ("pmse", {"model": "general-location"}),
    "pmse, reweighted mst": ("pmse", {"model": "reweighted", "base": "mst"}),
}
OF_NUMBERS: Contenders = {
    "independent": ("independent", {}),
    "aim": ("aim", {}),
    "pmse, copula": ("pmse", {}),
    "pmse, copula, no choice": ("pmse", NO_CHOICE),
    "pmse, normal": ("pmse", {"model": "normal"}),
    "pmse, normal, no choice": ("pmse", {"model": "normal", **NO_CHOICE}),
}

Figures = dict[str, float]


def main(arguments: Sequence[str]) -> int:
    """Measure both; few candidates and one size are enough to show that it runs."""
    report = Report.begin("few_columns", arguments)
    runs, sizes = RUNS[report.size], 1 if report.smoke else 2
    for people in (1_000, 5_000)[:sizes]:
        for name, (method, options) in _contenders(OF_NUMBERS, report).items():
            found = [two_normals(people, method, options) for _ in range(runs)]
            _tell(report, f"two normal columns, n = {people:,}, {name}", found)
    folder = find_data_dir(os.environ)
    if folder is None:
        print(f"  Adult is not measured: {ABSENT}")
        return report.end()
    table = adult14.load(folder)
    for rows in (1_000, table.train.rows)[:sizes]:
        for name, (method, options) in _contenders(OF_LEVELS, report).items():
            found = [adult(table, rows, method, options) for _ in range(runs)]
            _tell(report, f"five columns of adult14, n = {rows:,}, {name}", found)
    return report.end()


def _contenders(named: Contenders, report: Report) -> Contenders:
    few = {"candidates": 20} if report.smoke else {}
    return {
        name: (method, {**few, **options} if method == "pmse" else options)
        for name, (method, options) in named.items()
    }


def _tell(report: Report, name: str, found: list[Figures]) -> None:
    for figure in found[0]:
        report.spread(f"{name}: {figure}", [one[figure] for one in found])


def two_normals(people: int, method: str, options: Mapping[str, Any]) -> Figures:
    """One release of two normal columns."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=people)
    real = pd.DataFrame({"x": x, "y": 0.5 * x + np.sqrt(0.75) * rng.normal(size=people)})
    columns = {name: Real(name=name, min=-4.0, max=4.0, bins=32) for name in "xy"}
    made = release(real, us.Schema(name="two", columns=columns), method, options)
    synthetic = made.table.astype(float)
    gap = np.abs(_table(real) - _table(synthetic)).sum() / 2.0
    return {"tvd 2": float(gap), "slope off": abs(_slope(real) - _slope(synthetic))}


def _table(rows: pd.DataFrame) -> np.ndarray:
    inside = rows.clip(-3.999, 3.999)
    edges = np.linspace(-4.0, 4.0, 17)
    counts, _, _ = np.histogram2d(inside["x"], inside["y"], [edges, edges])
    return np.asarray(counts / len(rows))


def _slope(rows: pd.DataFrame) -> float:
    return float(np.polyfit(rows["x"], rows["y"], 1)[0])


def adult(table: Any, rows: int, method: str, options: Mapping[str, Any]) -> Figures:
    """One release of five columns of so many rows."""
    domain: Domain = table.domain.only([name for name in table.domain.columns if name in FIVE])
    chosen = np.random.default_rng(3).permutation(table.train.rows)[:rows]
    codes = {name: table.train.columns[name][chosen] for name in domain.columns}
    real = Codes(domain, codes, rows)
    frame = decode(real, rng=np.random.default_rng(0)).to_pandas()
    made = release(frame, domain.schema, method, options)
    grid = Grid.of(domain, cells=1)
    ours, theirs = (Sample.of(grid, one) for one in (real, encode_table(domain, made.synthetic[0])))
    pairs = marginals.subsets(grid.columns, k=2, most=10**6).chosen
    return {
        "tvd 1": float(marginals.total_variation_of_cells(ours, [theirs]).mean()),
        "tvd 2": float(marginals.total_variation(ours, [theirs], pairs).mean()),
    }


def release(
    frame: pd.DataFrame, schema: us.Schema, method: str, options: Mapping[str, Any]
) -> us.Release:
    """As many rows as there are, at epsilon 1 and delta 1e-9."""
    return us.synthesize(
        frame, schema, epsilon=1, delta=1e-9, rows=len(frame), method=method, options=options
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
