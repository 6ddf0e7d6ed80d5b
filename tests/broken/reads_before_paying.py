"""Counts first and pays afterwards, so a refusal comes too late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("reads_only_what_is_paid", "refuses_before_reading")


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Counts first and pays afterwards, so a refusal comes too late."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        table.prepare(domain, [(name,) for name in domain.columns])
        table._exact.tables(domain, [(name,) for name in domain.columns])
        return super().fit(table, domain, budget, rng)


METHOD = Broken
