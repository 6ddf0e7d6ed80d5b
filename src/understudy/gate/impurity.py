"""How well trees tell public candidates from the rows: the loss behind the pMSE mechanism.

A candidate says how many rows it would have in each cell; real rows are known by the same tables.
The better any tree of the family tells the two apart, the smaller the least impurity, and the worse
the candidate. Proof: impurity.md. ``tests/gate/test_impurity.py`` attacks it on all neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final, Literal, Protocol, final, get_args

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.losses import Loss
from understudy.gate.scores import MOST_ROWS, PARTS_OF_A_ROW
from understudy.gate.select import SLACK, UNITS, on_grid
from understudy.gate.sensitivity import impurity
from understudy.kernels.impurity import MAX_DEPTH, cell_ginis, least_ginis, tables_of
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Leaves = Literal["trees", "cells"]
BLOCK_CELLS: Final = 2**22
"""Expected cells that are held at once: 32 MiB."""


class Expected(Protocol):
    """Public candidates, each known by the share of its rows in every cell. Pure."""

    @property
    def names(self) -> Sequence[str]:
        """What the ledger calls them; empty if they follow from the answers before."""

    @property
    def candidates(self) -> int:
        """How many there are."""

    def shares(self, tables: Sequence[tuple[str, ...]], start: int, stop: int) -> Floats:
        """A line for each candidate from ``start`` to ``stop``: its tables, flattened, in order."""


@final
@dataclass(frozen=True, eq=False)
class TreeImpurity(Loss):
    """The impurity of the tree that tells ``rows`` expected rows of a candidate best from the real.

    ``leaves = "trees"`` takes the best of all trees of this depth over the cells; ``"cells"`` takes
    all cells of every table over ``depth`` columns as leaves and the mean over these tables. A leaf
    costs ``penalty`` more and holds at least ``least`` expected rows. ``rows`` is public or bought.
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    expected: Expected
    rows: float
    depth: int = 2
    leaves: Leaves = "trees"
    penalty: float = 0.0
    least: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MAX_DEPTH or self.leaves not in get_args(Leaves):
            raise UsageError("trees have depth 1, 2 or 3, and the leaves are 'trees' or 'cells'")
        if not self.columns or len(self.columns) != len(self.sizes) or self.expected.candidates < 1:
            raise UsageError("give one or more columns, the size of each, and a candidate")
        if not 0.0 < self.rows <= MOST_ROWS:
            raise UsageError("the candidates' number of rows lies above 0 and up to 2^41")
        if not (0.0 <= self.penalty <= MOST_ROWS and 0.0 <= self.least <= MOST_ROWS):
            raise UsageError("penalty and least are numbers of rows that are not negative")
        if not type(self.expected).__module__.startswith("understudy.models."):
            raise UsageError(
                f"{type(self.expected).__name__} is no set of candidates of understudy.models; "
                "only those are known to be pure. Add it there"
            )

    @property
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        chosen = tables_of(len(self.columns), self.depth)
        return tuple(tuple(self.columns[f] for f in table) for table in chosen)

    @property
    def candidates(self) -> int:
        return self.expected.candidates

    @property
    def detail(self) -> dict[str, Any]:
        names = {"names": list(self.expected.names)} if self.expected.names else {}
        return {
            **names,
            "columns": list(self.columns),
            "depth": self.depth,
            "leaves": self.leaves,
            "rows": self.rows,
            "penalty": self.penalty,
            "least": self.least,
        }

    def sensitivity(self, neighbours: Neighbours, contribution: int) -> int:
        return impurity(contribution) * UNITS + SLACK

    def monotone(self, neighbours: Neighbours) -> bool:
        return neighbours is Neighbours.ADD_REMOVE

    def check(self, domain: Domain) -> None:
        if domain.shape(self.columns) != self.sizes:
            raise UsageError(
                f"the candidates are scored on {self.sizes} cells, the columns "
                f"{', '.join(self.columns)} have {domain.shape(self.columns)}"
            )

    def __call__(self, exact: Sequence[Counts]) -> Counts:
        return -on_grid(self.ginis(exact), Fraction(1))

    def ginis(self, exact: Sequence[Counts]) -> Floats:
        """The impurity of each candidate, in rows."""
        real = np.concatenate([table.ravel() for table in exact]).astype(np.float64)
        each = max(1, BLOCK_CELLS // real.size)
        found = np.empty(self.candidates)
        for start in range(0, self.candidates, each):
            stop = min(start + each, self.candidates)
            found[start:stop] = self._block(real, self._counts(start, stop))
        return found

    def _block(self, real: Floats, expected: Floats) -> Floats:
        if self.leaves == "cells":
            return cell_ginis(real, expected, self.sizes, depth=self.depth)
        return least_ginis(
            real,
            expected,
            self.sizes,
            depth=self.depth,
            penalty=self.penalty,
            least=self.least,
        )

    def _counts(self, start: int, stop: int) -> Floats:
        """Expected numbers of rows: never negative, and whole parts of a row, so sums are exact."""
        shares = self.expected.shares(self.marginals, start, stop)
        place = dict(zip(self.columns, self.sizes, strict=True))
        cells = sum(prod(place[name] for name in table) for table in self.marginals)
        if shares.shape != (stop - start, cells):
            raise UsageError("the candidates do not have the tables that they were asked for")
        shares = np.clip(np.nan_to_num(shares, nan=0.0), 0.0, 1.0)
        counts: Floats = np.rint(shares * (self.rows * PARTS_OF_A_ROW)) / PARTS_OF_A_ROW
        return counts
