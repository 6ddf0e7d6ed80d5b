"""How methods that learn relations begin: one-way counts, and groups as fine as noise allows.

The noisy one-way counts are bought first. They give the size, the shares of each column's cells,
and the groups of cells over which relations are then measured; that is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.gate.private_table import PrivateTable
from understudy.kernels.project import to_simplex
from understudy.models.base import Model
from understudy.models.coarsen import groups_of, ordered, resolution
from understudy.models.learner import Learner, Observation
from understudy.models.refined import refined
from understudy.models.size import size_of
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy

Floats = NDArray[np.float64]

CHOICE_SHARE: Final = {PureDP: Fraction(1, 10), ZCDP: Fraction(1, 10), GDP: Fraction(1, 7)}
"""What choosing relations may cost, as a share of choosing and counting them: more where a choice
is dearer beside a count."""


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
    table: PrivateTable, domain: Domain, *, spend: Budget, later: Budget, relations: int
) -> Opening:
    """Buy the one-way counts; ``later`` will buy ``relations`` tables of two columns."""
    measured = table.count(domain, [(name,) for name in domain.columns], spend=spend)
    prices = Prices(spend * Fraction(1, len(measured)), measured[0].stddev)
    size = size_of(domain.schema, measured)
    counts = {noisy.columns[0]: to_simplex(noisy.values, total=size) for noisy in measured}
    pair_stddev = prices.stddev_for(later * Fraction(1, max(relations, 1)))
    groups = resolution(rows=size, pair_stddev=pair_stddev)
    found = {
        name: groups_of(
            cells,
            stddev=prices.stddev,
            pair_stddev=pair_stddev,
            groups=max(groups, 2),
            ordered=ordered(domain, name),
            missing=domain.axes[name].missing_code,
        )
        for name, cells in counts.items()
    }
    coarse = domain.grouped({name: of for name, of in found.items() if max(of) + 1 < len(of)})
    learner = Learner(coarse)
    for name, cells in counts.items():
        learner.observe(_grouped(name, cells, found[name], prices.stddev))
    clearness = size / max(pair_stddev, 1e-9)
    return Opening(coarse, size, counts, learner, prices, groups >= 2, clearness)


def observed(noisy: Noisy) -> Observation:
    """A noisy marginal as the learner takes it."""
    return Observation(noisy.columns, noisy.values, noisy.stddev**2)


def _grouped(name: str, cells: Floats, groups: tuple[int, ...], stddev: float) -> Observation:
    """A column's counts by groups; the noise of a group is that of all its cells."""
    counts = np.bincount(groups, weights=cells)
    variances: Floats = np.bincount(groups) * np.float64(stddev**2)
    return Observation((name,), counts, variances)
