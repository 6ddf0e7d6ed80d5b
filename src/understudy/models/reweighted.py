"""``Reweighted``: a model whose rows are kept more often or less, by two of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.models import get
from understudy.models.base import Model
from understudy.schema.domain import Domain
from understudy.table.table import Codes

Floats = NDArray[np.float64]

MOST_TILT: Final = 4.0
"""The most by which logarithms of weights may differ: e^-4 of the rows are kept at least."""


@final
@dataclass(frozen=True)
class Reweighted(Model):
    """Rows of ``inner``, each as often as exp(``tilt``) of its cell of the table over ``columns``.

    Rows are drawn and thrown away until enough are kept, so it is exactly this distribution. A tilt
    over no columns is one number and changes nothing.
    """

    kind = "reweighted"
    inner: Model
    columns: tuple[str, ...]
    tilt: Floats

    def __post_init__(self) -> None:
        if isinstance(self.inner, Reweighted):
            raise ReleaseError("a model is reweighted once")
        if not set(self.columns) <= set(self.domain.columns):
            raise ReleaseError("the tilt is over columns that the model does not have")
        shape = self.domain.shape(self.columns)
        if self.tilt.dtype != np.float64 or self.tilt.shape != shape:
            raise ReleaseError("the tilt has not the shape of the table over its columns")
        if not np.isfinite(self.tilt).all() or np.ptp(self.tilt) > MOST_TILT:
            raise ReleaseError(f"the numbers of a tilt lie within {MOST_TILT} of each other")

    @cached_property
    def domain(self) -> Domain:  # type: ignore[override]
        """The cells that rows are drawn in."""
        return self.inner.domain

    @property
    def total(self) -> float:
        return self.inner.total

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        kept: list[dict[str, NDArray[Any]]] = []
        lacking = rows
        while lacking > 0 or not kept:
            codes = self.inner.draw(2 * lacking, rng).columns
            logs = self.tilt[tuple(codes[name] for name in self.columns)] - self.tilt.max()
            lucky = np.flatnonzero(rng.random(2 * lacking) < np.exp(logs))[:lacking]
            kept.append({name: column[lucky] for name, column in codes.items()})
            lacking -= len(lucky)
        joined = {name: np.concatenate([one[name] for one in kept]) for name in kept[0]}
        return Codes(self.domain, joined, rows)

    def describe(self) -> dict[str, Any]:
        inner = {"kind": self.inner.kind, "model": self.inner.describe()}
        return {"columns": list(self.columns), "inner": inner}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"tilt": self.tilt, **{f"inner-{k}": a for k, a in self.inner.arrays().items()}}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        inner = description["inner"]
        if inner["kind"] == cls.kind:
            raise ReleaseError("a model is reweighted once")
        rest = {name: array for name, array in arrays.items() if name != "tilt"}
        if len(rest) == len(arrays) or not all(name.startswith("inner-") for name in rest):
            raise ReleaseError("the model's files do not belong to a reweighted model")
        own = {name.removeprefix("inner-"): array for name, array in rest.items()}
        found = get(inner["kind"]).restore(domain, inner["model"], own)
        return cls(found, tuple(description["columns"]), arrays["tilt"])
