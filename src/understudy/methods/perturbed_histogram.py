"""A noisy histogram over a grid: numeric columns in bins, the others by their levels.

Like ``marginal``, but the bins of numeric columns can be chosen here, by a public number or by a
rule whose ingredients are bought. Values are drawn evenly inside their bin.

``bins`` is ``domain`` (as the schema says), the number of bins of each numeric column, or a rule:
``sturges``, ``scott`` or ``freedman-diaconis``. A rule needs the number of rows, and the last two
need the quartiles of each integer or real column. In the papers both are read off the rows, which
gives them away exactly. Here they cost the share ``for_bins`` of the budget: what a schema declares
as public is free, the number of rows weighs 1/5 and each column's quartiles weigh 1. Dates go by
Sturges' rule. Bins become fewer if the table would be larger than ``most_cells``.

Privacy
-------
Gate calls, in this order:

1. ``count``, optional: of the rows in one cell, if a rule needs their number and it is private.
2. ``quantiles``, optional and repeated: both quartiles of each numeric column on a public grid, if
   a rule needs them.
3. ``count`` of the one marginal over all chosen columns, on the grid, with the rest of the budget.

Composition: the plain sum, in the currency of the budget (PureDP or ZCDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemmas: ``gate/count.md``, ``gate/quantiles.md``.
All else is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, final, get_args

import numpy as np

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.methods.base import Synthesizer
from understudy.models.bins import MOST_BINS, Rule, Spread, bins_by_rule, regrid, within
from understudy.models.histogram import MOST_CELLS, HistogramModel, Negatives
from understudy.models.joint import check_choice, check_size, chosen
from understudy.models.size import size_of
from understudy.privacy.budget import ZCDP, Budget, PureDP, exact
from understudy.schema.axes import axis_of, least_cells
from understudy.schema.columns import Column, Date, Datetime, Number
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

QUARTILES: Final = (Fraction(1, 4), Fraction(3, 4))
SIZE_WEIGHT: Final = Fraction(1, 5)


@final
@dataclass(frozen=True)
class PerturbedHistogram(Synthesizer):
    """One noisy histogram on a grid. ``columns``: which (default: all); ``bins``: a number, a rule
    or ``domain``; ``for_bins``: what a rule may cost; ``negatives`` and ``most_cells``: as in
    ``marginal``."""

    summary = "one noisy histogram on a grid over chosen columns; bins by number or by a paid rule"
    paper = "Bowen and Liu (2020), perturbed histogram, section 3.1.2"
    status = "proven"
    accepts = (PureDP, ZCDP)

    columns: tuple[str, ...] | None = None
    bins: int | Literal["domain"] | Rule = "domain"
    for_bins: float = 0.1
    negatives: Negatives = "project"
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", chosen(self.columns))
        check_choice(self.negatives, self.most_cells)
        _check_bins(self.bins)
        if not 0 < exact(self.for_bins, name="for_bins") < 1:
            raise UsageError("for_bins is a share of the budget: between 0 and 1")

    def scope(self, schema: Schema) -> Schema:
        part = schema.only(self.columns or schema.modelled)
        sizes = {name: self._least(part.columns[name]) for name in part.modelled}
        check_size(sizes, most=self.most_cells)
        return part

    def _least(self, column: Column) -> int:
        """How many cells the column has at least on the grid, whatever is bought."""
        if not isinstance(column, Number | Date | Datetime) or self.bins == "domain":
            return least_cells(column)
        if column.is_open or not isinstance(self.bins, int):
            return 1 + column.nullable
        axis = axis_of(column)
        assert isinstance(axis, BinAxis)
        return regrid(column, axis, self.bins).size

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> HistogramModel:
        part = domain.only(self.columns or domain.columns)
        grid, sizes, rest = self._grid(table, part, budget)
        check_size({name: axis.size for name, axis in grid.axes.items()}, most=self.most_cells)
        (joint,) = table.count(grid, [grid.columns], spend=rest)
        size = size_of(grid.schema, [*sizes, joint])
        return HistogramModel.of(grid, joint.values, size=size, negatives=self.negatives)

    def _grid(
        self, table: PrivateTable, part: Domain, budget: Budget
    ) -> tuple[Domain, list[Noisy], Budget]:
        """The grid, what was learned of the number of rows, and the budget that is left."""
        axes = {name: axis for name, axis in part.axes.items() if isinstance(axis, BinAxis)}
        match self.bins:
            case "domain":
                return part, [], budget
            case int():
                return _regridded(part, axes, dict.fromkeys(axes, self.bins)), [], budget
        bins, sizes, rest = self._by_rule(self.bins, table, part, axes, budget)
        others = part.size([name for name in part.columns if name not in axes])
        fewer = within(bins, others=others, most=self.most_cells)
        return _regridded(part, axes, fewer), sizes, rest

    def _by_rule(
        self,
        rule: Rule,
        table: PrivateTable,
        part: Domain,
        axes: Mapping[str, BinAxis],
        budget: Budget,
    ) -> tuple[dict[str, int], list[Noisy], Budget]:
        asked = [] if rule == "sturges" else [name for name in axes if _has_quartiles(part, name)]
        private_size = bool(axes) and part.schema.rows is None
        paid = self._paid(budget, columns=len(asked), private_size=private_size)
        sizes = _buy_size(table, part, paid["size"]) if "size" in paid else []
        size = size_of(part.schema, sizes) if sizes or part.schema.rows is not None else 1.0
        spreads = _buy_spreads(table, part, asked, paid["quartiles"]) if asked else {}
        bins = {
            name: bins_by_rule(rule, size=size, columns=len(axes), spread=spreads.get(name))
            for name in axes
        }
        return bins, sizes, paid["cells"]

    def _paid(self, budget: Budget, *, columns: int, private_size: bool) -> dict[str, Budget]:
        """What the number of rows, the quartiles of so many columns and the cells may cost."""
        weights = {"size": SIZE_WEIGHT * private_size, "quartiles": Fraction(columns)}
        wanted = {name: weight for name, weight in weights.items() if weight}
        if not wanted:
            return {"cells": budget}
        for_bins = budget * exact(self.for_bins, name="for_bins")
        return {**for_bins.split(**wanted), "cells": budget - for_bins}


def _check_bins(bins: object) -> None:
    rules = get_args(Rule)
    if isinstance(bins, int) and not isinstance(bins, bool) and bins >= 1:
        return
    if bins != "domain" and bins not in rules:
        raise UsageError(f"bins is a number of at least 1, 'domain' or one of {', '.join(rules)}")


def _regridded(part: Domain, axes: Mapping[str, BinAxis], bins: Mapping[str, int]) -> Domain:
    columns = part.schema.columns
    finer: dict[str, Axis] = {n: regrid(columns[n], axes[n], count) for n, count in bins.items()}
    return Domain(part.schema, {name: finer.get(name, axis) for name, axis in part.axes.items()})


def _buy_size(table: PrivateTable, part: Domain, spend: Budget) -> list[Noisy]:
    """A noisy number of rows: a count of one bin that takes them all."""
    name, axis = next((n, a) for n, a in part.axes.items() if isinstance(a, BinAxis))
    ends = (axis.edges[0], axis.edges[-1])
    whole = Domain(
        part.schema, {name: BinAxis(nullable=axis.nullable, edges=ends, whole=axis.whole)}
    )
    return table.count(whole, [(name,)], spend=spend)


def _buy_spreads(
    table: PrivateTable, part: Domain, columns: list[str], spend: Budget
) -> dict[str, Spread]:
    """The range and the noisy quartiles of each column, on the finest public grid."""
    found = {}
    for name in columns:
        column, axis = part.schema.columns[name], part.axes[name]
        assert isinstance(axis, BinAxis)
        grid = regrid(column, axis, MOST_BINS).edges
        share = spend * Fraction(1, len(columns))
        points = table.quantiles(name, probabilities=QUARTILES, grid=grid, spend=share)
        found[name] = Spread.of(column, axis, points)
    return found


def _has_quartiles(part: Domain, name: str) -> bool:
    """Whether a column holds numbers, and more than a few, so that quartiles mean something."""
    column, axis = part.schema.columns[name], part.axes[name]
    assert isinstance(axis, BinAxis)
    return isinstance(column, Number) and regrid(column, axis, MOST_BINS).proper >= 4


METHOD = PerturbedHistogram
