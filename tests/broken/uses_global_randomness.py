"""Draws from numpy's global generator, which no seed of ours reaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = ("leaves_global_randomness_alone",)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Draws from numpy's global generator, which no seed of ours reaches."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        np.random.random()
        return super().fit(table, domain, budget, rng)


METHOD = Broken
