"""Reads the table by itself instead of asking the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.data.open import open_source
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("imports_and_touches_only_what_a_method_may",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Reads the table by itself instead of asking the gate."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        open_source("confidential.csv", domain.schema)
        return super().fit(table, domain, budget, rng)


METHOD = Broken
