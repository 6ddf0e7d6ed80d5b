"""The pMSE of a release against the real rows, bought: noise on the score, with what it promises.

pMSE = a (1 - a) - GI / (n + k), with GI the least impurity of any tree of a depth, n real rows,
k synthetic ones and a = k / (n + k). GI is a sum over the leaves in rows, and one row moves it by
less than 1 (``gate/impurity.md``).

    n public      noise on GI alone, so on the pMSE with its own sensitivity, about 1 / (n + k)
    n private     noise on GI and on n, which are then combined

Privacy: one ``statistic`` with the whole budget (``gate/statistic.md``); all else is
post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Final, final

from understudy.gate.private_table import PrivateTable
from understudy.gate.statistics import IMPURITY_STEPS, SIZE_STEPS, LeastImpurity
from understudy.paid.cells import Scored, check_made_from, rows_of, scored
from understudy.privacy.budget import Budget, PureDP
from understudy.release.release import Release
from understudy.schema.measurement import NoisyVector
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

NORMAL_95: Final = 1.959964
LAPLACE_95: Final = log(20.0) / sqrt(2.0)
"""How many standard deviations hold 95% of Laplace noise, and more of a sum of such noises."""


@final
@dataclass(frozen=True, kw_only=True)
class PaidPMSE:
    """A noisy pMSE that may be published: unbiased noise, so it can fall below 0.

    ``stddev`` is the standard error that the noise gives it. ``rows`` is the number of real rows,
    public or noisy, ``synthetic`` that of synthetic rows. ``cost`` was charged for it, on top of
    what the release cost; it protects ``unit`` between these ``neighbours``.
    """

    value: float
    stddev: float
    depth: int
    rows: float
    synthetic: int
    cost: Budget
    neighbours: Neighbours
    unit: str

    @property
    def interval(self) -> tuple[float, float]:
        """Where the exact pMSE lies with 95% confidence, within what is possible."""
        wide = LAPLACE_95 if isinstance(self.cost, PureDP) else NORMAL_95
        low, high = (self.value + side * wide * self.stddev for side in (-1.0, 1.0))
        return min(max(low, 0.0), 0.25), min(max(high, 0.0), 0.25)

    @property
    def guarantee(self) -> str:
        """What was promised for this number alone, in words."""
        return f"{self.cost} for {self.unit}, {self.neighbours.value}"


def to_score(release: Release, schema: Schema, *, depth: int) -> Scored:
    """The release with the rows that it has, all copies together."""
    check_made_from([release], schema)
    return scored([release], schema, depth=depth, rows=float(rows_of(release)))


def paid_pmse(table: PrivateTable, one: Scored, *, spend: Budget) -> PaidPMSE:
    """Buy the pMSE of a release for ``spend``, PureDP, ZCDP or GDP."""
    public = table.schema.rows
    asked = LeastImpurity(one.score, sized=public is None)
    bought = table.statistic(one.domain, asked, spend=spend)
    value, stddev, rows = _combined(bought, public, one.score.rows)
    return PaidPMSE(
        value=value,
        stddev=stddev,
        depth=one.score.depth,
        rows=rows,
        synthetic=round(one.score.rows),
        cost=spend,
        neighbours=table.neighbours,
        unit=table.schema.unit.name,
    )


def _combined(bought: NoisyVector, public: int | None, k: float) -> tuple[float, float, float]:
    """The pMSE, its standard error to first order in the noise, and the number of rows."""
    gini = float(bought.values[0]) / IMPURITY_STEPS
    n = float(public) if public is not None else max(float(bought.values[1]) / SIZE_STEPS, 0.0)
    both = n + k
    by_gini = bought.stddev / IMPURITY_STEPS / both
    by_rows = (k * (k - n) / both**3 + gini / both**2) * bought.stddev / SIZE_STEPS
    stddev = by_gini if public is not None else sqrt(by_gini**2 + by_rows**2)
    return n * k / both**2 - gini / both, stddev, n
