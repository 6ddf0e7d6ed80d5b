"""One column at a time: what a reader checks first.

All figures come from the shares of the fine cells, so they are exact for columns whose values all
have a cell, and right to within a cell otherwise. Means, quantiles and distances leave missing
cells out and compare the missing share on its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import Grid, Sample

QUANTILES: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Summary:
    """An ordered column's values: moments and quantiles; None without any value."""

    mean: float | None
    std: float | None
    skewness: float | None
    quantiles: dict[str, float] | None
    missing: float


@dataclass(frozen=True)
class Distance:
    """How far a column is from the real one. Ordered columns only: ``wasserstein`` in the
    column's own unit, ``scaled`` to its range, ``ks`` the largest gap of the distribution
    functions. ``missing`` is the difference of the missing shares."""

    missing: float
    wasserstein: float | None = None
    scaled: float | None = None
    ks: float | None = None


def summary(sample: Sample, column: str) -> Summary:
    """Moments and quantiles of an ordered column; of a category its missing share only."""
    missing = float(np.mean(sample.missing(column)))
    if column not in sample.grid.ordered or missing == 1.0:
        return Summary(None, None, None, None, missing)
    places, shares = _known(sample, column)
    mean = float(shares @ places)
    spread = float(np.sqrt(shares @ (places - mean) ** 2))
    third = float(shares @ (places - mean) ** 3)
    skewness = third / spread**3 if spread > 0 else 0.0
    below = np.cumsum(shares)
    at = np.searchsorted(below, np.array(QUANTILES) - 1e-12)
    values = places[np.minimum(at, len(places) - 1)]
    quantiles = {f"{q:g}": float(v) for q, v in zip(QUANTILES, values, strict=True)}
    return Summary(mean, spread, skewness, quantiles, missing)


def distance(real: Sample, other: Sample, column: str) -> Distance:
    """The distances between the two tables' values of one column."""
    gone = [bool(np.all(sample.missing(column))) for sample in (real, other)]
    missing = float(abs(np.mean(real.missing(column)) - np.mean(other.missing(column))))
    if column not in real.grid.ordered or all(gone):
        return Distance(missing)
    if any(gone):  # values against none: as far as can be
        return Distance(missing, _range(real.grid, column), 1.0, 1.0)
    places, left = _known(real, column)
    gaps = np.abs(np.cumsum(left - _known(other, column)[1]))
    moved = float(gaps[:-1] @ np.diff(places))
    span = _range(real.grid, column)
    return Distance(missing, moved, moved / span if span else 0.0, float(gaps.max(initial=0.0)))


def describe(real: Sample, other: Sample, column: str) -> dict[str, Any]:
    """Both summaries and the distances, as JSON."""
    return {
        "real": asdict(summary(real, column)),
        "synthetic": asdict(summary(other, column)),
        **asdict(distance(real, other, column)),
    }


def _known(sample: Sample, column: str) -> tuple[Floats, Floats]:
    """The places that are no "missing", and the share of the present values in each."""
    places, shares = sample.grid.places(column), sample.shares(column)
    present = ~np.isnan(places)
    return places[present], shares[present] / shares[present].sum()


def _range(grid: Grid, column: str) -> float:
    places = grid.places(column)
    return float(np.nanmax(places) - np.nanmin(places))
