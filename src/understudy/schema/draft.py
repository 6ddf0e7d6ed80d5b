"""Drafts: a first schema for a person to finish, made from what is public.

    from_header         the first line of a CSV file; the rest of the file is never read
    from_columns        a list of column names
    from_frictionless   a Frictionless Table Schema or package
    from_sql            CREATE TABLE statements
    from_public_sample  rows, but only of a file that whoever calls says is public

``draft`` picks one of these by the file's name, and never the last: private values cannot get into
a schema by a wrong click. Every draft tells what a person must decide, column by column.
"""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from understudy.errors import SchemaError, SourceError, UsageError
from understudy.schema import ddl, frictionless, toml
from understudy.schema.document import column_of, document_of
from understudy.schema.files import read_text
from understudy.schema.schema import Dialect, Schema

LONGEST_HEADER: Final = 1_000_000
DELIMITERS: Final = (",", ";", "\t", "|")
_STYLES: Final = {
    "id": "id",
    "uuid": "uuid",
    "guid": "uuid",
    "email": "email",
    "e_mail": "email",
    "mail": "email",
    "name": "name",
    "full_name": "name",
    "first_name": "name",
    "last_name": "name",
    "surname": "name",
    "phone": "phone",
    "telephone": "phone",
    "mobile": "phone",
}
_VALUE: Final = re.compile(
    r"""\s*(                                                # nothing, or
    [-+$]?[0-9][0-9.,]*([eE][-+]?[0-9]+)?%?                # a number
    | [0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}([T\s].*)?   # a date
    | \S+@\S+\.\S+                                        # an e-mail address
    )?\s*""",
    re.VERBOSE | re.DOTALL,
)
_TOP: Final = (
    "A draft. Everything in this file is public: write down only what anyone may know.",
    "Decide for each column its kind, its bounds or levels, and its missing codes; then for the "
    "table whether its size is public (rows) and whose privacy is promised (unit).",
)
_DECIDE: Final = (
    "decide: kind = category, ordinal, boolean, integer, real, date, datetime, fake or drop",
    "(integer and real take min and max; date and datetime need them; levels can be listed)",
)


@dataclass(frozen=True)
class Draft:
    """A schema that holds as it is, and what a person should decide about each column."""

    schema: Schema
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def to_toml(self) -> str:
        """The draft as a commented schema file."""
        comments: dict[str | None, Sequence[str]] = {None: _TOP}
        comments.update(self.notes)
        return toml.written(document_of(self.schema), comments=comments)


def draft(path: str | Path) -> Draft:
    """A draft from a public description: .csv (first line only), .json (Frictionless) or .sql."""
    path = Path(path)
    name = path.name.lower()
    if name.endswith((".csv", ".csv.gz", ".tsv", ".txt")):
        return from_header(path)
    if name.endswith(".json"):
        return from_frictionless(path)
    if name.endswith(".sql"):
        return from_sql(read_text(path))
    raise UsageError(
        "a draft is made from the first line of a .csv file, a Frictionless .json file or a .sql "
        f"file of CREATE TABLE statements, not from {path.name}"
    )


def from_columns(
    names: Sequence[str], *, name: str = "table", dialect: Dialect | None = None
) -> Draft:
    """A draft for columns of which nothing but the names is known."""
    repeated = [column for column, times in Counter(names).items() if times > 1]
    if repeated:
        raise SchemaError("two columns have this name; rename one", column=repeated[0])
    guessed = {column: _guessed(column) for column in names}
    columns = {column: column_of(column, keys) for column, (keys, _) in guessed.items()}
    schema = Schema(name=name, columns=columns, csv=dialect or Dialect())
    return Draft(schema, {column: notes for column, (_, notes) in guessed.items()})


def from_header(path: str | Path, *, dialect: Dialect | None = None) -> Draft:
    """A draft from a CSV file's first line, the only one that is read.

    Without a dialect its cells are parted by what gives the most of them, comma, semicolon, tab or
    bar; the draft says which, for a person to check. A first line that looks like data, however it
    is parted, is refused, and nothing of it is shown: it may be private.
    """
    path = Path(path)
    dialects = [dialect] if dialect else [Dialect(delimiter=one) for one in DELIMITERS]
    dialect = max(dialects, key=lambda one: len(_cells(path, one)))
    if not dialect.header:
        raise UsageError("a file without a header has no column names to draft from")
    names = header_of(path, dialect)
    if any(_VALUE.fullmatch(cell) for one in dialects for cell in _cells(path, one)):
        raise SchemaError(
            "the first line looks like data, or a column has no name; write the schema by hand or "
            "give the file a header of names",
            place=path.name,
        )
    return from_columns(names, name=table_name(path), dialect=dialect)


def from_frictionless(path: str | Path) -> Draft:
    """A draft from a Frictionless Table Schema, or a package or resource that holds one."""
    path = Path(path)
    found = frictionless.loads(read_text(path), name=table_name(path))
    return Draft(found.schema, found.notes)


def from_sql(text: str, *, table: str | None = None) -> Draft:
    """A draft from a CREATE TABLE statement; ``table`` says which if there are several."""
    found = ddl.read(text, table=table)
    columns = {name: column_of(name, keys) for name, (keys, _) in found.columns.items()}
    schema = Schema(name=found.name, columns=columns)
    return Draft(schema, {name: tuple(notes) for name, (_, notes) in found.columns.items()})


def header_of(path: Path, dialect: Dialect) -> list[str]:
    """The names in a CSV file's first line; no further line is looked at."""
    try:
        with opened(path) as lines:
            raw = lines.readline(LONGEST_HEADER)
        first = re.split(r"[\r\n]", raw.decode(dialect.encoding))[0].removeprefix("\ufeff")
        cells = next(csv.reader([first], delimiter=dialect.delimiter), [])
    except (csv.Error, UnicodeDecodeError):
        cells = []
    if not cells or len(raw) == LONGEST_HEADER or first.count('"') % 2:
        raise SchemaError("the first line is no header of a CSV file", place=path.name)
    return [cell.strip() if dialect.strip else cell for cell in cells]


def _cells(path: Path, dialect: Dialect) -> list[str]:
    try:
        return header_of(path, dialect)
    except SchemaError:
        return []


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if its name ends in .gz."""
    unpack: Any = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with unpack(path, "rb") as content:
            yield content
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or "it is damaged"
        raise SourceError(f"{path} cannot be read: {why}") from None


def table_name(path: Path) -> str:
    """A table's name from its file: the part before the first dot."""
    return path.name.split(".")[0] or "table"


def _guessed(column: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Names that point to a person are never learned; all else is text to be discovered."""
    plain = re.sub(r"[\W_]+", "_", column.lower()).strip("_")
    style = _STYLES.get(plain) or ("id" if plain.endswith("_id") else None)
    if style:
        keys = {"kind": "fake", "style": style}
        return keys, (f"by its name this is a personal {style}: it is not read but made up",)
    return {"kind": "category", "levels": "discover", "missing": [""]}, _DECIDE
