"""Reads JSON lines: one object per line, whatever is on the line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, BinaryIO

from understudy.data.cells import Rows, Texts, gathered, pieces_of
from understudy.data.header import needed
from understudy.data.ids import as_id, read_float
from understudy.data.lines import blocks
from understudy.data.texts import text_of
from understudy.schema.schema import Schema


def read_jsonl(file: BinaryIO, schema: Schema, *, found_in: str) -> Rows:
    """The rows of a file of JSON lines in UTF-8. Blank lines are no rows.

    JSON lines have no header: a key that an object lacks is a missing cell, other keys are
    ignored, and a line that is no JSON object is a row with every cell missing.
    """
    return gathered(_texts(file, schema), needed(schema))


def jsonl_pieces(file: BinaryIO, schema: Schema, *, found_in: str) -> Iterator[Rows]:
    """The same rows, a few megabytes of the file at a time."""
    return pieces_of(_texts(file, schema))


def _texts(file: BinaryIO, schema: Schema) -> Iterator[Texts]:
    names, unit = needed(schema), schema.unit.column
    read = float if unit is None else read_float
    for block in blocks(file, encoding="utf-8"):
        objects = [_object(line, read) for line in block if line]
        if unit is not None:
            for each in objects:
                each[unit] = as_id(each.get(unit))
        columns = {
            name: [text_of(schema.columns[name], each.get(name)) for each in objects]
            for name in names
        }
        yield Texts(columns, len(objects))


def _object(line: str, read: Callable[[str], float]) -> dict[str, Any]:
    try:
        # Decimal reads numbers of any length; Python's int refuses long ones.
        found = json.loads(line, parse_int=Decimal, parse_float=read)
    except (ValueError, RecursionError, ArithmeticError):
        return {}
    return found if isinstance(found, dict) else {}
