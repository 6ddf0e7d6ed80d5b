"""Lets the type of a column follow from the rows: wide only if they vary."""

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

CAUGHT_BY = ("types_follow_from_the_schema",)


@final
@dataclass(frozen=True)
class Typed(Wrapped):
    """Cell numbers become wide if most rows are not in the first cell."""

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        codes = super().draw(rows, rng)
        columns = {
            name: column.astype(np.uint64) if (column > 0).mean() > 0.5 else column
            for name, column in codes.columns.items()
        }
        return Codes(self.domain, columns, rows)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Lets the type of a column follow from the rows: wide only if they vary."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return Typed(super().fit(table, domain, budget, rng))


METHOD = Broken
