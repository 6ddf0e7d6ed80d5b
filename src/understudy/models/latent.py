"""``LatentNormal``: correlated normal columns, seen through cuts. Normal models and copulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.models.base import Model
from understudy.schema.domain import BinAxis, Domain
from understudy.table.table import Codes

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True)
class LatentNormal(Model):
    """Each column is a standard normal one cut into cells; ``correlation`` ties them together.

    ``cuts[i]`` rises along the cells of column i: one place less than it has cells. A column of
    numbers is missing by a coin of its own, with chance ``missing[i]``, and has no cut for that;
    "missing" of other columns is a cell like any other.
    """

    kind = "latent"
    domain: Domain
    size: float
    cuts: tuple[Floats, ...]
    missing: Floats
    correlation: Floats

    def __post_init__(self) -> None:
        columns = len(self.domain.columns)
        if not np.isfinite(self.size) or self.size < 0:
            raise ReleaseError("a model's size must be a number that is not negative")
        if [cut.shape for cut in self.cuts] != [(cuts,) for cuts in cuts_of(self.domain)]:
            raise ReleaseError("the model's cuts are not those of the cells of its domain")
        if any(np.isnan(cut).any() or (np.diff(cut) < 0).any() for cut in self.cuts):
            raise ReleaseError("the model's cuts must be numbers that rise")
        if (
            self.missing.shape != (columns,)
            or not ((self.missing >= 0) & (self.missing <= 1)).all()
        ):
            raise ReleaseError("the model's chances of missing are no probabilities")
        if not is_correlation(self.correlation, columns):
            raise ReleaseError("the model's correlations are no correlation matrix")

    @cached_property
    def _root(self) -> Floats:
        return symmetric_root(self.correlation)

    @property
    def total(self) -> float:
        return self.size

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        latent = rng.standard_normal((rows, len(self.cuts))) @ self._root.T
        coins = rng.random((rows, len(self.cuts)))
        columns = {}
        for i, (name, axis) in enumerate(self.domain.axes.items()):
            cells = np.searchsorted(self.cuts[i], latent[:, i], side="right")
            if self.missing[i] > 0 and axis.missing_code is not None:
                cells[coins[:, i] < self.missing[i]] = axis.missing_code
            columns[name] = cells.astype(np.min_scalar_type(axis.size - 1))
        return Codes(self.domain, columns, rows)

    def describe(self) -> dict[str, Any]:
        return {"size": self.size}

    def arrays(self) -> dict[str, NDArray[Any]]:
        cuts = {f"cuts-{i}": cut for i, cut in enumerate(self.cuts)}
        return {"correlation": self.correlation, "missing": self.missing, **cuts}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        size = description.get("size")
        names = [f"cuts-{i}" for i in range(len(domain.columns))]
        if isinstance(size, bool) or not isinstance(size, int | float):
            raise ReleaseError("the model's files do not belong to a latent normal model")
        if set(arrays) != {"correlation", "missing", *names}:
            raise ReleaseError("the model's files do not belong to a latent normal model")
        cuts = tuple(arrays[name] for name in names)
        return cls(domain, float(size), cuts, arrays["missing"], arrays["correlation"])


def cuts_of(domain: Domain) -> list[int]:
    """How many cuts each column has."""
    axes = domain.axes.values()
    return [(axis.proper if isinstance(axis, BinAxis) else axis.size) - 1 for axis in axes]


def is_correlation(matrix: Floats, columns: int) -> bool:
    """Whether it is symmetric, with ones on the diagonal and no negative eigenvalue."""
    if matrix.shape != (columns, columns) or not np.isfinite(matrix).all():
        return False
    ones = bool(np.allclose(np.diag(matrix), 1.0, atol=1e-6))
    even = bool(np.allclose(matrix, matrix.T, atol=1e-6))
    return ones and even and bool(np.linalg.eigvalsh(matrix).min() > -1e-6)


def symmetric_root(correlation: Floats) -> Floats:
    """The root that is symmetric: with the same random numbers, rows move smoothly with it."""
    values, vectors = np.linalg.eigh(correlation)
    found: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return found


def nearest_correlation(matrices: Floats) -> Floats:
    """Correlation matrices near these symmetric ones: negative eigenvalues dropped, then scaled.

    Works on any leading axes. What is not a number counts as no correlation.
    """
    matrices = np.clip(np.nan_to_num(matrices, nan=0.0), -1.0, 1.0)
    columns = range(matrices.shape[-1])
    matrices = (matrices + np.swapaxes(matrices, -1, -2)) / 2.0
    matrices[..., columns, columns] = 1.0
    values, vectors = np.linalg.eigh(matrices)
    kept = vectors * np.maximum(values, 0.0)[..., None, :] @ np.swapaxes(vectors, -1, -2)
    scale = np.sqrt(np.maximum(np.diagonal(kept, axis1=-2, axis2=-1), 1e-12))
    found: Floats = kept / scale[..., :, None] / scale[..., None, :]
    found[..., columns, columns] = 1.0
    return found


def rising(cuts: Sequence[float] | Floats) -> Floats:
    """Cuts as a model wants them: an array that rises."""
    return np.maximum.accumulate(np.asarray(cuts, dtype=np.float64))
