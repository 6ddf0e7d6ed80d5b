"""``RefinedModel``: a model over groups of cells, and how each group is shared out among its cells.

Relations between columns are worth learning only as finely as the noise allows. The inner model
holds them over groups of cells; inside its group a cell is drawn by its own share, independently of
everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.models.base import Model
from understudy.models.evidence import check_allowed
from understudy.models.graphical import GraphicalModel
from understudy.schema.domain import Domain, GroupAxis
from understudy.table.table import Codes

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True)
class RefinedModel(Model):
    """``inner`` over a grouped domain, and ``shares``: a number per cell of each grouped column.

    Only the proportions of the shares within a group count; a group whose cells all have none is
    shared out evenly.
    """

    kind = "refined"
    in_parts = True
    inner: GraphicalModel
    shares: Mapping[str, Floats]

    def __post_init__(self) -> None:
        if set(self.shares) != set(self._axes):
            raise ReleaseError("every grouped column needs the shares of its cells, no other does")
        for name, axis in self._axes.items():
            shares = self.shares[name]
            if shares.dtype != np.float64 or shares.shape != (axis.fine.size,):
                raise ReleaseError(f"the shares of column {name!r} have the wrong shape")
            if not np.isfinite(shares).all() or (shares < 0).any():
                raise ReleaseError(f"the shares of column {name!r} must not be negative")

    @cached_property
    def domain(self) -> Domain:  # type: ignore[override]
        """The cells that rows are drawn in."""
        return self.inner.domain.fine

    @property
    def _axes(self) -> dict[str, GroupAxis]:
        axes = self.inner.domain.axes.items()
        return {name: axis for name, axis in axes if isinstance(axis, GroupAxis)}

    @property
    def total(self) -> float:
        return self.inner.total

    @property
    def independent(self) -> bool:
        """See ``Model.independent``."""
        return self.inner.independent

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        drawn = dict(self.inner.draw(rows, rng).columns)
        for name, axis in self._axes.items():
            drawn[name] = _cells_in(axis, self.shares[name], drawn[name], rng)
        return Codes(self.domain, drawn, rows)

    def given(self, allowed: Mapping[str, NDArray[np.bool_]]) -> RefinedModel:
        """See ``Model.given``: a group counts for as much as the share of its allowed cells."""
        check_allowed(self.domain, allowed)
        shares = dict(self.shares)
        kept = {name: mask.astype(np.float64) for name, mask in allowed.items()}
        for name, axis in self._axes.items():
            if name in allowed:
                shares[name] = np.where(allowed[name], _within(axis, self.shares[name]), 0.0)
                kept[name] = np.minimum(np.bincount(axis.groups, weights=shares[name]), 1.0)
        return RefinedModel(self.inner.thinned(kept), shares)

    def describe(self) -> dict[str, Any]:
        groups = {name: list(axis.groups) for name, axis in self._axes.items()}
        return {"groups": groups, "inner": self.inner.describe()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        shares = {f"shares-{place}": self.shares[name] for place, name in enumerate(self._axes)}
        return {**shares, **self.inner.arrays()}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        coarse = domain.grouped(description["groups"])
        own = {f"shares-{place}": name for place, name in enumerate(_grouped(coarse))}
        if not set(own) <= set(arrays):
            raise ReleaseError("the model's files do not belong to a refined model")
        rest = {name: array for name, array in arrays.items() if name not in own}
        inner = GraphicalModel.restore(coarse, description["inner"], rest)
        return cls(inner, {column: arrays[name] for name, column in own.items()})


def refined(inner: GraphicalModel, counts: Mapping[str, Floats]) -> Model:
    """The model itself, or with each group shared out by its column's ``counts`` if it has some."""
    shares = {name: counts[name] for name in _grouped(inner.domain)}
    return RefinedModel(inner, shares) if shares else inner


def _grouped(domain: Domain) -> list[str]:
    return [name for name, axis in domain.axes.items() if isinstance(axis, GroupAxis)]


def _cells_in(
    axis: GroupAxis, shares: Floats, groups: NDArray[Any], rng: np.random.Generator
) -> NDArray[Any]:
    """A cell of each of these groups, by the shares of its cells."""
    order = np.argsort(np.array(axis.groups), kind="stable")
    belongs = np.array(axis.groups)[order]
    within = _within(axis, shares)[order]
    # Each group is a stretch of length 1 on a line on which its cells lie end to end.
    ends = belongs + np.minimum(_running(within, belongs), 1.0)
    last = np.flatnonzero(np.diff(belongs, append=axis.size))
    ends[last] = belongs[last] + 1.0
    place = groups + rng.random(len(groups))
    cells: NDArray[Any] = order[np.searchsorted(ends, place, side="right")]
    return cells.astype(np.min_scalar_type(axis.fine.size - 1))


def _within(axis: GroupAxis, shares: Floats) -> Floats:
    """The share of each cell in its group; they sum to 1 over the group."""
    groups = np.array(axis.groups)
    empty = np.bincount(groups, weights=shares) <= 0.0
    weights = np.where(empty[groups], 1.0, shares)
    return np.asarray(weights / np.bincount(groups, weights=weights)[groups])


def _running(within: Floats, belongs: NDArray[np.int64]) -> Floats:
    """Sums from the beginning of each group on."""
    upto = np.cumsum(within)
    first = np.flatnonzero(np.diff(belongs, prepend=-1))
    before = np.concatenate([[0.0], upto])[first]
    return np.asarray(upto - before[belongs])
