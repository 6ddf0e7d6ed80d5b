"""``HistogramModel``: one joint distribution over all cells of a domain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.kernels.project import to_simplex
from understudy.kernels.sample import categorical
from understudy.models.base import Model
from understudy.models.evidence import check_allowed, impossible
from understudy.schema.domain import Domain
from understudy.table.table import Codes

MOST_CELLS: Final = 2**24
"""The most cells that a joint table has by default: 1.2 GB at the height of a fit (measured)."""

Negatives = Literal["project", "clip"]


@final
@dataclass(frozen=True)
class HistogramModel(Model):
    """The cells that can be drawn, by number, and the share of each; all others are empty.

    A cell's number counts through the joint table of the domain's columns, the last one fastest.
    """

    kind = "histogram"
    in_parts = True
    domain: Domain
    size: float
    cells: NDArray[np.int64]
    shares: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not np.isfinite(self.size) or self.size < 0:
            raise ReleaseError("a model's size must be a number that is not negative")
        if self.cells.dtype != np.int64 or self.shares.dtype != np.float64:
            raise ReleaseError("a histogram's cells are whole numbers, and its shares real ones")
        if self.cells.ndim != 1 or self.cells.shape != self.shares.shape or not self.cells.size:
            raise ReleaseError("a histogram needs at least one cell, and one share for each")
        if not (np.diff(self.cells) > 0).all() or not self._inside():
            raise ReleaseError("a histogram's cells must be cells of its domain, in their order")
        if not (self.shares > 0).all() or not np.isclose(self.shares.sum(), 1.0):
            raise ReleaseError("a histogram's shares are no distribution")

    def _inside(self) -> bool:
        last = self.domain.size(self.domain.columns) - 1
        return int(self.cells.min()) >= 0 and int(self.cells.max()) <= last

    @classmethod
    def of(
        cls, domain: Domain, counts: NDArray[np.int64], *, size: float, negatives: Negatives
    ) -> Self:
        """The model of a noisy joint table, shaped like the domain."""
        shares = shares_of(counts.ravel(), size=size, negatives=negatives)
        cells = np.flatnonzero(shares).astype(np.int64)
        return cls(domain, size, cells, shares[cells])

    @property
    def total(self) -> float:
        return self.size

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        return Codes(
            self.domain, self._codes(self.cells[categorical(self.shares, rows, rng)]), rows
        )

    def _codes(self, joint: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        """The cell of each column that joint cells lie in."""
        codes: dict[str, NDArray[Any]] = {}
        for name in reversed(self.domain.columns):
            cells = self.domain.axes[name].size
            joint, code = np.divmod(joint, cells)
            codes[name] = code.astype(np.min_scalar_type(cells - 1))
        return {name: codes[name] for name in self.domain.columns}

    def given(self, allowed: Mapping[str, NDArray[np.bool_]]) -> HistogramModel:
        """See ``Model.given``: the cells that are allowed, their shares scaled up."""
        check_allowed(self.domain, allowed)
        codes = self._codes(self.cells)
        kept = np.ones(self.cells.shape, dtype=np.bool_)
        for name, mask in allowed.items():
            kept &= mask[codes[name]]
        shares = self.shares[kept]
        if not shares.size:
            raise impossible(allowed)
        share = float(shares.sum())
        return HistogramModel(self.domain, self.size * share, self.cells[kept], shares / share)

    def describe(self) -> dict[str, Any]:
        return {"size": self.size}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"cells": self.cells, "shares": self.shares}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        if set(arrays) != {"cells", "shares"} or not isinstance(
            description.get("size"), int | float
        ):
            raise ReleaseError("the model's files do not belong to a histogram")
        return cls(domain, float(description["size"]), arrays["cells"], arrays["shares"])


def shares_of(
    counts: NDArray[np.int64], *, size: float, negatives: Negatives
) -> NDArray[np.float64]:
    """The distribution over cells that noisy counts suggest.

    ``project`` takes the nearest counts that are not negative and sum to ``size``: every cell is
    lowered by one amount, so that the total is right. ``clip`` sets negative counts to zero, as
    the papers do, which adds rows to empty cells. If nothing is left, all cells are equally likely.
    """
    if negatives == "project":
        kept = to_simplex(counts, total=max(size, 1.0))
    else:
        kept = np.maximum(counts, 0).astype(np.float64)
    if not kept.any():
        kept = np.ones(counts.shape)
    shares: NDArray[np.float64] = kept / kept.sum()
    return shares
