"""The codec for stored columns: partly in SQL, partly by tables looked up, equal to ``cell_of``.

Text that is compared with levels is numbered by DuckDB itself, as a cast to an ENUM of all texts
that the schema knows. Integers of a small range are looked up in a table of their cells. Whatever
remains goes through the codec of ``understudy.table``, some rows at a time. Each way ends in
``encode``, so that none can mean something else; ``tests/data/contract.py`` holds them to it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.arrow import Column as Given
from understudy.data.cells import Cells
from understudy.data.stored import (
    BOOLEAN,
    INTEGERS,
    REALS,
    cells_of,
    is_moment,
    quoted_name,
    quoted_text,
    shape_of,
)
from understudy.data.texts import REPLACEMENT, in_calendar
from understudy.schema.columns import Column, Date, Datetime, Number
from understudy.schema.domain import Axis, GroupAxis, LevelAxis
from understudy.table.codec import cell_of, encode, regrouped

TEXTS: Final = ("VARCHAR",)
WIDEST_TABLE: Final = 1 << 16


class Encoder(ABC):
    """How one stored column becomes cells: what to ask DuckDB for, and what to make of it."""

    sql: str

    def __init__(self, column: Column, axis: Axis) -> None:
        self.column, self.axis = column, axis

    @abstractmethod
    def codes(self, given: Given) -> NDArray[Any]:
        """The cell of each row."""


class _OfArrays(Encoder):
    """Works out all cells as if none were missing, and then marks those that are."""

    def __init__(self, column: Column, axis: Axis) -> None:
        super().__init__(column, axis)
        self._absent = cell_of(column, axis, None)

    def codes(self, given: Given) -> NDArray[Any]:
        values, missing = given
        cells = self._cells(values)
        if missing is not None:
            cells[missing] = self._absent
        return cells

    @abstractmethod
    def _cells(self, values: NDArray[Any]) -> NDArray[Any]:
        """The cells of values that are there; of others, any."""


def encoder_for(column: Column, axis: Axis, stored: str) -> Encoder:  # noqa: PLR0911 - one per way
    """The quickest encoder for a column of this stored type."""
    if isinstance(axis, GroupAxis):
        return _Groups(column, axis, stored)
    name = quoted_name(column.name)
    if isinstance(axis, LevelAxis) and (stored in TEXTS or stored.startswith("ENUM(")):
        return _LevelsInSQL(column, axis, f"CAST({name} AS VARCHAR)")
    if stored == BOOLEAN:
        return _Booleans(column, axis, f"CAST({name} AS UTINYINT)")
    if INTEGERS.fullmatch(stored):
        return _Integers(column, axis, name)
    if stored in REALS and isinstance(column, Number):
        return _Places(column, axis, stored)
    if is_moment(stored) and isinstance(column, Date | Datetime):
        return _Places(column, axis, stored)
    return _ByText(column, axis, stored)


@final
class _Groups(Encoder):
    """The groups of the cells that another encoder finds."""

    def __init__(self, column: Column, axis: GroupAxis, stored: str) -> None:
        super().__init__(column, axis)
        self._groups, self._cells = axis, encoder_for(column, axis.fine, stored)
        self.sql = self._cells.sql

    def codes(self, given: Given) -> NDArray[Any]:
        return regrouped(self._groups, self._cells.codes(given))


@final
class _LevelsInSQL(_OfArrays):
    """Numbers every text that the schema knows, and two more for all others and for none."""

    def __init__(self, column: Column, axis: LevelAxis, text: str) -> None:
        super().__init__(column, axis)
        known = [*dict.fromkeys([*axis.levels, *column.missing])]
        if any(REPLACEMENT in each for each in known):
            # What no schema can hold counts as U+FFFD, and here that is the text of a level.
            text = f"replace({text}, chr(0), {quoted_text(REPLACEMENT)})"
        kind = f"ENUM({', '.join(map(quoted_text, known))})"
        other, none = len(known), len(known) + 1
        number = f"coalesce(enum_code(TRY_CAST({text} AS {kind})), {other})"
        whole = f"CASE WHEN {text} IS NULL THEN {none} ELSE {number} END"
        self._table = encode(column, axis, np.array([*known, None, None], dtype=object))
        self._table[other] = axis.fallback
        # Where both mean the same, one question less is asked of each row.
        asked = number if self._table[none] == axis.fallback else whole
        width = {1: "UTINYINT", 2: "USMALLINT"}.get(np.min_scalar_type(none).itemsize, "UINTEGER")
        self.sql = f"CAST({asked} AS {width})"

    def _cells(self, values: NDArray[Any]) -> NDArray[Any]:
        cells: NDArray[Any] = self._table[values]
        return cells


@final
class _Integers(_OfArrays):
    """Looks up integers in a table of the cells of their whole range, if that is small."""

    def __init__(self, column: Column, axis: Axis, sql: str) -> None:
        super().__init__(column, axis)
        self.sql = sql
        self._first, self._table = 0, np.empty(0, dtype=np.uint8)

    def _cells(self, values: NDArray[Any]) -> NDArray[Any]:
        if not len(values):
            return self._encoded(values)
        low, high = self._range(values)
        if low < self._first or high >= self._first + len(self._table):
            if high - low >= WIDEST_TABLE:
                return self._encoded(values)
            dtype = np.uint64 if low >= 0 else np.int64
            self._first = low
            self._table = self._encoded(np.arange(high - low + 1, dtype=dtype) + dtype(low))
        if self._first:  # wraps around where it must, and comes out right as an unsigned number
            values = values - values.dtype.type(self._first)
            values = values.view(f"u{values.dtype.itemsize}")
        cells: NDArray[Any] = self._table[values]
        return cells

    def _range(self, values: NDArray[Any]) -> tuple[int, int]:
        if values.dtype.itemsize == 1:
            limits = np.iinfo(values.dtype)
            return int(limits.min), int(limits.max)
        return int(values.min()), int(values.max())

    def _encoded(self, values: NDArray[Any]) -> NDArray[Any]:
        if isinstance(self.column, Number):
            return encode(self.column, self.axis, values)
        nothing = np.zeros(len(values), dtype=bool)
        return Cells.of_numbers(self.column, values, nothing).encode(self.column, self.axis)


@final
class _Booleans(_OfArrays):
    """Booleans, asked for as 0 and 1."""

    def __init__(self, column: Column, axis: Axis, sql: str) -> None:
        super().__init__(column, axis)
        self.sql = sql
        self._table = Cells.of_objects(column, [False, True]).encode(column, axis)

    def _cells(self, values: NDArray[Any]) -> NDArray[Any]:
        cells: NDArray[Any] = self._table[(values != 0).astype(np.uint8)]
        return cells


@final
class _Places(_OfArrays):
    """Numbers of number columns and moments of date columns, which need not go by text."""

    def __init__(self, column: Column, axis: Axis, stored: str) -> None:
        super().__init__(column, axis)
        self.sql = shape_of(quoted_name(column.name), stored)
        self._unit = None if stored in REALS else "D" if stored == "DATE" else "s"

    def _cells(self, values: NDArray[Any]) -> NDArray[Any]:
        if self._unit is None:
            return encode(self.column, self.axis, values)
        moments = values.astype("datetime64[s]").astype(f"datetime64[{self._unit}]")
        return encode(self.column, self.axis, in_calendar(moments))


@final
class _ByText(Encoder):
    """Any other column, by the way that the engine in memory goes."""

    def __init__(self, column: Column, axis: Axis, stored: str) -> None:
        super().__init__(column, axis)
        self.sql, self._stored = shape_of(quoted_name(column.name), stored), stored

    def codes(self, given: Given) -> NDArray[Any]:
        values, missing = given
        masked = np.ma.masked_array(values, mask=np.ma.nomask if missing is None else missing)
        return cells_of(self.column, masked, self._stored).encode(self.column, self.axis)
