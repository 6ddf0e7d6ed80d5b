"""Noisy marginals as one Parquet table: one row per cell.

marginal   which measurement the cell belongs to, counted from 0
columns    the measured columns, as a JSON list
groups     the group of each of a column's cells, where it was counted by groups, as a JSON object
cell       the cell's number; the last column counts fastest
value      the noisy count
stddev     the standard deviation of its noise
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError, UsageError
from understudy.schema.columns import Category, Integer, Real
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema
from understudy.table.read import read_columns
from understudy.table.table import Table, Values
from understudy.table.write import write_table

KINDS: Final = {
    "marginal": "i",
    "columns": "O",
    "groups": "O",
    "cell": "i",
    "value": "i",
    "stddev": "f",
}
WITHOUT_GROUPS: Final = {name: kind for name, kind in KINDS.items() if name != "groups"}
"""What releases of format 1 hold."""


def write_measurements(measured: Sequence[Noisy], path: Path) -> None:
    """Write every cell of every noisy marginal, in order."""
    sizes = np.array([noisy.values.size for noisy in measured], dtype=np.int64)
    flat = [noisy.values.reshape(-1) for noisy in measured]
    columns = {
        "marginal": Values(np.repeat(np.arange(len(sizes)), sizes)),
        "columns": _written([noisy.columns for noisy in measured], sizes, none="[]"),
        "groups": _written([dict(noisy.groups) for noisy in measured], sizes, none="{}"),
        "cell": Values(_joined([np.arange(size) for size in sizes])),
        "value": Values(_joined(flat)),
        "stddev": Values(np.repeat(np.array([noisy.stddev for noisy in measured]), sizes)),
    }
    write_table(Table(_schema(columns), columns, int(sizes.sum())), path)


def read_measurements(path: Path, domain: Domain, *, with_groups: bool = True) -> list[Noisy]:
    """The noisy marginals of a file; each must be a whole marginal of the domain."""
    columns = read_columns(path)
    kinds = {name: data.dtype.kind for name, data in columns.items()}
    if kinds != (KINDS if with_groups else WITHOUT_GROUPS):
        raise _damaged(path)
    if any(np.ma.getmaskarray(data).any() for data in columns.values()):
        raise _damaged(path)
    plain = {name: np.ma.getdata(data) for name, data in columns.items()}
    starts = np.flatnonzero(np.diff(plain["marginal"], prepend=-1))
    ends = [*starts[1:].tolist(), len(plain["marginal"])][: len(starts)]
    return [
        _noisy({name: data[start:end] for name, data in plain.items()}, domain, path)
        for start, end in zip(starts.tolist(), ends, strict=True)
    ]


def _noisy(part: dict[str, NDArray[Any]], domain: Domain, path: Path) -> Noisy:
    try:
        names = tuple(json.loads(part["columns"][0]))
        groups = json.loads(part["groups"][0]) if "groups" in part else {}
        over = domain.grouped(groups)
        shape = over.shape(names)
    except (ValueError, TypeError, UsageError, AttributeError):
        raise _damaged(path) from None
    size, stddev = len(part["cell"]), float(part["stddev"][0])
    whole = size == over.size(names) and bool((part["cell"] == np.arange(size)).all())
    if not whole or not set(groups) <= set(names) or not np.isfinite(stddev) or stddev < 0:
        raise _damaged(path)
    held = {name: tuple(groups[name]) for name in groups}
    return Noisy(names, part["value"].astype(np.int64).reshape(shape), stddev, held)


def _joined(parts: list[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _written(parts: Sequence[Any], sizes: NDArray[np.int64], *, none: str) -> Values:
    """One JSON text for all cells of each marginal."""
    texts = [json.dumps(part, ensure_ascii=False) for part in parts]
    places = {text: place for place, text in enumerate(dict.fromkeys([*texts, none]))}
    numbers = np.array([places[text] for text in texts], dtype=np.int64)
    return Values(np.repeat(numbers, sizes), tuple(places))


def _schema(written: Mapping[str, Values]) -> Schema:
    columns = [
        Integer(name="marginal"),
        Category(name="columns", levels=written["columns"].levels or ()),
        Category(name="groups", levels=written["groups"].levels or ()),
        Integer(name="cell"),
        Integer(name="value"),
        Real(name="stddev"),
    ]
    return Schema(name="measurements", columns={column.name: column for column in columns})


def _damaged(path: Path) -> ReleaseError:
    return ReleaseError(f"{path.name} is damaged: it does not hold whole marginals")
