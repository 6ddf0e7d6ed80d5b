"""The parsed form of a rule: frozen nodes that hold the columns they speak of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import Final, Literal

from understudy.schema.columns import Column, Date, Datetime, Number


class Kind(Enum):
    """What a value is; only values of one kind can be compared."""

    NUMBER = "a number"
    DAY = "a date"
    MOMENT = "a moment"
    TEXT = "text"


@dataclass(frozen=True)
class Reference:
    """The cell of a column."""

    column: Column


@dataclass(frozen=True)
class Constant:
    """A number, text, date or moment written in the rule."""

    value: int | float | str | date | datetime


@dataclass(frozen=True)
class Term:
    """A part of a sum: +1 or -1 times a value."""

    sign: Literal[1, -1]
    value: Value


@dataclass(frozen=True)
class Sum:
    """Terms added up; ``kind`` is what comes out."""

    terms: tuple[Term, ...]
    kind: Kind


@dataclass(frozen=True)
class Comparison:
    """Two values and the relation between them."""

    left: Value
    relation: Literal["==", "!=", "<", "<=", ">", ">="]
    right: Value


@dataclass(frozen=True)
class Member:
    """Whether a value is one of some constants (or, ``negated``, none of them)."""

    value: Value
    options: tuple[Constant, ...]
    negated: bool


@dataclass(frozen=True)
class Missing:
    """Whether a cell is missing (or, ``negated``, is not)."""

    cell: Reference
    negated: bool


@dataclass(frozen=True)
class Not:
    """The opposite of a condition."""

    inner: Condition


@dataclass(frozen=True)
class And:
    """All of two or more conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """At least one of two or more conditions."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Implies:
    """Wherever ``given`` holds, ``then`` holds."""

    given: Condition
    then: Condition


Value = Reference | Constant | Sum
Condition = Comparison | Member | Missing | Not | And | Or | Implies
CONDITIONS: Final = (Comparison, Member, Missing, Not, And, Or, Implies)


def kind_of(value: Value) -> Kind:
    """The kind of a value; columns that are neither numbers nor dates are text."""
    match value:
        case Sum():
            return value.kind
        case Reference(Number()) | Constant(int() | float()):
            return Kind.NUMBER
        case Reference(Datetime()) | Constant(datetime()):
            return Kind.MOMENT
        case Reference(Date()) | Constant(date()):
            return Kind.DAY
    return Kind.TEXT


def columns_of(node: Condition | Value) -> tuple[str, ...]:
    """The names of the columns that a rule speaks of, each once, in the order of the text."""
    return tuple(dict.fromkeys(_names(node)))


def _names(node: Condition | Value) -> Iterator[str]:
    match node:
        case Reference():
            yield node.column.name
        case Constant():
            return
        case Sum():
            for term in node.terms:
                yield from _names(term.value)
        case Comparison():
            yield from _names(node.left)
            yield from _names(node.right)
        case Member():
            yield from _names(node.value)
        case Missing():
            yield from _names(node.cell)
        case Not():
            yield from _names(node.inner)
        case And() | Or():
            for part in node.parts:
                yield from _names(part)
        case Implies():
            yield from _names(node.given)
            yield from _names(node.then)
