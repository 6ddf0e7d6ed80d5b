"""A private copy of a table in DuckDB's own form, for what cannot be read twice or in any order.

Text files are parsed once and kept as levels' texts, numbers and moments. Tables of persons are
bounded here: of a person with too many rows those with the smallest marks stay (see
``contribution.py``), found by DuckDB, which spills what does not fit. The copy lies in the private
folder and goes with the engine or, at the latest, with the process.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.data.arrow import pieces
from understudy.data.cells import Cells, Rows
from understudy.data.contribution import fresh_key, marked
from understudy.data.spool import private_folder
from understudy.data.stored import Connection, Stored, cells_of, connect
from understudy.schema.columns import Column, Date, Datetime, Number
from understudy.schema.schema import Schema
from understudy.table.codec import places

ROWS: Final = "rows"
MARKS: Final = {"person": "UBIGINT", "person2": "UBIGINT", "mark": "UBIGINT"}
PERSON: Final = "person, person2"
DAY: Final = 86_400


def copied(parts: Iterable[Rows], schema: Schema, *, memory: int) -> tuple[Stored, int]:
    """The table in private, at most ``max_rows`` rows per person; and how many rows or persons."""
    folder = Path(tempfile.mkdtemp(dir=private_folder(), prefix="copy-"))
    connection = connect(str(folder / "rows.duckdb"), memory=memory)
    weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
    learned = {name: _kind(schema.columns[name]) for name in schema.modelled}
    marks = MARKS if schema.unit.column is not None else {"present": "BOOLEAN"}
    named = {f"c{place}": kind for place, kind in enumerate(learned.values())} | marks
    columns = ", ".join(f"{name} {kind}" for name, kind in named.items())
    connection.execute(f"CREATE TABLE {ROWS} ({columns})")
    key = fresh_key()
    for rows in parts:
        _insert(connection, rows, schema, key)
    size = _bound(connection, schema) if schema.unit.column is not None else None
    # Not under their own names, of which DuckDB takes "a" and "A" for one.
    names = {name: f"c{place}" for place, name in enumerate(learned)}
    table = Stored(connection, ROWS, learned, names)
    return table, table.size() if size is None else size


def parts_of(table: Stored, schema: Schema) -> Iterator[Rows]:
    """The needed columns of a stored table, some rows at a time."""
    for piece in pieces(table.connection, table.select([*table.shapes(), "1"])):
        columns = {
            name: cells_of(
                schema.columns[name],
                np.ma.masked_array(values, np.ma.nomask if missing is None else missing),
                kind,
                ids=name == schema.unit.column,
            )
            for (name, kind), (values, missing) in zip(table.types.items(), piece, strict=False)
        }
        yield Rows(columns, len(piece[-1][0]))


def _kind(column: Column) -> str:
    if isinstance(column, Number):
        return "DOUBLE"
    return "TIMESTAMP_S" if isinstance(column, Date | Datetime) else "VARCHAR"


def _insert(connection: Connection, rows: Rows, schema: Schema, key: bytes) -> None:
    marks: dict[str, NDArray[Any]] = {"present": np.ones(rows.number, dtype=bool)}
    if schema.unit.column is not None:
        rows, marks = marked(rows, schema, key)
    if not rows.number:
        return
    block: dict[str, NDArray[Any]] = {
        f"c{place}": _stored(schema.columns[name], rows.columns[name])
        for place, name in enumerate(schema.modelled)
    }
    block |= marks
    connection.register("block", block)
    connection.execute(f"INSERT INTO {ROWS} SELECT {', '.join(block)} FROM block")
    connection.unregister("block")


def _stored(column: Column, cells: Cells) -> NDArray[Any]:
    if isinstance(column, Number):
        return places(column, cells.values)[cells.index]
    if isinstance(column, Date | Datetime):
        return _moments(column, places(column, cells.values))[cells.index]
    values = np.empty(len(cells.values), dtype=object)
    values[:] = cells.texts(column)
    return values[cells.index]


def _moments(column: Column, found: NDArray[np.float64]) -> NDArray[np.datetime64]:
    seconds = np.where(np.isnan(found), 0, found) * (DAY if isinstance(column, Date) else 1)
    moments = seconds.astype(np.int64).astype("datetime64[s]")
    moments[np.isnan(found)] = np.datetime64("NaT")
    return moments


def _bound(connection: Connection, schema: Schema) -> int:
    """Remove the surplus rows of each person; how many persons there are."""
    persons = f"SELECT {PERSON}, count(*) AS n FROM {ROWS} GROUP BY {PERSON}"
    connection.execute(f"CREATE TEMP TABLE persons AS {persons}")
    most = schema.unit.max_rows
    connection.execute(
        f"""
        DELETE FROM {ROWS} WHERE rowid IN (
            SELECT row FROM (
                SELECT {ROWS}.rowid AS row,
                    row_number() OVER (PARTITION BY {PERSON} ORDER BY mark) AS place
                FROM {ROWS} JOIN persons USING ({PERSON}) WHERE n > {most}
            ) WHERE place > {most}
        )
        """
    )
    (counted,) = connection.execute("SELECT count(*) FROM persons").fetchall()
    connection.execute("DROP TABLE persons")
    return int(counted[0])
