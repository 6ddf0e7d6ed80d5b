"""``OpenTable``: exact answers, for the keeper's eyes and for public experiments only.

Whoever opens a table this way gives a reason, and everything made from it carries the notice.
Nothing here costs budget because nothing here is private: results must not be published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.backend import Backend, Counts, RowBackend
from understudy.errors import UsageError
from understudy.gate.quantiles import grid_domain, log_grid
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category
from understudy.schema.domain import BinAxis, Domain
from understudy.schema.schema import Schema

NOTICE: Final = "UNPROTECTED: computed from the real rows; not for publication"


@final
class OpenTable:
    """The counting verbs without noise. ``notice`` must head every page made from the answers."""

    def __init__(self, backend: Backend, *, reason: str) -> None:
        if not reason.strip():
            raise UsageError("opening a table without protection needs a reason")
        self._backend = backend
        self.reason = reason
        self.notice = f"{NOTICE} ({reason})"

    @property
    def schema(self) -> Schema:
        """The table's public description."""
        return self._backend.schema

    def count(self, domain: Domain, marginals: Sequence[Sequence[str]]) -> list[Counts]:
        """Exact contingency tables."""
        return self._backend.count(domain, [tuple(columns) for columns in marginals])

    def levels(self, column: str) -> Mapping[str, int]:
        """Exact counts of the texts in a category column."""
        return self._backend.levels(column)

    def cells(self, domain: Domain) -> Mapping[str, NDArray[Any]]:
        """The cell of every row in each column; refused by engines that keep their rows."""
        if not isinstance(self._backend, RowBackend):
            raise UsageError("this engine counts but does not hand out rows; use a file instead")
        return self._backend.cells(domain)

    def domain(self) -> Domain:
        """The schema's domain, with every level that occurs and exact bounds on a public grid."""
        names = self.schema.open_columns
        categories = [name for name in names if isinstance(self.schema.columns[name], Category)]
        levels = {name: tuple(self.levels(name)) for name in categories}
        bounds = {name: self._range(name) for name in names if name not in levels}
        return domain_of(self.schema, levels=levels, bounds=bounds)

    def _range(self, column: str) -> tuple[float, float]:
        """The edges of the grid's bins between which the values lie; the whole grid for none."""
        domain = grid_domain(self.schema, column, log_grid())
        (counts,) = self.count(domain, [(column,)])
        axis = domain.axes[column]
        assert isinstance(axis, BinAxis)
        occupied = np.flatnonzero(counts[: axis.proper])
        if not len(occupied):
            return axis.edges[0], axis.edges[-1]
        return axis.edges[occupied[0]], axis.edges[occupied[-1] + 1]
