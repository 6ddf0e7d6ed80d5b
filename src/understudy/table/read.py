"""Reading back the Parquet files that ``write_table`` wrote. They are public, yet not trusted."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError
from understudy.schema.domain import Domain, LevelAxis
from understudy.table.table import Table, Values

READ: Final = "FROM read_parquet($path, hive_partitioning = false, union_by_name = false)"
SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "threads": 1,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
BYTES_OF_A_CELL: Final = 64  # a text is an object
LARGEST: Final = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
NUMPY_KINDS: Final = {
    "integer": np.dtype(np.int64),
    "real": np.dtype(np.float64),
    "date": np.dtype("datetime64[D]"),
    "datetime": np.dtype("datetime64[s]"),
}


def read_columns(path: Path) -> dict[str, NDArray[Any]]:
    """Every column of a Parquet file; masked arrays where cells are null."""
    import duckdb

    try:
        with duckdb.connect(config=SETTINGS) as connection:
            _check_size(connection, path)
            found = connection.execute(f"SELECT * {READ}", {"path": _without_wildcards(path)})
            columns: dict[str, NDArray[Any]] = found.fetchnumpy()
    except duckdb.Error:
        raise ReleaseError(f"{path.name} is damaged: it is not a Parquet file") from None
    return columns


def read_table(path: Path, domain: Domain) -> Table:
    """The table in a Parquet file; refuses what the schema and the domain do not allow."""
    columns = read_columns(path)
    schema = domain.schema
    if tuple(columns) != schema.released:
        raise ReleaseError(f"{path.name} is damaged: its columns are not those of the schema")
    values = {name: _values(domain, name, data, path) for name, data in columns.items()}
    return Table(schema, values, len(next(iter(columns.values()), ())))


def _values(domain: Domain, name: str, read: NDArray[Any], path: Path) -> Values:
    column, axis = domain.schema.columns[name], domain.axes.get(name)
    data, gone = np.ma.getdata(read), np.ma.getmaskarray(read)
    if gone.any() and not column.nullable:
        raise ReleaseError(f"{path.name} is damaged: column {name!r} has cells without a value")
    missing = gone if column.nullable else None
    try:
        if isinstance(axis, LevelAxis):
            return Values(_places(data, gone, axis.levels), axis.levels, missing)
        if axis is None:
            return Values(_texts(data), None, missing)
        wanted = NUMPY_KINDS[column.kind]
        return Values(_filled(data, gone).astype(wanted, casting="same_kind"), None, missing)
    except (KeyError, TypeError, ValueError):
        raise ReleaseError(f"{path.name} is damaged: column {name!r} holds other values") from None


def _places(data: NDArray[Any], gone: NDArray[np.bool_], levels: tuple[str, ...]) -> NDArray[Any]:
    """The position of each level; booleans are stored as such and are their own position."""
    if data.dtype == np.bool_:
        return _filled(data, gone).astype(np.uint8)
    place = {level: number for number, level in enumerate(levels)}
    found = [0 if no else place[text] for text, no in zip(data.tolist(), gone, strict=True)]
    return np.array(found, dtype=np.min_scalar_type(max(len(levels) - 1, 0)))


def _texts(data: NDArray[Any]) -> NDArray[Any]:
    if not all(isinstance(text, str) for text in data.tolist()):
        raise ValueError("a made-up value is a text")
    return data.astype(object)


def _filled(data: NDArray[Any], gone: NDArray[np.bool_]) -> NDArray[Any]:
    """Masked cells hold anything; nothing of it is kept."""
    return np.where(gone, np.zeros((), dtype=data.dtype), data)


def _check_size(connection: Any, path: Path) -> None:
    """A few bytes of Parquet can stand for more cells than any memory holds."""
    file = {"path": _without_wildcards(path)}
    described = connection.execute(f"DESCRIBE SELECT * {READ}", file).fetchall()
    letters = [
        f"coalesce(sum(strlen({_quoted(name)})), 0)"
        for name, kind, *_ in described
        if kind == "VARCHAR"
    ]
    asked = " + ".join([f"count(*) * {len(described) * BYTES_OF_A_CELL}", *letters])
    ((needed,),) = connection.execute(f"SELECT {asked} {READ}", file).fetchall()
    if needed > LARGEST:
        raise ReleaseError(
            f"{path.name} is too large: it would take about {needed / 1e9:.0f} GB of memory, and "
            f"at most {LARGEST / 1e9:.0f} GB are given to it on this machine"
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _without_wildcards(path: Path) -> str:
    return re.sub(r"([*?\[])", r"[\1]", str(path))
