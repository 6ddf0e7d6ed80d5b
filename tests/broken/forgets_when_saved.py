"""Its model is of a kind that nobody can load again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound, Wrapped
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("samples_the_same_after_saving",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Its model is of a kind that nobody can load again."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return Wrapped(super().fit(table, domain, budget, rng))


METHOD = Broken
