"""The shape of a schema file as a JSON Schema, for editors and other programs.

It judges the file's tables turned into JSON, dates as ISO text. It cannot say everything: that
``min`` is not above ``max``, or that rules speak of columns that exist, only loading can tell.
"""

from __future__ import annotations

import json
from typing import Any, Final

from understudy.schema.column_values import DISCOVER, MOST_BINS
from understudy.schema.columns import (
    FAKE_STYLES,
    KINDS,
    MOST_DECIMALS,
    SCALES,
    options,
    required,
)
from understudy.schema.document import CSV_KEYS, RULE_KEYS, TABLE_KEYS, UNIT_KEYS
from understudy.schema.schema import MOST_ROWS, SCHEMA_VERSION
from understudy.schema.values import LARGEST_REAL, LARGEST_WHOLE

Shape = dict[str, Any]

_WORDS: Final[Shape] = {"type": "string"}
_NAME: Final[Shape] = {"type": "string", "minLength": 1}
_TEXT: Final[Shape] = {"type": ["string", "integer"]}
_TEXTS: Final[Shape] = {"type": "array", "items": _TEXT, "uniqueItems": True}
_LEVELS: Final[Shape] = {**_TEXTS, "minItems": 1}
_ROWS: Final[Shape] = {"type": "integer", "minimum": 0, "maximum": MOST_ROWS}
_DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_BOUNDS: Final[dict[str, Shape]] = {
    "integer": {"type": "integer", "minimum": -LARGEST_WHOLE, "maximum": LARGEST_WHOLE},
    "real": {"type": "number", "minimum": -LARGEST_REAL, "maximum": LARGEST_REAL},
    "date": {"type": "string", "pattern": f"^{_DAY}$"},
    "datetime": {"type": "string", "pattern": f"^{_DAY}[T ][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}})?$"},
}


def dumps() -> str:
    """The published JSON Schema, as it stands in the documentation."""
    return json.dumps(json_schema(), indent=2) + "\n"


def json_schema() -> Shape:
    """The JSON Schema of a schema file of the current version."""
    columns = {"oneOf": [_column(kind) for kind in KINDS]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Understudy schema",
        "description": "What anyone may know about a confidential table.",
        **_table(
            {
                "version": {"const": SCHEMA_VERSION},
                "table": _the_table(),
                "columns": {
                    "type": "object",
                    "minProperties": 1,
                    "propertyNames": {"minLength": 1},
                    "additionalProperties": columns,
                },
                "rules": {"type": "array", "items": _rule()},
            },
            needed=("version", "table", "columns"),
        ),
    }


def _the_table() -> Shape:
    unit = _table(
        dict(zip(UNIT_KEYS, (_NAME, {**_ROWS, "minimum": 1}), strict=True)), needed=UNIT_KEYS
    )
    delimiter = {"type": "string", "minLength": 1, "maxLength": 1, "not": {"enum": list('"\r\n')}}
    flag = {"type": "boolean"}
    csv = _table(dict(zip(CSV_KEYS, (delimiter, _NAME, flag, flag), strict=True)))
    shapes = (_NAME, _WORDS, _ROWS, {"anyOf": [{"const": "row"}, unit]}, _ROWS, csv)
    with_unit_column = {"properties": {"unit": unit}, "required": ["unit"]}
    return {
        **_table(dict(zip(TABLE_KEYS, shapes, strict=True)), needed=("name",)),
        "dependentSchemas": {"units": with_unit_column, "rows": {"not": with_unit_column}},
    }


def _rule() -> Shape:
    return _table(dict(zip(RULE_KEYS, (_NAME, _WORDS), strict=True)), needed=("require",))


def _column(kind: str) -> Shape:
    keys = {key: _key(kind, key) for key in options(kind)}
    return _table({"kind": {"const": kind}, **keys}, needed=("kind", *required(kind)))


def _key(kind: str, key: str) -> Shape:
    bound = _BOUNDS.get(kind, {})
    count = {"type": "integer", "minimum": 1, "maximum": MOST_BINS}
    edges = {"type": "array", "items": bound, "minItems": 2, "maxItems": MOST_BINS + 1}
    shapes: dict[str, Shape] = {
        "description": _WORDS,
        "missing": _TEXTS,
        "levels": _LEVELS if kind == "ordinal" else {"anyOf": [{"const": DISCOVER}, _LEVELS]},
        "other": _TEXT,
        "true": _TEXT,
        "false": _TEXT,
        "min": bound,
        "max": bound,
        "bins": {"anyOf": [count, edges]},
        "scale": {"enum": list(SCALES)},
        "decimals": {"type": "integer", "minimum": 0, "maximum": MOST_DECIMALS},
        "format": _NAME,
        "style": {"enum": list(FAKE_STYLES)},
    }
    return shapes[key]


def _table(properties: Shape, *, needed: tuple[str, ...] = ()) -> Shape:
    shape: Shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, "required": list(needed)} if needed else shape
