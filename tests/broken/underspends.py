"""Leaves half of the budget unused, so its noise is needlessly large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("spends_all_and_never_more",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Leaves half of the budget unused, so its noise is needlessly large."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return super().fit(table, domain, budget.shares(2)[0], rng)


METHOD = Broken
