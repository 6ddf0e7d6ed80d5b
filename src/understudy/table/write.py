"""Tables to files: ``.csv .csv.gz .parquet .feather .arrow .jsonl``, told by the name's ending.

CSV follows the schema's dialect. A missing cell is the column's first missing code, a boolean one
of its two texts, a date in its format; a real has its ``decimals``, or as many as it takes to read
the same number again. Text is quoted when it holds a delimiter, a quote or a line break, and not
changed: a level that a spreadsheet takes for a formula is written as the schema declares it, unless
``spreadsheet`` asks for texts that are harmless there (``formulas.py``). JSON
lines hold true, false, null and numbers, and dates in the column's format. Parquet and Arrow files
are typed like ``Table.to_arrow``; nothing in their metadata comes from anywhere but the schema.

The same table gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.schema.columns import Boolean, Column, Date, Datetime, Real
from understudy.table.formulas import harmless
from understudy.table.parquet import write_parquet_to
from understudy.table.replacing import replacing
from understudy.table.table import Table, Values

BLOCK: Final = 1 << 16
_ISO: Final[dict[str, Literal["D", "s"]]] = {"%Y-%m-%d": "D", "%Y-%m-%dT%H:%M:%S": "s"}


Pieces = Iterable[Table]
"""Tables of one schema, at least one, that follow each other in a file."""


def write_table(
    table: Table, path: str | Path, *, force: bool = False, spreadsheet: bool = False
) -> None:
    """Write ``table`` to ``path`` in the format of its ending, whole or not at all.

    Refuses an ending it does not know, and an existing file without ``force``.
    """
    write_pieces((table,), path, force=force, spreadsheet=spreadsheet)


def write_pieces(
    pieces: Pieces, path: str | Path, *, force: bool = False, spreadsheet: bool = False
) -> None:
    """Write tables one after the other as one table, so that no more than one is in memory."""
    path = Path(path)
    write = check_ending(path, spreadsheet=spreadsheet)
    with replacing(path, force=force) as aside:
        write(pieces, aside)


def check_ending(path: Path, *, spreadsheet: bool = False) -> Callable[[Pieces, Path], None]:
    """What writes files of this name; refuses an ending that no format goes with."""
    for ending, write in _WRITERS.items():
        if path.name.lower().endswith(ending):
            return _for_spreadsheets(path) if spreadsheet else write
    raise UsageError(
        f"{path.name!r} does not say which format to write; end it in {', '.join(_WRITERS)}"
    )


def _for_spreadsheets(path: Path) -> Callable[[Pieces, Path], None]:
    for ending, write in _CSV_WRITERS.items():
        if path.name.lower().endswith(ending):
            return partial(write, spreadsheet=True)
    raise UsageError(
        f"texts are made harmless for spreadsheets in {' and '.join(_CSV_WRITERS)} files only; "
        f"{path.name!r} is none"
    )


def write_csv_to(pieces: Pieces, stream: BinaryIO, *, spreadsheet: bool = False) -> None:
    """Write tables as CSV to an open binary stream, in the schema's dialect and encoding."""
    for number, table in enumerate(pieces):
        if number == 0:
            dialect = table.schema.csv
            encode = _encoder(dialect.encoding)
            made = harmless if spreadsheet else str
            quote = _quoter(dialect.delimiter, alone=len(table.columns) == 1, made=made)
            if dialect.header:
                stream.write(encode(dialect.delimiter.join(map(quote, table.columns)) + "\n"))
        for start in range(0, table.rows, BLOCK):
            texts = [
                _csv_texts(table.schema.columns[name], _block(values, start), quote)
                for name, values in table.columns.items()
            ]
            stream.write(encode(_lines(map(dialect.delimiter.join, zip(*texts, strict=True)))))


def write_jsonl_to(pieces: Pieces, stream: BinaryIO) -> None:
    """Write tables as JSON lines, one object per row, to an open binary stream."""
    for table in pieces:
        for start in range(0, table.rows, BLOCK):
            stream.write(_lines(_json_rows(table, start)).encode("ascii"))


def _json_rows(table: Table, start: int) -> Iterator[str]:
    cells = []
    for name, values in table.columns.items():
        key = f"{json.dumps(name)}: "
        texts = _json_texts(table.schema.columns[name], _block(values, start))
        cells.append([key + text for text in texts])
    return (f"{{{row}}}" for row in map(", ".join, zip(*cells, strict=True)))


def _write_csv(pieces: Pieces, path: Path, *, spreadsheet: bool = False) -> None:
    with path.open("xb") as stream:
        write_csv_to(pieces, stream, spreadsheet=spreadsheet)


def _write_csv_gz(pieces: Pieces, path: Path, *, spreadsheet: bool = False) -> None:
    with (
        path.open("xb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=raw, mtime=0) as stream,
    ):
        write_csv_to(pieces, cast(BinaryIO, stream), spreadsheet=spreadsheet)


def _write_jsonl(pieces: Pieces, path: Path) -> None:
    with path.open("xb") as stream:
        write_jsonl_to(pieces, stream)


def _write_parquet(pieces: Pieces, path: Path) -> None:
    with path.open("xb") as stream:
        write_parquet_to(pieces, stream)


def _write_arrow(pieces: Pieces, path: Path) -> None:
    tables = (piece.to_arrow() for piece in pieces)
    first = next(tables)
    from pyarrow import ipc

    with path.open("xb") as stream, ipc.new_file(stream, first.schema) as writer:
        for table in chain((first,), tables):
            writer.write_table(table)


def _block(values: Values, start: int) -> Values:
    part = slice(start, start + BLOCK)
    missing = None if values.missing is None else values.missing[part]
    return Values(values.data[part], values.levels, missing)


def _lines(rows: Iterable[str]) -> str:
    return "".join(f"{row}\n" for row in rows)


def _encoder(encoding: str) -> Callable[[str], bytes]:
    """Text to bytes, with a byte order mark only where the file begins."""
    from codecs import getincrementalencoder

    encoder = getincrementalencoder(encoding)()

    def encode(text: str) -> bytes:
        try:
            return encoder.encode(text)
        except UnicodeEncodeError:
            raise UsageError(
                f"the encoding {encoding!r} cannot write a level of this table; "
                "declare encoding = 'utf-8' in [table.csv]"
            ) from None

    return encode


def _quoter(delimiter: str, *, alone: bool, made: Callable[[str], str]) -> Callable[[str], str]:
    """How a text is written in CSV, after what is ``made`` of it.

    ``alone`` in its line, an empty text needs quotes too.
    """
    risky = re.compile(f'["\\r\\n{re.escape(delimiter)}]')

    def quote(text: str) -> str:
        text = made(text)
        if risky.search(text) or (alone and not text):
            return '"' + text.replace('"', '""') + '"'
        return text

    return quote


def _csv_texts(column: Column, values: Values, quote: Callable[[str], str]) -> list[str]:
    if values.levels is not None:
        levels = list(map(quote, values.levels))
        texts = [levels[index] for index in values.data.tolist()]
    elif column.kind in ("integer", "real"):
        texts = _number_texts(column, values.data)
    else:
        texts = list(map(quote, _plain_texts(column, values.data)))
    return _put_missing(texts, values, quote(column.missing[0]) if column.missing else "")


def _json_texts(column: Column, values: Values) -> list[str]:
    if values.levels is not None:
        words = ("false", "true") if isinstance(column, Boolean) else None
        levels = words or tuple(map(json.dumps, values.levels))
        texts = [levels[index] for index in values.data.tolist()]
    elif column.kind in ("integer", "real"):
        texts = _number_texts(column, values.data)
    else:
        texts = list(map(json.dumps, _plain_texts(column, values.data)))
    return _put_missing(texts, values, "null")


def _put_missing(texts: list[str], values: Values, code: str) -> list[str]:
    if values.missing is not None:
        for index in np.flatnonzero(values.missing).tolist():
            texts[index] = code
    return texts


def _number_texts(column: Column, data: NDArray[Any]) -> list[str]:
    if not isinstance(column, Real):
        return list(map(str, data.tolist()))
    decimals = column.decimals
    if decimals is None:
        return list(map(repr, data.tolist()))
    return [_decimal_text(number, decimals) for number in data.tolist()]


def _decimal_text(number: float, decimals: int) -> str:
    """With the declared decimals, unless that would be another number."""
    text = f"{number:.{decimals}f}"
    return text if float(text) == number else repr(number)


def _plain_texts(column: Column, data: NDArray[Any]) -> list[str]:
    """Dates and datetimes in the column's format, made-up texts as they are."""
    if not isinstance(column, Date | Datetime):
        return list(data.tolist())
    if (unit := _ISO.get(column.format)) is not None:
        return list(np.datetime_as_string(data, unit=unit).tolist())
    distinct, inverse = np.unique(data.astype("datetime64[s]"), return_inverse=True)
    texts = [moment.strftime(column.format) for moment in distinct.tolist()]
    return [texts[index] for index in inverse.tolist()]


_CSV_WRITERS: Final = {".csv": _write_csv, ".csv.gz": _write_csv_gz}
_WRITERS: Final[dict[str, Callable[[Pieces, Path], None]]] = {
    **_CSV_WRITERS,
    ".parquet": _write_parquet,
    ".feather": _write_arrow,
    ".arrow": _write_arrow,
    ".jsonl": _write_jsonl,
}
