"""The multivariate normal: noisy sums and sums of products say where its parameters lie.

Columns are numbers or dates. Bounds that the schema leaves open were bought; beyond them the tails
are the model's. A value is missing by a coin of its own, independent of all else.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.kernels.rectangles import cells
from understudy.models.cloud import Answer, Cloud, CloudPlan, Family, Grid, Question
from understudy.models.latent import nearest_correlation, rising
from understudy.models.latent_cloud import LatentCloud
from understudy.models.moments import Found, Moments
from understudy.schema.columns import Column, Date, Datetime, Number
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.schema.measurement import NoisyVector
from understudy.schema.schema import Schema
from understudy.schema.values import LARGEST_REAL

Floats = NDArray[np.float64]

FINE: Final = 256
"""Into so many cells a column is cut where the schema does not say how many bins it has."""
TAIL: Final = 6.0
"""How far beyond bought bounds the model reaches, in standard deviations from the mean."""


@final
@dataclass(frozen=True)
class NormalFamily(Family):
    """All columns jointly normal."""

    def scope(self, schema: Schema) -> Schema:
        check_numbers(schema)
        return schema

    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        found = yield from found_moments(domain, plan)
        scales = found.spreads[:, :, None] * found.spreads[:, None, :]
        return cloud_of(domain, plan, found, nearest_correlation(found.covariances / scales))


def found_moments(domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Found]:
    """Ask for all moments at once; a line of what they suggest per candidate, the guess first."""
    wanted = Moments.of(domain)
    answer = yield Question(domain, Fraction(1), moments=wanted.moments)
    assert isinstance(answer, NoisyVector)
    noisy = np.asarray(answer.values, dtype=np.float64)
    return wanted.read(plan.around(noisy, answer.stddev))


def check_numbers(schema: Schema) -> None:
    """Refuse columns of which nothing is normal."""
    wrong = [name for name in schema.modelled if not is_number(schema.columns[name])]
    if wrong:
        raise UsageError(
            f"a normal model takes numbers and dates; {', '.join(map(repr, wrong))} are none. "
            "Choose columns (columns=...), or take model='copula'"
        )


def cloud_of(domain: Domain, plan: CloudPlan, found: Found, correlations: Floats) -> LatentCloud:
    """The candidates with these parameters, on cells fine enough for a normal column."""
    axes: dict[str, Axis] = {}
    cuts, shares = [], {}
    for i, (name, axis) in enumerate(domain.axes.items()):
        assert isinstance(axis, BinAxis)
        low, high = axis.edges[0], axis.edges[-1] - axis.whole
        middle, half = low / 2 + high / 2, max(high / 2 - low / 2, 2.0**-500)
        mean, spread = middle + half * found.means[0, i], half * found.spreads[0, i]
        fine = fine_axis(domain.schema.columns[name], axis, mean, spread)
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
        correlations=correlations,
    )


def fine_axis(column: Column, axis: BinAxis, mean: float, spread: float) -> BinAxis:
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


def is_number(column: Column) -> bool:
    """Whether a normal column can stand for it."""
    return isinstance(column, Number | Date | Datetime)
