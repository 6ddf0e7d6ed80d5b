"""Brings a score of its own, which carries the exact tables away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.gate.scores import Floats, Score
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours

CAUGHT_BY = ("spends_all_and_never_more",)


class Keeping(Score):
    """A score that remembers what it was shown."""

    def sensitivity(self, neighbours: Neighbours, contribution: int) -> Fraction:
        return Fraction(1)

    def monotone(self, neighbours: Neighbours) -> bool:
        return True

    def check(self, shapes: Sequence[tuple[int, ...]]) -> None:
        """Anything goes."""

    def __call__(self, exact: Sequence[np.ndarray]) -> Floats:
        self.kept = list(exact)
        return np.zeros(len(exact))


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Brings a score of its own, which carries the exact tables away."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        score = Keeping()
        table.select(domain, [domain.columns[:1]], score, spend=budget)
        return super().fit(table, domain, budget, rng)


METHOD = Broken
