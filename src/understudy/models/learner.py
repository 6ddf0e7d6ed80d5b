"""``Learner``: a graphical model that grows with every noisy marginal it is shown.

It keeps what was measured, one entry per marginal (a marginal measured twice is averaged by
precision), and the logarithms of the model's factors, so that the next fit starts from the last one
whatever the junction tree has become.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.count import count_marginals
from understudy.kernels.junction import JunctionTree, Positions, forecast, triangulate
from understudy.kernels.pairs import pair_marginals
from understudy.kernels.propagate import Propagation
from understudy.models.estimate import Fit, minimise
from understudy.models.graphical import GraphicalModel
from understudy.schema.domain import Domain

DRAWN_ROWS: Final = 2**17
USUAL_STEPS: Final = 200
"""The steps that a fit usually takes, where it may take more."""
Floats = NDArray[np.float64]
Columns = tuple[str, ...]


@dataclass(frozen=True)
class Observation:
    """Unbiased counts of a marginal and the variance of each cell (one for all, or one each)."""

    columns: Columns
    counts: NDArray[np.generic]
    variances: Floats | float


@final
class Learner:
    """Learns a distribution over a domain from observations of its marginals."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        # Narrow columns first: the last column of a clique is the one that loops run along.
        self._order = sorted(domain.columns, key=lambda name: (domain.axes[name].size, name))
        self._place = {name: place for place, name in enumerate(self._order)}
        self._sizes = domain.shape(self._order)
        self._sums: dict[Positions, tuple[Floats, Floats]] = {}
        self._logarithms: dict[Positions, Floats] = {}
        self._tree: JunctionTree = triangulate(self._sizes, [])
        self._tables: list[Floats] = []
        self._grown = False  # whether something was noted for which the tree has no place yet

    @property
    def cells(self) -> int:
        """The cells of the model as it is."""
        return self._tree.cells

    def cells_with(self, columns: Columns) -> int:
        """How many cells the model would have if this marginal were measured too."""
        wanted = self._positions(columns)
        if not self._grown and self._tree.holder(wanted) is not None:
            return self._tree.cells
        return forecast(self._sizes, [*self._sums, wanted])

    def observe(self, seen: Observation) -> None:
        """Note an observation; it counts from the next fit on."""
        columns = self._positions(seen.columns)
        turn = [seen.columns.index(self._order[place]) for place in columns]
        counts = np.asarray(seen.counts, dtype=np.float64).transpose(turn).ravel()
        spread = np.broadcast_to(np.asarray(seen.variances), seen.counts.shape)
        precisions = 1.0 / np.maximum(spread.transpose(turn).ravel(), 1e-12)
        self._grown |= columns not in self._sums
        sums, total = self._sums.get(columns, (np.zeros(counts.size), np.zeros(counts.size)))
        self._sums[columns] = (sums + precisions * counts, total + precisions)

    def fit(self, size: float, *, steps: int, tolerance: float, ahead: int = 0) -> None:
        """The distribution that fits everything noted so far, for a table of ``size`` rows.

        ``ahead`` is about how many steps later fits will take: a reason to load compiled code now.
        """
        rows = max(size, 1.0)
        measured = list(self._sums)
        self._tree, self._grown = triangulate(self._sizes, measured), False
        work = Propagation(self._tree, measured, steps=min(steps, USUAL_STEPS) + ahead)
        sums = np.concatenate([self._sums[columns][0] for columns in measured])
        precisions = np.concatenate([self._sums[columns][1] for columns in measured])
        start = np.concatenate(
            [
                self._logarithms.get(columns, np.zeros(slot.size))
                for columns, slot in zip(measured, work.measured, strict=True)
            ]
        )
        # Weights relative to the largest: a budget may be so large that squares overflow.
        most = precisions.max(initial=1e-300)
        noise = 0.5 / most / rows**2
        fit = minimise(
            work,
            sums / precisions / rows,
            precisions / most,
            start=start,
            steps=steps,
            tolerance=tolerance,
            noise=noise,
            usual=noise * len(precisions),
        )
        self._keep(work, fit, measured)

    def marginals(self, wanted: Sequence[Columns], rng: np.random.Generator) -> list[Floats]:
        """The share of each cell of these marginals, axes in the order of their columns.

        Those of three or more columns that lie in no clique are read off drawn rows.
        """
        placed = [self._positions(columns) for columns in wanted]
        pairs = {(one[0], one[1]) for one in placed if len(one) == 2}
        found: dict[Positions, Floats] = {}
        found.update(pair_marginals(self._tree, self._tables, pairs).items())
        rest = list(dict.fromkeys(one for one in placed if one not in found))
        held = [one for one in rest if self._tree.holder(one) is not None]
        found.update({one: self._summed(one) for one in held})
        found.update(self._drawn([one for one in rest if one not in found], rng))
        return [
            found[place].transpose(np.argsort(np.argsort([self._place[n] for n in columns])))
            for place, columns in zip(placed, wanted, strict=True)
        ]

    def model(self, size: float) -> GraphicalModel:
        """The distribution as a model that rows can be drawn from."""
        cliques = tuple(
            tuple(self._order[place] for place in clique) for clique in self._tree.cliques
        )
        return GraphicalModel(self.domain, size, cliques, tuple(self._tables))

    def _summed(self, columns: Positions) -> Floats:
        """A marginal inside a clique."""
        clique = self._tree.holder(columns)
        assert clique is not None
        held = self._tree.cliques[clique]
        rest = tuple(axis for axis, column in enumerate(held) if column not in columns)
        table: Floats = self._tables[clique].sum(axis=rest)
        return table

    def _drawn(
        self, wanted: Sequence[Positions], rng: np.random.Generator
    ) -> dict[Positions, Floats]:
        """Marginals of rows drawn from the model, so many that their noise hardly counts."""
        if not wanted:
            return {}
        drawn = self.model(float(DRAWN_ROWS)).draw(DRAWN_ROWS, rng).columns
        codes = [drawn[name] for name in self._order]
        tables = count_marginals(codes, self._sizes, wanted)
        return {one: table / DRAWN_ROWS for one, table in zip(wanted, tables, strict=True)}

    def _keep(self, work: Propagation, fit: Fit, measured: list[Positions]) -> None:
        self._tables = [work.table(fit.state, i) for i in range(len(self._tree.cliques))]
        for columns, slot in zip(measured, work.measured, strict=True):
            self._logarithms[columns] = fit.logarithms[slot.place]

    def _positions(self, columns: Sequence[str]) -> Positions:
        return tuple(sorted(self._place[name] for name in columns))
