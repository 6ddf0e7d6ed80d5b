"""What the broken methods share: a sound method whose steps they replace one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from understudy.gate.private_table import PrivateTable
from understudy.methods.base import Synthesizer
from understudy.methods.independent import Independent
from understudy.models.base import Model
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.domain import Domain
from understudy.table.table import Codes


@dataclass(frozen=True)
class Sound(Synthesizer):
    """Independent columns, open to changes."""

    summary = "sound until it is changed"
    paper = "none"
    status = "proven"
    accepts = (PureDP, ZCDP)

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return Independent().fit(table, domain, budget, rng)


@dataclass(frozen=True)
class Wrapped(Model):
    """A sound model whose draws can be changed. It has no file in ``models``."""

    kind = "wrapped"
    inner: Model

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        return self.inner.domain

    @property
    def total(self) -> float:
        return self.inner.total

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        return self.inner.draw(rows, rng)

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()

    def arrays(self) -> dict[str, NDArray[Any]]:
        return self.inner.arrays()

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        raise AssertionError("a model of this kind is never loaded")
