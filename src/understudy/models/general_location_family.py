"""General location: a noisy table of category cells, numbers that are normal in each of them.

The categories' joint table is bought whole. A number's mean in a cell is its overall mean and an
effect of each category; effects are read off the noisy sums of the number over each level, shrunk
where those are mostly noise. What the cells leave unexplained is normal, with one covariance for
all cells. With one category this is the general location model of Olkin and Tate, with several the
restricted one, of main effects.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.kernels.rectangles import cells as normal_cells
from understudy.models.cloud import MOST_LEVELS, Answer, Cloud, CloudPlan, Family, Grid, Question
from understudy.models.general_location import categories_of, numbers_of
from understudy.models.general_location_cloud import (
    CategoryCells,
    GeneralLocationCloud,
    places_of,
)
from understudy.models.histogram import shares_of
from understudy.models.latent import nearest_correlation, rising
from understudy.models.moments import LEAST_VARIANCE, Found, Moments
from understudy.models.normal_family import fine_axis, is_number
from understudy.models.size import size_of
from understudy.schema.axes import least_cells
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.schema.measurement import Noisy, NoisyVector
from understudy.schema.moment import Feature, Moment
from understudy.schema.schema import Schema

Floats = NDArray[np.float64]

MOST_CELLS: Final = 2**15
"""The largest joint table of categories that makes sense: a larger one is mostly noise."""
MOST_SHARES: Final = 2**25
"""Shares of cells that are held at once, over all candidates: 256 MiB."""
LEAST_RIDGE: Final = 1e-9
LEAST_WITHIN: Final = 1e-3
"""The least part of a number's variance that the cells leave unexplained."""


@final
@dataclass(frozen=True)
class GeneralLocationFamily(Family):
    """Categories by their joint table, numbers normal in each of its cells."""

    def scope(self, schema: Schema) -> Schema:
        columns = {name: schema.columns[name] for name in schema.modelled}
        _check_cells({n: least_cells(one) for n, one in columns.items() if not is_number(one)})
        return schema

    def choosable(self, domain: Domain) -> bool:
        return any(
            isinstance(axis, BinAxis) or axis.size <= MOST_LEVELS for axis in domain.axes.values()
        )

    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        names, numbers = categories_of(domain), numbers_of(domain)
        _check_cells({name: domain.axes[name].size for name in names})
        table = CategoryCells(names, domain.shape(names))
        plan = replace(plan, candidates=min(plan.candidates, max(MOST_SHARES // table.size, 1)))
        share = Fraction(1, 2) if names and numbers else Fraction(1)
        size, shares = 1.0, np.ones((plan.candidates, 1))
        if names:
            (counted,) = _tables((yield Question(domain, share, marginals=(names,))))
            size, shares = size_of(domain.schema, [counted]), _shares(counted, domain, plan)
        if not numbers:
            return _without_numbers(domain, plan, table, size, shares)
        sums = Sums.of(domain, table)
        answer = yield Question(domain, share, moments=sums.asked)
        assert isinstance(answer, NoisyVector)
        return _with_numbers(plan, sums, shares, answer)


@dataclass(frozen=True)
class Sums:
    """What is asked about numbers: their moments, and their sums over each level of a category."""

    domain: Domain
    table: CategoryCells
    moments: Moments
    crossed: tuple[Moment, ...]

    @classmethod
    def of(cls, domain: Domain, table: CategoryCells) -> Sums:
        """Numbers in alphabetical order, for each of them every level that tells."""
        crossed = tuple(
            Moment((Feature(number), Feature(name, cell=level)))
            for number in numbers_of(domain)
            for name, size in table.telling.items()
            for level in range(size)
        )
        return cls(domain, table, Moments.of(domain.only(numbers_of(domain))), crossed)

    @property
    def asked(self) -> tuple[Moment, ...]:
        """All of them, in the order of the answer."""
        return (*self.moments.moments, *self.crossed)

    def found(self, lines: Floats) -> Found:
        """The moments, numbers in alphabetical order."""
        read = self.moments.read(lines[:, : len(self.moments.moments)])
        columns = self.moments.domain.columns
        order = np.array([columns.index(name) for name in numbers_of(self.domain)])
        return Found(
            read.size,
            read.missing[order],
            read.means[:, order],
            read.covariances[:, order[:, None], order],
        )

    def effects(self, lines: Floats, found: Found, shares: Floats, stddev: float) -> Floats:
        """Of each level on each number: shaped (candidates, levels, numbers).

        The sums mix the effects of levels that meet in a row. How often they meet is taken from
        the guess of the table, for all candidates; ridge regression unmixes them.
        """
        members = self.table.members
        meet = members.T @ (shares[:, None] * members)
        sums = lines[:, len(self.moments.moments) :]
        sums = sums.reshape(len(lines), len(found.missing), len(meet))
        there = max(found.size, 1.0) * np.maximum(1.0 - found.missing, 1.0 / max(found.size, 1.0))
        effects = []
        for i, rows in enumerate(there):
            gaps = sums[:, i] / rows - found.means[:, i, None] * np.diag(meet)
            ridge = max((stddev / rows / found.spreads[0, i]) ** 2, LEAST_RIDGE)
            left = meet @ meet + ridge * np.eye(len(meet))
            effects.append(np.linalg.solve(left, meet @ gaps.T).T)
        return np.stack(effects, axis=2)


def _shares(counted: Noisy, domain: Domain, plan: CloudPlan) -> Floats:
    """The nearest distribution to each line of possible tables."""
    cells = counted.values.ravel().astype(np.float64)
    size = size_of(domain.schema, [counted])
    lines = plan.around(cells, counted.stddev)
    return np.stack([shares_of(line, size=size, negatives="project") for line in lines])


def _with_numbers(
    plan: CloudPlan, sums: Sums, shares: Floats, answer: NoisyVector
) -> GeneralLocationCloud:
    lines = plan.around(np.asarray(answer.values, dtype=np.float64), answer.stddev)
    found = sums.found(lines)
    effects = sums.effects(lines, found, shares[0], answer.stddev)
    between = np.zeros_like(found.covariances)
    for m, table in enumerate(shares):
        gaps = places_of(sums.table, table, found.means[m], effects[m]) - found.means[m]
        between[m] = gaps.T @ (table[:, None] * gaps)
    within = found.covariances - between
    total = np.diagonal(found.covariances, axis1=1, axis2=2)
    least = np.maximum(LEAST_WITHIN * total, LEAST_VARIANCE)
    spreads = np.sqrt(np.clip(np.diagonal(within, axis1=1, axis2=2), least, 1.0))
    scales = spreads[:, :, None] * spreads[:, None, :]
    refined, cuts, margins = _refined(sums.domain, found)
    return GeneralLocationCloud(
        domain=refined,
        grid=Grid.of(refined, margins, most=plan.cells),
        size=found.size,
        simulated=plan.simulated,
        table=sums.table,
        tables=shares,
        means=found.means,
        effects=effects,
        spreads=spreads,
        correlations=nearest_correlation(within / scales),
        missing=found.missing,
        cuts=cuts,
    )


def _refined(
    domain: Domain, found: Found
) -> tuple[Domain, tuple[Floats, ...], Mapping[str, Floats]]:
    """Cells fine enough for a normal number, the cuts between them, about how likely each is."""
    axes: dict[str, Axis] = dict(domain.axes)
    cuts, margins = [], {}
    for i, name in enumerate(numbers_of(domain)):
        axis = domain.axes[name]
        assert isinstance(axis, BinAxis)
        low, high = axis.edges[0], axis.edges[-1] - axis.whole
        middle, half = low / 2 + high / 2, max(high / 2 - low / 2, 2.0**-500)
        mean, spread = found.means[0, i], found.spreads[0, i]
        column = domain.schema.columns[name]
        fine = fine_axis(column, axis, middle + half * mean, half * spread)
        axes[name] = fine
        cuts.append(rising((np.array(fine.edges[1:-1]) - 0.5 * fine.whole - middle) / half))
        margins[name] = normal_cells((cuts[-1] - mean) / spread)
    return Domain(domain.schema, axes), tuple(cuts), margins


def _without_numbers(
    domain: Domain, plan: CloudPlan, table: CategoryCells, size: float, shares: Floats
) -> GeneralLocationCloud:
    none = np.zeros((plan.candidates, 0))
    return GeneralLocationCloud(
        domain=domain,
        grid=Grid.of(domain, {}, most=plan.cells),
        size=size,
        simulated=plan.simulated,
        table=table,
        tables=shares,
        means=none,
        effects=np.zeros((plan.candidates, table.members.shape[1], 0)),
        spreads=none,
        correlations=np.zeros((plan.candidates, 0, 0)),
        missing=np.zeros(0),
        cuts=(),
    )


def _check_cells(sizes: Mapping[str, int]) -> None:
    """Refuse categories whose joint table would be mostly noise."""
    if prod(sizes.values()) <= MOST_CELLS:
        return
    widest = sorted(sizes.items(), key=lambda pair: -pair[1])[:3]
    named = ", ".join(f"{name!r} has {size:,}" for name, size in widest)
    raise UsageError(
        f"model='general-location' buys the joint table of all {len(sizes)} columns with levels, "
        f"and at most {MOST_CELLS:,} cells are allowed; of the columns, {named}. Choose columns "
        "(columns=...), or take model='copula'"
    )


def _tables(answer: Answer) -> Sequence[Noisy]:
    assert isinstance(answer, Sequence)
    return answer
