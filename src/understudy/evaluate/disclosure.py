"""Traces of single real rows in the synthetic ones.

These figures find accidents (a copied file, an overfitted model). They prove nothing about privacy:
a table can pass all of them and still give its people away, and a table made with differential
privacy can fail them by chance. The guarantee is on the release's card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import Sample

WARNING: Final = (
    "Unique matches, nearest records and membership attacks prove nothing about privacy; "
    "the guarantee is on the release's card."
)
COMPARED_ROWS: Final = 500
AGAINST_ROWS: Final = 10_000
NORMAL_95: Final = 1.959963984540054

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Matches:
    """Shares of the real rows that are unique, and of these that a synthetic row equals."""

    unique_real: float
    matched: float


@dataclass(frozen=True)
class Nearest:
    """Distances from synthetic rows to their nearest real row: 0 an equal row, 1 all differs."""

    median: float
    lowest_5_percent: float
    equal: float


@dataclass(frozen=True)
class Advantage:
    """An attacker's true minus false positive rate, with a 95% interval (Newcombe)."""

    value: float
    low: float
    high: float


def unique_matches(real: Sample, other: Sample) -> Matches:
    """How many unique real rows, on coarse cells, occur among the synthetic ones."""
    keys, counts = np.unique(real.keys(fine=False), return_counts=True)
    unique = keys[counts == 1]
    hit = np.isin(unique, other.keys(fine=False))
    matched = float(np.mean(hit)) if len(unique) else 0.0
    return Matches(len(unique) / real.rows, matched)


def nearest_records(real: Sample, other: Sample, *, rng: np.random.Generator) -> Nearest:
    """How close a random 500 synthetic rows come to (a random 10,000 of) the real rows."""
    distance = nearest(_some(other, COMPARED_ROWS, rng), _some(real, AGAINST_ROWS, rng))
    return Nearest(
        float(np.median(distance)),
        float(np.quantile(distance, 0.05)),
        float(np.mean(distance == 0)),
    )


def membership(
    members: Sample, strangers: Sample, synthetic: Sample, *, rng: np.random.Generator
) -> Advantage:
    """What an attacker gains who calls real rows near a synthetic row members.

    ``strangers`` are real rows that the synthesizer never saw. The attacker chooses the distance
    on half of the rows; the other half judges.
    """
    near = _some(synthetic, AGAINST_ROWS, rng)
    rows = min(COMPARED_ROWS * 2, members.rows, strangers.rows)
    inside, outside = (nearest(_some(sample, rows, rng), near) for sample in (members, strangers))
    half = rows // 2
    threshold = _best_threshold(inside[:half], outside[:half])
    hits, alarms = (int(np.sum(d[half:] <= threshold)) for d in (inside, outside))
    return difference(hits, alarms, rows - half)


def difference(first: int, second: int, rows: int) -> Advantage:
    """first/rows - second/rows with Newcombe's interval, from Wilson's for each share."""
    if rows == 0:
        return Advantage(0.0, -1.0, 1.0)
    one, two = first / rows, second / rows
    (low1, high1), (low2, high2) = _wilson(one, rows), _wilson(two, rows)
    value = one - two
    below = np.hypot(one - low1, high2 - two)
    above = np.hypot(high1 - one, two - low2)
    return Advantage(value, float(value - below), float(value + above))


def nearest(left: Sample, right: Sample) -> Floats:
    """Each left row's least distance to a right row: the mean over columns of the gap of ordered
    cells, scaled to [0, 1], or of whether categories (or "missing") differ."""
    best = np.full((left.rows, right.rows), 0.0, dtype=np.float32)
    for name in left.grid.columns:
        best += _gaps(left, right, name)
    return np.asarray(best.min(axis=1) / len(left.grid.columns), dtype=np.float64)


def _gaps(left: Sample, right: Sample, column: str) -> NDArray[np.float32]:
    distances = _between_cells(left, column)
    return np.take(distances[left.coarse(column)], right.coarse(column), axis=1)


def _between_cells(sample: Sample, column: str) -> NDArray[np.float32]:
    """The distance between any two coarse cells of a column."""
    size = sample.grid.coarse(column)[1]
    differs: NDArray[np.float32] = 1 - np.eye(size, dtype=np.float32)
    proper = size - sample.grid.domain.axes[column].nullable
    if column in sample.grid.ordered and proper > 1:
        places = np.arange(proper, dtype=np.float32) / np.float32(proper - 1)
        differs[:proper, :proper] = np.abs(places[:, None] - places[None, :])
    return differs


def _some(sample: Sample, rows: int, rng: np.random.Generator) -> Sample:
    return sample.take(rng.permutation(sample.rows)[:rows])


def _best_threshold(inside: Floats, outside: Floats) -> float:
    """The distance up to which calling a row a member is right most often."""
    choices = np.unique(np.concatenate([inside, outside]))
    if not len(choices):
        return 0.0
    gains = [np.mean(inside <= c) - np.mean(outside <= c) for c in choices]
    return float(choices[int(np.argmax(gains))])


def _wilson(share: float, rows: int) -> tuple[float, float]:
    z2 = NORMAL_95**2
    middle = (share + z2 / (2 * rows)) / (1 + z2 / rows)
    half = NORMAL_95 * np.sqrt(share * (1 - share) / rows + z2 / (4 * rows**2)) / (1 + z2 / rows)
    return float(middle - half), float(middle + half)
