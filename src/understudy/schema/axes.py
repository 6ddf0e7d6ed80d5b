"""From a column to its axis: the public, deterministic choice of cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime

import numpy as np

from understudy.errors import SchemaError
from understudy.schema.columns import (
    DEFAULT_BINS,
    ONE_BIN_PER_VALUE_UP_TO,
    Bins,
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


def axis_of(
    column: Column,
    *,
    levels: Sequence[str] | None = None,
    bounds: tuple[float, float] | None = None,
) -> Axis:
    """The cells of one column; ``levels`` and ``bounds`` fill in what the schema leaves open."""
    match column:
        case Category():
            return _category_axis(column, levels)
        case Ordinal() | Boolean():
            fallback = len(column.levels) if column.nullable else 0
            return LevelAxis(nullable=column.nullable, levels=column.levels, fallback=fallback)
        case Number():
            return _number_axis(column, bounds)
        case Date():
            low, high = day_number(column.min), day_number(column.max)
            return _whole_axis(column, low, high, column.bins)
        case Datetime():
            low, high = second_number(column.min), second_number(column.max)
            return _whole_axis(column, low, high, column.bins)
    raise SchemaError(f"a {column.kind} column has no cells", column=column.name)


def _category_axis(column: Category, found: Sequence[str] | None) -> LevelAxis:
    if column.is_open and found is None:
        raise _still_open(column, "levels")
    declared = tuple(found or ()) if column.is_open else tuple(column.levels)
    if column.other is None:
        fallback = len(declared) if column.nullable else 0
        return LevelAxis(nullable=column.nullable, levels=declared, fallback=fallback)
    named = tuple(level for level in declared if level != column.other)
    return LevelAxis(
        nullable=column.nullable, levels=(*named, column.other), fallback=len(named)
    )


def _number_axis(column: Number, bought: tuple[float, float] | None) -> BinAxis:
    whole = not isinstance(column, Real)
    if isinstance(column.bins, tuple):
        return BinAxis(nullable=column.nullable, edges=column.bins, whole=whole)
    low = column.min if column.min is not None else bought[0] if bought else None
    high = column.max if column.max is not None else bought[1] if bought else None
    if low is None or high is None:
        raise _still_open(column, "bounds")
    high = max(high, low)
    if whole:
        return _whole_axis(column, int(np.floor(low)), int(np.ceil(high)), column.bins)
    return BinAxis(nullable=column.nullable, edges=_spread(column, low, high), whole=False)


def _whole_axis(column: Column, low: int, high: int, bins: Bins) -> BinAxis:
    """Bins of whole numbers (values, days, seconds) from ``low`` to ``high``, both included."""
    span = high - low + 1
    if isinstance(bins, tuple):
        edges: tuple[float, ...] = bins
    elif bins is None and span <= ONE_BIN_PER_VALUE_UP_TO:
        edges = tuple(range(low, high + 2))
    else:
        count = min(bins or DEFAULT_BINS, span)
        spread = _evenly(low, high + 1, count, log=getattr(column, "scale", "") == "log")
        edges = tuple(int(edge) for edge in np.unique(np.ceil(spread).astype(np.int64)))
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
