"""How strongly two columns go together, by kind of column.

    ordered, ordered     Pearson, Spearman, Kendall's tau-b, on the rows where both have a value
    category, category   Cramer's V, "missing" counted as a level
    category, ordered    eta: the share of the ordered column's spread between the categories,
                         square root

A coefficient that does not exist (a constant column) counts as 0: no association was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import Sample
from understudy.kernels.rank import kendall

NAMES: Final = ("pearson", "spearman", "kendall", "cramers_v", "eta")

Floats = NDArray[np.float64]
Pair = tuple[str, ...]


def associations(sample: Sample, pairs: Sequence[Pair]) -> dict[str, dict[Pair, float]]:
    """The coefficients that apply to each pair, by name."""
    found: dict[str, dict[Pair, float]] = {name: {} for name in NAMES}
    known = _Known(sample)
    for pair in pairs:
        for name, value in known.pair(*pair).items():
            found[name][pair] = 0.0 if np.isnan(value) else float(value)
    return found


def errors(real: Mapping[Pair, float], other: Mapping[Pair, float]) -> Floats:
    """The absolute difference of each pair's coefficient."""
    return np.array([abs(real[pair] - other[pair]) for pair in real])


class _Known:
    """Per column what every pair needs, worked out once."""

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self._values: dict[str, Floats] = {}
        self._missing = {name: sample.missing(name) for name in sample.grid.columns}
        self._gaps = {name: bool(gone.any()) for name, gone in self._missing.items()}

    def pair(self, one: str, two: str) -> dict[str, float]:
        ordered = self._sample.grid.ordered
        match (one in ordered, two in ordered):
            case (True, True):
                return self._both_ordered(one, two)
            case (False, False):
                return {"cramers_v": cramers_v(self._sample.counts((one, two)))}
            case (True, False):
                return {"eta": self._eta(two, one)}
        return {"eta": self._eta(one, two)}

    def values(self, column: str) -> Floats:
        if column not in self._values:
            places = self._sample.grid.places(column)
            self._values[column] = places[self._sample.codes[column]]
        return self._values[column]

    def _both_ordered(self, one: str, two: str) -> dict[str, float]:
        codes = self._sample.codes[one], self._sample.codes[two]
        values = self.values(one), self.values(two)
        if self._gaps[one] or self._gaps[two]:
            keep = ~(self._missing[one] | self._missing[two])
            codes = codes[0][keep], codes[1][keep]
            values = values[0][keep], values[1][keep]
        return {
            "pearson": correlation(*values),
            "spearman": correlation(ranks(codes[0]), ranks(codes[1])),
            "kendall": kendall(*codes),
        }

    def _eta(self, category: str, ordered: str) -> float:
        groups, values = self._sample.cells(category), self.values(ordered)
        if self._gaps[ordered]:
            keep = ~self._missing[ordered]
            groups, values = groups[keep], values[keep]
        return eta(groups, values)


def correlation(x: Floats, y: Floats) -> float:
    """Pearson's coefficient; NaN if a column is constant or empty."""
    if len(x) < 2:
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    scale = np.sqrt((x @ x) * (y @ y))
    return float(np.clip(x @ y / scale, -1, 1)) if scale > 0 else float("nan")


def ranks(codes: NDArray[Any]) -> Floats:
    """The average rank of each row."""
    counts = np.bincount(codes)
    after = np.cumsum(counts)
    return (after - (counts - 1) / 2)[codes] if len(codes) else np.zeros(0)


def cramers_v(counts: NDArray[np.int64]) -> float:
    """Cramer's V of a contingency table, empty rows and columns left out; NaN if none is left."""
    table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(np.float64)
    least = min(table.shape) - 1
    if least < 1:
        return float("nan")
    rows = table.sum()
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / rows
    return float(np.sqrt(((table - expected) ** 2 / expected).sum() / (rows * least)))


def eta(groups: NDArray[Any], values: Floats) -> float:
    """The correlation ratio: how much of the spread of ``values`` lies between the groups."""
    if len(values) < 2:
        return float("nan")
    centred = values - values.mean()
    total = centred @ centred
    counts = np.bincount(groups)
    sums = np.bincount(groups, weights=centred)
    between = np.sum(sums[counts > 0] ** 2 / counts[counts > 0])
    return float(np.sqrt(min(1.0, between / total))) if total > 0 else float("nan")
