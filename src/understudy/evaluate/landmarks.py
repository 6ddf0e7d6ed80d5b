"""The constants that a schema's rules compare columns with, as places on the columns' lines.

The grid gives each of them a cell of its own, so that rules about constants are judged exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from typing import Any

from understudy.schema.axes import day_number, second_number
from understudy.schema.rules import columns_of, parse
from understudy.schema.rules.tree import Constant
from understudy.schema.schema import Schema


def landmarks(schema: Schema) -> dict[str, set[float]]:
    """For each column that a rule speaks of: the numbers, days or seconds in its rules."""
    found: dict[str, set[float]] = {}
    for rule in schema.rules:
        condition = parse(rule.require, schema.columns)
        places = {place(constant.value) for constant in _constants(condition)}
        for column in columns_of(condition):
            found.setdefault(column, set()).update(p for p in places if p is not None)
    return found


def place(value: int | float | str | date | datetime) -> float | None:
    """A constant's place on its line; None for text."""
    match value:
        case datetime():
            return float(second_number(value))
        case date():
            return float(day_number(value))
        case int() | float():
            return float(value)
    return None


def _constants(node: Any) -> Iterator[Constant]:
    """The constants anywhere below a node of a parsed rule."""
    if isinstance(node, Constant):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _constants(part)
    elif is_dataclass(node):
        for part in fields(node):
            yield from _constants(getattr(node, part.name))
