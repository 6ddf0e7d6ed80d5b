"""Lines and the cells on them: the public, total definition of what a CSV file says.

A row is a line, and what a line says depends on that line alone, so that one bad quote, one bad
byte or one missing cell can never change another person's row. No line is refused:

- a cell ends at the next delimiter;
- a cell that starts with a quote ends at its closing quote, and two quotes inside it are one;
- a quote that is never closed, or closed by something other than the end of the cell, is an
  ordinary letter, and its cell is taken literally up to the next delimiter;
- bytes that the declared encoding does not know become U+FFFD, so that their cell holds text that
  no schema declares;
- ``strip`` removes the spaces around a cell and around its text inside quotes.

Lines end with LF; CRs before it are no part of the line, any other CR is an ordinary letter. Byte
order marks at the start of a line, of any line, are no part of it: whether a line is the first of
the file depends on other people's rows. Of a line longer than ``LONGEST`` bytes (in UTF-16 and its
like: letters) the rest is not read.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from typing import AnyStr, BinaryIO, Final

from understudy.errors import SchemaError

BLOCK: Final = 1 << 23
LONGEST: Final = 1 << 24
BYTE_ORDER_MARK: Final = "\ufeff"
# Codecs of Python that are no text encodings of files, or whose decoding warns or fails.
_NOT_FOR_FILES: Final = frozenset(
    {"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"}
)


def fields(line: str, *, delimiter: str, strip: bool) -> list[str]:
    """The cells of one line. Total: any text without line break has exactly one reading."""
    if '"' not in line:
        cells = line.split(delimiter)
        return [cell.strip(" ") for cell in cells] if strip else cells
    if not strip and line[0] == '"' == line[-1]:
        # Every cell quoted, none with a quote inside: the common file, and ten times faster.
        cells = line[1:-1].split(f'"{delimiter}"')
        if line.count('"') == 2 * len(cells):
            return cells
    return _cell_by_cell(line, delimiter, strip)


def _cell_by_cell(line: str, delimiter: str, strip: bool) -> list[str]:
    cells, start = [], 0
    while True:
        cell, end = _quoted(line, start, delimiter, strip) or _plain(line, start, delimiter, strip)
        cells.append(cell)
        if end >= len(line):
            return cells
        start = end + len(delimiter)


def _quoted(line: str, start: int, delimiter: str, strip: bool) -> tuple[str, int] | None:
    """A well-quoted cell at ``start`` and where it ends; None if there is none."""
    first = _past_spaces(line, start) if strip else start
    if not line.startswith('"', first):
        return None
    last = line.find('"', first + 1)
    while last >= 0 and line.startswith('"', last + 1):
        last = line.find('"', last + 2)
    if last < 0:
        return None
    end = _past_spaces(line, last + 1) if strip else last + 1
    if end < len(line) and not line.startswith(delimiter, end):
        return None
    cell = line[first + 1 : last].replace('""', '"')
    return cell.strip(" ") if strip else cell, end


def _plain(line: str, start: int, delimiter: str, strip: bool) -> tuple[str, int]:
    found = line.find(delimiter, start)
    end = found if found >= 0 else len(line)
    cell = line[start:end]
    return cell.strip(" ") if strip else cell, end


def _past_spaces(line: str, start: int) -> int:
    while line.startswith(" ", start):
        start += 1
    return start


def blocks(file: BinaryIO, *, encoding: str) -> Iterator[list[str]]:
    """The lines of a file, without line ends, several megabytes at a time."""
    for lines in _decoded(file, _codec(encoding)):
        yield [line.lstrip(BYTE_ORDER_MARK) for line in lines]


def _decoded(file: BinaryIO, codec: str) -> Iterator[list[str]]:
    if "\n".encode(codec) == b"\n":
        for raw in _lines(file.read, b"\n"):
            # Each line is decoded alone: no shift state or half letter reaches the next line.
            yield [line.rstrip(b"\r").decode(codec, "replace") for line in raw]
        return
    # UTF-16, UTF-32, EBCDIC: line ends are letters of the encoding, found while decoding.
    letters = io.TextIOWrapper(file, encoding=codec, errors="replace", newline="\n")
    try:
        for text in _lines(letters.read, "\n"):
            yield [line.rstrip("\r") for line in text]
    finally:
        letters.detach()  # the file is its opener's to close


def _lines(read: Callable[[int], AnyStr], end: AnyStr) -> Iterator[list[AnyStr]]:
    """The lines that end in what was read so far, several megabytes at a time."""
    rest = end[:0]
    while chunk := read(BLOCK):
        lines = (rest + chunk).split(end)
        rest = lines.pop()[:LONGEST]
        if lines:
            lines[0] = lines[0][:LONGEST]  # the others began in this chunk, which is shorter
            yield lines
    if rest:
        yield [rest]


def _codec(encoding: str) -> str:
    """The codec of an encoding's name; UTF-8 with a mark is UTF-8, as the mark is removed here."""
    try:
        codec = codecs.lookup(encoding).name
        "\n".encode(codec)
    except (LookupError, UnicodeError, ValueError):
        codec = "undefined"
    if codec.replace("-", "_") in _NOT_FOR_FILES:
        raise SchemaError(
            f"no text encoding is named {encoding!r}; use a name such as 'utf-8' or 'cp1252'",
            place="[table.csv] encoding",
        )
    return "utf-8" if codec == "utf-8-sig" else codec
