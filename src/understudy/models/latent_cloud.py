"""``LatentCloud``: candidates that are correlated normal columns seen through cuts.

What trees of depth 1 and 2 need is known by formula, so nothing is simulated for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.rectangles import cells, rectangles
from understudy.models.cloud import Cloud, Grid
from understudy.models.latent import LatentNormal, rising
from understudy.schema.domain import BinAxis, Domain

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class LatentCloud(Cloud):
    """Cuts of a guess, and per candidate where each column lies relative to it.

    Candidate m has the cuts (cut - places[m]) / scales[m]. Columns of ``places``, ``scales`` and
    ``correlations`` are those of the domain.
    """

    domain: Domain
    grid: Grid
    size: float
    simulated: int
    cuts: tuple[Floats, ...]
    missing: Floats
    places: Floats
    scales: Floats
    correlations: Floats

    @property
    def candidates(self) -> int:
        return len(self.correlations)

    def model(self, index: int) -> LatentNormal:
        moved = tuple(
            rising((cut - self.places[index, i]) / self.scales[index, i])
            for i, cut in enumerate(self.cuts)
        )
        return LatentNormal(self.domain, self.size, moved, self.missing, self.correlations[index])

    def shares(self, tables: Sequence[tuple[str, ...]], start: int, stop: int) -> Floats:
        if max(map(len, tables)) > 2:
            return super().shares(tables, start, stop)
        chosen = slice(start, stop)
        cuts = {name: self._scored(name, chosen) for name in self.grid.columns}
        lines = [self._table(table, cuts, chosen) for table in tables]
        return np.concatenate([line.reshape(len(line), -1) for line in lines], axis=1)

    def _scored(self, name: str, chosen: slice) -> Floats:
        """The cuts between the scored cells of a column, a line per candidate."""
        i = self.domain.columns.index(name)
        runs = self.grid.parents[name][: len(self.cuts[i]) + 1].astype(np.int64)
        kept = self.cuts[i][np.flatnonzero(np.diff(runs))]
        moved: Floats = (kept - self.places[chosen, i, None]) / self.scales[chosen, i, None]
        return moved

    def _table(self, table: tuple[str, ...], cuts: dict[str, Floats], chosen: slice) -> Floats:
        alone = [self._with_missing(cells(cuts[name]), name, axis=1) for name in table]
        if len(table) == 1:
            return alone[0]
        first, second = table
        i, j = (self.domain.columns.index(name) for name in table)
        joint = rectangles(cuts[first], cuts[second], self.correlations[chosen, i, j])
        joint = self._with_missing(joint, second, axis=2)
        if self._coin(first):
            # a coin is independent of all else: in its row the second column is as ever
            missing = self.missing[i] * alone[1][:, None, :]
            joint = np.concatenate([joint * (1.0 - self.missing[i]), missing], axis=1)
        return joint

    def _with_missing(self, shares: Floats, name: str, *, axis: int) -> Floats:
        if not self._coin(name):
            return shares
        chance = self.missing[self.domain.columns.index(name)]
        lost = shares.sum(axis=axis, keepdims=True) * chance
        return np.concatenate([shares * (1.0 - chance), lost], axis=axis)

    def _coin(self, name: str) -> bool:
        axis = self.domain.axes[name]
        return isinstance(axis, BinAxis) and axis.nullable
