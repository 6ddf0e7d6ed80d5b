"""A rule in plain words, for cards, help pages and ``understudy check``."""

from __future__ import annotations

from datetime import date
from typing import Final

from understudy.schema import values
from understudy.schema.rules.tree import (
    And,
    Comparison,
    Condition,
    Constant,
    Implies,
    Kind,
    Member,
    Missing,
    Not,
    Or,
    Reference,
    Sum,
    Value,
    kind_of,
)

_SAME: Final = {"==": "is", "!=": "is not"}
_AMOUNT: Final = {"<": "is below", "<=": "is at most", ">": "is above", ">=": "is at least"}
_DAY: Final = {
    "<": "is before",
    "<=": "is on or before",
    ">": "is after",
    ">=": "is on or after",
}
_MOMENT: Final = {**_DAY, "<=": "is at or before", ">=": "is at or after"}
_RELATIONS: Final = {
    Kind.NUMBER: _SAME | _AMOUNT,
    Kind.TEXT: _SAME | _AMOUNT,
    Kind.DAY: _SAME | _DAY,
    Kind.MOMENT: _SAME | _MOMENT,
}


def show(rule: Condition) -> str:  # noqa: PLR0911 - one return per kind
    """The rule as a sentence without its full stop."""
    match rule:
        case Implies(given, then):
            return f"if {_part(given)}, then {_part(then)}"
        case And(parts):
            return " and ".join(_part(part) for part in parts)
        case Or(parts):
            return " or ".join(_part(part) for part in parts)
        case Not(inner):
            return f"it is not so that {_part(inner)}"
        case Missing(cell, negated):
            return f"{_value(cell)} is {'not ' * negated}missing"
        case Member(value, options, negated):
            choices = ", ".join(_value(option) for option in options)
            return f"{_value(value)} is {'none' if negated else 'one'} of {choices}"
        case Comparison(left, relation, right):
            return f"{_value(left)} {_RELATIONS[kind_of(left)][relation]} {_value(right)}"


def _part(condition: Condition) -> str:
    joined = isinstance(condition, And | Or | Implies | Not)
    return f"({show(condition)})" if joined else show(condition)


def _value(value: Value) -> str:
    match value:
        case Reference(column):
            plain = column.name.replace("_", "a").isalnum()
            return column.name if plain and len(column.name) <= 60 else values.shown(column.name)
        case Constant(date() as day):
            return day.isoformat()
        case Constant(constant):
            return values.shown(constant)
        case Sum():
            return _sum(value)


def _sum(total: Sum) -> str:
    shown = [
        ("minus " if term.sign < 0 else "plus ")
        + (f"({_sum(term.value)})" if isinstance(term.value, Sum) else _value(term.value))
        for term in total.terms
    ]
    return " ".join(shown).removeprefix("plus ")
