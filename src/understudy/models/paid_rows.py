"""``PaidRows``: rows that were paid for one by one, with no distribution behind them.

A method whose release *is* a private draw ends here: every further row that followed the private
table would have to be paid for too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, final, get_args

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError, UsageError
from understudy.models.base import Model
from understudy.schema.domain import Domain
from understudy.table.table import Codes

Beyond = Literal["resample", "refuse"]


@final
@dataclass(frozen=True)
class PaidRows(Model):
    """The cell numbers of the paid rows, one line per column of the domain.

    Up to as many rows as were paid for are drawn without repetition. Beyond that ``resample``
    repeats them, each as often as any other but for one time, and ``refuse`` refuses.
    """

    kind = "paid-rows"
    domain: Domain
    size: float
    rows: NDArray[np.int64]
    beyond: Beyond = "resample"

    def __post_init__(self) -> None:
        if not np.isfinite(self.size) or self.size < 0:
            raise ReleaseError("a model's size must be a number that is not negative")
        if self.beyond not in get_args(Beyond):
            raise ReleaseError(f"beyond the paid rows a model can {' or '.join(get_args(Beyond))}")
        if self.rows.dtype != np.int64 or self.rows.ndim != 2 or not self.rows.shape[1]:
            raise ReleaseError("paid rows are a table of whole numbers with at least one row")
        if len(self.rows) != len(self.domain.columns) or not self._inside():
            raise ReleaseError("paid rows must lie in the cells of the columns of their domain")

    def _inside(self) -> bool:
        sizes = np.array(self.domain.shape(self.domain.columns))[:, None]
        return bool(((self.rows >= 0) & (self.rows < sizes)).all())

    @property
    def paid(self) -> int:
        """How many rows were paid for."""
        return int(self.rows.shape[1])

    @property
    def total(self) -> float:
        return self.size

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        if rows > self.paid and self.beyond == "refuse":
            raise UsageError(
                f"{rows:,} rows were asked for and {self.paid:,} paid for; ask for no more than "
                "those, or fit again with beyond='resample' to have them repeated"
            )
        often, rest = divmod(rows, self.paid)
        repeated = np.repeat(np.arange(self.paid), often)
        chosen = rng.permutation(np.concatenate([repeated, rng.permutation(self.paid)[:rest]]))
        columns = {
            name: cells[chosen].astype(np.min_scalar_type(self.domain.axes[name].size - 1))
            for name, cells in zip(self.domain.columns, self.rows, strict=True)
        }
        return Codes(self.domain, columns, rows)

    def describe(self) -> dict[str, Any]:
        return {"size": self.size, "beyond": self.beyond}

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {"rows": self.rows}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        size = description.get("size")
        if set(arrays) != {"rows"} or isinstance(size, bool) or not isinstance(size, int | float):
            raise ReleaseError("the model's files do not belong to paid rows")
        return cls(domain, float(size), arrays["rows"], description.get("beyond", ""))
