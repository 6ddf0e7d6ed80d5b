"""How methods that learn relations begin: one-way counts, and groups as fine as noise allows.

The noisy one-way counts are bought first. They give the size, the shares of each column's cells,
and the groups of cells over which relations are then measured; that is post-processing. Where they
show that relations will hardly stand out of their noise, the columns are counted once more, with a
larger part of the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.gate.price import LEAST_NOISE
from understudy.gate.private_table import PrivateTable
from understudy.kernels.project import to_simplex
from understudy.models.base import Model
from understudy.models.coarsen import groups_of, ordered, resolution
from understudy.models.learner import Learner, Observation
from understudy.models.refined import refined
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, Exact, PureDP, exact
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy

Floats = NDArray[np.float64]

CHOICE_SHARE: Final = {PureDP: Fraction(1, 10), ZCDP: Fraction(1, 10), GDP: Fraction(1, 7)}
"""What choosing relations may cost, as a share of choosing and counting them: more where a choice
is dearer beside a count."""
CLEAR: Final = 500
"""Rows per row of noise in a table of two columns: with fewer, columns alone are worth more."""
MOST_ALONE: Final = Fraction(1, 2)
"""Of the budget, for the columns alone, if relations will not be clear."""
FEWEST: Final = 2
"""Groups of a column from which on a table of two columns is worth its noise."""


@dataclass(frozen=True)
class Prices:
    """What noise a budget buys, told from an answer that was already bought."""

    paid: Budget
    stddev: float

    def stddev_for(self, spend: Budget) -> float:
        """The standard deviation of each cell of a marginal on which this is spent."""
        ratio = float(self.paid.parts[0] / spend.parts[0])
        return self.stddev * (ratio if isinstance(spend, PureDP) else sqrt(ratio))

    def noise_for(self, spend: Budget, *, cells: int) -> float:
        """The expected sum of absolute noise over so many cells."""
        share = sqrt(0.5) if isinstance(spend, PureDP) else sqrt(2.0 / np.pi)
        return share * self.stddev_for(spend) * cells


@dataclass(frozen=True)
class Opening:
    """The groups, a model of independent columns, and whether relations are worth their noise."""

    coarse: Domain
    size: float
    counts: dict[str, Floats]
    learner: Learner
    prices: Prices
    left: Budget
    worthwhile: bool
    clearness: float
    """Rows per row of noise in a table of two columns to come."""

    def buy_one_ways_again(self, table: PrivateTable, spend: Budget) -> float:
        """Spend on the columns what relations cannot use; returns the size of the table."""
        names = [(name,) for name in self.coarse.columns]
        for noisy in table.count(self.coarse, names, spend=spend):
            self.learner.observe(observed(noisy))
        return size_of(self.coarse.schema, table.measured(self.coarse.fine))

    def model(self, size: float) -> Model:
        """What was learned, the groups shared out among their cells."""
        return refined(self.learner.model(size), self.counts)


def open_with_one_ways(
    table: PrivateTable, domain: Domain, budget: Budget, *, share: Exact, relations: int
) -> Opening:
    """Buy the one-way counts; what is ``left`` will buy ``relations`` tables of two columns."""
    names = [(name,) for name in domain.columns]
    spend = budget * exact(share, name="one_ways")
    bought = [table.count(domain, names, spend=spend)]
    prices, left = Prices(spend * Fraction(1, len(names)), bought[0][0].stddev), budget - spend
    size = size_of(domain.schema, bought[0])

    def noise_of_pairs(left: Budget) -> float:
        return prices.stddev_for(left * Fraction(1, max(relations, 1)))

    more = _once_more(budget, spend)
    unclear = size < CLEAR * noise_of_pairs(left)
    still = resolution(rows=size, pair_stddev=noise_of_pairs(left - more)) >= FEWEST
    if unclear and still and not more.is_zero:
        bought.append(table.count(domain, names, spend=more))
        left -= more
        size = size_of(domain.schema, [noisy for once in bought for noisy in once])
    pair_stddev = noise_of_pairs(left)
    averages, stddev = _averaged(bought)
    groups = resolution(rows=size, pair_stddev=pair_stddev)
    counts = {name: to_simplex(cells, total=size) for name, cells in averages.items()}
    found = {
        name: groups_of(
            cells,
            stddev=stddev,
            pair_stddev=pair_stddev,
            groups=max(groups, FEWEST),
            ordered=ordered(domain, name),
            missing=domain.axes[name].missing_code,
        )
        for name, cells in counts.items()
    }
    coarse = domain.grouped({name: of for name, of in found.items() if max(of) + 1 < len(of)})
    learner = Learner(coarse)
    for name, cells in counts.items():
        learner.observe(_grouped(name, cells, found[name], stddev))
    clearness = size / max(pair_stddev, LEAST_NOISE)
    return Opening(coarse, size, counts, learner, prices, left, groups >= FEWEST, clearness)


def _once_more(budget: Budget, spent: Budget) -> Budget:
    """What counting the columns again may cost; nothing in PureDP, where two answers for half the
    price each are worth less than one."""
    return budget.zero() if isinstance(budget, PureDP) else (budget * MOST_ALONE).beyond(spent)


def _averaged(bought: Sequence[Sequence[Noisy]]) -> tuple[dict[str, Floats], float]:
    """Each column's answers, weighted by what they are worth, and the noise of their average."""
    precisions = [1.0 / max(answers[0].stddev, LEAST_NOISE) ** 2 for answers in bought]
    weights = np.array(precisions) / sum(precisions)
    averages = {
        answers[0].columns[0]: np.tensordot(weights, [one.values for one in answers], axes=1)
        for answers in zip(*bought, strict=True)
    }
    return averages, 1.0 / sqrt(sum(precisions))


def observed(noisy: Noisy) -> Observation:
    """A noisy marginal as the learner takes it."""
    return Observation(noisy.columns, noisy.values, noisy.stddev**2)


def _grouped(name: str, cells: Floats, groups: tuple[int, ...], stddev: float) -> Observation:
    """A column's counts by groups; the noise of a group is that of all its cells."""
    counts = np.bincount(groups, weights=cells)
    variances: Floats = np.bincount(groups) * np.float64(stddev**2)
    return Observation((name,), counts, variances)
