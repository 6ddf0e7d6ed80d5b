"""``GeneralLocation``: a table of category cells, and normal numbers around a mean in each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.kernels.sample import categorical
from understudy.models.base import Model
from understudy.models.latent import is_correlation, symmetric_root
from understudy.schema.domain import BinAxis, Domain
from understudy.table.table import Codes

Floats = NDArray[np.float64]
OWN_ARRAYS = ("cells", "shares", "places", "spreads", "missing", "correlation")


@final
@dataclass(frozen=True)
class GeneralLocation(Model):
    """Line w is a combination of categories: its share, and where numbers lie in rows that have it.

    ``cells[w]`` counts through the joint table of the categories, in alphabetical order of their
    names, the last one fastest. Around ``places[w]`` numbers are normal, with the same ``spreads``
    and ``correlation`` everywhere; ``cuts`` are on the scale of the places. A number is missing by
    a coin of its own, with chance ``missing``. Numbers stand in alphabetical order too.
    """

    kind = "general-location"
    in_parts = True
    domain: Domain
    size: float
    cells: NDArray[np.int64]
    shares: Floats
    places: Floats
    cuts: tuple[Floats, ...]
    spreads: Floats
    missing: Floats
    correlation: Floats

    def __post_init__(self) -> None:
        if not np.isfinite(self.size) or self.size < 0:
            raise ReleaseError("a model's size must be a number that is not negative")
        self._check_table()
        self._check_numbers()

    def _check_table(self) -> None:
        if self.cells.dtype != np.int64 or self.cells.ndim != 1 or not self.cells.size:
            raise ReleaseError("a general location model needs cells, which are whole numbers")
        most = self.domain.size(categories_of(self.domain))
        if (np.diff(self.cells) <= 0).any() or self.cells[0] < 0 or self.cells[-1] >= most:
            raise ReleaseError("the model's cells must be cells of its categories, in their order")
        if self.shares.shape != self.cells.shape or not (self.shares > 0).all():
            raise ReleaseError("the model's cells need a share above 0 each")
        if not np.isclose(self.shares.sum(), 1.0):
            raise ReleaseError("the shares of the model's cells are no distribution")

    def _check_numbers(self) -> None:
        axes = [self.domain.axes[name] for name in numbers_of(self.domain)]
        if self.places.shape != (len(self.cells), len(axes)) or not _finite(self.places):
            raise ReleaseError("each cell of the model needs a place for each number")
        if [cut.shape for cut in self.cuts] != [(axis.proper - 1,) for axis in axes]:
            raise ReleaseError("the model's cuts are not those of the cells of its domain")
        if any(np.isnan(cut).any() or (np.diff(cut) < 0).any() for cut in self.cuts):
            raise ReleaseError("the model's cuts must be numbers that rise")
        if self.spreads.shape != (len(axes),) or not (self.spreads > 0).all():
            raise ReleaseError("the model's numbers need a spread above 0 each")
        if self.missing.shape != (len(axes),) or not _chances(self.missing):
            raise ReleaseError("the model's chances of missing are no probabilities")
        if self.correlation.shape != (len(axes), len(axes)):
            raise ReleaseError("the model's correlations are not those of its numbers")
        if axes and not is_correlation(self.correlation, len(axes)):
            raise ReleaseError("the model's correlations are no correlation matrix")

    @cached_property
    def _root(self) -> Floats:
        return symmetric_root(self.correlation) if self.cuts else self.correlation

    @property
    def total(self) -> float:
        return self.size

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        lines = categorical(self.shares, rows, rng)
        normal = rng.standard_normal((rows, len(self.cuts))) @ self._root.T * self.spreads
        coins = rng.random((rows, len(self.cuts)))
        found = dict(self._levels(self.cells[lines]))
        for i, name in enumerate(numbers_of(self.domain)):
            axis = self.domain.axes[name]
            codes = np.searchsorted(self.cuts[i], self.places[lines, i] + normal[:, i], "right")
            if self.missing[i] > 0 and axis.missing_code is not None:
                codes[coins[:, i] < self.missing[i]] = axis.missing_code
            found[name] = codes.astype(np.min_scalar_type(axis.size - 1))
        return Codes(self.domain, {name: found[name] for name in self.domain.columns}, rows)

    def _levels(self, cells: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        names = categories_of(self.domain)
        sizes = self.domain.shape(names)
        levels = np.unravel_index(cells, sizes) if names else ()
        return {
            name: codes.astype(np.min_scalar_type(size - 1))
            for name, size, codes in zip(names, sizes, levels, strict=True)
        }

    def describe(self) -> dict[str, Any]:
        return {"size": self.size}

    def arrays(self) -> dict[str, NDArray[Any]]:
        own = {name: getattr(self, name) for name in OWN_ARRAYS}
        return own | {f"cuts-{i}": cut for i, cut in enumerate(self.cuts)}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        size = description.get("size")
        cuts = [f"cuts-{i}" for i in range(len(numbers_of(domain)))]
        foreign = set(arrays) != {*OWN_ARRAYS, *cuts}
        if foreign or isinstance(size, bool) or not isinstance(size, int | float):
            raise ReleaseError("the model's files do not belong to a general location model")
        own = {name: arrays[name] for name in OWN_ARRAYS}
        return cls(domain, float(size), cuts=tuple(arrays[name] for name in cuts), **own)


def categories_of(domain: Domain) -> tuple[str, ...]:
    """The columns with levels, in alphabetical order."""
    return tuple(sorted(set(domain.columns) - set(numbers_of(domain))))


def numbers_of(domain: Domain) -> tuple[str, ...]:
    """The columns of numbers, in alphabetical order."""
    return tuple(n for n, axis in sorted(domain.axes.items()) if isinstance(axis, BinAxis))


def _finite(numbers: Floats) -> bool:
    return bool(np.isfinite(numbers).all())


def _chances(numbers: Floats) -> bool:
    return bool(((numbers >= 0) & (numbers <= 1)).all())
