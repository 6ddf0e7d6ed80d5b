"""Emits a cell that the schema does not have."""

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

CAUGHT_BY = ("stays_in_the_schema", "takes_tables_of_every_shape")


@final
@dataclass(frozen=True)
class Outside(Wrapped):
    """Every thousandth row or so lies outside."""

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        codes = super().draw(rows, rng)
        columns = {name: column.copy() for name, column in codes.columns.items()}
        for name, column in columns.items():
            column[:1] = self.domain.axes[name].size
        return Codes(self.domain, columns, rows)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Emits a cell that the schema does not have."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return Outside(super().fit(table, domain, budget, rng))


METHOD = Broken
