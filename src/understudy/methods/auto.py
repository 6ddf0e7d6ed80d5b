"""Auto: the number of columns, the size of the table and the budget choose the method.

What is found in the table never does. ``independent`` where there are no relations to learn or the
budget cannot carry them, ``mst`` for wide tables, ``planned`` for those whose budget carries all
pairs of many columns, ``aim`` for all others. The size is the declared one; where the schema keeps
it private and the choice hangs on it, it is bought with a hundredth of the budget. The card tells
what was chosen and why. Grounds: ``docs/decisions/0009``.

Privacy
-------
Gate calls, in this order:

1. ``count``, optional: of the narrowest column, at a hundredth of the budget, for the size.
2. ``count``, in one call: of every one-way marginal, or of every marginal of a plan.
3. ``count``, optional: of the one-way marginals once more.
4. ``select``, optional and repeated: the relations of a tree.
5. ``select`` and ``count``, optional and repeated: a relation and its table.
6. ``count``, optional: all tables of a tree, those of a plan over groups of cells, or what is left
   for the one-way marginals.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP). Which method
makes the later calls depends on public facts and on the first answer only.
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemmas: ``gate/count.md``, ``gate/select.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, isqrt
from typing import Final, final

import numpy as np

from understudy.gate.price import LEAST_NOISE, stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.methods.aim import AIM
from understudy.methods.base import Settled, Synthesizer
from understudy.methods.independent import Independent
from understudy.methods.mst import MST
from understudy.methods.planned import Planned
from understudy.models.base import Model
from understudy.models.blueprint import in_even_groups
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.domain import Domain

SIZE_SHARE: Final = Fraction(1, 100)
MOST_FOR_AIM: Final = 40
"""Columns. The rounds grow with their number, and the tables in each with its square."""
MOST_FOR_MST: Final = 150
MOST_FOR_PLANNED: Final = 180
"""Beyond these a run takes more than about a minute, or (``mst``) a gigabyte."""
ENOUGH: Final = {ZCDP: 150, GDP: 150, PureDP: 450}
"""Rows per row of noise in a column's counts from which on relations are worth their price."""
ENOUGH_FOR_ALL: Final = 100
"""The same in the counts of a pair, if all pairs share the budget: then none need be chosen."""
BETTER_THAN_NONE: Final = 60
"""The same where choosing takes too long."""
ROUGH: Final = 8
"""Both hold for pairs of columns of 8 cells, as ordered ones can be cut into; larger pairs need as
many times more as they have more cells."""
MOST_CELLS: Final = 2**21
"""Of all pairs together; each takes about 54 bytes until the model is made."""
MOST_BYTES_TO_CHOOSE: Final = 650e6
"""What a choice among all pairs may take beside the libraries."""


@final
@dataclass(frozen=True)
class Auto(Synthesizer):
    """Chooses a method from public facts and the size of the table."""

    summary = "chooses a method from the schema, the size of the table and the budget"
    paper = "none; the grounds are measured"
    status = "proven"
    accepts = (PureDP, ZCDP, GDP)

    def settle(self, table: PrivateTable, domain: Domain, budget: Budget) -> Settled:
        columns = len(domain.columns)
        if columns < 2:
            return Settled(Independent(), budget, "one column has no relations")
        if columns > MOST_FOR_PLANNED:
            reason = f"relations among more than {MOST_FOR_PLANNED} columns take too long"
            return Settled(Independent(), budget, reason)
        if domain.schema.rows is None:
            spend = budget * SIZE_SHARE
            narrowest = min(domain.columns, key=lambda name: (domain.axes[name].size, name))
            counted = table.count(domain, [(narrowest,)], spend=spend)
            budget -= spend
        else:
            counted = []
        return _by_noise(domain, budget, size=size_of(domain.schema, counted))

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        settled = self.settle(table, domain, budget)
        return settled.method.fit(table, domain, settled.budget, rng)


def _by_noise(domain: Domain, budget: Budget, *, size: float) -> Settled:
    """The choice for a table of several columns and about so many rows."""
    columns, enough = len(domain.columns), ENOUGH[type(budget)]
    per_noise = _rows_per_noise(domain, budget, size=size, tables=columns)
    known = f"the counts of one column carry 1 row of noise per {per_noise:,.0f} rows"
    if per_noise < enough:
        reason = f"{known}, and relations are worth their noise only from {enough} on"
        return Settled(Independent(), budget, reason)
    if columns <= MOST_FOR_AIM:
        told = f"enough for relations (from {enough} on), and there are {columns} columns"
        return Settled(AIM(), budget, f"{known}, {told}")
    wide = f"beyond {MOST_FOR_AIM} columns ({columns} here) aim takes too long"
    pairs, cells = _pairs(domain, groups=ROUGH)
    least = ENOUGH_FOR_ALL if columns <= MOST_FOR_MST else BETTER_THAN_NONE
    wanted = max(least, ceil(least * cells / pairs / ROUGH**2))
    in_pairs = _rows_per_noise(domain, budget, size=size, tables=pairs)
    told = f"of all pairs at once they would carry 1 per {in_pairs:,.0f}"
    if in_pairs >= wanted and cells <= MOST_CELLS:
        reason = f"{known}, {told}, enough to count them all (from {wanted:,} on), and {wide}"
        method = Planned(size_guess=max(round(size), 1), groups=isqrt(MOST_CELLS // pairs))
        return Settled(method, budget, reason)
    if columns <= MOST_FOR_MST and _bytes_to_choose(domain) <= MOST_BYTES_TO_CHOOSE:
        return Settled(MST(), budget, f"{known}, {told}, and {wide}")
    reason = f"{known}, {told}, too few, and {columns} such columns are too many to choose pairs"
    return Settled(Independent(), budget, reason)


def _rows_per_noise(domain: Domain, budget: Budget, *, size: float, tables: int) -> float:
    """Rows per row of noise in each cell, if so many tables share the budget."""
    noise = stddev_bought(budget * Fraction(1, tables), domain.schema)
    return size / max(noise, LEAST_NOISE)


def _bytes_to_choose(domain: Domain) -> float:
    """About what ``mst`` takes: the receipts of its choices and the tables that it chooses among.

    Where it is the better one, ordered columns have hardly more than twice ``ROUGH`` groups.
    """
    receipts = 0.42 * len(domain.columns) ** 3 * 370
    return receipts + 17.0 * _pairs(domain, groups=2 * ROUGH)[1]


def _pairs(domain: Domain, *, groups: int) -> tuple[int, int]:
    """The number of pairs, and of their cells if ordered columns have at most so many groups."""
    shape = in_even_groups(domain, groups).shape(domain.columns)
    products = [one * other for one, other in combinations(shape, 2)]
    return len(products), sum(products)


METHOD = Auto
