"""Thrift's compact protocol, as much of it as the headers of a Parquet file need: writing only.

A struct is a mapping from field numbers, in rising order, to values that know their wire type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

BOOLEAN: Final = (1, 2)  # the wire types of true and false: a field needs no more
INT32: Final = 5
INT64: Final = 6
BINARY: Final = 8
LIST: Final = 9
STRUCT: Final = 12
SHORT: Final = 15  # lists of fewer items hold their length in the first byte


@dataclass(frozen=True)
class Wire:
    """A value as it goes over the wire, and the wire type that a field or list says it has."""

    type: int
    bytes: bytes


def int32(number: int) -> Wire:
    """A whole number of 32 bits."""
    return Wire(INT32, _zigzag(number))


def int64(number: int) -> Wire:
    """A whole number of 64 bits."""
    return Wire(INT64, _zigzag(number))


def boolean(true: bool) -> Wire:
    """True or false, as a field of a struct."""
    return Wire(BOOLEAN[not true], b"")


def text(words: str) -> Wire:
    """A text in UTF-8."""
    content = words.encode("utf-8", "replace")
    return Wire(BINARY, varint(len(content)) + content)


def items(values: Sequence[Wire]) -> Wire:
    """A list of values of one type; an empty list is one of structs."""
    kind = values[0].type if values else STRUCT
    head = bytes([min(len(values), SHORT) << 4 | kind])
    if len(values) >= SHORT:
        head += varint(len(values))
    return Wire(LIST, head + b"".join(value.bytes for value in values))


def struct(fields: Mapping[int, Wire]) -> Wire:
    """A struct with these fields, each numbered at most 15 above the one before."""
    parts, last = [], 0
    for number, value in fields.items():
        parts.append(bytes([(number - last) << 4 | value.type]) + value.bytes)
        last = number
    return Wire(STRUCT, b"".join(parts) + b"\x00")


def varint(number: int) -> bytes:
    """A whole number, not negative, in groups of seven bits from the lowest."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def _zigzag(number: int) -> bytes:
    return varint(number << 1 if number >= 0 else (-number << 1) - 1)
