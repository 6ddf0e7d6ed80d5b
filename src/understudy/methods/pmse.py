"""pMSE: of many candidate parameters, the one whose rows the best tree tells from the real worst.

First a noisy guess where the parameters lie. Then a cloud of candidates around it, as wide as the
noise of the guess is known to be, and one private choice among them by the propensity mean squared
error of exact optimal trees. A candidate is scored by the rows that it expects in each cell, so
nothing is simulated for trees of depth 1 and 2. What was wrong with the mechanism as published,
how it was repaired and what it costs: ``docs/explanation/pmse.md``.

Privacy
-------
Gate calls, in this order:

1. ``count``, optional and repeated: of margins, then of coarse tables of two columns, for a copula;
   of the joint table of categories, for a general location model.
2. ``sums``, optional: of values and products of values, by levels too, for the other models.
3. ``select``, optional and repeated: edges of the tree, if the fit of ``mst`` is reweighted.
4. ``count``, optional and repeated: its tables.
5. ``select`` and ``count``, optional and repeated: the rounds of ``aim``, if its fit is reweighted.
6. ``count``, optional: what ``aim`` buys last if it found nothing to choose.
7. ``minimise``, optional: the choice, left out if the model has nothing to choose.

If a fit is reweighted, steps 1 to 6 are that method's. The guess has the share ``guess`` of the
budget, the choice the rest.

Composition: the plain sum, in the currency of the budget (PureDP or ZCDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemma: ``gate/sums.md``, ``gate/count.md``,
``gate/minimise.md``, ``gate/impurity.md``.
All else is post-processing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, final, get_args

import numpy as np

from understudy.errors import UsageError
from understudy.gate.impurity import Leaves, TreeImpurity
from understudy.gate.private_table import PrivateTable
from understudy.methods import build
from understudy.methods.base import Synthesizer
from understudy.models.base import Model
from understudy.models.chain_family import ChainFamily
from understudy.models.cloud import Answer, Cloud, CloudPlan, Family, Question
from understudy.models.copula_family import CopulaFamily
from understudy.models.general_location_family import GeneralLocationFamily
from understudy.models.joint import chosen
from understudy.models.normal_family import NormalFamily
from understudy.models.reweighted_family import ReweightedFamily
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

FAMILIES: Final[Mapping[str, type[Family]]] = {
    "copula": CopulaFamily,
    "normal": NormalFamily,
    "chain": ChainFamily,
    "general-location": GeneralLocationFamily,
    "reweighted": ReweightedFamily,
}
MOST_CANDIDATES: Final = 10**6
LARGEST_SIZE: Final = 2.0**40

Named = Literal["copula", "normal", "chain", "general-location", "reweighted"]
Base = Literal["independent", "mst", "aim", "marginal"]


@final
@dataclass(frozen=True)
class PMSE(Synthesizer):
    """The candidate that trees tell from the real rows worst. ``model``: what the candidates are;
    ``base``: the method whose fit is ``reweighted``; ``columns``: which (default: all);
    ``candidates``: how many; ``guess``: the share of the budget that says where they lie;
    ``depth``: of the trees; ``leaves``: the best of all ``trees``, or all ``cells``; ``cells``:
    into how many each column is cut; ``synthetic``: with how many rows a candidate is scored
    (default: twice the public or bought size); ``simulated``: how many rows are drawn where no
    formula gives what a candidate expects; ``penalty``: the price of a leaf, in rows; ``least``:
    the fewest synthetic rows of a leaf."""

    summary = "parameters chosen so that optimal trees cannot tell the rows from the real ones"
    paper = "Snoke and Slavkovic (2018), repaired: exact trees, sensitivity k/(k+1), no Metropolis"
    status = "proven"
    accepts = (PureDP, ZCDP)
    needs = frozenset({"count", "sums"})

    model: Named = "copula"
    base: Base = "aim"
    columns: tuple[str, ...] | None = None
    candidates: int = 1000
    guess: float = 0.5
    depth: int = 2
    leaves: Leaves = "trees"
    cells: int = 32
    synthetic: float | None = None
    simulated: int = 20_000
    penalty: float = 0.0
    least: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", chosen(self.columns))
        for name, known in (("model", Named), ("base", Base), ("leaves", Leaves)):
            if getattr(self, name) not in get_args(known):
                named = " or ".join(map(repr, get_args(known)))
                raise UsageError(f"{name} is {named}, not {getattr(self, name)!r}")
        for name, least, most in (
            ("candidates", 1, MOST_CANDIDATES),
            ("depth", 1, 3),
            ("cells", 2, 256),
            ("simulated", 1, 10**8),
        ):
            number = getattr(self, name)
            whole = isinstance(number, int) and not isinstance(number, bool)
            if not whole or not least <= number <= most:
                raise UsageError(f"{name} is a whole number from {least} to {most:,}")
        if not 0.0 < self.guess < 1.0:
            raise UsageError("guess is a share of the budget above 0 and below 1, such as 0.5")
        if self.synthetic is not None and not 1.0 <= self.synthetic <= LARGEST_SIZE:
            raise UsageError("synthetic is a public number of rows, 1 or more")

    def scope(self, schema: Schema) -> Schema:
        part = schema.only(self.columns or schema.modelled)
        if self.model == "reweighted":
            return build(self.base, {}).scope(part)
        return self._family.scope(part)

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        part = domain.only(self.columns or domain.columns)
        share = Fraction(self.guess) if self._family.choosable(part) else Fraction(1)
        cloud = self._cloud(table, part, budget * share, rng)
        if share == 1:
            return cloud.model(0)
        loss = TreeImpurity(
            cloud.grid.columns,
            cloud.grid.sizes,
            cloud,
            rows=self.synthetic or min(max(2.0 * cloud.size, 1.0), LARGEST_SIZE),
            depth=self.depth,
            leaves=self.leaves,
            penalty=self.penalty,
            least=self.least,
        )
        return cloud.model(table.minimise(cloud.grid.domain, loss, spend=budget * (1 - share)))

    @property
    def _family(self) -> Family:
        return FAMILIES[self.model]()

    def _cloud(
        self, table: PrivateTable, domain: Domain, spend: Budget, rng: np.random.Generator
    ) -> Cloud:
        """Put the family's questions to the table until it knows where its candidates lie."""
        asking = self._family.ask(domain, self._plan)
        question = next(asking)
        while True:
            try:
                question = asking.send(_answer(table, question, spend * question.share, rng))
            except StopIteration as done:
                cloud: Cloud = done.value
                return cloud

    @property
    def _plan(self) -> CloudPlan:
        return CloudPlan(
            self.candidates,
            cells=self.cells,
            simulated=self.simulated,
            order=self.columns or (),
            base=self.base,
        )


def _answer(
    table: PrivateTable, question: Question, spend: Budget, rng: np.random.Generator
) -> Answer:
    if question.method:
        return build(question.method, {}).fit(table, question.domain, spend, rng)
    if question.moments:
        return table.sums(question.domain, question.moments, spend=spend)
    return table.count(question.domain, question.marginals, spend=spend)


METHOD = PMSE
