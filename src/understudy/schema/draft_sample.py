"""A draft from the rows of a file that is public. Never call this on a confidential file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema.columns import FAKE_STYLES
from understudy.schema.document import column_of
from understudy.schema.draft import Draft, from_columns, header_of, opened, table_name
from understudy.schema.schema import Dialect, Schema

MOST_ROWS_LOOKED_AT: Final = 100_000
MOST_LEVELS: Final = 50
MISSING_CODES: Final = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "?")
_BOOLEANS: Final = (
    {"true": "true", "false": "false"},
    {"true": "True", "false": "False"},
    {"true": "TRUE", "false": "FALSE"},
    {"true": "yes", "false": "no"},
    {"true": "Yes", "false": "No"},
    {"true": "Y", "false": "N"},
    {"true": "t", "false": "f"},
)
_WHOLE: Final = re.compile(r"[-+]?[0-9]{1,15}")
_NUMBER: Final = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]{1,2})?")

Keys = dict[str, Any]


def from_public_sample(path: str | Path, *, dialect: Dialect | None = None) -> Draft:
    """A draft from the header and the rows of a CSV file whose every value may be published."""
    path, dialect = Path(path), dialect or Dialect()
    names = header_of(path, dialect)
    known = from_columns(names, name=table_name(path), dialect=dialect)
    cells = _cells(path, dialect, len(names))
    columns, notes = {}, {}
    for name, found in zip(names, cells, strict=True):
        if known.schema.columns[name].kind == "fake":
            columns[name], notes[name] = known.schema.columns[name], known.notes[name]
        else:
            keys, told = _keys(found)
            columns[name], notes[name] = column_of(name, keys), told
    return Draft(Schema(name=known.schema.name, columns=columns, csv=dialect), notes)


def _cells(path: Path, dialect: Dialect, width: int) -> list[list[str]]:
    columns: list[list[str]] = [[] for _ in range(width)]
    try:
        with (
            opened(path) as content,
            io.TextIOWrapper(content, dialect.encoding, newline="") as text,
        ):
            for row in islice(
                csv.reader(text, delimiter=dialect.delimiter), 1, MOST_ROWS_LOOKED_AT
            ):
                for column, cell in zip(columns, row, strict=False):
                    column.append(cell.strip() if dialect.strip else cell)
    except (csv.Error, UnicodeDecodeError):
        raise SchemaError("the rows are not CSV in this dialect", place=path.name) from None
    return columns


def _keys(cells: Sequence[str]) -> tuple[Keys, tuple[str, ...]]:
    missing = [code for code in MISSING_CODES if code in set(cells)]
    texts = [cell for cell in cells if cell not in missing]
    keys, note = next(found for found in _guesses(texts) if found)
    read = keys["kind"] not in ("drop", "fake")
    return keys | ({"missing": missing} if missing and read else {}), (note,)


def _guesses(texts: Sequence[str]) -> Iterator[tuple[Keys, str] | None]:
    yield None if texts else ({"kind": "drop"}, "dropped, because the sample holds no value")
    yield _boolean(set(texts))
    yield _numeric(texts, _WHOLE, "integer", int)
    yield _numeric(texts, _NUMBER, "real", float)
    yield _dated(texts, "date", date)
    yield _dated(texts, "datetime", datetime)
    yield _text(texts)


def _boolean(texts: set[str]) -> tuple[Keys, str] | None:
    pairs = [pair for pair in _BOOLEANS if texts == set(pair.values())]
    return ({"kind": "boolean", **pairs[0]}, "two levels that mean yes and no") if pairs else None


def _numeric(
    texts: Sequence[str], pattern: re.Pattern[str], kind: str, read: Callable[[str], float]
) -> tuple[Keys, str] | None:
    if not all(pattern.fullmatch(text) for text in texts):
        return None
    numbers = [read(text) for text in texts]
    return {"kind": kind, "min": min(numbers), "max": max(numbers)}, _WIDEN


def _dated(texts: Sequence[str], kind: str, read: type[date]) -> tuple[Keys, str] | None:
    length = {"date": 10, "datetime": 19}[kind]
    try:
        moments = [read.fromisoformat(text) for text in texts]
    except ValueError:
        return None
    if any(len(text) != length for text in texts):
        return None
    keys: Keys = {"kind": kind, "min": min(moments), "max": max(moments)}
    if kind == "datetime" and texts[0][10] == " ":
        keys["format"] = "%Y-%m-%d %H:%M:%S"
    return keys, _WIDEN


def _text(texts: Sequence[str]) -> tuple[Keys, str]:
    levels = sorted(set(texts))
    if len(levels) <= MOST_LEVELS:
        return {"kind": "category", "levels": levels}, "complete the levels; ordinal if ordered"
    if len(levels) == len(texts):
        return {"kind": "fake", "style": FAKE_STYLES[0]}, "all differ, so made up; never read"
    return {"kind": "category", "levels": "discover"}, "too many levels to list, so discovered"


_WIDEN: Final = "these bounds are those of the sample; widen them to what is possible"
