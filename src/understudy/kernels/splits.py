"""How to split a privacy budget over marginals so that a fixed workload is answered best.

Two optima, both known before anything is spent:

``residual_optimum``  the best that any Gaussian mechanism can do, in closed form: one query for
                      each residual, its variance proportional to sqrt(freedom / demand).
``best_split``        the best shares for ordinary marginals with independent noise, the workload's
                      own and all smaller ones: a convex problem with a certified gap (for Laplace
                      noise a local optimum).

The workload's residuals are estimated by inverse variances (residuals.py), so the variance of each
marginal is known in closed form for any shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.residuals import Columns, closure, freedom, spread, subsets

Floats = NDArray[np.float64]
Loss = Literal["distance", "variance"]
Law = Literal["gaussian", "laplace"]

CLOSE: Final = 1e-4
STEPS: Final = 3000
LEAST_SHARE: Final = 1e-3
"""A share below this part of the average one is not worth a measurement of its own."""
TINY: Final = 1e-300


@final
@dataclass(frozen=True)
class Workload:
    """Marginals to be answered well, over numbered columns with ``sizes`` cells.

    If the total is known it costs nothing and carries no error. ``importance`` says how much each
    marginal counts; all count alike if it is left out.
    """

    marginals: tuple[Columns, ...]
    sizes: tuple[int, ...]
    total_known: bool = False
    importance: tuple[float, ...] = ()

    @cached_property
    def parts(self) -> list[Columns]:
        """Every set of columns with a residual in the workload; the empty one is first."""
        return closure(self.marginals)

    @cached_property
    def cells(self) -> Floats:
        """The number of cells of each marginal."""
        return np.array([prod(self.sizes[c] for c in one) for one in self.marginals], float)

    @cached_property
    def counted(self) -> Floats:
        """The part of the loss that each marginal makes up; they sum to 1."""
        amounts = self.importance or (1.0,) * len(self.marginals)
        return np.array(amounts) / sum(amounts)

    @cached_property
    def freedoms(self) -> Floats:
        """The squared length of one row inside each residual."""
        return np.array([freedom(part, self.sizes) for part in self.parts])

    @cached_property
    def inside(self) -> _Pairs:
        """For every marginal, the residuals it is made of."""
        return _pairs(self.marginals, self)

    @cached_property
    def told(self) -> _Pairs:
        """For every set that can be measured (``parts``), the residuals it tells about."""
        return _pairs(self.parts, self)

    def variances(self, residuals: Floats) -> Floats:
        """The variance of a cell of each marginal, from that of each residual."""
        pairs = self.inside
        each = (self.freedoms * residuals)[pairs.part] / pairs.spread**2
        return _summed(pairs.whole, each, len(self.marginals))

    def demand(self, weights: Floats) -> Floats:
        """How much the weighted sum of the marginals' variances grows with each residual's."""
        pairs = self.inside
        each = weights[pairs.whole] * self.freedoms[pairs.part] / pairs.spread**2
        demand = _summed(pairs.part, each, len(self.parts))
        if self.total_known:
            demand[0] = 0.0
        return demand

    def residuals(self, precisions: Floats) -> Floats:
        """The variance of each residual, if each set is measured with this precision."""
        pairs = self.told
        known = _summed(pairs.part, precisions[pairs.whole] / pairs.spread, len(self.parts))
        # Of a column with one cell there is nothing to know, whether it is measured or not.
        residuals = 1.0 / np.where(self.freedoms > 0, known, 1.0)
        if self.total_known:
            residuals[0] = 0.0
        return residuals


@final
@dataclass(frozen=True)
class Split:
    """Shares of the budget for marginals; they sum to 1.

    ``loss`` is the workload's at a budget that buys variance 1 for one marginal; ``gap`` is by how
    much of itself it could at most be lower, or None where that is not known.
    """

    marginals: tuple[Columns, ...]
    shares: Floats
    loss: float
    gap: float | None


@dataclass(frozen=True)
class _Pairs:
    """Which residual (``part``) lies in which set (``whole``), spread over how many cells."""

    whole: NDArray[np.intp]
    part: NDArray[np.intp]
    spread: Floats


def residual_optimum(workload: Workload, *, weights: Floats | None = None) -> Floats:
    """The variance of each residual (``workload.parts``) in the best Gaussian plan of all.

    At privacy cost 1, the price of one row's marginal with variance 1; what is least is the sum of
    all cells' variances, each marginal's counted ``weights`` times.
    """
    times = np.ones(len(workload.marginals)) if weights is None else weights
    demand = workload.demand(times * workload.cells)
    free = workload.freedoms
    needed = (demand > 0) & (free > 0)
    variances = np.zeros(len(demand))
    variances[needed] = np.sqrt(free[needed] / demand[needed])
    variances[needed] *= np.sqrt(free[needed] * demand[needed]).sum()
    return variances


def loss_of(workload: Workload, residuals: Floats, loss: Loss) -> float:
    """The workload's loss: the mean over its marginals of what noise does to each.

    ``variance``: the sum of the cells' variances. ``distance``: the sum of their standard
    deviations, in proportion to the expected total variation distance.
    """
    variances = workload.variances(residuals)
    each = variances if loss == "variance" else np.sqrt(variances)
    return float(workload.counted @ (workload.cells * each))


def best_split(workload: Workload, *, loss: Loss = "distance", law: Law = "gaussian") -> Split:
    """The shares for which the workload's loss is least."""
    power = 1 if law == "gaussian" else 2
    starts = [np.ones(len(workload.parts))]
    if power == 2:  # not convex: also begin with the workload's marginals alone
        wanted = {tuple(sorted(one)) for one in workload.marginals}
        starts.append(np.array([1.0 if part in wanted else 1e-6 for part in workload.parts]))
    return min((_descend(workload, start, loss, power) for start in starts), key=lambda s: s.loss)


def _descend(workload: Workload, start: Floats, loss: Loss, power: int) -> Split:
    """Steps that never raise the loss, until the gap closes or nothing changes any more.

    A share s buys precision s^power. Each step is exact for a bound of the loss that touches it at
    the present shares (1 / sum of precisions lies below the weighted mean of their inverses).
    """
    shares = np.where([len(part) > 0 for part in workload.parts], start, 0.0)
    shares /= shares.sum()
    before, gap = np.inf, 1.0
    for _ in range(STEPS):
        precisions = shares**power
        residuals = workload.residuals(precisions)
        present = loss_of(workload, residuals, loss)
        if present == 0:  # constant columns of a known total: whatever is asked, all is known
            return _kept(workload, shares, loss, power, 0.0)
        gain = _gain(workload, residuals, loss)
        degree = 1.0 if loss == "variance" else 0.5
        gap = float(gain[1:].max() / present - degree) if power == 1 else before / present - 1.0
        if gap < (CLOSE if power == 1 else CLOSE**2):
            break
        before = present
        shares = (precisions**2 * gain) ** (1.0 / (power + 1))
        shares /= shares.sum()
    return _kept(workload, shares, loss, power, gap if power == 1 else None)


def _gain(workload: Workload, residuals: Floats, loss: Loss) -> Floats:
    """How fast the loss falls with the precision of each set that can be measured."""
    weights = workload.cells * workload.counted
    if loss == "distance":
        weights = weights / (2.0 * np.sqrt(np.maximum(workload.variances(residuals), TINY)))
    worth = workload.demand(weights) * residuals**2
    pairs = workload.told
    return _summed(pairs.whole, worth[pairs.part] / pairs.spread, len(workload.parts))


def _kept(workload: Workload, shares: Floats, loss: Loss, power: int, gap: float | None) -> Split:
    """The split without shares too small to matter; what no larger set tells about stays."""
    alone = (np.bincount(workload.told.part) == 1) & (workload.freedoms > 0)
    wanted = np.flatnonzero((shares >= LEAST_SHARE / len(shares)) | (alone & (shares > 0)))
    kept = np.zeros(len(shares))
    kept[wanted] = shares[wanted] / shares[wanted].sum()
    final_loss = loss_of(workload, workload.residuals(kept**power), loss)
    return Split(tuple(workload.parts[i] for i in wanted), kept[wanted], final_loss, gap)


def _summed(places: NDArray[np.intp], values: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(places, values, count), dtype=np.float64)


def _pairs(sets: Sequence[Columns], workload: Workload) -> _Pairs:
    places = {part: place for place, part in enumerate(workload.parts)}
    found = [
        (whole, places[part], spread(one, part, workload.sizes))
        for whole, one in enumerate(sets)
        for part in subsets(tuple(sorted(one)))
    ]
    whole, part, over = (np.array(column) for column in zip(*found, strict=True))
    return _Pairs(whole.astype(np.intp), part.astype(np.intp), over.astype(np.float64))
