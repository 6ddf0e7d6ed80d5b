"""Auto: the number of columns, the size of the table and the budget choose the method.

What is found in the table never does. ``independent`` where there are no relations to learn or the
budget cannot carry them, ``mst`` for wide tables, ``aim`` for all others. The size is the declared
one; where the schema keeps it private and the choice hangs on it, it is bought with a hundredth of
the budget. The card tells what was chosen and why. Grounds: ``docs/decisions/0009``.

Privacy
-------
Gate calls, in this order:

1. ``count``, optional: of the narrowest column, at a hundredth of the budget, for the size.
2. ``count`` of every one-way marginal in one call.
3. ``count``, optional: of the same once more.
4. ``select``, optional and repeated: the relations of a tree.
5. ``select`` and ``count``, optional and repeated: a relation and its table.
6. ``count``, optional: all tables of a tree, or what is left for the one-way marginals.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP). Which method
makes the later calls depends on public facts and on the first answer only.
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemmas: ``gate/count.md``, ``gate/select.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np

from understudy.gate.price import stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.methods.aim import AIM
from understudy.methods.base import Settled, Synthesizer
from understudy.methods.independent import Independent
from understudy.methods.mst import MST
from understudy.models.base import Model
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.domain import Domain

SIZE_SHARE: Final = Fraction(1, 100)
MOST_FOR_AIM: Final = 40
"""Columns. The rounds grow with their number, and the tables in each with its square."""
MOST_FOR_MST: Final = 100
ENOUGH: Final = {ZCDP: 150, GDP: 150, PureDP: 450}
"""Rows per row of noise in a column's counts from which on relations are worth their price."""

LEAST_NOISE: Final = 1e-9
"""Of a huge budget, whose noise is 0 in floats."""


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
        if columns > MOST_FOR_MST:
            reason = f"to choose relations among more than {MOST_FOR_MST} columns takes too long"
            return Settled(Independent(), budget, reason)
        if domain.schema.rows is None:
            spend = budget * SIZE_SHARE
            narrowest = min(domain.columns, key=lambda name: (domain.axes[name].size, name))
            counted = table.count(domain, [(narrowest,)], spend=spend)
            budget -= spend
        else:
            counted = []
        noise = stddev_bought(budget * Fraction(1, columns), domain.schema)
        rows_per_noise = size_of(domain.schema, counted) / max(noise, LEAST_NOISE)
        return _by_noise(budget, columns=columns, rows_per_noise=rows_per_noise)

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        settled = self.settle(table, domain, budget)
        return settled.method.fit(table, domain, settled.budget, rng)


def _by_noise(budget: Budget, *, columns: int, rows_per_noise: float) -> Settled:
    """The choice for a table of several columns, each counted with this much noise."""
    enough = ENOUGH[type(budget)]
    known = f"the counts of one column carry 1 row of noise per {rows_per_noise:,.0f} rows"
    if rows_per_noise < enough:
        reason = f"{known}, and relations are worth their noise only from {enough} on"
        return Settled(Independent(), budget, reason)
    if columns > MOST_FOR_AIM:
        reason = f"{known}, and beyond {MOST_FOR_AIM} columns ({columns} here) aim takes too long"
        return Settled(MST(), budget, reason)
    reason = f"{known}, enough for relations (from {enough} on), and there are {columns} columns"
    return Settled(AIM(), budget, reason)


METHOD = Auto
