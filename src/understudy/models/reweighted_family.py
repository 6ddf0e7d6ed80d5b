"""Reweighting: what another method fitted, and candidates that keep its rows more or less often.

A candidate tilts a model's rows by exp(s (u - p)(v - q)): u and v say whether two columns lie above
a cut, p and q are their means among rows of the model, s is the strength. That changes how the two
columns go together and leaves each alone, nearly, where it was. Pairs, cuts and strengths are drawn
from public random numbers; the first candidate is the model as it is. Scores come from one sample
of the model, the same for all of them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.models.base import Model
from understudy.models.cloud import COMMON, Answer, Cloud, CloudPlan, Family, Grid, Question
from understudy.models.reweighted import Reweighted
from understudy.schema.domain import BinAxis, Domain

Floats = NDArray[np.float64]

STRENGTHS: Final = (0.25, -0.25, 0.5, -0.5, 1.0, -1.0, 2.0, -2.0)


@final
@dataclass(frozen=True)
class ReweightedFamily(Family):
    """Tilts of a model that was fitted by the method ``plan.base``."""

    def choosable(self, domain: Domain) -> bool:
        return any(size > 1 for size in _scored(domain))

    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        model = yield Question(domain, Fraction(1), method=plan.base)
        assert isinstance(model, Model)
        return ReweightedCloud.of(model, plan)


def _scored(domain: Domain) -> tuple[int, ...]:
    """How many cells each scored column has: public."""
    uniform = {name: np.ones(axis.size) for name, axis in domain.axes.items()}
    grid = Grid.of(domain, uniform, most=2)
    return grid.sizes if grid.parents else ()


@dataclass(frozen=True)
class Tilts:
    """A line per candidate: which columns, above which of their cells, how strongly."""

    columns: NDArray[np.int64]
    cuts: NDArray[np.int64]
    strengths: Floats

    @classmethod
    def of(cls, sizes: Sequence[int], candidates: int) -> Tilts:
        """Random pairs of scored columns with something to tell; of one column if there is one."""
        rng = np.random.default_rng(COMMON)
        able = np.flatnonzero(np.array(sizes) > 1)
        order = np.argsort(rng.random((candidates, len(able))), axis=1)[:, :2]
        columns = able[order]
        cuts = 1 + (rng.random(columns.shape) * (np.array(sizes)[columns] - 1)).astype(np.int64)
        strengths = np.resize(STRENGTHS, candidates)
        strengths[0] = 0.0
        return cls(columns, cuts, strengths)


@final
@dataclass(frozen=True, eq=False)
class ReweightedCloud(Cloud):
    """A model, one sample of it in scored cells, and what each candidate does to its weights."""

    inner: Model
    grid: Grid
    size: float
    simulated: int
    rows: tuple[NDArray[np.uint16], ...]
    tilts: Tilts

    @classmethod
    def of(cls, model: Model, plan: CloudPlan) -> ReweightedCloud:
        """The cloud around this model; its domain may be finer than the one that was asked."""
        codes = model.draw(plan.simulated, np.random.default_rng(COMMON)).columns
        shares: dict[str, Floats] = {
            name: np.bincount(codes[name], minlength=axis.size).astype(np.float64) + 1.0
            for name, axis in model.domain.axes.items()
            if isinstance(axis, BinAxis)
        }
        grid = Grid.of(model.domain, shares, most=plan.cells)
        rows = tuple(grid.parents[name][codes[name]] for name in grid.columns)
        tilts = Tilts.of(grid.sizes, plan.candidates)
        return cls(model, grid, model.total, plan.simulated, rows, tilts)

    @property
    def candidates(self) -> int:
        return len(self.tilts.strengths)

    def model(self, index: int) -> Model:
        names, logs = [], np.full((), self.tilts.strengths[index])
        for column, cut in zip(self.tilts.columns[index], self.tilts.cuts[index], strict=True):
            name = self.grid.columns[column]
            names.append(name)
            logs = np.multiply.outer(
                logs, (self.grid.parents[name] >= cut) - self._above(column, cut)
            )
        return Reweighted(self.inner, tuple(names), logs)

    def _above(self, column: int, cut: int) -> float:
        return float((self.rows[column] >= cut).mean())

    def _weights(self, index: int) -> Floats:
        logs = np.full(self.simulated, self.tilts.strengths[index])
        for column, cut in zip(self.tilts.columns[index], self.tilts.cuts[index], strict=True):
            logs *= (self.rows[column] >= cut) - self._above(column, cut)
        weights = np.exp(logs)
        found: Floats = weights / weights.sum()
        return found

    def shares(self, tables: Sequence[tuple[str, ...]], start: int, stop: int) -> Floats:
        names = self.grid.columns
        places, sizes = [], []
        for table in tables:
            chosen = [names.index(name) for name in table]
            shape = [self.grid.sizes[column] for column in chosen]
            rows = [self.rows[column] for column in chosen]
            places.append(np.ravel_multi_index(rows, shape))
            sizes.append(int(np.prod(shape)))
        lines = []
        for index in range(start, stop):
            weights = self._weights(index)
            pairs = zip(places, sizes, strict=True)
            lines.append([np.bincount(at, weights, minlength=size) for at, size in pairs])
        return np.stack([np.concatenate(line) for line in lines])
