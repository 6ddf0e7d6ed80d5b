"""Noisy marginals as one Parquet table: one row per cell.

marginal   which measurement the cell belongs to, counted from 0
columns    the measured columns, as a JSON list
cell       the cell's number; the last column counts fastest
value      the noisy count
stddev     the standard deviation of its noise
"""

from __future__ import annotations

import json
from collections.abc import Sequence
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

NAMES: Final = ("marginal", "columns", "cell", "value", "stddev")


def write_measurements(measured: Sequence[Noisy], path: Path) -> None:
    """Write every cell of every noisy marginal, in order."""
    texts = [json.dumps(noisy.columns, ensure_ascii=False) for noisy in measured]
    levels = tuple(dict.fromkeys(texts)) or ("[]",)
    sizes = np.array([noisy.values.size for noisy in measured], dtype=np.int64)
    places = [levels.index(text) for text in texts]
    flat = [noisy.values.reshape(-1) for noisy in measured]
    columns = {
        "marginal": Values(np.repeat(np.arange(len(sizes)), sizes)),
        "columns": Values(np.repeat(np.array(places, dtype=np.int64), sizes), levels),
        "cell": Values(_joined([np.arange(size) for size in sizes])),
        "value": Values(_joined(flat)),
        "stddev": Values(np.repeat(np.array([noisy.stddev for noisy in measured]), sizes)),
    }
    write_table(Table(_schema(levels), columns, int(sizes.sum())), path)


def read_measurements(path: Path, domain: Domain) -> list[Noisy]:
    """The noisy marginals of a file; each must be a whole marginal of the domain."""
    columns = read_columns(path)
    kinds = {name: data.dtype.kind for name, data in columns.items()}
    if kinds != dict(zip(NAMES, "iOiif", strict=True)):
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
        shape = domain.shape(names)
    except (ValueError, TypeError, UsageError):
        raise _damaged(path) from None
    size, stddev = len(part["cell"]), float(part["stddev"][0])
    whole = size == domain.size(names) and bool((part["cell"] == np.arange(size)).all())
    if not whole or not np.isfinite(stddev) or stddev < 0:
        raise _damaged(path)
    return Noisy(names, part["value"].astype(np.int64).reshape(shape), stddev)


def _joined(parts: list[NDArray[Any]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])


def _schema(levels: tuple[str, ...]) -> Schema:
    columns = [
        Integer(name="marginal"),
        Category(name="columns", levels=levels),
        Integer(name="cell"),
        Integer(name="value"),
        Real(name="stddev"),
    ]
    return Schema(name="measurements", columns={column.name: column for column in columns})


def _damaged(path: Path) -> ReleaseError:
    return ReleaseError(f"{path.name} is damaged: it does not hold whole marginals")
