"""Public tables: ``Codes`` (cell numbers) and ``Table`` (values ready to be written)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.schema.domain import Domain
from understudy.schema.schema import Schema


@dataclass(frozen=True)
class Codes:
    """Rows as cell numbers: one unsigned array per column of the domain, all of one length."""

    domain: Domain
    columns: Mapping[str, NDArray[Any]]
    rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))


@dataclass(frozen=True)
class Values:
    """One column's values: numbers or dates in ``data``, or indices into ``levels``.

    ``missing`` marks the cells without a value; it is None if the column can never be missing, so
    that nullability follows from the schema and not from the rows.
    """

    data: NDArray[Any]
    levels: tuple[str, ...] | None = None
    missing: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Table:
    """Rows that anyone may see, typed by the schema alone."""

    schema: Schema
    columns: Mapping[str, Values]
    rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def __len__(self) -> int:
        return self.rows
