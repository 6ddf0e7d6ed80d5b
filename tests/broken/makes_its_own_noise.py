"""Reads exact counts and adds noise that the seed fixes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from tests.broken.method import Sound
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.models.product import ProductModel
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy

CAUGHT_BY = ("the_seed_fixes_no_noise", "reads_only_what_is_paid")


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Reads exact counts and adds noise that the seed fixes."""

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        names = [(name,) for name in domain.columns]
        table.count(domain, names, spend=budget)
        table._measured.clear()
        for marginal, exact in zip(names, table._backend.count(domain, names), strict=True):
            noisy = exact + rng.integers(-2, 3, exact.shape)
            table._measured.append((domain, Noisy(marginal, noisy, 1.4)))
        size = max(sum(int(noisy.values.sum()) for _, noisy in table._measured) / len(names), 0.0)
        shares = {name: np.full(axis.size, 1.0 / axis.size) for name, axis in domain.axes.items()}
        return ProductModel(domain, size, shares)


METHOD = Broken
