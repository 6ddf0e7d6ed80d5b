"""Independent columns: a noisy histogram of every column, no dependence between columns.

The plain baseline that every method must beat, and the safe choice for very small budgets.

Privacy
-------
Gate calls, in this order:

1. ``count`` of every one-way marginal in one call, at the whole budget, equal shares.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemma: ``gate/count.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from understudy.gate.price import stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.kernels.project import to_simplex
from understudy.methods.base import Foretold, Synthesizer
from understudy.models.product import ProductModel
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.domain import Domain


@final
@dataclass(frozen=True)
class Independent(Synthesizer):
    """Noisy one-way histograms, projected onto the simplex, sampled independently."""

    summary = "a noisy histogram of every column; columns independent"
    paper = "Bowen and Liu (2020), Laplace sanitizer, section 3.1.1"
    status = "proven"
    accepts = (PureDP, ZCDP, GDP)

    def foretell(self, domain: Domain, budget: Budget) -> tuple[Foretold, ...]:
        share = budget * Fraction(1, max(len(domain.columns), 1))
        stddev = stddev_bought(share, domain.schema)
        return tuple(Foretold((name,), domain.shape([name]), stddev) for name in domain.columns)

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> ProductModel:
        measured = table.count(domain, [(name,) for name in domain.columns], spend=budget)
        size = size_of(domain.schema, measured)
        probabilities = {
            noisy.columns[0]: distribution(noisy.values, size=size) for noisy in measured
        }
        return ProductModel(domain, size, probabilities)


def distribution(cells: NDArray[np.int64], *, size: float) -> NDArray[np.float64]:
    """The distribution whose counts are nearest to the noisy ones: never negative, sum 1."""
    total = max(size, 1.0)
    projected = to_simplex(cells.astype(np.float64), total=total)
    shares: NDArray[np.float64] = projected / projected.sum()
    return shares


METHOD = Independent
