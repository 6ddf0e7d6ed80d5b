"""Frictionless Table Schemas, in and out.

What Frictionless has a word for is written in its words: types, formats, ``minimum``, ``maximum``,
``enum``, ``categories``, ``missingValues``, ``required``. All else goes under the extension key
``understudy``, of the schema for the table and of each field for its column, so that reading what
was written gives back exactly the same schema. Where both speak, Frictionless's own words count,
so that other tools may edit them. Fields without the extension are mapped with care
(``frictionless_foreign``); notes say what became of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.columns import Column, Date, Datetime
from understudy.schema.document import column_keys, document_of, schema_of
from understudy.schema.frictionless_foreign import Field, foreign_keys
from understudy.schema.schema import SCHEMA_VERSION, Schema
from understudy.schema.upgrade import upgrade

EXTENSION: Final = "understudy"
_TYPES: Final = {"integer": "integer", "real": "number", "drop": "any"} | {
    kind: kind for kind in ("boolean", "date", "datetime")
}
Notes = dict[str, tuple[str, ...]]
_DEFAULT_DAY: Final = "%Y-%m-%d"


@dataclass(frozen=True)
class Imported:
    """A schema from a Frictionless file; ``notes`` say of foreign fields what was mapped how."""

    schema: Schema
    notes: Mapping[str, tuple[str, ...]]


def dumps(schema: Schema) -> str:
    """The schema as a Frictionless Table Schema."""
    document = document_of(schema)
    fields = [_field(column) for column in schema.columns.values()]
    extension = {key: document[key] for key in ("version", "table", "rules") if key in document}
    described = {"description": schema.description} if schema.description else {}
    extension["table"].pop("description", None)
    whole = {**described, "fields": fields, EXTENSION: extension}
    return json.dumps(whole, indent=2, ensure_ascii=False, allow_nan=False, default=_iso) + "\n"


def loads(text: str, *, name: str = "table") -> Imported:
    """The schema that a Table Schema, or a package or resource with one, describes.

    ``name`` is the table's name if the file has none.
    """
    descriptor, name = _table_schema(_parsed(text), name)
    extension = _mapping(descriptor.get(EXTENSION, {}), EXTENSION)
    table = {"name": name, **_mapping(extension.get("table", {}), EXTENSION)}
    if "description" in descriptor:
        table["description"] = str(descriptor["description"])
    columns, notes = _columns(descriptor)
    document = {"version": SCHEMA_VERSION, **extension, "table": table, "columns": columns}
    return Imported(schema_of(upgrade(document)), notes)


def _field(column: Column) -> dict[str, Any]:
    """A column as a Frictionless field: first what it has words for, then the rest."""
    keys = column_keys(column)
    field: dict[str, Any] = {"name": column.name, "type": _TYPES.get(column.kind, "string")}
    constraints: dict[str, Any] = {} if column.nullable else {"required": True}
    if "description" in keys:
        field["description"] = keys.pop("description")
    _put_text(column, keys, field, constraints)
    _put_range(column, keys, field, constraints)
    if "missing" in keys:
        field["missingValues"] = keys.pop("missing")
    if constraints and column.modelled:
        field["constraints"] = constraints
    return field | {EXTENSION: keys}


def _put_text(
    column: Column, keys: dict[str, Any], field: dict[str, Any], constraints: dict[str, Any]
) -> None:
    match column.kind:
        case "category" if isinstance(keys["levels"], list):
            other = [keys["other"]] if "other" in keys else []
            constraints["enum"] = keys.pop("levels") + other
        case "ordinal":
            field |= {"categories": keys.pop("levels"), "categoriesOrdered": True}
        case "boolean":
            field["trueValues"] = [keys.pop("true", "true")]
            field["falseValues"] = [keys.pop("false", "false")]
        case "fake" if keys.get("style") in ("email", "uuid"):
            field["format"] = keys["style"]


def _put_range(
    column: Column, keys: dict[str, Any], field: dict[str, Any], constraints: dict[str, Any]
) -> None:
    if isinstance(column, Date | Datetime):
        form = keys.pop("format", column.format)
        field["format"] = "default" if form == _DEFAULT_DAY else form
    for key, word in (("min", "minimum"), ("max", "maximum")):
        if key in keys:
            written = _written_bound(column, keys[key])
            if written is not None:
                constraints[word] = written
                del keys[key]


def _written_bound(column: Column, bound: Any) -> Any:
    """A bound as cells of the column show it; nothing if that would lose a part of it."""
    if not isinstance(column, Date | Datetime):
        return bound
    written = bound.strftime(column.format)
    return written if _bound_read(written, column.format, column.kind) == bound else None


def _bound_read(written: Any, form: str, kind: str) -> Any:
    try:
        moment = datetime.strptime(written, form)
    except (ValueError, TypeError):
        return written
    return moment.date() if kind == "date" else moment


def _columns(descriptor: Mapping[str, Any]) -> tuple[dict[str, Any], Notes]:
    fields = descriptor.get("fields")
    if not isinstance(fields, list):
        raise SchemaError("a Table Schema has a list of fields", key="fields")
    columns: dict[str, Any] = {}
    notes: Notes = {}
    for number, field in enumerate(fields, 1):
        checked = Field.of(field, descriptor, place=f"field {number}")
        if checked.name in columns:
            raise SchemaError("there are two fields of this name", column=checked.name)
        if EXTENSION in field:
            columns[checked.name] = _our_keys(checked)
        else:
            columns[checked.name], told = foreign_keys(checked)
            notes[checked.name] = tuple(told)
    return columns, notes


def _our_keys(field: Field) -> dict[str, Any]:
    """The keys of a column from both its Frictionless words and its extension."""
    keys = dict(_mapping(field.keys[EXTENSION], EXTENSION))
    kind = keys.get("kind")
    if field.description:
        keys["description"] = field.description
    if kind not in ("drop", "fake") and field.missing:
        keys["missing"] = list(field.missing)
    if kind in ("date", "datetime"):
        form = field.keys.get("format", "default")
        keys["format"] = _DEFAULT_DAY if form == "default" else form
    for key, word in (("min", "minimum"), ("max", "maximum")):
        if word in field.constraints:
            bound = field.constraints[word]
            dated = kind in ("date", "datetime")
            keys[key] = _bound_read(bound, str(keys["format"]), str(kind)) if dated else bound
    return keys | _our_texts(field, kind, keys)


def _our_texts(field: Field, kind: Any, keys: Mapping[str, Any]) -> dict[str, Any]:
    match kind:
        case "category" if field.levels:
            return {"levels": [level for level in field.levels if level != keys.get("other")]}
        case "ordinal" if field.levels:
            return {"levels": field.levels}
        case "boolean":
            pairs = (("true", "trueValues"), ("false", "falseValues"))
            return {key: field.listed(word)[0] for key, word in pairs if field.listed(word)}
    return {}


def _table_schema(found: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], str]:
    """The Table Schema in a descriptor of a schema, a resource or a package of one resource."""
    resources = found.get("resources")
    if isinstance(resources, list):
        if len(resources) != 1:
            raise SchemaError(
                "a package with one resource can be read; take the 'schema' of the one you mean",
                key="resources",
            )
        return _table_schema(_mapping(resources[0], "resources"), name)
    title = found.get("name")
    name = title if isinstance(title, str) and title else name
    if isinstance(found.get("schema"), dict) and "fields" not in found:
        return _table_schema(found["schema"], name)
    return found, name


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"this is not JSON: {error}") from None
    return _mapping(found, None)


def _mapping(value: Any, key: str | None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SchemaError(f"must be a JSON object, not {values.called(value)}", key=key)
    return value


def _iso(value: date) -> str:
    return value.isoformat()
