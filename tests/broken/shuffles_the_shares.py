"""Gives each column the shares of its cells in the wrong order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("finds_the_table_with_a_large_budget",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Gives each column the shares of its cells in the wrong order."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        model = super().fit(table, domain, budget, rng)
        turned = {name: cells[::-1].copy() for name, cells in model.probabilities.items()}  # type: ignore[attr-defined]
        return replace(model, probabilities=turned)  # type: ignore[type-var]


METHOD = Broken
