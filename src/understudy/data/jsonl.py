"""Reads JSON lines: one object per line, whatever is on the line."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, BinaryIO

from understudy.data.cells import GrowingCells, Rows
from understudy.data.header import needed
from understudy.data.lines import blocks
from understudy.data.texts import text_of
from understudy.schema.schema import Schema


def read_jsonl(file: BinaryIO, schema: Schema, *, found_in: str) -> Rows:
    """The rows of a file of JSON lines in UTF-8. Blank lines are no rows.

    JSON lines have no header: a key that an object lacks is a missing cell, other keys are
    ignored, and a line that is no JSON object is a row with every cell missing.
    """
    columns = {name: GrowingCells() for name in needed(schema)}
    number = 0
    for block in blocks(file, encoding="utf-8"):
        objects = [_object(line) for line in block if line]
        number += len(objects)
        for name, growing in columns.items():
            column = schema.columns[name]
            growing.extend([text_of(column, each.get(name)) for each in objects])
    return Rows({name: growing.finished() for name, growing in columns.items()}, number)


def _object(line: str) -> dict[str, Any]:
    try:
        # Decimal reads numbers of any length; Python's int refuses long ones.
        found = json.loads(line, parse_int=Decimal)
    except (ValueError, RecursionError, ArithmeticError):
        return {}
    return found if isinstance(found, dict) else {}
