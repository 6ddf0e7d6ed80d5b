"""Scores for the ``select`` verb: pure functions of exact tables with a declared sensitivity.

A score is called once, with the tables of all candidates, and returns one float per candidate.
What it must promise is in select.md; ``tests/gate/test_sensitivity.py`` attacks the declarations
of every score in this file on neighbouring tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.sensitivity import l1_gap
from understudy.schema.neighbours import Neighbours

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
PARTS_OF_A_ROW: Final = 2**10
MOST_ROWS: Final = 2.0**41
"""Tables of whole multiples of 1/1024 with at most this many rows are added up exactly."""
LARGEST_WEIGHT: Final = 2.0**200


class Score(ABC):
    """How good each candidate is; larger is better."""

    @abstractmethod
    def sensitivity(self, neighbours: Neighbours, contribution: int) -> Fraction:
        """The most that any candidate's score can change between neighbours."""

    @abstractmethod
    def monotone(self, neighbours: Neighbours) -> bool:
        """Whether all scores move in the same direction between neighbours."""

    @abstractmethod
    def check(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Refuse candidates of other shapes than it was made for, before anything is charged."""

    @abstractmethod
    def __call__(self, exact: Sequence[Counts]) -> Floats:
        """One score per candidate."""


@final
@dataclass(frozen=True)
class L1Gap(Score):
    """weight * (L1 distance between the exact and a public table - offset), per candidate.

    The score of MST, MWEM and AIM: where the current model is wrong the most. ``offsets`` are
    public (AIM uses the expected noise). Sensitivity: that of the distance times the largest
    weight; not monotone, since a row can move the exact table towards the model or away.

    Estimates and offsets are rounded to 1/1024 of a row, so that distances are exact.
    """

    estimates: Sequence[Floats]
    weights: Sequence[float] | None = None
    offsets: Sequence[float] | None = None

    def __post_init__(self) -> None:
        count = len(self.estimates)
        estimates = tuple(_rounded(estimate) for estimate in self.estimates)
        offsets = np.zeros(count) if self.offsets is None else _rounded(self.offsets)
        weights = (
            np.ones(count) if self.weights is None else np.array(self.weights, dtype=np.float64)
        )
        if weights.shape != (count,) or offsets.shape != (count,):
            raise UsageError("give one weight and one offset per estimate, or none at all")
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise UsageError("weights must be finite numbers that are not negative")
        if not 1.0 / LARGEST_WEIGHT <= weights.max(initial=0.0) <= LARGEST_WEIGHT:
            raise UsageError("the largest weight must lie between 2^-200 and 2^200")
        for name, numbers in (("estimates", estimates), ("weights", weights), ("offsets", offsets)):
            object.__setattr__(self, name, numbers)

    def sensitivity(self, neighbours: Neighbours, contribution: int) -> Fraction:
        return l1_gap(neighbours, contribution) * Fraction(float(np.asarray(self.weights).max()))

    def monotone(self, neighbours: Neighbours) -> bool:
        return False

    def check(self, shapes: Sequence[tuple[int, ...]]) -> None:
        if len(shapes) != len(self.estimates):
            raise UsageError(
                f"there are {len(shapes)} candidates and {len(self.estimates)} estimates"
            )
        for shape, estimate in zip(shapes, self.estimates, strict=True):
            if shape != estimate.shape:
                raise UsageError(
                    f"an estimate of shape {estimate.shape} was given for a candidate of shape "
                    f"{shape}; give each estimate the shape of its candidate"
                )

    def __call__(self, exact: Sequence[Counts]) -> Floats:
        gaps = np.array(
            [
                np.abs(table - estimate).sum()
                for table, estimate in zip(exact, self.estimates, strict=True)
            ]
        )
        scores: Floats = np.asarray(self.weights) * (gaps - np.asarray(self.offsets))
        return scores


def check_score(score: Score, shapes: Sequence[tuple[int, ...]]) -> None:
    """Only scores with a proof in this room see exact tables."""
    if not type(score).__module__.startswith("understudy.gate."):
        raise UsageError(
            f"{type(score).__name__} is no score of understudy.gate.scores; only there its "
            "sensitivity is proven and tested. Add it there"
        )
    score.check(shapes)


def _rounded(numbers: Floats | Sequence[float]) -> Floats:
    """Public numbers of rows, rounded so that sums and differences of them are exact."""
    rows = np.array(numbers, dtype=np.float64)
    if not np.isfinite(rows).all() or np.abs(rows).sum() > MOST_ROWS:
        raise UsageError("estimates and offsets must be finite and of at most 2^41 rows in all")
    return np.rint(rows * PARTS_OF_A_ROW) / PARTS_OF_A_ROW
