"""Reads Parquet, DuckDB tables and Arrow streams through DuckDB, the needed columns only.

DuckDB may not fetch extensions, and its spills go to the private folder. Each column is asked for
in one of few shapes (numbers, moments, text), by its stored type alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final, final

import duckdb
import numpy as np
from numpy.typing import NDArray

from understudy.data.cells import Cells, Rows
from understudy.data.header import needed, positions
from understudy.data.ids import SAFE_DIGITS
from understudy.data.source import Source
from understudy.data.spool import private_folder
from understudy.data.texts import LARGEST_ID
from understudy.errors import TableMismatch
from understudy.schema.columns import Column
from understudy.schema.schema import Schema
from understudy.schema.values import listed

MEMORY_PER_THREAD: Final = 1 << 27
INTEGERS: Final = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)")
REALS: Final = ("FLOAT", "DOUBLE")
BOOLEAN: Final = "BOOLEAN"
_FRACTIONS: Final = re.compile(r"DECIMAL\(([0-9]+),\s*([0-9]+)\)")
_LONG_NUMBERS: Final = re.compile(r"U?HUGEINT|BIGNUM|VARINT|DECIMAL\(.*")
# DuckDB cannot write down every value of these: a single one would stop the run.
_NOT_TOTAL: Final = re.compile(
    r"(TIME|TIME[ _].*|INTERVAL|VARIANT.*|GEOMETRY.*|(STRUCT|MAP|UNION|TUPLE)\(.*|.*\])", re.DOTALL
)
_COARSE: Final = ("SECOND", "MILLI")
_GLOB: Final = re.compile(r"[*?\[]")
Connection = duckdb.DuckDBPyConnection


@final
@dataclass(frozen=True, repr=False, eq=False)
class Stored:
    """A table that a connection can read: its name in SQL and the needed columns' stored types.

    ``names`` says what a column is called in SQL, if not by its own name.
    """

    connection: Connection
    relation: str
    types: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def described(
        connection: Connection, relation: str, schema: Schema, *, found_in: str
    ) -> Stored:
        """The table, if it has the columns of the schema."""
        rows = connection.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        types = {name: kind for name, kind, *_ in rows}
        names = positions(schema, [name for name, *_ in rows], found_in=found_in)
        _check_total({name: types[name] for name in names}, found_in=found_in)
        if unclear := _rounded(types.get(str(schema.unit.column), "")):
            raise TableMismatch(
                f"{found_in} stores the ids of persons, {schema.unit.column!r}, as {unclear}; "
                "persons are told apart by text, whole numbers or days: store them as text"
            )
        return Stored(connection, relation, {name: types[name] for name in names})

    def select(self, shapes: Iterable[str]) -> str:
        """A query for these expressions, row by row."""
        asked = ", ".join(f"{shape} AS c{i}" for i, shape in enumerate(shapes))
        return f"SELECT {asked} FROM {self.relation}"

    def shapes(self) -> list[str]:
        """Each column as it is asked for where it is not encoded at once."""
        return [shape_of(self.name_of(column), kind) for column, kind in self.types.items()]

    def name_of(self, column: str) -> str:
        """What a column is called in SQL."""
        return quoted_name(self.names.get(column, column))

    def size(self) -> int:
        """How many rows there are."""
        (row,) = self.connection.execute(f"SELECT count(*) FROM {self.relation}").fetchall()
        return int(row[0])


def read_parquet(source: Source, schema: Schema) -> Rows:
    """The rows of one Parquet file."""
    from understudy.data.milliseconds import in_milliseconds, read_whole

    with connected(files=True) as connection:
        if odd := in_milliseconds(connection, source, schema):
            return read_whole(source, schema, because_of=odd)
        return _read(connection, parquet_relation(source), schema, source)


def read_duckdb_table(source: Source, schema: Schema) -> Rows:
    """The rows of a table in a DuckDB file, which is opened for reading only."""
    with connected(str(source.path), read_only=True) as connection:
        return _read(connection, quoted_name(source.table or ""), schema, source)


def read_stream(source: Source, schema: Schema) -> Rows:
    """The rows of anything that hands out an Arrow stream."""
    import nanoarrow

    with connected() as connection:
        stream = nanoarrow.ArrayStream(source.frame)
        _check_zoned(stream, schema, found_in=source.name)
        connection.register("given", stream)
        return _read(connection, "given", schema, source)


def _check_zoned(stream: Any, schema: Schema, *, found_in: str) -> None:
    """DuckDB stops at the first of these moments that is beyond its calendar."""
    zoned = [
        field.name
        for field in stream.schema.fields
        if field.type.name == "TIMESTAMP" and field.timezone and field.unit.name in _COARSE
    ]
    if odd := [name for name in needed(schema) if name in zoned]:
        raise TableMismatch(
            f"{found_in} is a stream with {listed(odd)} as moments in a time zone by the second or "
            "millisecond; give them in microseconds, or the whole table instead of a stream"
        )


def parquet_relation(source: Source) -> str:
    """A Parquet file as SQL, read by its own columns only."""
    # Text that is no UTF-8 loses its bad letters, instead of stopping the run.
    settings = "hive_partitioning = false, utf8_validation = 'replace'"
    return f"read_parquet({parquet_file(source)}, {settings})"


def parquet_file(source: Source) -> str:
    """The name of a file as SQL."""
    # A path is a pattern to DuckDB; in brackets a letter of a pattern stands for itself.
    return quoted_text(_GLOB.sub(r"[\g<0>]", str(source.path)))


@contextmanager
def connected(
    database: str = ":memory:", *, read_only: bool = False, files: bool = False
) -> Iterator[Connection]:
    """A connection for as long as the block; see ``connect``."""
    connection = connect(database, read_only=read_only, files=files)
    try:
        yield connection
    finally:
        connection.close()


def connect(
    database: str = ":memory:",
    *,
    read_only: bool = False,
    files: bool = False,
    memory: int | None = None,
) -> Connection:
    """A connection that fetches nothing, sees no Python variables and spills in private.

    Unless ``files``, it reads no file but the database: a name that is no table is an error. With
    ``memory`` it uses no more bytes than that, and no more threads than suit them.
    """
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_external_access": str(files).lower(),
        "python_enable_replacements": "false",
        "temp_directory": str(private_folder()),
    }
    if memory is not None:
        settings["memory_limit"] = f"{memory}B"
        threads = max(1, memory // MEMORY_PER_THREAD)
        settings["threads"] = min(threads, os.cpu_count() or 1)
    connection = duckdb.connect(database, read_only=read_only, config=settings)
    connection.execute("SET enable_progress_bar = false")
    # What a file says about its own values is no reason to leave them unread.
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    return connection


def _read(connection: Connection, relation: str, schema: Schema, source: Source) -> Rows:
    table = Stored.described(connection, relation, schema, found_in=source.name)
    arrays = connection.execute(table.select([*table.shapes(), "1"])).fetchnumpy()
    columns = {
        name: cells_of(schema.columns[name], arrays[f"c{i}"], kind, ids=name == schema.unit.column)
        for i, (name, kind) in enumerate(table.types.items())
    }
    return Rows(columns, len(arrays[f"c{len(columns)}"]))


def shape_of(name: str, stored: str) -> str:
    """How a column of this stored type is asked for, as SQL."""
    if INTEGERS.fullmatch(stored) or stored in REALS or stored == BOOLEAN:
        return name
    if is_moment(stored):
        if stored == "TIMESTAMPTZ_NS":  # the one for which DuckDB has no epoch
            name = f"TRY_CAST({name} AS TIMESTAMP_NS)"
        # An infinite moment has none, nor has one that is beyond DuckDB's calendar: missing.
        return f"CAST(floor(TRY(epoch({name}))) AS BIGINT)"
    return f"CAST({name} AS VARCHAR)"


def cells_of(column: Column, array: NDArray[Any], stored: str, *, ids: bool = False) -> Cells:
    """What was asked for in that shape, masked where it is missing, and where ``ids`` are floats
    that may stand for several persons."""
    missing = np.ma.getmaskarray(array)
    if INTEGERS.fullmatch(stored) or stored in REALS:
        numbers = np.asarray(np.ma.getdata(array))
        if ids and stored in REALS:
            missing = missing | (abs(numbers) >= LARGEST_ID)
        return Cells.of_numbers(column, numbers, missing)
    if is_moment(stored):
        moments = np.asarray(np.ma.getdata(array)).astype("datetime64[s]")
        moments[missing] = np.datetime64("NaT")
        return Cells.of_moments(
            column, moments.astype("datetime64[D]" if stored == "DATE" else "datetime64[s]")
        )
    objects = array.tolist()
    if _LONG_NUMBERS.fullmatch(stored):
        objects = [None if text is None else Decimal(text) for text in objects]
    return Cells.of_objects(column, objects)


def _check_total(types: Mapping[str, str], *, found_in: str) -> None:
    odd = [name for name, stored in types.items() if _NOT_TOTAL.fullmatch(stored)]
    if odd:
        raise TableMismatch(
            f"{found_in} stores {listed(odd)} as times of day, spans of time, lists or structures, "
            'which cannot be learned; store them as text or numbers, or declare kind = "drop"'
        )


def _rounded(stored: str) -> str:
    """What a type is called of which two values may have one text form; nothing if none have."""
    digits, scale = map(int, found.groups()) if (found := _FRACTIONS.match(stored)) else (0, 0)
    if digits > SAFE_DIGITS and scale:
        return "long decimal fractions"
    return "moments" if stored.startswith("TIMESTAMP") else ""


def is_moment(stored: str) -> bool:
    """Whether a stored type is that of days or moments."""
    return stored == "DATE" or stored.startswith("TIMESTAMP")


def quoted_name(name: str) -> str:
    """A name of a column or table as SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text as SQL."""
    return "'" + text.replace("'", "''") + "'"
