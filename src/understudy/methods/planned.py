"""Planned: a fixed workload, its errors known exactly before anything is spent.

The workload is public: every column alone and ``pairs``, ``triples``, or columns joined by ``*``
such as ``age*job``. The budget is split over its marginals and the smaller ones inside them so that
its expected error is least, and every answer is put together from all that was measured by
residuals, in closed form and without bias. So the standard deviation of each answer follows from
the schema and the budget alone: ``foretell`` says it. Nothing is chosen by looking at the table,
and all of the budget goes into noise that can be averaged away.

Relations are counted over groups of cells where an ordered column has many: even groups, as fine as
the noise allows in a table of ``size_guess`` rows. ``pairs`` and ``triples`` leave out relations
whose cells would hold hardly any row beside their noise; if the budget is too small for any, the
workload is the columns alone. Rows are drawn from a graphical model of the answers, with as many of
the relations as fit into it.

Privacy
-------
Gate calls, in this order:

1. ``count``, optional: of all measured marginals over the domain's own cells, in one call.
2. ``count``, optional: of all measured marginals over groups of cells, in one call.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP); the shares are
fixed by public facts and sum to the whole.
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemma: ``gate/count.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final, final

import numpy as np

from understudy.errors import UsageError
from understudy.gate.price import LEAST_NOISE, stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.kernels.splits import Law
from understudy.methods.base import Foretold, Synthesizer
from understudy.models.answers import Answers
from understudy.models.base import Model
from understudy.models.blueprint import Blueprint, Question, fitting, in_even_groups
from understudy.models.coarsen import resolution
from understudy.models.joint import check_most_cells, check_size
from understudy.models.workload import WIDTHS, Columns, Workload
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

DEFAULT_SIZE: Final = 10_000
MOST_CELLS: Final = 2**18
LARGEST_WORKLOAD: Final = 2**24
"""Cells of all relations together: 128 MB of counts."""
FINER: Final = 2.0
"""Groups are chosen as for a table so many times larger: those that do not stand out from their
noise are put together afterwards, at no cost."""
LEAST_FILL: Final = 0.1
"""Rows per cell, in standard deviations of its noise, that make a relation worth its price."""


@final
@dataclass(frozen=True)
class Planned(Synthesizer):
    """A fixed workload. ``workload``: what should be right; ``size_guess``: a public guess of the
    number of rows, for which the groups are chosen; ``groups``: how many of them at most a wide
    column has in a relation; ``most_cells``: the largest model to be made."""

    summary = "measures a fixed workload best; its errors are known exactly beforehand"
    paper = "Xiao, He, Zhang and Kifer (2023), ResidualPlanner; Mullins and others (2024), ReM"
    status = "proven"
    accepts = (PureDP, ZCDP, GDP)

    workload: tuple[str, ...] = ("pairs",)
    size_guess: int | None = None
    groups: int | None = None
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        Workload(self.workload)
        check_most_cells(self.most_cells)
        for name, least in (("size_guess", 1), ("groups", 2)):
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if value is not None and not (whole and value >= least):
                raise UsageError(f"{name} is a whole number, {least} or more")

    def scope(self, schema: Schema) -> Schema:
        Workload(self.workload).members(schema.modelled)
        return schema

    def foretell(self, domain: Domain, budget: Budget) -> tuple[Foretold, ...]:
        plan = self.blueprint(domain, budget)
        prices = [
            stddev_bought(budget * Fraction(question.weight, plan.total_weight), domain.schema)
            for question in plan.questions
        ]
        return tuple(
            Foretold(member, plan.shape(member), sqrt(variance))
            for member, variance in zip(plan.members, plan.variances(prices), strict=True)
        )

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        return self.answers(table, domain, budget).model(most_cells=self.most_cells, rng=rng)

    def answers(self, table: PrivateTable, domain: Domain, budget: Budget) -> Answers:
        """Ask all questions of the plan and put the answers together."""
        plan = self.blueprint(domain, budget)
        over = {True: plan.coarse, False: domain}
        found: dict[Question, Noisy] = {}
        for in_groups in (False, True):
            asked = [one for one in plan.questions if one.in_groups is in_groups]
            if not asked:
                continue
            weights = [question.weight for question in asked]
            noisy = table.count(
                over[in_groups],
                [question.columns for question in asked],
                spend=budget * Fraction(sum(weights), plan.total_weight),
                weights=weights,
            )
            found |= dict(zip(asked, noisy, strict=True))
        return Answers(plan, [found[question] for question in plan.questions])

    def blueprint(self, domain: Domain, budget: Budget) -> Blueprint:
        """What will be counted, from public facts alone; refuses what cannot be."""
        if not domain.columns:
            raise UsageError("the schema has no column to model; a workload needs at least one")
        wanted = self._relations(domain)
        share = budget * Fraction(1, max(len(wanted), 1))
        stddev = stddev_bought(share, domain.schema)
        size = float(domain.schema.rows or self.size_guess or DEFAULT_SIZE)
        widest = max(map(len, wanted), default=2)
        finest = int(resolution(rows=FINER * size, pair_stddev=stddev) ** (2 / widest))
        if finest < 2:
            wanted = {columns: True for columns, named in wanted.items() if named}
        groups = max(min(finest, self.groups or finest), 2)
        coarse = in_even_groups(domain, groups) if wanted else domain
        for columns in (columns for columns, named in wanted.items() if named):
            sizes = dict(zip(columns, coarse.shape(columns), strict=True))
            check_size(sizes, most=LARGEST_WORKLOAD)
        largest = size / (LEAST_FILL * max(stddev, LEAST_NOISE))
        kept = fitting(coarse, wanted, largest=largest, most=LARGEST_WORKLOAD)
        law: Law = "laplace" if isinstance(budget, PureDP) else "gaussian"
        return Blueprint.of(coarse if kept else domain, kept, law=law)

    def _relations(self, domain: Domain) -> dict[Columns, bool]:
        """The relations of the workload, and whether each was named by its columns."""
        found: dict[Columns, bool] = {}
        for name in self.workload:
            for columns in Workload((name,)).members(domain.columns):
                if len(columns) > 1:
                    found[columns] = found.get(columns, False) or name not in WIDTHS
        return found


METHOD = Planned
