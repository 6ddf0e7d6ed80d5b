"""Copies the first column's cells into its neighbour, whichever that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound, Wrapped
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.table.table import Codes

CAUGHT_BY = ("column_order_does_not_matter",)


@final
@dataclass(frozen=True)
class Copied(Wrapped):
    """The second column follows the first."""

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        codes = super().draw(rows, rng)
        first, second, *_ = self.domain.columns
        moved = codes.columns[first] % self.domain.axes[second].size
        return Codes(self.domain, {**codes.columns, second: moved}, rows)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Copies the first column's cells into its neighbour, whichever that is."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return Copied(super().fit(table, domain, budget, rng))


METHOD = Broken
