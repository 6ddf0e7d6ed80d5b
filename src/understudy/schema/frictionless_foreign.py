"""Fields of Frictionless schemas that were not written by Understudy.

Nothing that can be mapped is refused, and each mapping that a person should look at has a note:

    string                 category, levels from ``enum`` or ``categories``, else to be discovered
    ... unique, or a key   fake id; format email or uuid: fake of that style
    integer, number, year  integer or real, bounds as given, else to be bought
    boolean                boolean
    date, datetime, yearmonth   the same, between 1900 and 2100 if no bounds are given
    all else               drop
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.document import column_or_drop

Keys = dict[str, Any]
_EARLIEST: Final = "1900-01-01"
_LATEST: Final = "2100-12-31"
_FORMATS: Final = {"date": "%Y-%m-%d", "datetime": "%Y-%m-%dT%H:%M:%S", "yearmonth": "%Y-%m"}


@dataclass(frozen=True)
class Field:
    """A field whose parts have the right JSON types; ``missing`` are the codes that apply."""

    name: str
    keys: Mapping[str, Any]
    constraints: Mapping[str, Any]
    missing: tuple[str, ...]
    unique: bool

    @classmethod
    def of(cls, field: Any, descriptor: Mapping[str, Any], *, place: str) -> Field:
        """The checked form of one entry of ``fields``."""
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise SchemaError("a field is an object with a 'name'", place=place)
        constraints = field.get("constraints", {})
        if not isinstance(constraints, dict):
            raise SchemaError("must be an object", column=field["name"], key="constraints")
        codes = field.get("missingValues", descriptor.get("missingValues", [""]))
        never = constraints.get("required") is True
        return cls(
            name=field["name"],
            keys=field,
            constraints=constraints,
            missing=() if never else _texts(codes, field["name"], "missingValues"),
            unique=constraints.get("unique") is True or _is_key(field["name"], descriptor),
        )

    @property
    def description(self) -> str:
        """The description, else the title, else nothing."""
        return str(self.keys.get("description") or self.keys.get("title") or "")

    @property
    def levels(self) -> list[str]:
        """The levels that ``categories`` or ``enum`` list, missing codes left out."""
        found = self.listed("categories")
        found = found or list(_texts(self.constraints.get("enum", []), self.name, "enum"))
        return [level for level in found if level not in self.missing]

    def listed(self, key: str) -> list[str]:
        """A list of texts, or of objects with a ``value``."""
        return list(_texts(self.keys.get(key, []), self.name, key))


def foreign_keys(field: Field) -> tuple[Keys, list[str]]:
    """The keys of the column that stands for a field, and what a person should know about it."""
    notes: list[str] = []
    kind = field.keys.get("type", "string")
    keys = _BY_TYPE.get(kind if isinstance(kind, str) else "", _dropped)(field, notes)
    if keys["kind"] not in ("drop", "fake") and field.missing:
        keys["missing"] = list(field.missing)
    if field.description:
        keys["description"] = field.description
    kept, told = column_or_drop(field.name, keys)
    return kept, [*notes, *told]


def _text(field: Field, notes: list[str]) -> Keys:
    style = field.keys.get("format")
    if field.levels:
        return _level_keys(field, notes)
    if style in ("email", "uuid"):
        notes.append(f"made up as a fake {style}; never read")
        return {"kind": "fake", "style": style}
    if field.unique:
        return _made_up(notes)
    if style in ("uri", "binary"):
        notes.append(f"dropped, because text of format {style!r} cannot be modelled")
        return {"kind": "drop"}
    notes.append("levels to be discovered, which costs budget; list them if they are public")
    return {"kind": "category", "levels": "discover"}


def _level_keys(field: Field, notes: list[str]) -> Keys:
    levels = list(dict.fromkeys(field.levels))
    if field.keys.get("categoriesOrdered") is True:
        return {"kind": "ordinal", "levels": levels}
    notes.append("a category of the listed levels; make it ordinal if they have an order")
    return {"kind": "category", "levels": levels}


def _made_up(notes: list[str]) -> Keys:
    notes.append("unique or a key, so made up as a fake id; never read")
    return {"kind": "fake", "style": "id"}


def _numeric(kind: str) -> Callable[[Field, list[str]], Keys]:
    def mapped(field: Field, notes: list[str]) -> Keys:
        if field.levels:
            return _level_keys(field, notes)
        if field.unique and kind == "integer":
            return _made_up(notes)
        if _unusually_written(field):
            notes.append("dropped, because its numbers are not written plainly, such as -1234.5")
            return {"kind": "drop"}
        bounds = _bounds(field, whole=kind == "integer")
        if len(bounds) < 2:
            notes.append("bounds to be bought, which costs budget; give 'min' and 'max' if public")
        return {"kind": kind, **bounds}

    return mapped


def _unusually_written(field: Field) -> bool:
    keys = field.keys
    plain = keys.get("decimalChar", ".") == "." and keys.get("bareNumber", True) is True
    return not plain or bool(keys.get("groupChar"))


def _bounds(field: Field, *, whole: bool) -> Keys:
    """``min`` and ``max`` as far as the constraints give them."""
    limits = {key: _as_number(limit) for key, limit in field.constraints.items()}
    low, above = limits.get("minimum"), limits.get("exclusiveMinimum")
    high, below = limits.get("maximum"), limits.get("exclusiveMaximum")
    if whole:
        low, high = _rounded(low, ceil), _rounded(high, floor)
        above = None if above is None else floor(above) + 1
        below = None if below is None else ceil(below) - 1
    lows = [bound for bound in (low, above) if bound is not None]
    highs = [bound for bound in (high, below) if bound is not None]
    return ({"min": max(lows)} if lows else {}) | ({"max": min(highs)} if highs else {})


def _rounded(bound: float | None, by: Callable[[float], int]) -> int | None:
    return None if bound is None else by(bound)


def _as_number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not abs(number) <= values.LARGEST_REAL:
        return None
    return value if isinstance(value, int) else number


def _boolean(field: Field, notes: list[str]) -> Keys:
    keys: Keys = {"kind": "boolean"}
    for key, word in (("true", "trueValues"), ("false", "falseValues")):
        texts = field.listed(word) or [key]
        keys[key] = texts[0]
        if len(texts) > 1:
            notes.append(f"only {values.shown(texts[0])} is read as {key}")
    return keys


def _dated(kind: str) -> Callable[[Field, list[str]], Keys]:
    day = "datetime" if kind == "datetime" else "date"

    def mapped(field: Field, notes: list[str]) -> Keys:
        form = field.keys.get("format", "default")
        form = _FORMATS[kind] if form in ("default", "any") else str(form).removeprefix("fmt:")
        bounds = {
            "min": field.constraints.get("minimum", _EARLIEST),
            "max": field.constraints.get("maximum", _LATEST),
        }
        if len({"minimum", "maximum"} & set(field.constraints)) < 2:
            notes.append(f"between {_EARLIEST} and {_LATEST}; narrow 'min' and 'max' if you can")
        return {"kind": day, "format": form, **_full(bounds, kind)}

    return mapped


def _full(bounds: Mapping[str, Any], kind: str) -> Keys:
    """Bounds as ISO texts: a month stands for its first day, a day for all of its seconds."""
    texts = {key: str(bound).removesuffix("Z") for key, bound in bounds.items()}
    if kind == "yearmonth":
        texts = {key: f"{text}-01" if len(text) == 7 else text for key, text in texts.items()}
    if kind == "datetime":
        clock = {"min": "T00:00:00", "max": "T23:59:59"}
        texts = {key: text + clock[key] * (len(text) == 10) for key, text in texts.items()}
    return dict(texts)


def _dropped(field: Field, notes: list[str]) -> Keys:
    notes.append(f"dropped, because type {values.shown(field.keys['type'])} cannot be modelled")
    return {"kind": "drop"}


_BY_TYPE: Final[Mapping[str, Callable[[Field, list[str]], Keys]]] = {
    "string": _text,
    "integer": _numeric("integer"),
    "year": _numeric("integer"),
    "number": _numeric("real"),
    "boolean": _boolean,
    "date": _dated("date"),
    "yearmonth": _dated("yearmonth"),
    "datetime": _dated("datetime"),
}


def _is_key(name: str, descriptor: Mapping[str, Any]) -> bool:
    """Whether a field alone is the primary key or a unique key."""
    unique = descriptor.get("uniqueKeys")
    keys = [descriptor.get("primaryKey"), *(unique if isinstance(unique, list) else ())]
    return name in keys or [name] in keys


def _texts(items: Any, column: str, key: str) -> tuple[str, ...]:
    if not isinstance(items, list):
        raise SchemaError(f"must be a list, not {values.called(items)}", column=column, key=key)
    return tuple(dict.fromkeys(_one_text(item) for item in items))


def _one_text(item: Any) -> str:
    found = item.get("value") if isinstance(item, dict) else item
    if isinstance(found, bool):
        return "true" if found else "false"
    return str(found)
