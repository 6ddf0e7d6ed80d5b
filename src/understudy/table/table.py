"""Public tables: ``Codes`` (cell numbers) and ``Table`` (values ready to be written)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


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
    """Rows that anyone may see, typed by the schema alone.

    Whatever reads Arrow streams (duckdb, polars, pyarrow, pandas) reads a ``Table`` as it is.
    """

    schema: Schema
    columns: Mapping[str, Values]
    rows: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        uneven = [name for name, values in self.columns.items() if len(values.data) != self.rows]
        if uneven:
            raise UsageError(
                f"column {uneven[0]!r} has {len(self.columns[uneven[0]].data)} values, the table "
                f"{self.rows} rows; give every column one value per row"
            )

    def __len__(self) -> int:
        return self.rows

    def __repr__(self) -> str:
        return f"Table({self.schema.name!r}: {self.rows:,} rows, {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        from understudy.table.frames import to_html

        return to_html(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        from understudy.table.frames import to_stream

        return to_stream(self).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame.

        Levels are categories (ordered if the schema orders them), texts ``str``, dates and
        datetimes ``datetime64[s]``, reals ``float64`` with NaN for missing; integers and booleans
        are ``Int64`` and ``boolean`` if the column may be missing, else ``int64`` and ``bool``.
        """
        from understudy.table.frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> polars.DataFrame:
        """A polars DataFrame: Enum, Boolean, Int64, Float64, Date, Datetime and String columns."""
        from understudy.table.frames import to_polars

        return to_polars(self)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow Table: string, bool, int64, double, date32 and timestamp[us] columns."""
        from understudy.table.frames import to_arrow

        return to_arrow(self)

    def to_like(self, native: object) -> Any:
        """The table as the kind of dataframe that ``native`` is.

        pandas, polars (eager and lazy), pyarrow and duckdb are known; for any other kind, or for a
        path, the table itself comes back.
        """
        from understudy.table.frames import to_like

        return to_like(self, native)


def joined(pieces: Sequence[Table]) -> Table:
    """Tables of one schema and with the same levels, at least one, as one table."""
    if len(pieces) == 1:
        return pieces[0]
    columns = {
        name: _joined([piece.columns[name] for piece in pieces]) for name in pieces[0].columns
    }
    return Table(pieces[0].schema, columns, sum(piece.rows for piece in pieces))


def _joined(parts: list[Values]) -> Values:
    gone = [part.missing for part in parts if part.missing is not None]
    missing = np.concatenate(gone) if gone else None
    return Values(np.concatenate([part.data for part in parts]), parts[0].levels, missing)
