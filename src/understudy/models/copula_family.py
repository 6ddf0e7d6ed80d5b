"""The Gaussian copula with free margins: any column, any shape, one correlation for each pair.

Every column is a monotone picture of a normal one. Margins come from noisy one-way tables. A
correlation comes from a coarse noisy table of two columns, as the one at which the model expects
the product of their normal scores that was found. Categories take part in the order of their
levels; a missing number is a coin of its own, "missing" of other columns a cell like any other.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.normal import quantile
from understudy.kernels.rectangles import LARGEST, cells, rectangles
from understudy.models.cloud import Answer, Cloud, CloudPlan, Family, Grid, Question
from understudy.models.histogram import shares_of
from understudy.models.latent import nearest_correlation, rising
from understudy.models.latent_cloud import LatentCloud
from understudy.models.size import size_of
from understudy.schema.domain import BinAxis, Domain
from understudy.schema.measurement import Noisy

Floats = NDArray[np.float64]

COARSE: Final = 4
"""Into so many cells a numeric column is cut to find its correlations: few, for less noise."""
GUESSES: Final = np.linspace(-LARGEST, LARGEST, 129)


@final
@dataclass(frozen=True)
class CopulaFamily(Family):
    """Free margins, tied together by correlations."""

    def choosable(self, domain: Domain) -> bool:
        return len(_scored(domain)) > 1

    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        alone = tuple((name,) for name in domain.columns)
        pairs = tuple(combinations(_scored(domain), 2))
        half = Fraction(1, 2) if pairs else Fraction(1)
        counted = _tables((yield Question(domain, half, marginals=alone)))
        margins = Margins.of(domain, counted)
        found = np.zeros((plan.candidates, 0))
        if pairs:
            coarse = Grid.of(domain, margins.shares, most=COARSE)
            tables = _tables((yield Question(coarse.domain, half, marginals=pairs)))
            found = correlations_of(margins, coarse, tables, plan)
        return _cloud(margins, plan, pairs, found)


def _scored(domain: Domain) -> tuple[str, ...]:
    """The columns with correlations: public, whatever the answers will be."""
    uniform = {name: np.ones(axis.size) for name, axis in domain.axes.items()}
    return Grid.of(domain, uniform, most=COARSE).columns


@dataclass(frozen=True)
class Margins:
    """What one-way tables say: shares of cells, cuts between them, chances of missing, the size."""

    domain: Domain
    shares: Mapping[str, Floats]
    missing: Mapping[str, float]
    size: float

    @classmethod
    def of(cls, domain: Domain, counted: Sequence[Noisy]) -> Margins:
        """The nearest distributions to noisy one-way tables, one for each column."""
        size = size_of(domain.schema, counted)
        shares, missing = {}, {}
        for noisy in counted:
            (name,) = noisy.columns
            found = shares_of(noisy.values, size=size, negatives="project")
            shares[name], missing[name] = _apart(domain, name, found)
        return cls(domain, shares, missing, size)

    def cuts(self, name: str, parents: NDArray[np.uint16] | None = None) -> Floats:
        """The places between the cells of a column, or between runs of them."""
        upto = np.cumsum(self.shares[name])[:-1]
        if parents is not None:
            upto = upto[np.flatnonzero(np.diff(parents[: len(upto) + 1].astype(np.int64)))]
        return rising(quantile(np.clip(upto, 0.0, 1.0)))


def _apart(domain: Domain, name: str, found: Floats) -> tuple[Floats, float]:
    """The shares of a column's cells and the chance of its coin."""
    axis = domain.axes[name]
    if not (isinstance(axis, BinAxis) and axis.nullable):
        return found, 0.0
    there = float(found[:-1].sum())
    proper = found[:-1] / there if there > 0 else np.full(axis.proper, 1.0 / axis.proper)
    return proper, min(max(1.0 - there, 0.0), 1.0)


def correlations_of(
    margins: Margins, coarse: Grid, tables: Sequence[Noisy], plan: CloudPlan
) -> Floats:
    """A correlation per candidate and pair: that at which the products of scores are as found."""
    scores, values, spreads = {}, [], []
    for name in coarse.columns:
        cuts = margins.cuts(name, coarse.parents[name])
        scores[name] = cuts, _scores(cuts)
    for noisy in tables:
        f, g = noisy.columns
        (_, first), (_, second) = scores[f], scores[g]
        proper = noisy.values[: len(first), : len(second)]
        there = margins.size * (1.0 - margins.missing[f]) * (1.0 - margins.missing[g])
        rows = max(there, 1.0)
        values.append(first @ proper @ second / rows)
        spread = noisy.stddev * np.sqrt((first**2).sum() * (second**2).sum()) / rows
        spreads.append(spread)
    around = plan.around(np.array(values), np.array(spreads))
    lines = [
        _inverse(*scores[noisy.columns[0]], *scores[noisy.columns[1]], around[:, pair])
        for pair, noisy in enumerate(tables)
    ]
    return np.stack(lines, axis=1)


def _scores(cuts: Floats) -> Floats:
    """The mean of a normal column in each cell between cuts."""
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    density = np.exp(-(np.minimum(np.abs(ends), 40.0) ** 2) / 2.0) / np.sqrt(2.0 * np.pi)
    parts = cells(cuts)
    middle = np.clip((np.clip(ends[1:], -9.0, 9.0) + np.clip(ends[:-1], -9.0, 9.0)) / 2, -9.0, 9.0)
    means = (density[:-1] - density[1:]) / np.where(parts > 1e-9, parts, 1.0)
    return np.asarray(np.where(parts > 1e-9, means, middle))


def _inverse(
    cuts_f: Floats, first: Floats, cuts_g: Floats, second: Floats, wanted: Floats
) -> Floats:
    """The correlations at which the products of scores have these means, which rise with them."""
    tables = rectangles(cuts_f[None, :], cuts_g[None, :], GUESSES)
    means = np.einsum("i,mij,j->m", first, tables, second)
    if means[-1] - means[0] < 1e-9:  # a column with one cell tells nothing
        return np.zeros(len(wanted))
    return np.asarray(np.interp(wanted, np.maximum.accumulate(means), GUESSES))


def _cloud(
    margins: Margins, plan: CloudPlan, pairs: Sequence[tuple[str, ...]], found: Floats
) -> LatentCloud:
    domain = margins.domain
    names, columns = domain.columns, len(domain.columns)
    matrices = np.zeros((plan.candidates, columns, columns))
    for pair, (f, g) in enumerate(pairs):
        i, j = names.index(f), names.index(g)
        matrices[:, i, j] = matrices[:, j, i] = found[:, pair]
    return LatentCloud(
        domain=domain,
        grid=Grid.of(domain, margins.shares, most=plan.cells),
        size=margins.size,
        simulated=plan.simulated,
        cuts=tuple(margins.cuts(name) for name in names),
        missing=np.array([margins.missing[name] for name in names]),
        places=np.zeros((plan.candidates, columns)),
        scales=np.ones((plan.candidates, columns)),
        correlations=nearest_correlation(matrices),
    )


def _tables(answer: Answer) -> Sequence[Noisy]:
    assert isinstance(answer, Sequence)
    return answer
