"""A schema in plain words, one line per column."""

from __future__ import annotations

from understudy.schema import values
from understudy.schema.columns import (
    Bins,
    Boolean,
    Category,
    Column,
    Date,
    DateBins,
    Datetime,
    Fake,
    Integer,
    MomentBins,
    Number,
    Ordinal,
    Real,
)
from understudy.schema.schema import Schema

_SHOWN_LEVELS = 5


def explain(schema: Schema) -> list[str]:
    """What the schema says of each column, one line each, in the schema's order."""
    return [f"{values.shown(name)}: {line_of(column)}" for name, column in schema.columns.items()]


def line_of(column: Column) -> str:
    """What a column holds, in plain words."""
    content = _content(column)
    return f"{content}, {_missing(column)}" if column.modelled else content


def _content(column: Column) -> str:  # noqa: PLR0911 - one return per kind
    match column:
        case Category(levels=str(), other=other):
            return f"text; its levels are to be bought, rare ones become {values.shown(other)}"
        case Category(levels=levels, other=other):
            rest = f", all other text becomes {values.shown(other)}" if other is not None else ""
            return f"{_levels(levels)}{rest}"
        case Ordinal():
            return f"{_levels(column.levels)}, in this order"
        case Boolean():
            return f"{values.shown(column.true)} or {values.shown(column.false)}"
        case Number():
            return _number(column)
        case Date() | Datetime():
            what = "date" if isinstance(column, Date) else "moment"
            return f"{what} from {column.min} to {column.max}{_bins(column.bins)}"
        case Fake():
            return f"never read; {column.style} values are made up"
    return "neither read nor released"


def _levels(levels: tuple[str, ...] | str) -> str:
    if len(levels) == 1:
        return f"always {values.shown(levels[0])}"
    return f"one of {len(levels)} levels ({values.listed(levels, most=_SHOWN_LEVELS)})"


def _number(column: Number) -> str:
    what = "whole number" if isinstance(column, Integer) else "number"
    if isinstance(column, Real) and column.decimals is not None:
        what += f" with {column.decimals} decimal{'s' * (column.decimals != 1)}"
    if column.min is not None and column.max is not None:
        what += f" from {column.min:.15g} to {column.max:.15g}"
    elif column.min is not None:
        what += f" from {column.min:.15g} up, the upper bound is to be bought"
    elif column.max is not None:
        what += f" up to {column.max:.15g}, the lower bound is to be bought"
    else:
        what += ", its bounds are to be bought"
    return what + _bins(column.bins) + (", skewed" if column.scale == "log" else "")


def _bins(bins: Bins | DateBins | MomentBins) -> str:
    if bins is None:
        return ""
    count = len(bins) - 1 if isinstance(bins, tuple) else bins
    return f", in {count} bin{'s' * (count != 1)}"


def _missing(column: Column) -> str:
    if not column.nullable:
        return "never missing"
    codes = " or ".join("nothing" if code == "" else values.shown(code) for code in column.missing)
    return f"missing if written as {codes}"
