"""One noisy contingency table over chosen columns: the Laplace sanitizer.

Every cell of the public product of the columns is there, those without a row included, so that no
row or column of the table appears because somebody is in it. All dependence between the chosen
columns is kept; what it costs is noise in every cell. Columns that are not chosen are not read and
not released, and neither are rules that name them.

Privacy
-------
Gate calls, in this order:

1. ``count`` of the one marginal over all chosen columns, at the whole budget.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemma: ``gate/count.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from understudy.gate.price import stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.methods.base import Foretold, Synthesizer
from understudy.models.histogram import MOST_CELLS, HistogramModel, Negatives
from understudy.models.joint import check_choice, check_size, chosen
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import least_cells
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema


@final
@dataclass(frozen=True)
class Marginal(Synthesizer):
    """One noisy joint table. ``columns``: which (default: all); ``negatives``: what becomes of
    counts below zero (``project`` or ``clip``); ``most_cells``: the largest table to be made."""

    summary = "one noisy contingency table over chosen columns; keeps all dependence between them"
    paper = "Bowen and Liu (2020), Laplace sanitizer, section 3.1.1"
    status = "proven"
    accepts = (PureDP, ZCDP, GDP)

    columns: tuple[str, ...] | None = None
    negatives: Negatives = "project"
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", chosen(self.columns))
        check_choice(self.negatives, self.most_cells)

    def scope(self, schema: Schema) -> Schema:
        part = schema.only(self.columns or schema.modelled)
        sizes = {name: least_cells(part.columns[name]) for name in part.modelled}
        check_size(sizes, most=self.most_cells)
        return part

    def foretell(self, domain: Domain, budget: Budget) -> tuple[Foretold, ...]:
        part = self._part(domain)
        stddev = stddev_bought(budget, part.schema)
        return (Foretold(part.columns, part.shape(part.columns), stddev),)

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> HistogramModel:
        part = self._part(domain)
        measured = table.count(part, [part.columns], spend=budget)
        size = size_of(part.schema, measured)
        return HistogramModel.of(part, measured[0].values, size=size, negatives=self.negatives)

    def _part(self, domain: Domain) -> Domain:
        """The domain of the chosen columns; refuses a table too large to be made."""
        part = domain.only(self.columns or domain.columns)
        check_size({name: axis.size for name, axis in part.axes.items()}, most=self.most_cells)
        return part


METHOD = Marginal
