"""``Schema``: everything that anyone may know about a confidential table before it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from understudy.errors import SchemaError
from understudy.schema.columns import Column
from understudy.schema.neighbours import Neighbours

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How a CSV file is written. Rows are lines: a quoted cell does not contain a line break."""

    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    strip: bool = False


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Whose privacy is promised: one row, or one person with at most ``max_rows`` rows kept.

    ``persons`` is the public number of persons, if it is public.
    """

    column: str | None = None
    max_rows: int = 1
    persons: int | None = None

    @property
    def name(self) -> str:
        if self.column is None:
            return "one row"
        rows = "row" if self.max_rows == 1 else "rows"
        return f"one person ({self.column!r}, at most {self.max_rows} {rows} kept)"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What can never happen, as text: ``discharged >= admitted``."""

    require: str
    description: str = ""


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
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        if not self.columns:
            raise SchemaError("a schema needs at least one column", place="[columns]")
        if self.rows is not None and self.unit.column is not None:
            raise SchemaError(
                "'rows' is for tables with one row per person; with a unit column declare "
                "'units', the public number of persons, instead",
                place="[table]",
            )
        for key, number in (("rows", self.rows), ("units", self.unit.persons)):
            if number is not None and number < 0:
                raise SchemaError("must not be negative", place=f"[table] {key}")
        if self.unit.max_rows < 1:
            raise SchemaError("'max_rows' must be at least 1", place="[table] unit")
        if self.unit.column is not None and self.unit.column not in self.columns:
            raise SchemaError(
                f"the unit column {self.unit.column!r} is not among the columns",
                place="[table] unit",
            )

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema from a TOML file or a Frictionless Table Schema (``.json``)."""
        from understudy.schema.files import load

        return load(Path(path))

    def save(self, path: str | Path) -> None:
        """Write the schema as TOML, or as a Frictionless Table Schema if the name ends in .json."""
        from understudy.schema.files import save

        save(self, Path(path))

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
