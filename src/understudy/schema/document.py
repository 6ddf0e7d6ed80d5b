"""Between a schema and the plain tables, lists and values of a schema file.

``schema_of`` knows every key that a file may carry and refuses the others; whether a value makes
sense is checked where it lives, in the schema's own classes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.columns import KINDS, Column, options, required
from understudy.schema.schema import SCHEMA_VERSION, Dialect, Rule, Schema, Unit

TOP_KEYS: Final = ("version", "table", "columns", "rules")
TABLE_KEYS: Final = ("name", "description", "rows", "unit", "units", "csv")
UNIT_KEYS: Final = ("column", "max_rows")
CSV_KEYS: Final = tuple(field.name for field in fields(Dialect))
RULE_KEYS: Final = ("require", "description")


def schema_of(document: Mapping[str, Any]) -> Schema:
    """The schema that a document of the current version describes."""
    _check_keys(document, TOP_KEYS, needed=("version", "table", "columns"), place="the file")
    table = _table(document["table"], place="[table]")
    _check_keys(table, TABLE_KEYS, needed=("name",), place="[table]")
    csv = _table(table.get("csv", {}), place="[table.csv]")
    _check_keys(csv, CSV_KEYS, place="[table.csv]")
    columns = _table(document["columns"], place="[columns]")
    return Schema(
        name=table["name"],
        description=table.get("description", ""),
        rows=table.get("rows"),
        unit=_unit(table),
        csv=Dialect(**csv),
        columns={name: column_of(name, column) for name, column in columns.items()},
        rules=_rules(document.get("rules", [])),
    )


def document_of(schema: Schema) -> dict[str, Any]:
    """The document that describes a schema, defaults left out."""
    table: dict[str, Any] = {"name": schema.name}
    table |= {key: getattr(schema, key) for key in ("description",) if getattr(schema, key)}
    table |= {"rows": schema.rows} if schema.rows is not None else {}
    if schema.unit.column is not None:
        table["unit"] = {"column": schema.unit.column, "max_rows": schema.unit.max_rows}
        table |= {"units": schema.unit.persons} if schema.unit.persons is not None else {}
    csv = _not_default(schema.csv, CSV_KEYS)
    table |= {"csv": csv} if csv else {}
    document: dict[str, Any] = {"version": SCHEMA_VERSION, "table": table}
    document["columns"] = {name: column_keys(column) for name, column in schema.columns.items()}
    rules = [{"require": rule.require, **_not_default(rule, RULE_KEYS)} for rule in schema.rules]
    return document | ({"rules": rules} if rules else {})


def column_of(name: str, keys: Any) -> Column:
    """The column that a ``[columns.NAME]`` table describes."""
    if not isinstance(keys, dict):
        raise SchemaError(
            f'must be a table such as {{ kind = "integer" }}, not {values.called(keys)}',
            column=name,
        )
    kind = keys.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise _no_kind(name, kind)
    _check_keys(keys, ("kind", *options(kind)), needed=required(kind), column=name, kind=kind)
    return KINDS[kind](name=name, **{key: keys[key] for key in keys if key != "kind"})


def column_keys(column: Column) -> dict[str, Any]:
    """The ``[columns.NAME]`` table that describes a column."""
    keys = _not_default(column, options(column.kind))
    for key in ("missing", "description"):
        keys |= {key: keys.pop(key)} if key in keys else {}
    return {"kind": column.kind} | keys


def column_or_drop(name: str, keys: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The same keys if they make a column, else those of a dropped one, and a note why."""
    try:
        column_of(name, keys)
    except SchemaError as error:
        if error.key == "name":
            raise
        return {"kind": "drop"}, [f"dropped, because its {error.key!r} {error.message}"]
    return keys, []


def _no_kind(column: str, kind: Any) -> SchemaError:
    allowed = f"one of {values.listed(KINDS, most=len(KINDS))}"
    if kind is None:
        return SchemaError(f"needs a kind: {allowed}", column=column, key="kind")
    nearest = values.guess(kind, KINDS) if isinstance(kind, str) else ""
    return SchemaError(
        f"must be {allowed}, not {values.shown(kind)}.{nearest}", column=column, key="kind"
    )


def _unit(table: Mapping[str, Any]) -> Unit:
    unit, persons = table.get("unit", "row"), table.get("units")
    if unit == "row":
        return Unit(persons=persons)
    if not isinstance(unit, dict):
        raise SchemaError(
            'must be "row", or { column = "person_id", max_rows = 5 } for several rows per person',
            key="unit",
            place="[table]",
        )
    _check_keys(unit, UNIT_KEYS, needed=UNIT_KEYS, place="[table] unit")
    return Unit(column=unit["column"], max_rows=unit["max_rows"], persons=persons)


def _rules(rules: Any) -> tuple[Rule, ...]:
    if not isinstance(rules, list):
        raise SchemaError("must be written as [[rules]] tables", key="rules")
    return tuple(_rule(rule, f"[[rules]] {number}") for number, rule in enumerate(rules, 1))


def _rule(rule: Any, place: str) -> Rule:
    keys = _table(rule, place=place)
    _check_keys(keys, RULE_KEYS, needed=("require",), place=place)
    try:
        return Rule(**keys)
    except SchemaError as error:
        raise SchemaError(error.message, key=error.key, place=place) from None


def _table(value: Any, *, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SchemaError(f"must be a table, not {values.called(value)}", place=place)
    return value


def _check_keys(
    found: Mapping[str, Any],
    allowed: Collection[str],
    *,
    needed: Collection[str] = (),
    column: str | None = None,
    kind: str | None = None,
    place: str | None = None,
) -> None:
    what = f"a column of kind {kind}" if kind else place
    for key in found:
        if key not in allowed:
            raise SchemaError(
                f"{what} has no such key; its keys are {values.listed(allowed, most=20)}."
                + values.guess(key, allowed),
                column=column,
                key=key,
                place=place,
            )
    for key in needed:
        if key not in found:
            raise SchemaError(f"{what} needs this key", column=column, key=key, place=place)


def _not_default(owner: Any, keys: Collection[str]) -> dict[str, Any]:
    """The keys of a frozen value that differ from their defaults, tuples as lists."""
    found: dict[str, Any] = {}
    for field in fields(owner):
        value = getattr(owner, field.name)
        if field.name in keys and (field.default is MISSING or value != field.default):
            found[field.name] = list(value) if isinstance(value, tuple) else value
    return found
