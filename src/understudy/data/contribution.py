"""At most ``max_rows`` rows of one person: who has more keeps some, chosen by a keyed hash.

Which rows a person keeps depends on what that person's rows hold and on a secret key, on nothing
else: not on the order of the file, nor on other people. So two tables that differ by one person
differ, after this, by at most ``max_rows`` rows of that person. Of rows that are all alike it makes
no difference which are kept. The key is drawn anew from the operating system for every table that
is opened and is never kept.

Ids are compared exactly, by their text form (so 3 and 3.0 are one person). Rows without an id (no
cell, blank, or one of the column's missing codes) are left out. Taken together as one person they
would keep ``max_rows`` rows, and somebody who is among them could push out as many rows of others
as come in: twice what one person is paid for. For the same reason an id that may stand for several
names nobody: one with a letter that could not be read, a float beyond which not every whole number
is one, a day at an end of the calendar, or anything that is rounded when it is read, such as a
moment or a long decimal fraction (``ids.py``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.data.cells import Cells, Rows
from understudy.data.ids import ROUNDED
from understudy.data.texts import LARGEST_ID, REPLACEMENT, Text
from understudy.schema.columns import Column
from understudy.schema.schema import Schema

KEY_BYTES: Final = 32
_NOBODY: Final = 0
_ENDS: Final = ("0001-01-01", "9999-12-31")
"""The days that stand for all days beyond them."""


def bounded(rows: Rows, schema: Schema, *, key: bytes | None = None) -> Rows:
    """The rows that stay. ``key`` is for tests only; without it, it is drawn here and forgotten."""
    if schema.unit.column is None:
        return rows
    persons = _persons(rows.columns[schema.unit.column], schema)
    nobodys = np.flatnonzero(persons == _NOBODY)
    crowds = np.bincount(persons, minlength=1) > schema.unit.max_rows
    crowds[_NOBODY] = False
    crowded = np.flatnonzero(crowds[persons])
    if not len(crowded) and not len(nobodys):
        return rows
    marks = _marks(rows.only(crowded), schema, key or fresh_key())
    surplus = crowded[_surplus(persons[crowded], marks, schema.unit.max_rows)]
    return rows.only(np.delete(np.arange(rows.number), np.concatenate([nobodys, surplus])))


def count_persons(rows: Rows, schema: Schema) -> int:
    """How many persons the rows are of."""
    assert schema.unit.column is not None
    persons = np.unique(_persons(rows.columns[schema.unit.column], schema))
    return len(persons[persons != _NOBODY])


def fresh_key() -> bytes:
    """A new secret for one opening of one table."""
    return os.urandom(KEY_BYTES)


def marked(rows: Rows, schema: Schema, key: bytes) -> tuple[Rows, dict[str, NDArray[np.uint64]]]:
    """The rows of somebody; whose each is, as two halves of a keyed digest, and its mark.

    For engines that see some rows at a time. Two persons share a digest with probability 2**-128.
    """
    ids = rows.columns[str(schema.unit.column)]
    names = _names(ids, schema)
    named = np.array([name is not None for name in names], dtype=bool)
    rows = rows.only(np.flatnonzero(named[ids.index]))
    digests = [blake2b((name or "").encode(), key=key, digest_size=16).digest() for name in names]
    halves = np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64).reshape(-1, 2)
    whose = halves[rows.columns[str(schema.unit.column)].index]
    marks = _marks(rows, schema, key)
    return rows, {"person": whose[:, 0].copy(), "person2": whose[:, 1].copy(), "mark": marks}


def _persons(ids: Cells, schema: Schema) -> NDArray[np.int64]:
    """A number for the person of each row, ``_NOBODY`` where no cell names one."""
    named = Cells.of_texts([None, *_names(ids, schema)])  # nobody is 0
    return named.index[1:].astype(np.int64)[ids.index]


def _names(ids: Cells, schema: Schema) -> list[str | None]:
    """The person whom each distinct value names, None if it names nobody."""
    column = schema.columns[str(schema.unit.column)]
    texts = ids.texts(column)
    if ids.values.dtype.kind == "f":
        texts = [
            None if abs(x) >= LARGEST_ID else t for x, t in zip(ids.values, texts, strict=True)
        ]
    return [_identity(column, text) for text in texts]


def _identity(column: Column, text: Text) -> str | None:
    if isinstance(text, datetime):  # of a column of dates; moments came as no text at all
        text = text.date().isoformat()
    blurred = text is not None and (REPLACEMENT in text or text in (*_ENDS, *ROUNDED))
    return None if blurred or text in (None, "") or text in column.missing else text


def _marks(rows: Rows, schema: Schema, key: bytes) -> NDArray[np.uint64]:
    """A pseudo-random number for each row, by the content of its learned columns alone."""
    marks = np.zeros(rows.number, dtype=np.uint64)
    for name in sorted(schema.modelled):
        cells = rows.columns[name]
        # Only the values that occur in these rows: most people have few enough.
        used, index = np.unique(cells.index, return_inverse=True)
        texts = Cells(cells.values[used], index.astype(np.int32)).texts(schema.columns[name])
        marks = _scrambled(marks + _keyed(texts, key)[index])
    return marks


def _keyed(texts: Iterable[Text], key: bytes) -> NDArray[np.uint64]:
    digests = [
        blake2b(b"" if text is None else b"=" + str(text).encode(), key=key, digest_size=8).digest()
        for text in texts
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _scrambled(marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A fixed one-to-one map of 64-bit numbers, so that columns do not simply add up."""
    for multiplier in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        marks = (marks ^ (marks >> np.uint64(30))) * np.uint64(multiplier)
    return marks ^ (marks >> np.uint64(31))


def _surplus(persons: NDArray[Any], marks: NDArray[np.uint64], most: int) -> NDArray[np.intp]:
    """The rows after each person's first ``most`` in the order of their marks."""
    order = np.lexsort((marks, persons))
    ordered = persons[order]
    place = np.arange(len(ordered)) - np.searchsorted(ordered, ordered, side="left")
    return order[place >= most]
