"""Wide tables whose columns are related in three ways, each with so many cells a column.

``classes``: every column follows one hidden class, or chance. ``factors``: every column follows
three hidden normals. ``real``: the complete numeric columns of communities and crime, cut at their
quantiles, rows drawn again; a table of more columns than there are is several such side by side,
independent of each other.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.tables import read

Codes = NDArray[np.int64]

KINDS: Final = ("classes", "factors", "real")
CLASSES, KEPT = 4, 0.6
FACTORS, LOADING = 3, 0.7
EIGHT, FILLED = 8, (0.0, 0.35, 0.55, 0.7, 0.8, 0.88, 0.94, 0.98, 1.0)
"""What the first of eight cells hold together."""
FIRST_NUMBER: Final = 5
"""The columns before it name the community."""


def rows_of(kind: str, *, columns: int, rows: int, cells: int, data: Path | None) -> Codes:
    """The cells of every row; ``data`` is the folder of public tables, for ``real``."""
    rng = np.random.default_rng(0)
    if kind == "classes":
        return _classes(columns, rows, cells, rng)
    if kind == "factors":
        return _factors(columns, rows, cells, rng)
    assert data is not None
    return _real(columns, rows, cells, data, rng)


def _classes(columns: int, rows: int, cells: int, rng: np.random.Generator) -> Codes:
    hidden = rng.integers(0, CLASSES, rows)
    made = []
    for place in range(columns):
        wide = cells // CLASSES
        own = (hidden if place % 2 else CLASSES - 1 - hidden) * wide + rng.integers(0, wide, rows)
        made.append(np.where(rng.random(rows) < KEPT, own, rng.integers(0, cells, rows)))
    return np.stack(made, axis=1)


def _factors(columns: int, rows: int, cells: int, rng: np.random.Generator) -> Codes:
    """Each cell holds fewer rows than the one before it."""
    hidden = rng.normal(size=(rows, FACTORS))
    cuts = np.interp(np.arange(1, cells) / cells, np.arange(len(FILLED)) / EIGHT, FILLED)
    made = []
    for _ in range(columns):
        direction = rng.normal(size=FACTORS)
        direction /= np.linalg.norm(direction)
        own = rng.normal(size=rows) * np.sqrt(1 - LOADING**2)
        values = LOADING * (hidden @ direction) + own
        made.append(np.searchsorted(np.quantile(values, cuts), values))
    return np.stack(made, axis=1).astype(np.int64)


def _real(columns: int, rows: int, cells: int, data: Path, rng: np.random.Generator) -> Codes:
    lines = np.array(read(data / "communities_norm" / "communities_norm.csv.gz"), dtype=object)
    numbers = lines[:, FIRST_NUMBER:]
    values = numbers[:, (numbers != "?").all(axis=0)].astype(np.float64)
    cuts = np.quantile(values, np.arange(1, cells) / cells, axis=0)
    coded = np.stack(
        [
            np.searchsorted(cut, own, side="right")
            for cut, own in zip(cuts.T, values.T, strict=True)
        ],
        axis=1,
    )
    order = np.random.default_rng(5).permutation(coded.shape[1])
    parts = -(-columns // coded.shape[1])
    made = [coded[rng.integers(0, len(coded), rows)][:, order] for _ in range(parts)]
    return np.concatenate(made, axis=1)[:, :columns].astype(np.int64)
