"""Rows as numbers for regressions: public choices only, so that two tables give the same columns.

An ordered column becomes one number (its place scaled to [0, 1]) and, if it may be missing, a flag.
A category becomes one flag per coarse cell but the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import COARSE, Grid, Sample

MOST_FEATURES: Final = 500
MODEL_ROWS: Final = 100_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """An intercept and the features of ``columns``."""

    grid: Grid
    columns: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """What each feature stands for."""
        found = ["intercept"]
        for column in self.columns:
            if column in self.grid.ordered:
                found += [column] + [f"{column} is missing"] * self._nullable(column)
            else:
                found += [f"{column} [{cell}]" for cell in range(1, self._cells(column))]
        return found

    def matrix(self, *samples: Sample) -> Floats:
        """One row per row of the tables, one after the other."""
        found = np.zeros((sum(sample.rows for sample in samples), len(self.names)))
        found[:, 0] = 1
        start = 0
        for sample in samples:
            self._fill(found[start : start + sample.rows], sample)
            start += sample.rows
        return found

    def _fill(self, into: Floats, sample: Sample) -> None:
        place = 1
        for column in self.columns:
            if column in self.grid.ordered:
                scaled = np.nan_to_num(self.grid.scaled(column))
                into[:, place] = scaled[sample.codes[column]]
                if self._nullable(column):
                    into[:, place + 1] = sample.missing(column)
                place += 1 + self._nullable(column)
            else:
                runs = self.grid.coarse(column, most=self._most)[0].astype(np.int64)
                cells = runs[sample.cells(column)]
                flagged = np.flatnonzero(cells)
                into[flagged, place - 1 + cells[flagged]] = 1
                place += self._cells(column) - 1

    def _cells(self, column: str) -> int:
        return self.grid.coarse(column, most=self._most)[1]

    def _nullable(self, column: str) -> bool:
        return self.grid.domain.axes[column].nullable

    @property
    def _most(self) -> int:
        categories = sum(column not in self.grid.ordered for column in self.columns)
        return max(2, min(COARSE, MOST_FEATURES // max(categories, 1)))


def at_most(sample: Sample, rng: np.random.Generator, *, rows: int = MODEL_ROWS) -> Sample:
    """The table, or a random ``rows`` of its rows if it has more."""
    if sample.rows <= rows:
        return sample
    return sample.take(rng.choice(sample.rows, rows, replace=False))
