"""Answers of DuckDB as a stream of NumPy arrays, through the Arrow C interface.

Arrays of numbers are views of Arrow's memory and last as long as their piece; a mask marks NULL.
Booleans, which Arrow packs, are copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

Column = tuple[NDArray[Any], NDArray[np.bool_] | None]
"""Values (text as objects) and where they are missing; None if nowhere."""


def pieces(connection: duckdb.DuckDBPyConnection, query: str) -> Iterator[list[Column]]:
    """The answer's columns, some ten thousand rows at a time, never all at once."""
    import nanoarrow

    stream = connection.sql(query).__arrow_c_stream__()
    for batch in nanoarrow.c_array_stream(stream):
        yield [_column(batch.child(place)) for place in range(batch.n_children)]


def _column(array: Any) -> Column:
    view = array.view()
    first, last = view.offset, view.offset + len(array)
    missing = None
    if view.null_count:
        missing = ~_bits(view.buffer(0), first, last)
    if view.storage_type in ("string", "large_string"):
        return _texts(view, first, last, missing), missing
    if view.storage_type == "bool":
        return _bits(view.buffer(1), first, last), missing
    return np.asarray(view.buffer(1))[first:last], missing


def _bits(buffer: Any, first: int, last: int) -> NDArray[np.bool_]:
    """Booleans, of which Arrow packs eight into a byte."""
    packed = np.frombuffer(buffer, dtype=np.uint8)
    return np.unpackbits(packed, bitorder="little")[first:last].astype(np.bool_)


def _texts(view: Any, first: int, last: int, missing: Any) -> NDArray[Any]:
    bounds = np.asarray(view.buffer(1))[first : last + 1].tolist()
    letters = bytes(view.buffer(2))
    texts = np.empty(last - first, dtype=object)
    texts[:] = [letters[a:b].decode() for a, b in pairwise(bounds)]
    if missing is not None:
        texts[missing] = None
    return texts
