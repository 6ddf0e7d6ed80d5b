"""What fits together in a rule. Each function refuses with what is asked and what is allowed."""

from __future__ import annotations

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.column_values import DISCOVER
from understudy.schema.columns import Boolean, Category, Ordinal
from understudy.schema.rules.tokens import refuse
from understudy.schema.rules.tree import (
    CONDITIONS,
    Condition,
    Constant,
    Kind,
    Member,
    Missing,
    Reference,
    Term,
    Value,
    columns_of,
    kind_of,
)

ORDERED = ("<", "<=", ">", ">=")


def truth(node: Condition | Value, at: int) -> Condition:
    """The node itself if it can be true or false."""
    if isinstance(node, CONDITIONS):
        return node
    raise refuse(
        f"a condition is needed here, such as 'age < 15'; {_phrase(node)} is not true or false",
        at,
        column=_column(node),
    )


def value(node: Condition | Value, at: int) -> Value:
    """The node itself if it is a value."""
    if isinstance(node, CONDITIONS):
        raise refuse(
            "a condition stands where a value is needed; join conditions by 'and', 'or' "
            "or 'implies' (for 'a < b < c' write 'a < b and b < c')",
            at,
        )
    return node


def missing(node: Value, negated: bool, at: int) -> Missing:
    """The condition that a cell is (not) missing, for columns that may be missing."""
    if not isinstance(node, Reference):
        raise refuse("only a column can be missing", at)
    if not node.column.nullable:
        raise refuse(
            "this column is never missing: declare its 'missing' codes or drop the condition",
            at,
            column=node.column.name,
        )
    return Missing(node, negated)


def member(node: Value, options: tuple[Constant, ...], negated: bool, at: int) -> Member:
    """The condition that a value is (not) one of some constants of its kind."""
    for option in options:
        comparison(node, "==", option, at)
    return Member(node, options, negated)


def sum_kind(terms: tuple[Term, ...], at: int) -> Kind:
    """What comes out of a sum: dates cancel out in differences, and at most one may remain."""
    kinds = [kind_of(term.value) for term in terms]
    columns = [_column(term.value) for term in terms]
    if Kind.TEXT in kinds:
        raise refuse("text cannot be added", at, column=columns[kinds.index(Kind.TEXT)])
    times = {kind for kind in kinds if kind is not Kind.NUMBER}
    if len(times) == 2:
        raise refuse("a date and a moment cannot be added or subtracted", at, column=columns[0])
    left = sum(term.sign for term, kind in zip(terms, kinds, strict=True) if kind in times)
    if left not in (0, 1):
        raise refuse(
            "dates can be subtracted from each other, and numbers added to one of them; "
            "here the dates do not leave one date or a number",
            at,
            column=columns[0],
        )
    return times.pop() if left else Kind.NUMBER


def comparison(left: Value, relation: str, right: Value, at: int) -> None:
    """Refuse two values that cannot be compared by this relation."""
    column = _column(left) or _column(right)
    if not columns_of(left) and not columns_of(right):
        raise refuse("two constants are compared; one side must name a column", at)
    if kind_of(left) is not kind_of(right):
        raise refuse(
            f"{_phrase(left)} cannot be compared with {_phrase(right)}{_hint(left, right)}",
            at,
            column=column,
        )
    if kind_of(left) is Kind.TEXT:
        _check_level(left, right, at)
        _check_level(right, left, at)
        if relation in ORDERED and not _same_order(left, right):
            raise refuse(
                f"{relation} needs an order: numbers, dates, or an ordinal column with one of "
                "its levels or with another ordinal of the same levels",
                at,
                column=column,
            )


def _same_order(left: Value, right: Value) -> bool:
    match left, right:
        case Reference(Ordinal(levels=ours)), Reference(Ordinal(levels=theirs)):
            return ours == theirs
        case (Reference(Ordinal()), Constant()) | (Constant(), Reference(Ordinal())):
            return True
    return False


def _check_level(side: Value, constant: Value, at: int) -> None:
    """Text compared with a column of declared levels must be one of them."""
    if not isinstance(constant, Constant):
        return
    match side:
        case Reference(Category(levels=levels, other=other)) if levels != DISCOVER:
            allowed = (*levels, *(() if other is None else (other,)))
        case Reference(Ordinal(levels=levels) | Boolean(levels=levels)):
            allowed = levels
        case _:
            return
    level = str(constant.value)
    if level not in allowed:
        raise _no_level(side.column.name, level, allowed, at)


def _no_level(column: str, level: str, allowed: tuple[str, ...], at: int) -> SchemaError:
    nearest = values.guess(level, allowed)
    return refuse(
        f"{values.shown(level)} is no level of this column; its levels are "
        f"{values.listed(allowed)}.{nearest}",
        at,
        column=column,
    )


def _column(node: Condition | Value) -> str | None:
    return next(iter(columns_of(node)), None)


def _phrase(node: Value) -> str:
    match node:
        case Reference(column):
            return f"column {values.shown(column.name)} ({kind_of(node).value})"
        case Constant(constant):
            written = constant if isinstance(constant, int | float) else str(constant)
            return f"{values.shown(written)} ({kind_of(node).value})"
    return f"a sum ({kind_of(node).value})"


def _hint(left: Value, right: Value) -> str:
    constants = [node for node in (left, right) if isinstance(node, Constant)]
    if constants and kind_of(constants[0]) is Kind.TEXT:
        return "; write numbers and dates without quotes"
    if constants and Kind.TEXT in (kind_of(left), kind_of(right)):
        return "; write levels in quotes"
    return ""
