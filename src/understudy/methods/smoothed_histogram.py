"""Rows drawn from a smoothed histogram: the release is the draw, and nothing else leaves.

A cell with n rows is drawn in proportion to n + A. In pure differential privacy A is the number of
rows that are released over epsilon, so more data never helps if as many rows are released as there
are: release few. In zCDP A grows with the root of that number only. With ``smoothing = "volume"``
cells are smoothed in proportion to their volume, towards a uniform density as in the papers, which
smooths more wherever bins are unequal; the default smooths all cells alike.

Privacy
-------
Gate calls, in this order:

1. ``draw`` of all paid rows in one call, over the chosen columns, at the whole budget.

Composition: the plain sum, in the currency of the budget (PureDP or ZCDP).
Neighbours: ADD_REMOVE and REPLACE_ONE. Lemma: ``gate/draw.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final, Literal, final, get_args

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.methods.base import Synthesizer
from understudy.models.histogram import MOST_CELLS
from understudy.models.joint import check_most_cells, check_size, chosen
from understudy.models.paid_rows import Beyond, PaidRows
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import least_cells
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.schema.schema import Schema

ROWS_WITHOUT_A_PUBLIC_SIZE: Final = 1000
Smoothing = Literal["cells", "volume"]


@final
@dataclass(frozen=True)
class SmoothedHistogram(Synthesizer):
    """Rows drawn from a smoothed joint table. ``rows``: how many are paid for (default: the public
    number of rows, else 1000); ``columns``: which (default: all); ``smoothing``: alike in all
    ``cells``, or by ``volume``; ``beyond``: what becomes of a wish for more rows than were paid for
    (``resample`` or ``refuse``); ``most_cells``: the largest table to be made."""

    summary = "rows drawn from a smoothed contingency table; the rows are all that is released"
    paper = "Wasserman and Zhou (2010), section 4; Snoke and Slavkovic (2018), equation 1"
    status = "proven"
    accepts = (PureDP, ZCDP)

    rows: int | None = None
    columns: tuple[str, ...] | None = None
    smoothing: Smoothing = "cells"
    beyond: Beyond = "resample"
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", chosen(self.columns))
        check_most_cells(self.most_cells)
        for name, known in (("smoothing", Smoothing), ("beyond", Beyond)):
            if getattr(self, name) not in get_args(known):
                named = " or ".join(map(repr, get_args(known)))
                raise UsageError(f"{name} is {named}, not {getattr(self, name)!r}")
        whole = isinstance(self.rows, int) and not isinstance(self.rows, bool)
        if self.rows is not None and (not whole or self.rows < 1):
            raise UsageError("the number of rows to pay for is a whole number, 1 or more")

    def scope(self, schema: Schema) -> Schema:
        part = schema.only(self.columns or schema.modelled)
        sizes = {name: least_cells(part.columns[name]) for name in part.modelled}
        check_size(sizes, most=self.most_cells)
        return part

    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> PaidRows:
        part = domain.only(self.columns or domain.columns)
        check_size({name: axis.size for name, axis in part.axes.items()}, most=self.most_cells)
        public = part.schema.rows
        paid = self.rows or (ROWS_WITHOUT_A_PUBLIC_SIZE if public is None else max(public, 1))
        volumes = volumes_of(part) if self.smoothing == "volume" else None
        rows = table.draw(part, part.columns, rows=paid, volumes=volumes, spend=budget)
        return PaidRows(part, float(paid if public is None else public), rows, self.beyond)


def volumes_of(domain: Domain) -> NDArray[np.float64]:
    """The volume of each cell of the joint table, in units of the smallest on every axis."""
    return reduce(np.multiply.outer, map(_widths, domain.axes.values()))


def _widths(axis: Axis) -> NDArray[np.float64]:
    """Widths of bins, the mean of them for "missing"; levels are all alike."""
    if not isinstance(axis, BinAxis):
        return np.ones(axis.size)
    widths = np.diff(np.array(axis.edges, dtype=np.float64))
    if axis.nullable:
        widths = np.append(widths, widths.mean())
    shares: NDArray[np.float64] = widths / widths.min()
    return shares


METHOD = SmoothedHistogram
