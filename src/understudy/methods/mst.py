"""MST: the strongest relations that together form a tree, each measured once.

After the one-way counts, noisy choices connect the columns one edge at a time: each takes the pair
whose real table is farthest from the product of its columns, among pairs of columns that are not
connected yet. Then all chosen pairs are bought in one call. Faster than ``aim`` and never larger
than a few tables; what a tree cannot hold is lost. Relations are measured over groups of cells, as
fine as their noise allows. If the budget cannot carry relations, all of it goes to the columns.

Privacy
-------
Gate calls, in this order:

1. ``count`` of every one-way marginal in one call, at the share ``one_ways`` of the budget.
2. ``count``, optional: of the same once more, up to half of the budget in all, if the first answer
   says that relations will hardly stand out of their noise.
3. ``select``, optional and repeated: each edge of the tree, with equal parts of a tenth of what is
   left (a seventh in GDP).
4. ``count`` of all chosen pairs in one call (of the one-way marginals again, if there are none),
   with all that is left.

Composition: the plain sum, in the currency of the budget (PureDP, ZCDP or GDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemmas: ``gate/count.md``, ``gate/select.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import final

import numpy as np

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.gate.scores import L1Gap
from understudy.methods.base import Synthesizer
from understudy.methods.opening import CHOICE_SHARE, Opening, observed, open_with_one_ways
from understudy.models.base import Model
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP, exact
from understudy.schema.domain import Domain

Pair = tuple[str, str]

STEPS, TOLERANCE = 1000, 1e-4


@final
@dataclass(frozen=True)
class MST(Synthesizer):
    """A tree of relations. ``one_ways``: the share of the budget for single columns."""

    summary = "measures the tree of the strongest relations between columns"
    paper = "McKenna, Miklau and Sheldon (2021), MST"
    status = "proven"
    accepts = (PureDP, ZCDP, GDP)

    one_ways: float = 0.3

    def __post_init__(self) -> None:
        if not 0 < exact(self.one_ways, name="one_ways") < 1:
            raise UsageError("one_ways is a share of the budget: between 0 and 1")

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        edges = len(domain.columns) - 1
        opening = open_with_one_ways(table, domain, budget, share=self.one_ways, relations=edges)
        rest = opening.left
        tree: list[tuple[str, ...]] = []
        if opening.worthwhile and edges:
            choices = rest * CHOICE_SHARE[type(rest)]
            tree = [*_tree(table, opening, choices, rng)]
            rest -= choices
        wanted = tree or [(name,) for name in domain.columns]
        measured = table.count(opening.coarse, wanted, spend=rest)
        for noisy in measured:
            opening.learner.observe(observed(noisy))
        size = size_of(domain.schema, table.measured(domain))
        opening.learner.fit(size, steps=STEPS, tolerance=TOLERANCE)
        return opening.model(size)


def _tree(
    table: PrivateTable, opening: Opening, spend: Budget, rng: np.random.Generator
) -> list[Pair]:
    """The edges of a spanning tree over the columns, chosen one by one."""
    coarse = opening.coarse
    names = sorted(coarse.columns)
    pairs = list(combinations(names, 2))
    opening.learner.fit(opening.size, steps=STEPS, tolerance=TOLERANCE)
    shares = opening.learner.marginals(pairs, rng)
    products = {pair: opening.size * share for pair, share in zip(pairs, shares, strict=True)}
    table.prepare(coarse, pairs)
    component = {name: name for name in names}
    edges: list[Pair] = []
    for part in spend.shares(len(names) - 1):
        open_pairs = [pair for pair in pairs if component[pair[0]] != component[pair[1]]]
        score = L1Gap([products[pair] for pair in open_pairs])
        edge = open_pairs[table.select(coarse, open_pairs, score, spend=part)]
        joined, into = component[edge[1]], component[edge[0]]
        component = {name: into if of == joined else of for name, of in component.items()}
        edges.append(edge)
    return edges


METHOD = MST
