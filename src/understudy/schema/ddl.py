"""``CREATE TABLE`` statements as the keys of columns. Reads declarations only, never rows.

Types become kinds; NOT NULL, PRIMARY KEY, UNIQUE, enum types, CHECK ... IN, BETWEEN and
comparisons with constants are understood. What is not understood gets a note, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.ddl_checks import Found, facts_of
from understudy.schema.ddl_words import Word, inside, statements, top_level
from understudy.schema.document import column_or_drop

Keys = dict[str, Any]
Enums = Mapping[str, list[str]]

_WHOLE = "int integer int2 int4 int8 smallint mediumint tinyint bigint year"
_SERIAL = "serial bigserial smallserial serial4 serial8"
_REAL = "real float float4 float8 double money"
_EXACT = "numeric decimal number dec"
_TEXT = "char character varchar varchar2 nchar nvarchar text citext clob string tinytext longtext"
_MOMENT = "timestamp timestamptz datetime datetime2 smalldatetime"
_CONSTRAINT: Final = frozenset({"constraint", "primary", "unique", "check", "foreign", "exclude"})
_INDEX: Final = frozenset({"key", "index", "fulltext", "spatial"})
_AFTER_TYPE: Final = _CONSTRAINT | {
    *("not", "null", "default", "references", "generated", "collate", "comment"),
    *("auto_increment", "identity", "on", "encode"),
}


@dataclass(frozen=True)
class Declared:
    """A table's name, and the keys and notes of each of its columns."""

    name: str
    columns: Mapping[str, tuple[Keys, list[str]]]


@dataclass
class _Column:
    """What the statement says of a column, collected item by item."""

    type: Sequence[Word]
    nullable: bool = True
    unique: bool = False
    found: Found = field(default_factory=Found)
    notes: list[str] = field(default_factory=list)


def read(text: str, *, table: str | None = None) -> Declared:
    """The table that the statements create; ``table`` says which if they create several."""
    enums: dict[str, list[str]] = {}
    tables: dict[str, list[Word]] = {}
    for words in statements(text):
        plain = [word.plain for word in words]
        if plain[:2] == ["create", "type"] and "enum" in plain:
            enums[_name(words, plain.index("as") if "as" in plain else 3)] = _quoted(words)
        elif plain[:1] == ["create"] and "table" in plain[:4]:
            start = next((at for at, word in enumerate(words) if word.plain == "("), len(words))
            tables[_name(words, start)] = inside(words, start)
    name = _chosen(list(tables), table)
    columns = _collected(tables[name])
    if not columns:
        raise SchemaError("the statement declares no columns", place=name)
    return Declared(name, {column: _keys(column, said, enums) for column, said in columns.items()})


def _chosen(names: list[str], wanted: str | None) -> str:
    if wanted is None and len(names) == 1:
        return names[0]
    if not names:
        raise SchemaError("there is no CREATE TABLE statement in the text")
    if wanted in names:
        return str(wanted)
    asked = "say which table is meant" if wanted is None else f"no table is named {wanted!r}"
    raise SchemaError(f"{asked}; the statements create {values.listed(names)}")


def _name(words: Sequence[Word], end: int) -> str:
    """The last part of the name that stands before ``end``: public.adult is adult."""
    return words[end - 1].content if 0 < end <= len(words) else "table"


def _quoted(words: Sequence[Word]) -> list[str]:
    return list(dict.fromkeys(word.content for word in words if word.sort == "text"))


def _collected(body: Sequence[Word]) -> dict[str, _Column]:
    columns: dict[str, _Column] = {}
    of_table: list[list[Word]] = []
    for item in top_level(body):
        if _is_constraint(item):
            of_table.append(item)
        else:
            columns[item[0].content] = _column(item)
    for item in of_table:
        _apply(item, columns)
    return columns


def _is_constraint(item: Sequence[Word]) -> bool:
    """Whether an item declares no column; ``key`` may be a column, or an index of columns."""
    listed = inside(
        item, next((at for at, word in enumerate(item) if word.plain == "("), len(item))
    )
    is_index = item[0].plain in _INDEX and any(word.sort in ("name", "word") for word in listed)
    return item[0].plain in _CONSTRAINT or is_index


def _column(item: Sequence[Word]) -> _Column:
    plain = [word.plain for word in item]
    end = next((at for at in range(1, len(item)) if plain[at] in _AFTER_TYPE), len(item))
    column = _Column(item[1:end])
    rest = plain[end:]
    column.unique = "primary" in rest or "unique" in rest
    column.nullable = not ("primary" in rest or ("not", "null") in pairwise(rest))
    for at in range(end, len(item)):
        if plain[at] == "check":
            _learn(item[0].content, column, inside(item, at + 1))
    return column


def _apply(item: list[Word], columns: Mapping[str, _Column]) -> None:
    """A constraint of the table, as far as it speaks of one column alone."""
    plain = [word.plain for word in item]
    start = plain.index("(") if "(" in plain else len(item)
    body = inside(item, start)
    kind = set(plain[:start])
    named = list(dict.fromkeys(word.content for word in body if word.content in columns))
    if len(named) != 1:
        return
    column = columns[named[0]]
    if "check" in kind:
        _learn(named[0], column, body)
    elif "primary" in kind or "unique" in kind:
        column.unique = True
        column.nullable = column.nullable and "primary" not in kind


def _learn(name: str, column: _Column, body: Sequence[Word]) -> None:
    if not facts_of(name, body, column.found):
        column.notes.append("a CHECK was not understood; write it as a rule if it is public")


def _keys(name: str, said: _Column, enums: Enums) -> tuple[Keys, list[str]]:
    notes = list(said.notes)
    keys = _typed(said, enums, notes)
    if keys["kind"] not in ("drop", "fake"):
        if said.nullable:
            keys["missing"] = [""]
            notes.append("may be NULL: check how missing cells are written (missing)")
        if "levels" in keys and isinstance(keys["levels"], list):
            keys["levels"] = [level for level in keys["levels"] if level != "" or not said.nullable]
    kept, told = column_or_drop(name, keys)
    return kept, notes + told


def _typed(said: _Column, enums: Enums, notes: list[str]) -> Keys:
    words = [word.plain for word in said.type]
    first = words[0] if words else "text"
    if first == "[" or "[" in words or "array" in words:
        first = "array"
    levels = enums.get(said.type[-1].content) if said.type else None
    levels = (
        levels or (_quoted(said.type) if first in ("enum", "set") else None) or said.found.levels
    )
    if levels:
        notes.append("a category of the declared levels; make it ordinal if they have an order")
        return {"kind": "category", "levels": levels}
    for names, mapped in _KINDS.items():
        if first in names:
            return mapped(said, notes)
    notes.append(f"dropped, because type {values.shown(first)} cannot be modelled")
    return {"kind": "drop"}


def _whole(said: _Column, notes: list[str]) -> Keys:
    if said.unique:
        return _made_up("id", notes)
    return {"kind": "integer", **_bounds(said, notes)}


def _real(said: _Column, notes: list[str]) -> Keys:
    return {"kind": "real", **_bounds(said, notes)}


def _exact(said: _Column, notes: list[str]) -> Keys:
    numbers = [int(word.content) for word in said.type if word.content.isdecimal()]
    if len(numbers) == 1 or (len(numbers) == 2 and numbers[1] == 0):
        return _whole(said, notes)
    decimals = {"decimals": min(numbers[1], 15)} if len(numbers) == 2 else {}
    return _real(said, notes) | decimals


def _bounds(said: _Column, notes: list[str]) -> Keys:
    found = said.found
    bounds = {"min": found.low, "max": found.high}
    keys = {key: bound for key, bound in bounds.items() if isinstance(bound, int | float)}
    if len(keys) < 2:
        notes.append("bounds to be bought, which costs budget; give 'min' and 'max' if public")
    return keys


def _text(said: _Column, notes: list[str]) -> Keys:
    if said.unique:
        return _made_up("id", notes)
    notes.append("levels to be discovered, which costs budget; list them if they are public")
    return {"kind": "category", "levels": "discover"}


def _uuid(said: _Column, notes: list[str]) -> Keys:
    return _made_up("uuid", notes)


def _serial(said: _Column, notes: list[str]) -> Keys:
    return _made_up("id", notes)


def _made_up(style: str, notes: list[str]) -> Keys:
    notes.append(f"unique or a key, so made up as a fake {style}; never read")
    return {"kind": "fake", "style": style}


def _boolean(said: _Column, notes: list[str]) -> Keys:
    notes.append("check how the file writes true and false: PostgreSQL writes t and f")
    return {"kind": "boolean"}


def _bit(said: _Column, notes: list[str]) -> Keys:
    return {"kind": "boolean", "true": "1", "false": "0"}


def _day(said: _Column, notes: list[str]) -> Keys:
    return {"kind": "date", **_dates(said, notes, ("1900-01-01", "2100-12-31"), ("", ""))}


def _moment(said: _Column, notes: list[str]) -> Keys:
    wide = ("1900-01-01T00:00:00", "2100-12-31T23:59:59")
    notes.append("check the format: many databases write a space between date and time")
    return {"kind": "datetime", **_dates(said, notes, wide, ("T00:00:00", "T23:59:59"))}


def _dates(said: _Column, notes: list[str], wide: tuple[str, str], clock: tuple[str, str]) -> Keys:
    found = (said.found.low, said.found.high)
    if not all(isinstance(bound, str) for bound in found):
        notes.append("between 1900 and 2100; narrow 'min' and 'max' if you can")
    chosen: Iterator[str] = (
        bound + time * (len(bound) == 10) if isinstance(bound, str) else default
        for bound, default, time in zip(found, wide, clock, strict=True)
    )
    return dict(zip(("min", "max"), chosen, strict=True))


_KINDS: Final[Mapping[frozenset[str], Callable[[_Column, list[str]], Keys]]] = {
    frozenset(_WHOLE.split()): _whole,
    frozenset(_SERIAL.split()): _serial,
    frozenset(_REAL.split()): _real,
    frozenset(_EXACT.split()): _exact,
    frozenset(_TEXT.split()): _text,
    frozenset(_MOMENT.split()): _moment,
    frozenset({"date"}): _day,
    frozenset({"boolean", "bool"}): _boolean,
    frozenset({"bit"}): _bit,
    frozenset({"uuid", "uniqueidentifier"}): _uuid,
}
