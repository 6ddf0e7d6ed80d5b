"""The multivariate normal: noisy sums and sums of products say where its parameters lie.

Columns are numbers or dates. Bounds that the schema leaves open were bought; beyond them the tails
are the model's. A value is missing by a coin of its own, independent of all else.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.kernels.rectangles import cells
from understudy.models.cloud import Answer, Cloud, CloudPlan, Family, Grid, Question
from understudy.models.latent import nearest_correlation, rising
from understudy.models.latent_cloud import LatentCloud
from understudy.schema.columns import Column, Date, Datetime, Number
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.schema.measurement import NoisyVector
from understudy.schema.moment import Feature, Moment
from understudy.schema.schema import Schema
from understudy.schema.values import LARGEST_REAL

Floats = NDArray[np.float64]

FINE: Final = 256
"""Into so many cells a column is cut where the schema does not say how many bins it has."""
TAIL: Final = 6.0
"""How far beyond bought bounds the model reaches, in standard deviations from the mean."""
LEAST_VARIANCE: Final = 1e-8
"""Of a column scaled to [-1, 1]."""


@final
@dataclass(frozen=True)
class NormalFamily(Family):
    """All columns jointly normal."""

    def scope(self, schema: Schema) -> Schema:
        wrong = [name for name in schema.modelled if not _is_number(schema.columns[name])]
        if wrong:
            raise UsageError(
                f"a normal model takes numbers and dates; {', '.join(map(repr, wrong))} are none. "
                "Choose columns (columns=...), or take model='copula'"
            )
        return schema

    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        wanted = _Moments.of(domain)
        answer = yield Question(domain, Fraction(1), moments=wanted.moments)
        assert isinstance(answer, NoisyVector)
        noisy = np.asarray(answer.values, dtype=np.float64)
        return cloud_of(domain, plan, wanted.read(plan.around(noisy, answer.stddev)))


@dataclass(frozen=True)
class Parameters:
    """Per candidate, on the scale where the bounds are -1 and 1; the first line is the guess."""

    size: float
    missing: Floats
    means: Floats
    spreads: Floats
    correlations: Floats


@dataclass(frozen=True)
class _Moments:
    """The sums to ask for, and what they say. Columns in alphabetical order."""

    domain: Domain
    moments: tuple[Moment, ...]
    place: dict[Moment, int] = field(repr=False)

    @classmethod
    def of(cls, domain: Domain) -> _Moments:
        names = sorted(domain.columns)
        size = () if domain.schema.rows is not None else (Moment(),)
        missing = [_missing(domain, name) for name in names]
        firsts = [Moment((Feature(name),)) for name in names]
        seconds = [_product(f, g) for f, g in combinations_with_replacement(names, 2)]
        moments = (*size, *(one for one in missing if one), *firsts, *seconds)
        return cls(domain, moments, {one: i for i, one in enumerate(moments)})

    def read(self, sums: Floats) -> Parameters:
        """The parameters that each line of sums suggests; the first line gives the size."""
        names, rows = self.domain.columns, self.domain.schema.rows
        counted = sums[:, self.place[Moment()]] if rows is None else np.full(len(sums), rows)
        size = np.maximum(counted, 1.0)
        missing = np.stack([self._missing_share(name, sums, size) for name in names], axis=1)
        there = np.maximum(1.0 - missing, 1.0 / size[:, None])
        means = np.stack([sums[:, self.place[Moment((Feature(f),))]] for f in names], axis=1)
        means = np.clip(means / size[:, None] / there, -1.0, 1.0)
        products = np.stack(
            [[sums[:, self.place[_product(f, g)]] for g in names] for f in names]
        ).transpose(2, 0, 1)
        both = there[:, :, None] * there[:, None, :]
        diagonal = range(len(names))
        both[:, diagonal, diagonal] = there
        covariance = products / size[:, None, None] / both - means[:, :, None] * means[:, None, :]
        spreads = np.sqrt(np.clip(covariance[:, diagonal, diagonal], LEAST_VARIANCE, 1.0))
        correlations = covariance / spreads[:, :, None] / spreads[:, None, :]
        return Parameters(
            float(max(counted[0], 0.0)),
            missing[0],
            means,
            spreads,
            nearest_correlation(correlations),
        )

    def _missing_share(self, name: str, sums: Floats, size: Floats) -> Floats:
        asked = _missing(self.domain, name)
        if asked is None:
            return np.zeros(len(sums))
        return np.clip(sums[:, self.place[asked]] / size, 0.0, 1.0)


def cloud_of(domain: Domain, plan: CloudPlan, found: Parameters) -> LatentCloud:
    """The candidates with these parameters, on cells fine enough for a normal column."""
    axes: dict[str, Axis] = {}
    cuts, shares = [], {}
    for i, (name, axis) in enumerate(domain.axes.items()):
        assert isinstance(axis, BinAxis)
        low, high = axis.edges[0], axis.edges[-1] - axis.whole
        middle, half = low / 2 + high / 2, max(high / 2 - low / 2, 2.0**-500)
        mean, spread = middle + half * found.means[0, i], half * found.spreads[0, i]
        fine = _fine(domain.schema.columns[name], axis, mean, spread)
        inner = np.array(fine.edges[1:-1]) - 0.5 * fine.whole
        axes[name] = fine
        cuts.append(rising((inner - mean) / spread))
        shares[name] = cells(cuts[-1])
    refined = Domain(domain.schema, axes)
    return LatentCloud(
        domain=refined,
        grid=Grid.of(refined, shares, most=plan.cells),
        size=found.size,
        simulated=plan.simulated,
        cuts=tuple(cuts),
        missing=found.missing,
        places=(found.means - found.means[0]) / found.spreads[0],
        scales=found.spreads / found.spreads[0],
        correlations=found.correlations,
    )


def _fine(column: Column, axis: BinAxis, mean: float, spread: float) -> BinAxis:
    """Many even cells from bound to bound, and further where a bound was bought."""
    low, high = axis.edges[0], axis.edges[-1]
    if isinstance(column, Number):
        if column.bins is not None:
            return axis
        low = low if column.min is not None else max(min(low, mean - TAIL * spread), -LARGEST_REAL)
        high = (
            high if column.max is not None else min(max(high, mean + TAIL * spread), LARGEST_REAL)
        )
    edges = np.linspace(low, high, FINE + 1)
    if axis.whole:
        edges = np.append(np.floor(edges[:-1]), np.ceil(edges[-1]))
    edges = np.unique(edges)
    if len(edges) < 2 or not np.isfinite(edges).all():
        return axis
    return BinAxis(nullable=axis.nullable, edges=tuple(edges.tolist()), whole=axis.whole)


def _missing(domain: Domain, name: str) -> Moment | None:
    code = domain.axes[name].missing_code
    return None if code is None else Moment((Feature(name, cell=code),))


def _product(f: str, g: str) -> Moment:
    return Moment((Feature(f), Feature(g)))


def _is_number(column: Column) -> bool:
    return isinstance(column, Number | Date | Datetime)
