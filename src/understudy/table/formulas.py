"""Texts that a spreadsheet would take for a formula, made harmless on request.

A program that opens a CSV file may run a cell such as ``=cmd|' /C calc'!A0``: whatever begins with
``=``, ``+``, ``-`` or ``@``, in ASCII or full width, after any white space. An apostrophe before it
makes it text. It goes also behind what another program may take for the delimiter, since a comma
file is split at semicolons where people write decimals with commas. Numbers stay numbers.
"""

from __future__ import annotations

import re
from typing import Final

_SIGNS: Final = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_BEGINS: Final = re.compile(f"((?:^|[,;|\t\r\n])[\\s\ufeff]*)(?=[{_SIGNS}].)", re.DOTALL)
_NUMBER: Final = re.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")


def harmless(text: str) -> str:
    """The text as no spreadsheet runs it: itself if it is a number or begins like no formula."""
    return text if _NUMBER.fullmatch(text) else _BEGINS.sub(r"\1'", text)
