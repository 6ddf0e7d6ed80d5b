"""The pages of a Parquet column: levels and short ranges of numbers as codes, the rest as it is.

A column of levels is written as its codes and a dictionary of the levels, which is what it is in
memory. Whole numbers, days and moments of few different values get such a dictionary too. Codes
are packed into as few bits as the largest needs (into whole bytes from 9 bits on). Other whole
numbers are written as steps from one to the next, in as few bytes as the longest step needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import pack
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.schema.columns import Column
from understudy.table import thrift
from understudy.table.table import Values
from understudy.table.thrift import Wire, int32, struct

PLAIN: Final = 0
RLE: Final = 3
DELTA: Final = 5
RLE_DICTIONARY: Final = 8
DATA_PAGE: Final = 0
DICTIONARY_PAGE: Final = 2
NARROW: Final = 1 << 16
"""Numbers that span at most so many values are written as codes."""
WIDE: Final = 1 << 31
"""Numbers that span at most so many values are written as steps."""
BLOCK: Final = 128
MINIBLOCK: Final = 32
"""Steps are written in blocks of four miniblocks, the sizes that every reader knows."""


class Physical(NamedTuple):
    """How Parquet holds the values of a column, and what it says they mean."""

    number: int
    meaning: dict[int, Wire]
    dtype: np.dtype[Any] | None


_TEXT: Final = {6: int32(0), 10: struct({1: struct({})})}
_DATE: Final = {6: int32(6), 10: struct({6: struct({})})}
_MICROSECONDS: Final = struct({2: struct({})})
_MOMENT: Final = {10: struct({8: struct({1: thrift.boolean(False), 2: _MICROSECONDS})})}
PHYSICAL: Final = {
    "boolean": Physical(0, {}, None),
    "integer": Physical(2, {}, np.dtype("<i8")),
    "real": Physical(5, {}, np.dtype("<f8")),
    "date": Physical(1, _DATE, np.dtype("<i4")),
    "datetime": Physical(2, _MOMENT, np.dtype("<i8")),
}
TEXT: Final = Physical(6, _TEXT, None)


@dataclass(frozen=True)
class Pages:
    """The pages of some rows of a column, headers included; the first may be a dictionary."""

    dictionary: bytes
    data: bytes
    encodings: tuple[int, ...]


def physical(column: Column) -> Physical:
    """How the values of a column are held; levels and made-up values are texts."""
    return PHYSICAL.get(column.kind, TEXT)


def pages(column: Column, values: Values) -> Pages:
    """The pages of these values, of which there is at least one."""
    rows, there, presence = len(values.data), values.data, b""
    if column.nullable:
        kept = np.ones(rows, dtype=np.bool_) if values.missing is None else ~values.missing
        there, presence = values.data[kept], _presence(kept)
    coded = _coded(column, values, there)
    if coded is not None:
        dictionary, size, codes = coded
        head = _page(dictionary, DICTIONARY_PAGE, size, PLAIN)
        body, used = _packed(codes, size), RLE_DICTIONARY
    else:
        head = b""
        body, used = _uncoded(column, there)
    data = _page(presence + body, DATA_PAGE, rows, used)
    return Pages(head, data, tuple(sorted({PLAIN, RLE, used})))


def _coded(
    column: Column, values: Values, there: NDArray[Any]
) -> tuple[bytes, int, NDArray[Any]] | None:
    """A dictionary, its size and codes into it, for columns that have or get one."""
    if column.kind in ("boolean", "real", "fake"):
        return None
    if values.levels is not None:
        return _texts(values.levels), len(values.levels), there
    if not len(there):
        return None
    numbers = _numbers(column, there)
    low, high = int(numbers.min()), int(numbers.max())
    step = 1_000_000 if column.kind == "datetime" else 1
    if high - low >= NARROW * step:
        return None
    places = ((numbers - low) // step if step > 1 else numbers - low).astype(np.uint16)
    met = np.zeros((high - low) // step + 1, dtype=np.bool_)
    met[places] = True
    distinct = np.flatnonzero(met)
    rank = np.cumsum(met, dtype=np.int64) - 1
    codes = rank.astype(np.min_scalar_type(len(distinct) - 1))[places]
    return (distinct * step + low).astype(numbers.dtype).tobytes(), len(distinct), codes


def _numbers(column: Column, data: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers, days since 1970 or microseconds since then, as Parquet counts them."""
    if data.dtype.kind == "M":
        data = data.astype(f"datetime64[{'D' if column.kind == 'date' else 'us'}]").view(np.int64)
    return np.ascontiguousarray(data, dtype=physical(column).dtype)


def _uncoded(column: Column, there: NDArray[Any]) -> tuple[bytes, int]:
    if column.kind == "boolean":
        return np.packbits(there != 0, bitorder="little").tobytes(), PLAIN
    if physical(column) is TEXT:
        return _texts(there.tolist()), PLAIN
    numbers = _numbers(column, there)
    if column.kind == "real" or len(numbers) < 2 or int(numbers.max()) - int(numbers.min()) >= WIDE:
        return numbers.tobytes(), PLAIN
    return _steps(numbers.astype(np.int64)), DELTA


def _steps(numbers: NDArray[np.int64]) -> bytes:
    """At least two numbers as the first and the steps to the others, above the least step."""
    steps = np.diff(numbers)
    least = int(steps.min())
    width = max((int(steps.max()) - least).bit_length() + 7 >> 3, 1)
    blocks = -(-len(steps) // BLOCK)
    above = np.zeros(blocks * BLOCK, dtype="<u8")
    np.subtract(steps, least, out=above[: len(steps)], casting="unsafe")
    head = thrift.int64(least).bytes + bytes([8 * width] * (BLOCK // MINIBLOCK))
    found = np.empty((blocks, len(head) + BLOCK * width), dtype=np.uint8)
    found[:, : len(head)] = np.frombuffer(head, dtype=np.uint8)
    found[:, len(head) :] = above.view(np.uint8).reshape(-1, 8)[:, :width].reshape(blocks, -1)
    unused = (blocks * BLOCK - len(steps)) // MINIBLOCK * MINIBLOCK * width
    sizes = map(thrift.varint, (BLOCK, BLOCK // MINIBLOCK, len(numbers)))
    first = thrift.int64(int(numbers[0])).bytes
    return b"".join(sizes) + first + found.tobytes()[: found.size - unused]


def _texts(words: Any) -> bytes:
    encoded = [word.encode("utf-8", "replace") for word in words]
    return b"".join(pack("<I", len(word)) + word for word in encoded)


def _presence(there: NDArray[np.bool_]) -> bytes:
    """Which rows have a value: their definition levels, one bit each, after the length."""
    bits = _run(len(there)) + np.packbits(there, bitorder="little").tobytes()
    return pack("<I", len(bits)) + bits


def _packed(codes: NDArray[Any], size: int) -> bytes:
    """Codes below ``size`` as one packed run, after the number of bits of each."""
    bits = max((size - 1).bit_length(), 1)
    if bits > 8:
        bits = 16 if bits <= 16 else 32
        whole = np.zeros(-(-len(codes) // 8) * 8, dtype=f"<u{bits // 8}")
        whole[: len(codes)] = codes
        return bytes([bits]) + _run(len(codes)) + whole.tobytes()
    return bytes([bits]) + _run(len(codes)) + _narrow(codes, bits)


def _narrow(codes: NDArray[Any], bits: int) -> bytes:
    """Eight codes of up to eight bits each go into as many bytes as a code has bits."""
    eights = np.zeros((-(-len(codes) // 8), 8), dtype=np.uint8)
    eights.reshape(-1)[: len(codes)] = codes
    if bits == 8:
        return eights.tobytes()
    word = np.zeros(len(eights), dtype="<u8")
    for place in range(8):
        word |= eights[:, place].astype(np.uint64) << np.uint64(place * bits)
    return word.view(np.uint8).reshape(-1, 8)[:, :bits].tobytes()


def _run(values: int) -> bytes:
    """The head of a packed run of so many values, in groups of eight; no values need none."""
    if not values:
        return b""
    return thrift.varint(-(-values // 8) << 1 | 1)


def _page(body: bytes, kind: int, values: int, encoding: int) -> bytes:
    own = {1: int32(values), 2: int32(encoding)}
    if kind == DATA_PAGE:
        own |= {3: int32(RLE), 4: int32(RLE)}
    size = int32(len(body))
    head = struct({1: int32(kind), 2: size, 3: size, 5 if kind == DATA_PAGE else 7: struct(own)})
    return head.bytes + body
