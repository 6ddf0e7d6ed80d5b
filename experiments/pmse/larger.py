"""More columns, and categories among them: what the paper's authors ask for in their conclusion.

Adult (15 columns, 32,561 people) and Fertility (10 columns, 100 people), schemas from their
documentation alone. Each method's rows are judged by exact trees and by two-way tables.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

import understudy as us
from benchmarks.tables import adult14, code, read
from experiments.pmse.cells import Cell, pieces
from experiments.pmse.setting import Rng
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.marginals import total_variation
from understudy.kernels import trees
from understudy.methods import names
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Column, Integer, Ordinal, Real

PART: Final = "larger"
EPSILONS: Final = (0.25, 1.0, 4.0)
RESAMPLED: Final = "rows resampled (not private)"
METHODS: Final[Mapping[str, Mapping[str, Any]]] = {
    "independent": {},
    "aim": {},
    "pmse, depth 1": {"depth": 1, "cells": 16},
    "pmse, depth 2": {"depth": 2, "cells": 16},
}
AGES: Final = {"age": (17, 90, None)}
EDUCATION: Final = (
    "Bachelors Some-college 11th HS-grad Prof-school Assoc-acdm Assoc-voc 9th 7th-8th 12th Masters "
    "1st-4th 10th Doctorate 5th-6th Preschool"
)


@dataclass(frozen=True, eq=False)
class Documented:
    """A table of texts and what its documentation says about it."""

    schema: us.Schema
    rows: Any

    @property
    def frame(self) -> Any:
        """As a dataframe of texts."""
        import pandas

        return pandas.DataFrame(self.rows, columns=list(self.schema.columns))


def data_folder() -> Path | None:
    """The folder of public tables, named in UNDERSTUDY_DATA."""
    named = os.environ.get("UNDERSTUDY_DATA")
    return Path(named) if named and Path(named).is_dir() else None


def cells(*, adult: int, fertility: int) -> Iterator[Cell]:
    """All cells of this part; none where the tables are not at hand."""
    if data_folder() is None:
        return
    for table, repeats, each in (("adult", adult, 1), ("fertility", fertility, 5)):
        for method in (RESAMPLED, *(one for one in METHODS if one.partition(",")[0] in names())):
            for epsilon in EPSILONS if method != RESAMPLED else EPSILONS[:1]:
                label = f"{table}: {method} @ {epsilon:g}"
                yield from pieces(PART, label, repeats=repeats, each=each)


def work(cell: Cell) -> list[dict[str, float]]:
    """One cell: releases of one table by one method."""
    table, _, rest = cell.label.partition(": ")
    method, _, epsilon = rest.partition(" @ ")
    real, rng = _tables(table), cell.rng
    return [judge(real, synthetic(real, method, float(epsilon), rng)) for _ in range(cell.repeats)]


def synthetic(real: Documented, method: str, epsilon: float, rng: Rng) -> Any:
    """Rows of texts from one release, or drawn from the table itself."""
    if method == RESAMPLED:
        return real.rows[rng.integers(len(real.rows), size=len(real.rows))]
    release = us.synthesize(
        real.frame,
        real.schema,
        epsilon=epsilon,
        method=method.partition(",")[0],
        options=METHODS[method],
        seed=int(rng.integers(2**31)),
    )
    return release.table.astype(str).to_numpy(dtype=object)


def judge(real: Documented, rows: Any) -> dict[str, float]:
    """Exact pMSE of depth 1 and 2, and the mean distance of one- and two-way tables."""
    grid = Grid.of(domain_of(real.schema))
    header = list(real.schema.columns)
    ours, theirs = (Sample.of(grid, code(grid.fine, one, header)) for one in (real.rows, rows))
    found = {}
    both = [np.stack([side.coarse(name) for name in grid.columns]) for side in (ours, theirs)]
    sizes = [grid.coarse(name)[1] for name in grid.columns]
    for depth in (1, 2):
        gini = trees.least_gini(*both, sizes, depth=depth)
        found[f"exact {depth}"] = trees.pmse(gini, real=ours.rows, synthetic=theirs.rows)
    for ways in (1, 2):
        chosen = list(combinations(grid.columns, ways))
        found[f"distance {ways}"] = float(total_variation(ours, [theirs], chosen).mean())
    return {name: float(f"{value:.5g}") for name, value in found.items()}


@cache
def _tables(name: str) -> Documented:
    folder = data_folder()
    assert folder is not None, "cells of this part are only made where the tables are"
    return {"adult": _adult, "fertility": _fertility}[name](folder)


def _adult(folder: Path) -> Documented:
    """The train file, all 15 columns, "?" a level of its own."""
    lines = [one for one in read(folder / "adult" / "adult_train.csv.gz") if len(one) > 1]
    levels = adult14.LEVELS | {"education": EDUCATION}
    columns: dict[str, Column] = {}
    for name in adult14.FILE_COLUMNS:
        if name in levels:
            columns[name] = Category(name=name, levels=tuple(levels[name].split()))
        else:
            low, high, _ = (adult14.NUMBERS | AGES)[name]
            columns[name] = Integer(name=name, min=low, max=high)
    schema = us.Schema(name="adult", columns=columns, rows=len(lines))
    return Documented(schema, np.array(lines, dtype=object))


FERTILITY: Final[Mapping[str, tuple[str, ...]]] = {
    "Season": ("-1", "-0.33", "0.33", "1"),
    "Age": (),
    "Childish diseases": ("0", "1"),
    "Accident or serious trauma": ("0", "1"),
    "Surgical intervention": ("0", "1"),
    "High fevers in the last year": ("-1", "0", "1"),
    "Frequency of alcohol consumption": ("0.2", "0.4", "0.6", "0.8", "1"),
    "Smoking habit": ("-1", "0", "1"),
    "Number of hours spent sitting per day": (),
    "Diagnosis": ("N", "O"),
}
"""Levels from the documentation; two columns are numbers scaled to 0 ... 1."""


def _fertility(folder: Path) -> Documented:
    header, *lines = [one for one in read(folder / "fertility" / "fertility.csv.gz") if one]
    assert header == list(FERTILITY)
    columns: dict[str, Column] = {}
    for name, levels in FERTILITY.items():
        if not levels:
            columns[name] = Real(name=name, min=0, max=1, decimals=2, bins=16)
        elif levels[0] in {"-1", "0.2"} and name != "Season":
            columns[name] = Ordinal(name=name, levels=levels)
        else:
            columns[name] = Category(name=name, levels=levels)
    schema = us.Schema(name="fertility", columns=columns, rows=len(lines))
    return Documented(schema, np.array(lines, dtype=object))
