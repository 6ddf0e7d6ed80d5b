"""Reads CSV in the schema's dialect: no sniffing, everything as text, a row is a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from understudy.data.cells import Rows, Texts, gathered, pieces_of
from understudy.data.header import needed, positions
from understudy.data.lines import blocks, fields
from understudy.errors import TableMismatch
from understudy.schema.schema import Dialect, Schema


def read_csv(file: BinaryIO, schema: Schema, *, found_in: str) -> Rows:
    """The rows of a CSV file. A cell that a short line lacks is missing, a surplus one ignored.

    Blank lines are no rows, except in a table of one column, where they are a blank cell.
    """
    texts = _texts(file, schema, found_in)
    return gathered(texts, needed(schema), strip=schema.csv.strip)


def csv_pieces(file: BinaryIO, schema: Schema, *, found_in: str) -> Iterator[Rows]:
    """The same rows, a few megabytes of the file at a time."""
    return pieces_of(_texts(file, schema, found_in), strip=schema.csv.strip)


def _texts(file: BinaryIO, schema: Schema, found_in: str) -> Iterator[Texts]:
    lines = blocks(file, encoding=schema.csv.encoding)
    if not schema.csv.header:
        wanted = set(needed(schema))
        places = {name: place for place, name in enumerate(schema.columns) if name in wanted}
        return _split(lines, places, len(schema.columns), schema.csv)
    first = next(lines, None)
    if first is None:
        raise TableMismatch(f"{found_in} is empty; by the schema its first line is a header")
    header = fields(first[0], delimiter=schema.csv.delimiter, strip=schema.csv.strip)
    places = positions(schema, header, found_in=found_in)
    return _split(chain([first[1:]], lines), places, len(header), schema.csv)


def _split(
    blocks_of_lines: Iterator[list[str]], places: dict[str, int], width: int, dialect: Dialect
) -> Iterator[Texts]:
    for block in blocks_of_lines:
        lines = block if width == 1 else [line for line in block if line]
        cells: Sequence[str | None] = row_after_row(lines, width, dialect)
        yield Texts({name: cells[place::width] for name, place in places.items()}, len(lines))


def row_after_row(lines: list[str], width: int, dialect: Dialect) -> list[str | None]:
    """Exactly ``width`` cells of each line, in one list; the rows may come in another order.

    What a line says is what ``fields`` says; spaces to strip may still be there. Plain lines, which
    hold no quote and as many cells as they should, are split all at once.
    """
    delimiter = dialect.delimiter
    plain: list[str] = []
    cells: list[str | None] = []
    for line in lines:
        if line.count(delimiter) == width - 1 and '"' not in line:
            plain.append(line)
        else:
            found = fields(line, delimiter=delimiter, strip=dialect.strip)
            cells += found[:width]
            cells += [None] * (width - len(found))
    if plain:
        cells += delimiter.join(plain).split(delimiter)
    return cells
