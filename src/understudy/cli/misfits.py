"""How many cells of each column do not fit the schema: exact, hence for the keeper's eyes only.

The table is opened a second way, with every modelled column as plain text, so that each distinct
text can be judged by the public rules of its column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from understudy.data.open import open_source
from understudy.gate.unprotected import OpenTable
from understudy.schema.axes import day_number, second_number
from understudy.schema.column_values import DISCOVER
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Number,
    Ordinal,
)
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema
from understudy.table.reading import place_in

REASON: Final = "the keeper checks whether the table fits its schema"


@dataclass(frozen=True)
class ColumnFit:
    """Numbers of cells that do not fit; None where the question makes no sense for the kind."""

    name: str
    kind: str
    missing: int
    undeclared: int | None
    unreadable: int | None
    out_of_bounds: int | None


@dataclass(frozen=True)
class TableFit:
    """What ``check`` found. ``rows`` counts what is left after contributions are bounded."""

    rows: int
    declared_size_is_true: bool | None
    columns: tuple[ColumnFit, ...]


def fit_of(source: Any, schema: Schema) -> TableFit:
    """Judge every cell of every modelled column."""
    plain = _as_text(schema)
    backend = open_source(source, plain)
    table = OpenTable(backend, reason=REASON)
    rows = _size(table, plain)
    declared = schema.rows is not None or schema.unit.persons is not None
    return TableFit(
        rows=rows,
        declared_size_is_true=backend.fits_declared_size() if declared else None,
        columns=tuple(
            column_fit(schema.columns[name], table.levels(name), rows=rows)
            for name in schema.modelled
        ),
    )


def column_fit(column: Column, texts: Mapping[str, int], *, rows: int) -> ColumnFit:
    """Judge the texts of one column; cells without any text count as missing."""
    missing = rows - sum(texts.values())
    undeclared = unreadable = outside = 0
    for text, count in texts.items():
        if text in column.missing:
            missing += count
        elif isinstance(column, Category | Ordinal | Boolean):
            undeclared += count * (not _is_declared(column, text))
        elif (place := place_in(column, text)) is None:
            unreadable += count
        else:
            outside += count * (not _is_inside(column, place))
    levelled = isinstance(column, Category | Ordinal | Boolean)
    return ColumnFit(
        name=column.name,
        kind=column.kind,
        missing=missing,
        undeclared=undeclared if levelled else None,
        unreadable=None if levelled else unreadable,
        out_of_bounds=None if levelled else outside,
    )


def _is_declared(column: Category | Ordinal | Boolean, text: str) -> bool:
    return column.levels == DISCOVER or text in column.levels


def _is_inside(column: Column, place: float) -> bool:
    if isinstance(column, Number):
        low = column.min if column.min is not None else -float("inf")
        high = column.max if column.max is not None else float("inf")
        return low <= place <= high
    if isinstance(column, Datetime):
        return second_number(column.min) <= place <= second_number(column.max)
    assert isinstance(column, Date)
    return day_number(column.min) <= place <= day_number(column.max)


def _as_text(schema: Schema) -> Schema:
    texts = {name: Category(name=name, levels=DISCOVER) for name in schema.modelled}
    return replace(schema, columns={**schema.columns, **texts}, rules=())


def _size(table: OpenTable, schema: Schema) -> int:
    """The rows of the table: the one cell of the marginal over no column."""
    (count,) = table.count(Domain(schema, {}), [()])
    return int(count)
