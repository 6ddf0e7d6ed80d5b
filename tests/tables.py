"""Tiny private tables, a purse that pays for them, and all their neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import floor, prod
from typing import Any

import numpy as np

from understudy.data.backend import Backend, Capability, Counts, Marginal
from understudy.errors import BudgetExceeded
from understudy.privacy.budget import Budget
from understudy.schema.columns import Category, Column, Date, Drop, Integer
from understudy.schema.domain import BinAxis, Domain
from understudy.schema.moment import Feature, Moment
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema, Unit
from understudy.table.codec import cell_of

Row = tuple[str | None, ...]


class TinyBackend(Backend):
    """Rows of text, counted one by one with the public definition of a cell.

    ``diary`` lists what was done in order; a purse that shares it writes its charges there too.
    """

    capabilities = frozenset(Capability)

    def __init__(
        self, schema: Schema, rows: Sequence[Row], *, diary: list[str] | None = None
    ) -> None:
        self.schema = schema
        self._rows = list(rows)
        self.diary = [] if diary is None else diary
        self._counted: dict[tuple[Any, ...], Counts] = {}

    def count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Counts]:
        self.diary.append("read")
        return [self._remembered(domain, marginal).copy() for marginal in marginals]

    def _remembered(self, domain: Domain, marginal: Marginal) -> Counts:
        key = (marginal, *(domain.axes[name] for name in marginal))
        if key not in self._counted:
            self._counted[key] = self._table(domain, marginal)
        return self._counted[key]

    def _table(self, domain: Domain, marginal: Marginal) -> Counts:
        table = np.zeros(domain.shape(marginal), dtype=np.int64)
        names = list(self.schema.columns)
        for row in self._rows:
            cells = (
                cell_of(self.schema.columns[name], domain.axes[name], row[names.index(name)])
                for name in marginal
            )
            table[tuple(cells)] += 1
        return table

    def levels(self, column: str) -> Mapping[str, int]:
        self.diary.append("read")
        place = list(self.schema.columns).index(column)
        missing = self.schema.columns[column].missing
        texts = (row[place] for row in self._rows)
        return Counter(text for text in texts if text is not None and text not in missing)

    def sums(self, domain: Domain, moments: Sequence[Moment], *, granularity: int) -> Counts:
        self.diary.append("read")
        totals = [
            sum(
                prod(self._steps(domain, one, row, granularity) for one in moment.features)
                for row in self._rows
            )
            for moment in moments
        ]
        return np.array(totals, dtype=np.int64)

    def _steps(self, domain: Domain, feature: Feature, row: Row, granularity: int) -> int:
        """A feature of one row by its definition, in fractions, for numbers written plainly."""
        column, axis = self.schema.columns[feature.column], domain.axes[feature.column]
        text = row[list(self.schema.columns).index(feature.column)]
        if feature.cell is not None:
            return granularity * (cell_of(column, axis, text) == feature.cell)
        assert isinstance(axis, BinAxis)
        found = None if text is None or text in column.missing else _place(column, text)
        if found is None:
            share = Fraction(feature.missing) if axis.nullable else Fraction(-1)
        else:
            low, high = Fraction(axis.edges[0]), Fraction(axis.edges[-1]) - axis.whole
            place = min(max(found, low), high)
            share = 2 * (place - low) / (high - low) - 1 if high > low else Fraction(0)
        return floor(share * granularity + Fraction(1, 2))

    def fits_declared_size(self) -> bool:
        return self.schema.rows in (None, len(self._rows))


def _place(column: Column, text: str) -> Fraction | None:
    """The number that a text says, days for a date; None if it says none."""
    try:
        if isinstance(column, Date):
            return Fraction((date.fromisoformat(text) - date(1970, 1, 1)).days)
        return Fraction(text)
    except ValueError:
        return None


class SealedBackend(TinyBackend):
    """A private table that fails the test as soon as it is read."""

    def count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Counts]:
        raise AssertionError("private rows were read where none might be")

    def sums(self, domain: Domain, moments: Sequence[Moment], *, granularity: int) -> Counts:
        raise AssertionError("private rows were read where none might be")

    def levels(self, column: str) -> Mapping[str, int]:
        raise AssertionError("private rows were read where none might be")

    def fits_declared_size(self) -> bool:
        return True


@dataclass
class Paid:
    """One charge of a purse."""

    verb: str
    detail: Mapping[str, Any]
    cost: Budget
    number: int


@dataclass
class Purse:
    """A reservation without a ledger: quick enough to be used millions of times."""

    budget: Budget
    neighbours: Neighbours
    unit: str = "one row"
    diary: list[str] = field(default_factory=list)
    charges: list[Paid] = field(default_factory=list)
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)

    def charge(self, verb: str, *, detail: Mapping[str, Any], cost: Budget) -> Paid:
        if not self.budget.covers(self.spent + cost):
            raise BudgetExceeded("the purse is empty; nothing more was read")
        self.diary.append("charge")
        self.charges.append(Paid(verb, detail, cost, len(self.charges)))
        return self.charges[-1]

    @property
    def spent(self) -> Budget:
        return sum((charge.cost for charge in self.charges), start=self.budget.zero())

    def recall(self, charge: Paid) -> dict[str, Any] | None:
        return self.answers.get(charge.number)

    def journal(self, charge: Paid, answer: dict[str, Any]) -> None:
        self.diary.append("journal")
        self.answers[charge.number] = answer


def schema_of(
    *columns: Column,
    rows: int | None = None,
    contribution: int = 1,
    persons: int | None = None,
) -> Schema:
    """A schema of these columns; a contribution above 1 adds a unit column ``person``."""
    named = {column.name: column for column in columns}
    if contribution == 1 and persons is None:
        return Schema(name="toy", columns=named, rows=rows)
    unit = Unit(column="person", max_rows=contribution, persons=persons)
    return Schema(name="toy", columns={**named, "person": Drop(name="person")}, unit=unit)


def purse_for(schema: Schema, budget: Budget, *, diary: list[str] | None = None) -> Purse:
    return Purse(budget, schema.neighbours, schema.unit.name, [] if diary is None else diary)


def cells(name: str, count: int, **options: Any) -> Category:
    """A category column with levels "0", "1", ..."""
    return Category(name=name, levels=tuple(map(str, range(count))), **options)


def numbers(name: str, low: int, high: int) -> Integer:
    return Integer(name=name, min=low, max=high)


def universe(*counts: int) -> list[Row]:
    """Every possible row of columns with this many levels."""
    return [tuple(map(str, row)) for row in product(*map(range, counts))]


def tables_up_to(rows: Sequence[Row], most: int, *, least: int = 0) -> Iterator[tuple[Row, ...]]:
    """Every table of at most this many rows, in one order each (order tells nothing)."""
    for size in range(least, most + 1):
        yield from combinations_with_replacement(rows, size)


def neighbouring(
    rows: Sequence[Row], relation: Neighbours, *, contribution: int, others: int
) -> Iterator[tuple[tuple[Row, ...], tuple[Row, ...]]]:
    """Every pair of tables that differ by one unit with at most ``contribution`` rows.

    At most ``others`` rows belong to the other units. Rows of replaced units may differ in number
    unless a unit is a row.
    """
    units = list(tables_up_to(rows, contribution, least=1))
    for base in tables_up_to(rows, others):
        if relation is Neighbours.ADD_REMOVE:
            yield from ((base, base + unit) for unit in units)
        else:
            yield from ((base + one, base + two) for one, two in product(units, units))


def tiny_schema(
    relation: Neighbours, *columns: Column, contribution: int, rows: int | None = None
) -> Schema:
    """A schema whose guarantee is about this relation and contribution.

    Under REPLACE_ONE a unit of one row needs ``rows``, the public size of the table at hand.
    """
    if relation is Neighbours.ADD_REMOVE:
        return schema_of(*columns, contribution=contribution)
    if contribution == 1:
        return schema_of(*columns, rows=rows)
    return schema_of(*columns, contribution=contribution, persons=9)
