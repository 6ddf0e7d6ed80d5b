"""From text to cells and back: the public definition of what each cell of a table means.

``cell_of`` is the definition: total (any text at all has a cell), public (it looks at the schema
only) and row by row (it looks at one cell only). ``encode`` is the same for a whole column at once;
engines that encode in their own language are tested against it. ``decode`` goes back.

Text becomes a cell in this order:

1.  No text at all (a short row, NULL): "missing", else the axis's fallback.
2.  Level columns: a missing code is "missing", a level is its cell, the rest is the fallback. Texts
    are compared exactly.
3.  Number, date and datetime columns: the text is read as ``reading.py`` says. Unreadable text is
    "missing", else the first bin. What reads as the same number or moment as one of the missing
    codes is "missing" (so the code ``-9`` also means ``-9.0``). What remains is clipped to the
    column's bounds and goes to its bin. Whole columns do not round: 3.7 lies in the bin of 3.

What a dataframe holds instead of text counts as the text that one would write for it: None, NaN and
NaT are no text; booleans in a boolean column are its two texts, elsewhere ``true`` and ``false``; a
whole number has no decimals; days and moments are themselves, whatever the column's format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.schema.columns import Boolean, Column, Date, Datetime, Fake, Number
from understudy.schema.domain import Axis, BinAxis, Domain, GroupAxis, LevelAxis
from understudy.table.drawing import draw_inside, limits, sentinels
from understudy.table.fakes import invent
from understudy.table.reading import place_in, place_of
from understudy.table.table import Codes, Table, Values

REMEMBERED: Final = 1 << 16  # how many distinct texts ``encode`` remembers the cell of


def cell_of(column: Column, axis: Axis, text: str | None) -> int:
    """The cell of ``text`` in a column; None stands for a cell that the row does not have.

    Never raises, whatever the text.
    """
    if isinstance(axis, GroupAxis):
        return axis.groups[cell_of(column, axis.fine, text)]
    reader = _reader(column, axis)
    mark = reader.absent if text is None else reader.mark(text)
    return int(reader.cells_of(np.array([mark]))[0])


def encode(
    column: Column, axis: Axis, values: NDArray[Any], *, missing: NDArray[np.bool_] | None = None
) -> NDArray[Any]:
    """The cell of each value, as the smallest unsigned integers that can hold every cell.

    ``values`` is a one-dimensional array of text or None (dtype object), or a typed array as a
    dataframe gives it; ``missing`` (or the mask of a masked array) marks values that are not there.
    Equals ``cell_of`` on the text of each value.
    """
    if isinstance(axis, GroupAxis):
        return regrouped(axis, encode(column, axis.fine, values, missing=missing))
    if isinstance(values, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(values)
        missing = masked if missing is None else masked | missing
        values = np.asarray(values.data)
    cells = _cells(column, axis, values)
    if missing is not None:
        cells[missing] = cell_of(column, axis, None)
    return cells


def regrouped(axis: GroupAxis, cells: NDArray[Any]) -> NDArray[Any]:
    """The group of each cell of the fine axis, as the smallest unsigned integers for all groups."""
    groups = np.array(axis.groups, dtype=np.min_scalar_type(axis.size - 1))
    found: NDArray[Any] = groups[cells]
    return found


def places(column: Column, values: NDArray[Any]) -> NDArray[np.float64]:
    """Where values lie on the line of a number, date or datetime column; NaN if unreadable.

    The cell of a place, as a number or moment, is the cell of the value on every ``BinAxis``.
    """
    typed = _places(column, values)
    if typed is not None:
        return typed
    reader = _reader(column, BinAxis(nullable=False, edges=(0.0, 1.0), whole=False))
    return _marks(column, reader, values.tolist())


def encode_table(domain: Domain, table: Table) -> Codes:
    """The cells of a public table that carries all columns of the domain."""
    absent = [name for name in domain.columns if name not in table.columns]
    if absent:
        raise UsageError(
            f"the table has no column {', '.join(map(repr, absent))}, which the domain needs"
        )
    columns = {
        name: _encode_values(domain.schema.columns[name], axis, table.columns[name])
        for name, axis in domain.axes.items()
    }
    return Codes(domain, columns, table.rows)


def decode(codes: Codes, *, rng: np.random.Generator) -> Table:
    """A table with a value drawn inside each cell and the fake columns made up.

    Values are uniform inside their cell (uniform in asinh if the column's scale is "log"), lie
    within the schema's bounds and levels and go back to the cell they came from. Types and
    nullability follow from the schema alone.
    """
    schema = codes.domain.schema
    columns: dict[str, Values] = {}
    for name in schema.released:
        column = schema.columns[name]
        if isinstance(column, Fake):
            columns[name] = invent(column, rows=codes.rows, rng=rng)
        else:
            axis = codes.domain.axes[name]
            columns[name] = _decode_column(column, axis, codes.columns[name], rng)
    return Table(schema, columns, codes.rows)


@dataclass(frozen=True)
class _Levels:
    """Levels and missing codes, compared exactly. The mark of a text is its cell."""

    cells: dict[str, int]
    fallback: int
    absent: float

    def mark(self, text: str) -> float:
        return self.cells.get(text, self.fallback)

    def cells_of(self, marks: NDArray[np.float64]) -> NDArray[Any]:
        return marks


@dataclass(frozen=True)
class _Bins:
    """Places on a line, clipped and found among the edges. The mark of a text is its place."""

    column: Column
    edges: NDArray[np.float64]
    limits: tuple[float, float]
    sentinels: NDArray[np.float64]
    fallback: int
    absent: float = np.nan

    def mark(self, text: str) -> float:
        place = place_in(self.column, text)
        return np.nan if place is None else place

    def cells_of(self, marks: NDArray[np.float64]) -> NDArray[Any]:
        clipped = np.clip(marks, *self.limits)
        bins = np.searchsorted(self.edges, clipped, side="right") - 1
        absent = np.isnan(marks)
        if len(self.sentinels):
            absent |= np.isin(marks, self.sentinels)
        return np.where(absent, self.fallback, np.clip(bins, 0, len(self.edges) - 2))


_Reader = _Levels | _Bins


@lru_cache(maxsize=512)
def _reader(column: Column, axis: Axis) -> _Reader:
    if isinstance(axis, LevelAxis):
        absent = axis.fallback if axis.missing_code is None else axis.missing_code
        cells = {level: cell for cell, level in enumerate(axis.levels)}
        cells.update(dict.fromkeys(column.missing, absent))
        return _Levels(cells, axis.fallback, absent)
    if not isinstance(axis, BinAxis):
        raise _unknown(column, axis)
    edges = np.array(axis.edges, dtype=np.float64)
    return _Bins(column, edges, limits(column), sentinels(column), axis.fallback)


def _cells(column: Column, axis: Axis, values: NDArray[Any]) -> NDArray[Any]:
    reader = _reader(column, axis)
    marks = _places(column, values) if isinstance(reader, _Bins) else None
    if marks is not None:
        cells = reader.cells_of(marks)
    elif values.dtype == object:
        cells = reader.cells_of(_marks(column, reader, values.tolist()))
    else:
        distinct, inverse = np.unique(values, return_inverse=True)
        cells = reader.cells_of(_marks(column, reader, _objects(distinct)))[inverse]
    return cells.astype(np.min_scalar_type(max(axis.size - 1, 0)))


def _places(column: Column, values: NDArray[Any]) -> NDArray[np.float64] | None:
    """Numbers of a number column, or days or seconds of a date column, without going by text."""
    kind = values.dtype.kind
    if kind in "iuf" and isinstance(column, Number):
        return values.astype(np.float64)
    if kind == "M" and isinstance(column, Date | Datetime):
        unit = "D" if isinstance(column, Date) else "s"
        moments = values.astype(f"datetime64[{unit}]")
        return np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(np.float64))
    return None


def _objects(values: NDArray[Any]) -> list[Any]:
    """The values as Python objects: floats as doubles, moments as ISO text."""
    if values.dtype.kind == "M":
        return [None if text == "NaT" else text for text in np.datetime_as_string(values).tolist()]
    if values.dtype.kind == "f":
        return list(values.astype(np.float64).tolist())
    return list(values.tolist())


class _Remembered(dict[Any, float]):
    """The marks of the texts seen so far; what is no text is worked out each time.

    Only texts are kept as keys: 1, 1.0 and True are one key of a dict, and the cell of a row must
    not depend on which of them another row holds. Keeping is bounded, so that a column of distinct
    texts costs time but no memory.
    """

    def __init__(self, mark_of: Callable[[Any], float]) -> None:
        super().__init__()
        self._mark_of = mark_of

    def __missing__(self, value: Any) -> float:
        mark = self._mark_of(value)
        if type(value) is str and len(self) < REMEMBERED:
            self[value] = mark
        return mark


def _marks(column: Column, reader: _Reader, values: list[Any]) -> NDArray[np.float64]:
    def mark_of(value: Any) -> float:
        return reader.mark(value) if type(value) is str else _mark_of_object(column, reader, value)

    remembered = _Remembered(mark_of)
    try:
        return np.fromiter(map(remembered.__getitem__, values), np.float64, count=len(values))
    except TypeError:  # a list or another thing that cannot be a key
        return np.fromiter(map(mark_of, values), np.float64, count=len(values))


def _mark_of_object(column: Column, reader: _Reader, value: Any) -> float:
    if _is_absent(value):
        return reader.absent
    if isinstance(value, date) and isinstance(column, Date | Datetime):
        if getattr(value, "tzinfo", None) is not None:
            return reader.absent
        return place_of(column, datetime(*value.timetuple()[:6]))
    text = _text_of(column, value)
    return reader.absent if text is None else reader.mark(text)


def _is_absent(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, told without comparing NA, which refuses to be compared."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _text_of(column: Column, value: Any) -> str | None:
    """The text that one would write for an object; None if it cannot be written."""
    if isinstance(value, bool | np.bool_):
        words = column.levels if isinstance(column, Boolean) else ("false", "true")
        return words[bool(value)]
    try:
        if isinstance(value, float | np.floating | Decimal) and np.isfinite(float(value)):
            return str(int(value)) if value == int(value) else repr(float(value))
        return str(value)
    except Exception:  # noqa: BLE001  a cell never stops a run, whatever its object does
        return None


def _encode_values(column: Column, axis: Axis, values: Values) -> NDArray[Any]:
    if values.levels is None:
        return encode(column, axis, values.data, missing=values.missing)
    levels = encode(column, axis, np.array(values.levels, dtype=object))
    cells: NDArray[Any] = levels[values.data]
    if values.missing is not None:
        cells[values.missing] = cell_of(column, axis, None)
    return cells


def _decode_column(
    column: Column, axis: Axis, codes: NDArray[Any], rng: np.random.Generator
) -> Values:
    missing = codes == axis.missing_code if axis.nullable else None
    present = codes if missing is None else np.where(missing, 0, codes).astype(codes.dtype)
    if isinstance(axis, LevelAxis):
        return Values(present, levels=axis.levels, missing=missing)
    if not isinstance(axis, BinAxis):
        raise _unknown(column, axis)
    return Values(draw_inside(column, axis, present, rng), missing=missing)


def _unknown(column: Column, axis: Axis) -> UsageError:
    return UsageError(
        f"column {column.name!r} has an axis of the kind {type(axis).__name__}; "
        "an axis is a LevelAxis or a BinAxis"
    )
