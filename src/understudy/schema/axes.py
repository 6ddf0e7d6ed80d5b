"""From a column to its axis: the public, deterministic choice of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from math import ceil, floor

import numpy as np

from understudy.errors import SchemaError
from understudy.schema.columns import (
    DEFAULT_BINS,
    ONE_BIN_PER_VALUE_UP_TO,
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Number,
    Ordinal,
    Real,
)
from understudy.schema.domain import Axis, BinAxis, Domain, LevelAxis
from understudy.schema.schema import Schema
from understudy.schema.values import LARGEST_REAL, LARGEST_WHOLE

EPOCH = date(1970, 1, 1)


def day_number(day: date) -> int:
    """Days since 1970-01-01."""
    return (day - EPOCH).days


def second_number(moment: datetime) -> int:
    """Seconds since 1970-01-01T00:00:00, both without time zone."""
    return int(moment.replace(tzinfo=UTC).timestamp())


def domain_of(
    schema: Schema,
    *,
    levels: Mapping[str, Sequence[str]] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Domain:
    """The domain of a schema, given what was bought for its open columns."""
    levels, bounds = levels or {}, bounds or {}
    axes = {
        name: axis_of(schema.columns[name], levels=levels.get(name), bounds=bounds.get(name))
        for name in schema.modelled
    }
    return Domain(schema, axes)


def least_cells(column: Column) -> int:
    """How many cells a column has at least, whatever is bought for it."""
    return 1 + column.nullable if column.is_open else axis_of(column).size


def axis_of(
    column: Column,
    *,
    levels: Sequence[str] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Axis:
    """The cells of one column; ``levels`` and ``bounds`` fill in what the schema leaves open.

    What was bought never overrides what is declared: it is ignored for closed columns, bought
    levels leave out missing codes, and a bought bound stays on its side of a declared one.
    """
    match column:
        case Category():
            return _category_axis(column, levels)
        case Ordinal() | Boolean():
            fallback = len(column.levels) if column.nullable else 0
            return LevelAxis(nullable=column.nullable, levels=column.levels, fallback=fallback)
        case Number():
            return _number_axis(column, bounds)
        case Date():
            days = column.bins if isinstance(column.bins, tuple) else (column.min, column.max)
            edges = [day_number(day) for day in days]
        case Datetime():
            moments = column.bins if isinstance(column.bins, tuple) else (column.min, column.max)
            edges = [second_number(moment) for moment in moments]
        case _:
            raise SchemaError(f"a {column.kind} column has no cells", column=column.name)
    return _whole_axis(column, edges, "linear")


def _category_axis(column: Category, found: Sequence[str] | None) -> LevelAxis:
    if column.is_open:
        if found is None:
            raise _still_open(column, "levels")
        left_out = {column.other, *column.missing}
        named = tuple(level for level in dict.fromkeys(found) if level not in left_out)
    else:
        named = tuple(column.levels)
    if column.other is None:
        fallback = len(named) if column.nullable else 0
        return LevelAxis(nullable=column.nullable, levels=named, fallback=fallback)
    return LevelAxis(nullable=column.nullable, levels=(*named, column.other), fallback=len(named))


def _number_axis(column: Number, bought: tuple[float, float] | None) -> BinAxis:
    whole = not isinstance(column, Real)
    if isinstance(column.bins, tuple):
        ends: tuple[float, ...] = column.bins
    else:
        ends = _bounds(column, bought, most=LARGEST_WHOLE if whole else LARGEST_REAL)
    if whole:
        return _whole_axis(column, [floor(ends[0]), *map(ceil, ends[1:])], column.scale)
    if not isinstance(column.bins, tuple):
        ends = _spread(column, *ends)
    return BinAxis(nullable=column.nullable, edges=ends, whole=False)


def _bounds(
    column: Number, bought: tuple[float, float] | None, *, most: float
) -> tuple[float, float]:
    if bought is None and column.is_open:
        raise _still_open(column, "bounds")
    low, high = (min(max(bound, -most), most) for bound in bought or (0, 0))
    if column.max is not None:
        low, high = min(low, column.max), column.max
    if column.min is not None:
        low, high = column.min, max(high, column.min)
    return low, max(low, high)


def _whole_axis(column: Number | Date | Datetime, ends: Sequence[int], scale: str) -> BinAxis:
    """Bins of whole numbers (values, days, seconds) from the first to the last end, included."""
    low, high = ends[0], ends[-1]
    span = high - low + 1
    edges: tuple[int, ...]
    if isinstance(column.bins, tuple):
        edges = (*ends[:-1], high + 1)
    elif column.bins is None and span <= ONE_BIN_PER_VALUE_UP_TO:
        edges = tuple(range(low, high + 2))
    else:
        count = min(column.bins or DEFAULT_BINS, span)
        spread = _evenly(low, high + 1, count, log=scale == "log")
        between = {int(edge) for edge in np.ceil(spread[1:-1])}
        edges = (low, *sorted(edge for edge in between if low < edge <= high), high + 1)
    return BinAxis(nullable=column.nullable, edges=edges, whole=True)


def _spread(column: Number, low: float, high: float) -> tuple[float, ...]:
    if low == high:
        return (low, float(np.nextafter(high, np.inf)))
    count = column.bins if isinstance(column.bins, int) else DEFAULT_BINS
    edges = np.unique(_evenly(low, high, count, log=column.scale == "log"))
    return tuple(float(edge) for edge in edges)


def _evenly(low: float, high: float, count: int, *, log: bool) -> np.ndarray:
    """``count`` + 1 edges, even in x or in asinh(x), whose ends are exactly the bounds."""
    if not log:
        edges = np.linspace(low, high, count + 1)
    else:
        edges = np.sinh(np.linspace(np.arcsinh(low), np.arcsinh(high), count + 1))
    edges[0], edges[-1] = low, high
    return np.clip(edges, low, high)


def _still_open(column: Column, what: str) -> SchemaError:
    return SchemaError(
        f"its {what} are not public; declare them or let a run with a budget buy them",
        column=column.name,
    )
