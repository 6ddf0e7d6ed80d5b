"""The slow, plain definition of what an engine must answer, written without the engine's code.

Lines are read letter by letter, cells go through ``cell_of`` one at a time, and rows are counted
one at a time. Hypothesis strategies for hostile lines and tables live here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

import numpy as np
from hypothesis import strategies as st

from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.domain import Domain
from understudy.schema.schema import Dialect, Schema
from understudy.table.codec import cell_of

Row = Sequence[str | None]

COLUMNS: tuple[Column, ...] = (
    Category(name="city", levels=("Bath", "Ely, Cambs", 'the "Wash"'), other="elsewhere"),
    Category(name="ward", levels=("A", "B"), missing=("", "?")),
    Ordinal(name="grade", levels=("low", "high")),
    Boolean(name="again", true="yes", false="no", missing=("NA",)),
    Integer(name="age", min=0, max=4, missing=("-1",)),
    Real(name="cost", min=-1.0, max=1.0, bins=4),
    Date(name="day", min=date(2020, 1, 1), max=date(2020, 1, 5), missing=("",)),
    Datetime(
        name="at", min=datetime(2020, 1, 1), max=datetime(2020, 1, 2), bins=3, format="%d.%m.%Y %H"
    ),
    Drop(name="secret"),
    Fake(name="mail", style="email"),
)
SCHEMA = Schema(name="mixed", columns={column.name: column for column in COLUMNS})

LETTERS = 'a",\\ \t\r\x01\x0b\x0c\x1c\x85\u2028\u00e9\U0001f600\0=;-1'
SPEAKING = (
    *("Bath", "Ely, Cambs", 'the "Wash"', "A", "B", "?", "low", "high", "yes", "no", "NA"),
    *("", " ", "-1", "0", "3.0", "4", "99", "1e400", "nan", "inf", "-0.5", "0.25", "1", "\0"),
    *("2020-01-01", "2020-01-03", "1066-10-14", "9999-12-31", "2020-02-30", "01.01.2020 07"),
)
hostile_text = st.one_of(st.sampled_from(SPEAKING), st.text(LETTERS, max_size=6))
hostile_line = st.lists(
    st.one_of(hostile_text, hostile_text.map(lambda text: '"' + text.replace('"', '""') + '"')),
    max_size=len(COLUMNS) + 2,
).map(",".join)


def reference_fields(line: str, *, delimiter: str, strip: bool) -> list[str]:
    """The cells of a line, by reading every letter and trying the quoted reading first."""
    cells: list[str] = []
    rest: str | None = line
    while rest is not None:
        cell, rest = _quoted_cell(rest, delimiter, strip) or _literal_cell(rest, delimiter)
        cells.append(cell.strip(" ") if strip else cell)
    return cells


def _quoted_cell(text: str, delimiter: str, strip: bool) -> tuple[str, str | None] | None:
    letters = list(text.lstrip(" ") if strip else text)
    if letters[:1] != ['"']:
        return None
    cell, place = "", 1
    while place < len(letters):
        if letters[place] != '"':
            cell, place = cell + letters[place], place + 1
        elif letters[place : place + 2] == ['"', '"']:
            cell, place = cell + '"', place + 2
        else:
            after = "".join(letters[place + 1 :])
            after = after.lstrip(" ") if strip else after
            if not after:
                return cell, None
            return (cell, after[len(delimiter) :]) if after.startswith(delimiter) else None
    return None


def _literal_cell(text: str, delimiter: str) -> tuple[str, str | None]:
    cell, found, rest = text.partition(delimiter)
    return cell, rest if found else None


def rows_of(lines: Sequence[str], schema: Schema) -> list[list[str | None]]:
    """The rows of the lines after the header, in the schema's column order."""
    width, dialect = len(schema.columns), schema.csv
    rows: list[list[str | None]] = []
    for line in lines:
        ended = line.rstrip("\r")
        if not ended and width > 1:
            continue
        cells: list[str | None] = [
            cell.replace("\0", "\ufffd")
            for cell in reference_fields(ended, delimiter=dialect.delimiter, strip=dialect.strip)
        ]
        rows.append((cells + [None] * width)[:width])
    return rows


def reference_count(
    rows: Sequence[Row], domain: Domain, marginals: Sequence[Sequence[str]]
) -> list[np.ndarray]:
    """The contingency tables, one row and one cell at a time."""
    places = {name: place for place, name in enumerate(domain.schema.columns)}
    tables = [np.zeros(domain.shape(marginal), dtype=np.int64) for marginal in marginals]
    for row in rows:
        for marginal, table in zip(marginals, tables, strict=True):
            cell = tuple(
                cell_of(domain.schema.columns[name], domain.axes[name], row[places[name]])
                for name in marginal
            )
            table[cell] += 1
    return tables


def headed(schema: Schema, lines: Sequence[str]) -> bytes:
    """A CSV file of these lines with the schema's header."""
    header = schema.csv.delimiter.join(schema.columns)
    return "\n".join([header, *lines, ""]).encode(schema.csv.encoding)


def with_dialect(schema: Schema, dialect: Dialect) -> Schema:
    """The same schema, for a file written differently."""
    return Schema(name=schema.name, columns=schema.columns, csv=dialect)
