"""Asks everything twice at the full price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("spends_all_and_never_more", "ledger_equals_the_privacy_section")


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Asks everything twice at the full price."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        super().fit(table, domain, budget, rng)
        return super().fit(table, domain, budget, rng)


METHOD = Broken
