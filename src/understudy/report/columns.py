"""What anyone may know about each column, in words, and where that knowledge comes from."""

from __future__ import annotations

from typing import Final

from understudy.report.card import ColumnNote, Origin
from understudy.schema.columns import Column, Date, Datetime, Fake, Number
from understudy.schema.domain import Axis, BinAxis, Domain, LevelAxis

LEVELS_SHOWN: Final = 8


def column_notes(domain: Domain) -> tuple[ColumnNote, ...]:
    """One note for each column of the schema, in its order, those left out included."""
    return tuple(
        ColumnNote(
            name=name,
            kind=column.kind,
            origin=_origin(column),
            public=_public(column, domain.axes.get(name)),
            missing=column.nullable,
        )
        for name, column in domain.schema.columns.items()
    )


def _origin(column: Column) -> Origin:
    if column.kind == "drop":
        return "left out"
    if column.kind == "fake":
        return "invented"
    return "bought" if column.is_open else "declared"


def _public(column: Column, axis: Axis | None) -> str:
    if isinstance(column, Fake):
        return f"made up ({column.style}), never read"
    if isinstance(axis, LevelAxis):
        return _levels(axis.levels)
    if isinstance(axis, BinAxis):
        return f"{_range(column, axis)}, {_cells(axis.proper)}"
    return "never read, never released"


def _levels(levels: tuple[str, ...]) -> str:
    shown = ", ".join(map(_level, levels[:LEVELS_SHOWN]))
    more = len(levels) - LEVELS_SHOWN
    count = "1 level" if len(levels) == 1 else f"{len(levels):,} levels"
    return f"{count}: {shown}" + (f" and {more:,} more" if more > 0 else "")


def _level(text: str) -> str:
    """A level that could be taken for two, or for none, stands in quotes."""
    return f"'{text}'" if "," in text or text != text.strip() or not text else text


def _range(column: Column, axis: BinAxis) -> str:
    if isinstance(column, Date | Datetime):
        return f"{column.min.isoformat()} to {column.max.isoformat()}"
    last = axis.edges[-1] - 1 if axis.whole else axis.edges[-1]
    low, high = (_number(edge) for edge in (axis.edges[0], last))
    open_ends = isinstance(column, Number) and column.is_open
    return f"{low} to {high}" + (" (outside: clipped)" if open_ends else "")


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,.6g}"


def _cells(count: int) -> str:
    return "1 bin" if count == 1 else f"{count:,} bins"
