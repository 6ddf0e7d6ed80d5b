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

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.sensitivity import l1_gap
from understudy.schema.neighbours import Neighbours

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


class Score(ABC):
    """How good each candidate is; larger is better."""

    @abstractmethod
    def sensitivity(self, neighbours: Neighbours, contribution: int) -> Fraction:
        """The most that any candidate's score can change between neighbours."""

    @abstractmethod
    def monotone(self, neighbours: Neighbours) -> bool:
        """Whether all scores move in the same direction between neighbours."""

    @abstractmethod
    def __call__(self, exact: Sequence[Counts]) -> Floats:
        """One score per candidate."""


@dataclass(frozen=True)
class L1Gap(Score):
    """weight * (L1 distance between the exact and a public table - offset), per candidate.

    The score of MST, MWEM and AIM: where the current model is wrong the most. ``offsets`` are
    public (AIM uses the expected noise). Sensitivity: that of the distance times the largest
    weight; not monotone, since a row can move the exact table towards the model or away.
    """

    estimates: Sequence[Floats]
    weights: Sequence[float] | None = None
    offsets: Sequence[float] | None = None

    def __post_init__(self) -> None:
        for numbers in (self._weights, self._offsets, *self.estimates):
            if not np.isfinite(numbers).all():
                raise UsageError("estimates, weights and offsets must be finite numbers")
        if len(self._weights) != len(self.estimates) or len(self._offsets) != len(self.estimates):
            raise UsageError("give one weight and one offset per estimate, or none at all")
        if (self._weights < 0).any() or not self._weights.any():
            raise UsageError("weights must not be negative, and one must be above 0")

    @property
    def _weights(self) -> Floats:
        return np.ones(len(self.estimates)) if self.weights is None else np.asarray(self.weights)

    @property
    def _offsets(self) -> Floats:
        return np.zeros(len(self.estimates)) if self.offsets is None else np.asarray(self.offsets)

    def sensitivity(self, neighbours: Neighbours, contribution: int) -> Fraction:
        return l1_gap(neighbours, contribution) * Fraction(float(self._weights.max()))

    def monotone(self, neighbours: Neighbours) -> bool:
        return False

    def __call__(self, exact: Sequence[Counts]) -> Floats:
        gaps = [
            np.abs(table - estimate).sum()
            for table, estimate in zip(exact, self.estimates, strict=True)
        ]
        return self._weights * (np.asarray(gaps, dtype=np.float64) - self._offsets)
