"""Takes the exact number of rows past the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain

CAUGHT_BY = (
    "reads_only_what_is_paid",
    "knows_only_what_it_was_answered",
    "imports_and_touches_only_what_a_method_may",
    "refuses_before_reading",
)


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Takes the exact number of rows past the gate."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        (exact,) = table._backend.count(domain, [domain.columns[:1]])
        model = super().fit(table, domain, budget, rng)
        return replace(model, size=float(exact.sum()))  # type: ignore[type-var]


METHOD = Broken
