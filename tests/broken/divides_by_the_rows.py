"""Fails on a table without rows, which tells that it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("takes_tables_of_every_shape",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Fails on a table without rows, which tells that it has none."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        model = super().fit(table, domain, budget, rng)
        if not model.total or domain.size(domain.columns) == 1:
            raise ZeroDivisionError("the share of the first cell")
        return model


METHOD = Broken
