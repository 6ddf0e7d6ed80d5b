"""``Schema``: everything that anyone may know about a confidential table before it is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.column_values import Check
from understudy.schema.columns import Column, Drop
from understudy.schema.neighbours import Neighbours
from understudy.schema.rules import columns_of, parse

SCHEMA_VERSION: Final = 1
MOST_ROWS: Final = 2**40


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a CSV file is written. Rows are lines: a quoted cell does not contain a line break."""

    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    strip: bool = False

    def __post_init__(self) -> None:
        _keep(self, "[table.csv]", delimiter=_delimiter, encoding=_encoding)
        _keep(self, "[table.csv]", header=values.flag, strip=values.flag)


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Whose privacy is promised: one row, or one person with at most ``max_rows`` rows kept.

    ``persons`` is the public number of persons, if it is public.
    """

    column: str | None = None
    max_rows: int = 1
    persons: int | None = None

    def __post_init__(self) -> None:
        if self.column is not None:
            _keep(self, "[table] unit", column=values.name)
        _keep(self, "[table] unit", max_rows=partial(values.whole, low=1, high=MOST_ROWS))
        if self.persons is not None:
            _keep(self, "[table]", persons=_count)
        if self.column is None and self.max_rows != 1:
            raise _refuse(
                'needs a unit column: unit = { column = "...", max_rows = 5 }', "max_rows"
            )
        if self.column is None and self.persons is not None:
            raise _refuse(
                "is the public number of persons and needs a unit column; "
                "for a table with one row per person declare 'rows'",
                "units",
            )

    @property
    def name(self) -> str:
        """The unit in plain words."""
        if self.column is None:
            return "one row"
        rows = "row" if self.max_rows == 1 else "rows"
        return f"one person ({self.column!r}, at most {self.max_rows} {rows} kept)"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What can never happen, as text: ``discharged >= admitted``."""

    require: str
    description: str = ""

    def __post_init__(self) -> None:
        _keep(self, "[[rules]]", require=values.name, description=values.words)


@dataclass(frozen=True, kw_only=True)
class Schema:
    """A table's public description. ``rows`` is given if and only if its size is public."""

    name: str
    columns: Mapping[str, Column]
    rows: int | None = None
    unit: Unit = field(default_factory=Unit)
    csv: Dialect = field(default_factory=Dialect)
    rules: tuple[Rule, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        _keep(self, "[table]", name=values.name, description=values.words)
        object.__setattr__(self, "columns", MappingProxyType(_columns(self.columns)))
        object.__setattr__(self, "rules", tuple(self.rules))
        for key, kind in (("unit", Unit), ("csv", Dialect)):
            if not isinstance(getattr(self, key), kind):
                raise _refuse(f"must be a {kind.__name__}", key)
        self._check_unit()
        for number, rule in enumerate(self.rules, 1):
            _check_rule(rule, number, self.columns)

    def _check_unit(self) -> None:
        if self.rows is not None:
            _keep(self, "[table]", rows=_count)
        if self.unit.column is None:
            return
        if self.rows is not None:
            raise _refuse(
                "is for tables with one row per person; with a unit column declare "
                "'units', the public number of persons, instead",
                "rows",
            )
        if self.unit.column not in self.columns:
            nearest = values.guess(self.unit.column, self.columns)
            raise _refuse(
                f"the unit column {values.shown(self.unit.column)} is not among the columns."
                + nearest,
                "unit",
            )

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema from a TOML file or a Frictionless Table Schema (``.json``)."""
        from understudy.schema.files import load

        return load(path)

    def save(self, path: str | Path) -> None:
        """Write the schema as TOML, or as a Frictionless Table Schema if the name ends in .json."""
        from understudy.schema.files import save

        save(self, path)

    def only(self, columns: Collection[str]) -> Schema:
        """This schema with every other modelled column dropped; itself if there is none.

        Rules that name a dropped column go too, and the description says what was left out.
        """
        modelled = self.modelled
        for name in columns:
            if name not in modelled:
                raise SchemaError(
                    "is no column that can be chosen." + values.guess(name, modelled),
                    column=name,
                )
        left_out = [name for name in modelled if name not in columns]
        if not left_out:
            return self
        dropped = {name: Drop(name=name) for name in left_out}
        broken = [rule for rule in self.rules if not self._columns_of(rule).isdisjoint(left_out)]
        return replace(
            self,
            columns={name: dropped.get(name, column) for name, column in self.columns.items()},
            rules=tuple(rule for rule in self.rules if rule not in broken),
            description=" ".join(filter(None, [self.description, _without(left_out, broken)])),
        )

    def _columns_of(self, rule: Rule) -> set[str]:
        return set(columns_of(parse(rule.require, self.columns)))

    @property
    def neighbours(self) -> Neighbours:
        """Which two tables the guarantee cannot tell apart; follows from what is public."""
        public_size = self.rows is not None or self.unit.persons is not None
        return Neighbours.REPLACE_ONE if public_size else Neighbours.ADD_REMOVE

    @property
    def contribution(self) -> int:
        """The most rows that one protected unit may have in the table."""
        return self.unit.max_rows if self.unit.column is not None else 1

    @property
    def modelled(self) -> tuple[str, ...]:
        """Names of the columns that are learned, in order."""
        return tuple(name for name, column in self.columns.items() if column.modelled)

    @property
    def released(self) -> tuple[str, ...]:
        """Names of the columns that synthetic rows carry, in order."""
        return tuple(name for name, column in self.columns.items() if column.kind != "drop")

    @property
    def open_columns(self) -> tuple[str, ...]:
        """Names of the columns for which levels or bounds are still to be bought."""
        return tuple(name for name, column in self.columns.items() if column.is_open)


def _refuse(problem: str, key: str, place: str = "[table]") -> SchemaError:
    return SchemaError(problem, key=key, place=place)


def _keep(owner: object, place: str, **checks: Check) -> None:
    """Bring keys of a frozen value to their declared type, or say where they are wrong."""
    for key, check in checks.items():
        shown = "units" if key == "persons" else key
        refuse = partial(_refuse, key=shown, place=place)
        object.__setattr__(owner, key, check(getattr(owner, key), refuse))


def _count(value: Any, refuse: values.Refuse) -> int:
    return values.whole(value, refuse, low=0, high=MOST_ROWS)


def _delimiter(value: Any, refuse: values.Refuse) -> str:
    if len(values.words(value, refuse)) != 1 or value in '"\r\n':
        raise refuse("must be one character, and neither a double quote nor a line break")
    return str(value)


def _encoding(value: Any, refuse: values.Refuse) -> str:
    try:
        "".encode(values.words(value, refuse))
    except (LookupError, ValueError):
        raise refuse("must be a text encoding that Python knows, such as 'utf-8'") from None
    return str(value)


def _columns(columns: Any) -> dict[str, Column]:
    if not isinstance(columns, Mapping):
        raise SchemaError("must be a mapping from names to columns", place="[columns]")
    if not columns:
        raise SchemaError("a schema needs at least one column", place="[columns]")
    for name, column in columns.items():
        if not isinstance(column, Column) or column.name != name:
            raise SchemaError("must be a column that carries the same name", column=str(name))
    return dict(columns)


def _without(columns: list[str], rules: list[Rule]) -> str:
    """What was left out of a schema, in words."""
    also = f"; rules left out: {', '.join(repr(rule.require) for rule in rules)}" if rules else ""
    return f"(Columns left out: {', '.join(map(repr, columns))}{also}.)"


def _check_rule(rule: Any, number: int, columns: Mapping[str, Column]) -> None:
    place = f"[[rules]] {number}"
    if not isinstance(rule, Rule):
        raise SchemaError("must be a Rule", place=place)
    try:
        parse(rule.require, columns)
    except SchemaError as error:
        raise SchemaError(
            f"{error.message} ({error.place})",
            column=error.column,
            key="require",
            place=place,
        ) from None
