"""``Answers``: what a planned workload was answered, and a model of it to draw rows from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from math import sqrt
from statistics import median
from typing import final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.project import to_simplex
from understudy.kernels.residuals import Residuals
from understudy.models.base import Model
from understudy.models.blueprint import Blueprint, Names
from understudy.models.coarsen import groups_of, ordered, resolution
from understudy.models.learner import Learner, Observation
from understudy.models.product import ProductModel
from understudy.models.refined import refined
from understudy.models.skeleton import grow
from understudy.schema.domain import Domain, GroupAxis
from understudy.schema.measurement import Noisy

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]


@final
class Answers:
    """What was measured by a plan, put together."""

    def __init__(self, plan: Blueprint, measured: Sequence[Noisy]) -> None:
        self._plan = plan
        self._told: Residuals = plan.answers(measured)

    @cached_property
    def size(self) -> float:
        """The number of rows: public, or the best estimate."""
        return max(float(self._told.marginal(())), 0.0)

    def marginal(self, columns: Names) -> Floats:
        """The unbiased answer to a member of the workload or a part of one."""
        return self._told.marginal(self._plan.number(columns))

    def stddev(self, columns: Names) -> float:
        """The standard deviation of each cell of ``marginal``."""
        return sqrt(self._told.variance(self._plan.number(columns)))

    def model(self, *, most_cells: int, rng: np.random.Generator) -> Model:
        """A model of independent columns if the workload has no relations; else a graphical one
        with as many of them as fit, over groups as fine as noise allows. Inside a group a cell
        follows its own column's counts."""
        fine, coarse = self._plan.coarse.fine, self._plan.coarse
        total = max(self.size, 1.0)
        counts = {name: to_simplex(self.marginal((name,)), total=total) for name in fine.columns}
        if not self._relations:
            return ProductModel(fine, self.size, {n: c / c.sum() for n, c in counts.items()})
        joined = {name: self._joined(name) for name in fine.columns}
        groups = {name: joined[name][_numbers(coarse, name)] for name in fine.columns}
        rough = fine.grouped(
            {name: of.tolist() for name, of in groups.items() if of.max() + 1 < of.size}
        )
        learner = Learner(rough)
        for name, cells in counts.items():
            variance = self.stddev((name,)) ** 2
            learner.observe(_summed((name,), cells, variance, [groups[name]]))
        candidates = [
            _summed(columns, self.marginal(columns), self.stddev(columns) ** 2, into)
            for columns in self._relations
            for into in [[joined[name] for name in columns]]
        ]
        grow(learner, candidates, self.size, most_cells=most_cells, rng=rng)
        return refined(learner.model(self.size), counts)

    @cached_property
    def _relations(self) -> list[Names]:
        """The relations of the workload and those inside them."""
        parts = [
            part
            for member in self._plan.members
            for width in range(2, len(member) + 1)
            for part in combinations(member, width)
        ]
        return list(dict.fromkeys(parts))

    @cached_property
    def _usual_stddev(self) -> float:
        """The standard deviation of a cell in the middle one of the relations."""
        return median(self.stddev(columns) for columns in self._relations)

    def _joined(self, name: str) -> Cells:
        """Groups of a column's cells, as relations have them, that stand out from their noise."""
        coarse = self._plan.coarse
        last = coarse.axes[name].size - 1
        stddev = self._usual_stddev
        number = self._plan.number((name,), in_groups=True)
        return np.array(
            groups_of(
                to_simplex(self._told.marginal(number), total=self.size),
                stddev=sqrt(self._told.variance(number)),
                pair_stddev=stddev,
                groups=max(resolution(rows=self.size, pair_stddev=stddev), 2),
                ordered=ordered(coarse.fine, name),
                missing=last if coarse.fine.axes[name].nullable else None,
            )
        )


def _numbers(domain: Domain, name: str) -> Cells:
    """The cell of this domain in which each cell of the finest one lies."""
    axis = domain.axes[name]
    return np.array(axis.groups) if isinstance(axis, GroupAxis) else np.arange(axis.size)


def _summed(columns: Names, cells: Floats, variance: float, groups: Sequence[Cells]) -> Observation:
    """Counts and variances by groups of the cells along each axis."""
    variances = np.array(variance)
    for axis, of in enumerate(groups):
        ones = np.zeros((int(of.max()) + 1, of.size))
        ones[of, np.arange(of.size)] = 1.0
        cells = np.moveaxis(np.tensordot(ones, cells, axes=(1, axis)), 0, axis)
        variances = np.multiply.outer(variances, ones.sum(axis=1))
    return Observation(columns, cells, variances)
