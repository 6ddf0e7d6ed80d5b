"""``ProductModel``: independent columns, each with its own distribution over cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.kernels.sample import categorical
from understudy.models.base import Model
from understudy.models.evidence import check_allowed, impossible
from understudy.schema.domain import Domain
from understudy.table.table import Codes


@final
@dataclass(frozen=True)
class ProductModel(Model):
    """Cell probabilities of every column; columns are drawn independently of each other."""

    kind = "product"
    in_parts = True
    domain: Domain
    size: float
    probabilities: Mapping[str, NDArray[np.float64]]

    def __post_init__(self) -> None:
        if not np.isfinite(self.size) or self.size < 0:
            raise ReleaseError("a model's size must be a number that is not negative")
        if tuple(self.probabilities) != self.domain.columns:
            raise ReleaseError("the model's columns are not those of its domain")
        for name, cells in self.probabilities.items():
            if cells.dtype != np.float64 or cells.shape != (self.domain.axes[name].size,):
                raise ReleaseError(f"the probabilities of column {name!r} have the wrong shape")
            if not (cells >= 0).all() or not np.isclose(cells.sum(), 1.0):
                raise ReleaseError(f"the probabilities of column {name!r} are no distribution")

    @property
    def total(self) -> float:
        return self.size

    @property
    def independent(self) -> bool:
        """See ``Model.independent``."""
        return len(self.probabilities) > 1

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        columns = {
            name: categorical(cells, rows, rng) for name, cells in self.probabilities.items()
        }
        return Codes(self.domain, columns, rows)

    def given(self, allowed: Mapping[str, NDArray[np.bool_]]) -> ProductModel:
        """See ``Model.given``: the columns stay independent."""
        check_allowed(self.domain, allowed)
        kept, size = dict(self.probabilities), self.size
        for name, mask in allowed.items():
            cells = np.where(mask, self.probabilities[name], 0.0)
            if not (share := float(cells.sum())):
                raise impossible(allowed)
            kept[name], size = cells / share, size * share
        return ProductModel(self.domain, size, kept)

    def describe(self) -> dict[str, Any]:
        return {"size": self.size}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {
            f"probabilities-{position}": cells
            for position, cells in enumerate(self.probabilities.values())
        }

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        expected = {f"probabilities-{position}" for position in range(len(domain.columns))}
        size = description.get("size")
        if isinstance(size, bool) or not isinstance(size, int | float) or set(arrays) != expected:
            raise ReleaseError("the model's files do not belong to a product model")
        cells = (arrays[f"probabilities-{i}"] for i in range(len(domain.columns)))
        return cls(domain, float(size), dict(zip(domain.columns, cells, strict=True)))
