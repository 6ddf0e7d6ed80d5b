"""AIM: measure, again and again, the relation that the model gets most wrong.

After the one-way counts, each round lets a noisy choice name the candidate whose real table is
farthest from the model's, in units of what its noise would cost; that table is bought, and the
model is fitted to everything bought so far. When a round taught less than its noise, the next ones
are paid better. Relations are measured over groups of cells, as fine as their noise allows; inside
a group a cell follows its own column's counts.

``workload`` says what should be right: ``pairs``, ``triples``, or columns joined by ``*`` such as
``age*job*income``; candidates are its members and all their parts. Relations with ``target`` weigh
more. If the budget cannot carry relations, all of it goes to the columns one by one.

Privacy
-------
Gate calls, in this order:

1. ``count`` of every one-way marginal in one call, at the share ``one_ways`` of the budget.
2. ``count``, optional: of the same once more, up to half of the budget in all, if the first answer
   says that relations will hardly stand out of their noise.
3. ``select`` and ``count``, optional and repeated: one candidate and its table, a tenth of the
   round's share for the choice (a seventh in GDP). A round's share depends on earlier noisy answers
   only.
4. ``count`` of every one-way marginal again, optional: with what is left, if there is nothing to
   choose from.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemmas: ``gate/count.md``, ``gate/select.md``.
All else is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.gate.scores import L1Gap
from understudy.methods.base import Synthesizer
from understudy.methods.opening import CHOICE_SHARE, Opening, observed, open_with_one_ways
from understudy.models.base import Model
from understudy.models.joint import check_most_cells
from understudy.models.size import size_of
from understudy.models.workload import Columns, Workload
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP, exact
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

MOST_CELLS: Final = 2**20
CELLS: Final = 128
"""The most cells of a model for each row per row of noise: more would take time and learn noise."""
ROUNDS_PER_COLUMN: Final = {ZCDP: 16, GDP: 16, PureDP: 4}
RAISE: Final = 2
"""What a round's share is multiplied by after one that taught less than its noise."""
TARGET_WEIGHT: Final = 3.0
FIRST_CELLS: Final = Fraction(1, 20)
"""The part of ``most_cells`` that the model may have before anything was spent on relations."""
STEPS, MOST_STEPS, VISITS = 60, 100, 4_000_000
"""The steps of a round's fit: at least, at most, and between them so many that they visit as many
cells as this."""
TOLERANCE = 1e-3
AHEAD: Final = 2000
"""About how many steps are ahead of a round."""
LAST_STEPS, LAST_TOLERANCE = 1000, 3e-3


@final
@dataclass(frozen=True)
class AIM(Synthesizer):
    """Adaptive measuring. ``workload``: what should be right; ``target``: a column whose relations
    weigh more; ``one_ways``: the share of the budget for single columns; ``most_cells``: the
    largest model to be made."""

    summary = "measures the relations that the model gets most wrong, round by round"
    paper = "McKenna, Mullins, Sheldon and Miklau (2022), AIM"
    status = "proven"
    accepts = (PureDP, ZCDP, GDP)

    workload: tuple[str, ...] = ("pairs",)
    target: str | None = None
    one_ways: float = 0.3
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        Workload(self.workload)
        check_most_cells(self.most_cells)
        if not 0 < exact(self.one_ways, name="one_ways") < 1:
            raise UsageError("one_ways is a share of the budget: between 0 and 1")

    def scope(self, schema: Schema) -> Schema:
        Workload(self.workload).members(schema.modelled)
        if self.target is not None and self.target not in schema.modelled:
            raise UsageError(f"the target {self.target!r} is no modelled column of the schema")
        return schema

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        opening = open_with_one_ways(
            table, domain, budget, share=self.one_ways, relations=2 * len(domain.columns)
        )
        most_cells = min(self.most_cells, int(CELLS * opening.clearness))
        rounds = _Rounds(table, opening, opening.left, most_cells, rng)
        size = rounds.run(self._weights(domain)) if opening.worthwhile else opening.size
        if not rounds.left.is_zero:
            size = opening.buy_one_ways_again(table, rounds.left)
        opening.learner.fit(size, steps=LAST_STEPS, tolerance=LAST_TOLERANCE)
        return opening.model(size)

    def _weights(self, domain: Domain) -> dict[Columns, float]:
        """What each candidate's error weighs."""
        return {
            columns: weight * (TARGET_WEIGHT if self.target in columns else 1.0)
            for columns, weight in Workload(self.workload).candidates(domain.columns).items()
        }


@dataclass
class _Rounds:
    """The rounds of one fit: what is left, and how large the model may become."""

    table: PrivateTable
    opening: Opening
    left: Budget
    most_cells: int
    rng: np.random.Generator

    def run(self, weights: Mapping[Columns, float]) -> float:
        """Spend all that is left, unless nothing can be chosen; returns the size of the table."""
        learner, coarse = self.opening.learner, self.opening.coarse
        self.table.prepare(coarse, list(weights))
        learner.fit(self.opening.size, steps=LAST_STEPS, tolerance=LAST_TOLERANCE)
        whole, size = self.left, self.opening.size
        share = whole * Fraction(1, ROUNDS_PER_COLUMN[type(whole)] * len(coarse.columns))
        while not self.left.is_zero and (allowed := self._allowed(whole, weights)):
            if not self.left.covers(share * 2):
                share = self.left
            taught = self._round(allowed, share, size)
            self.left -= share
            size = size_of(coarse.schema, self.table.measured(coarse.fine))
            share = share if taught else share * RAISE
        return size

    def _round(self, weights: Mapping[Columns, float], share: Budget, size: float) -> bool:
        """Choose a candidate, buy its table, learn from it; whether it taught more than noise."""
        learner, coarse = self.opening.learner, self.opening.coarse
        allowed = list(weights)
        for_choice = CHOICE_SHARE[type(share)]
        parts = share.split(choice=for_choice, table=1 - for_choice)
        before = [size * shares for shares in learner.marginals(allowed, self.rng)]
        noises = [
            self.opening.prices.noise_for(parts["table"], cells=coarse.size(columns))
            for columns in allowed
        ]
        score = L1Gap(before, weights=list(weights.values()), offsets=noises)
        chosen = self.table.select(coarse, allowed, score, spend=parts["choice"])
        (noisy,) = self.table.count(coarse, [allowed[chosen]], spend=parts["table"])
        cells = learner.cells_with(allowed[chosen])
        learner.observe(observed(noisy))
        learner.fit(size, steps=steps_for(cells), tolerance=TOLERANCE, ahead=AHEAD)
        (after,) = learner.marginals([allowed[chosen]], self.rng)
        return bool(np.abs(size * after - before[chosen]).sum() > noises[chosen])

    def _allowed(self, whole: Budget, weights: Mapping[Columns, float]) -> dict[Columns, float]:
        """The candidates with which the model stays as small as it has to be by now.

        If that leaves none, those with which it stays within its limit at all.
        """
        spent = 1 - self.left.parts[0] / whole.parts[0]
        cells = {columns: self.opening.learner.cells_with(columns) for columns in weights}
        for most in (self.most_cells * max(spent, FIRST_CELLS), self.most_cells):
            allowed = {columns: w for columns, w in weights.items() if cells[columns] <= most}
            if allowed:
                break
        return allowed


def steps_for(cells: int) -> int:
    """How many steps a round may take to fit a model of so many cells."""
    return min(max(VISITS // cells, STEPS), MOST_STEPS)


METHOD = AIM
