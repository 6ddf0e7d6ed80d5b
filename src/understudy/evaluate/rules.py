"""How many rows break each of the schema's rules.

A row breaks a rule only if the rule is false in it; a comparison with a missing cell is neither
true nor false. Rules are read on the fine grid, where the constants of the rules have cells of
their own: comparisons with constants are exact, those between columns too for whole numbers, dates
and levels that have a cell each, and to within a cell for other numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.grid import Sample
from understudy.evaluate.landmarks import place
from understudy.schema.columns import Column, Ordinal
from understudy.schema.domain import LevelAxis
from understudy.schema.rules import Condition, parse
from understudy.schema.rules.tree import (
    And,
    Comparison,
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

Mask = NDArray[np.bool_]

RELATIONS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


@dataclass(frozen=True)
class Truth:
    """Where a condition is true and where it is false; elsewhere it is neither."""

    true: Mask
    false: Mask


def broken_shares(sample: Sample) -> dict[str, float]:
    """The share of rows in which each rule of the schema is false, by the rule's text."""
    schema = sample.grid.domain.schema
    return {
        rule.require: float(np.mean(truth(parse(rule.require, schema.columns), sample).false))
        for rule in schema.rules
    }


def truth(node: Condition, sample: Sample) -> Truth:
    """Where a condition holds in a table."""
    match node:
        case Comparison():
            return _compared(node, sample)
        case Member():
            return _member(node, sample)
        case Missing():
            gone = sample.missing(node.cell.column.name)
            return Truth(gone ^ node.negated, ~gone ^ node.negated)
        case Not():
            return _opposite(truth(node.inner, sample))
    return _combined(node, sample)


def _combined(node: And | Or | Implies, sample: Sample) -> Truth:
    match node:
        case And():
            return _all([truth(part, sample) for part in node.parts])
        case Or():
            return _any([truth(part, sample) for part in node.parts])
        case Implies():
            return _any([_opposite(truth(node.given, sample)), truth(node.then, sample)])


def _opposite(inner: Truth) -> Truth:
    return Truth(inner.false, inner.true)


def _all(parts: Sequence[Truth]) -> Truth:
    return Truth(
        np.all([part.true for part in parts], axis=0),
        np.any([part.false for part in parts], axis=0),
    )


def _any(parts: Sequence[Truth]) -> Truth:
    return _opposite(_all([_opposite(part) for part in parts]))


def _compared(node: Comparison, sample: Sample) -> Truth:
    relation = RELATIONS[node.relation]
    if kind_of(node.left) is Kind.TEXT:
        number = _numbers_for_text(node)
        left, right = (_text(side, sample, number) for side in (node.left, node.right))
    else:
        left, right = (_number(side, sample) for side in (node.left, node.right))
    known = ~(np.isnan(left) | np.isnan(right))
    holds = relation(left, right)
    return Truth(known & holds, known & ~holds)


def _member(node: Member, sample: Sample) -> Truth:
    equal = [_compared(Comparison(node.value, "==", option), sample) for option in node.options]
    return _opposite(_any(equal)) if node.negated else _any(equal)


def _number(value: Value, sample: Sample) -> NDArray[np.float64]:
    """Numbers, days or seconds, one per row; NaN where a cell is missing."""
    match value:
        case Reference():
            name = value.column.name
            return np.asarray(sample.grid.lowest(name)[sample.codes[name]])
        case Constant():
            return np.full(sample.rows, place(value.value), dtype=np.float64)
        case Sum():
            terms = [term.sign * _number(term.value, sample) for term in value.terms]
            return np.asarray(np.sum(terms, axis=0))


def _numbers_for_text(node: Comparison) -> Callable[[str], float]:
    """A number for each text: its rank where an ordinal column is compared, else any of its own."""
    columns = [side.column for side in (node.left, node.right) if isinstance(side, Reference)]
    ordered = next((column for column in columns if isinstance(column, Ordinal)), None)
    if ordered is not None:
        ranks = {level: float(rank) for rank, level in enumerate(ordered.levels)}
        return lambda text: ranks.get(text, float("nan"))
    seen: dict[str, float] = {}
    return lambda text: seen.setdefault(text, float(len(seen)))


def _text(value: Value, sample: Sample, number: Callable[[str], float]) -> NDArray[np.float64]:
    match value:
        case Reference():
            cells = _levels(value.column, sample)
            numbers = np.array([np.nan if text is None else number(text) for text in cells])
            return np.asarray(numbers[sample.codes[value.column.name]])
        case Constant():
            return np.full(sample.rows, number(str(value.value)))
    raise TypeError("texts cannot be added up")  # the parser refuses such a rule


def _levels(column: Column, sample: Sample) -> list[str | None]:
    axis = sample.grid.fine.axes[column.name]
    levels = axis.levels if isinstance(axis, LevelAxis) else ()
    return [*levels, *([None] * axis.nullable)]
