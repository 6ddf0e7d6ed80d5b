"""Ignores the declared number of rows and guesses one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("public_sizes_are_kept",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Ignores the declared number of rows and guesses one."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return replace(super().fit(table, domain, budget, rng), size=77.0)  # type: ignore[type-var]


METHOD = Broken
