"""Schemas as files: TOML, or a Frictionless Table Schema when the name ends in ``.json``.

    version = 1
    [table]
    name = "adult"
    [columns.age]
    kind = "integer"
    min = 17
    max = 90

What is read back is exactly what was written.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Final

from understudy.errors import SchemaError, SourceError, UsageError
from understudy.schema import frictionless, toml
from understudy.schema.document import document_of, schema_of
from understudy.schema.places import place_of
from understudy.schema.schema import Schema
from understudy.schema.upgrade import upgrade

SUFFIXES: Final = (".toml", ".json")


def load(path: str | Path) -> Schema:
    """The schema in a file; errors name the file and, if it can be found, the line."""
    path = Path(path)
    suffix = _suffix(path)
    text = read_text(path)
    try:
        if suffix == ".json":
            return frictionless.loads(text, name=path.stem).schema
        return loads(text)
    except SchemaError as error:
        raise _placed(error, path.name) from None


def save(schema: Schema, path: str | Path) -> None:
    """Write a schema; the file is either the old one or the whole new one, never half of it."""
    path = Path(path)
    text = frictionless.dumps(schema) if _suffix(path) == ".json" else dumps(schema)
    try:
        _write_aside(text, path)
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror}") from None


def loads(text: str) -> Schema:
    """The schema that a TOML text describes; errors name the line if it can be found."""
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise SchemaError("this is no schema: it is nested too deep") from None
    except ValueError as error:
        raise SchemaError(f"this is not TOML: {error}") from None
    try:
        return schema_of(upgrade(document))
    except SchemaError as error:
        line = place_of(error, text)
        raise _placed(error, line) if line else error from None


def dumps(schema: Schema) -> str:
    """The schema as TOML text."""
    return toml.written(document_of(schema))


def read_text(path: Path) -> str:
    """The text of a public file in UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SchemaError("the file is not text in UTF-8", place=path.name) from None


def _placed(error: SchemaError, place: str) -> SchemaError:
    places = [place, *([error.place] if error.place else [])]
    return SchemaError(error.message, column=error.column, key=error.key, place=", ".join(places))


def _write_aside(text: str, path: Path) -> None:
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        aside.write_bytes(text.encode())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _suffix(path: Path) -> str:
    if path.suffix.lower() not in SUFFIXES:
        raise UsageError(f"a schema file ends in {' or '.join(SUFFIXES)}; {path.name} does not")
    return path.suffix.lower()
