"""How much memory an engine may use, and which tables are too large for it: public rules both.

Which engine opens a table follows from its form and its size on disk, never from what it holds.
"""

from __future__ import annotations

import os
import re
from typing import Final

from understudy.data.source import Form, Source
from understudy.errors import UsageError

VARIABLE: Final = "UNDERSTUDY_MEMORY"
SHARE_OF_MACHINE: Final = 4
UNITS: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# What a byte on disk takes in the memory of the engine in memory, at most.
GROWTH: Final = {
    Form.CSV: 10,
    Form.JSONL: 10,
    Form.CSV_GZ: 60,
    Form.PARQUET: 60,
    Form.DUCKDB: 60,
}
_AMOUNT: Final = re.compile(r"([0-9]+)\s*([KMGT]?)I?B?", re.IGNORECASE)


def memory_limit(memory: int | str | None) -> int:
    """The bytes that may be used: as asked, as the environment says, or a share of the machine's.

    ``memory`` is a number of bytes or a text such as "2GB".
    """
    asked = memory if memory is not None else os.environ.get(VARIABLE)
    if asked is None:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // SHARE_OF_MACHINE
    found = _AMOUNT.fullmatch(str(asked).strip())
    if found is None or isinstance(asked, bool):
        raise UsageError(f"a memory limit is a number of bytes such as 2GB, not {asked!r}")
    return int(found[1]) * UNITS[found[2].upper()]


def is_too_large(source: Source, *, memory: int) -> bool:
    """Whether a table may need more memory than there is, by its form and size on disk."""
    if source.path is None or source.form not in GROWTH:
        return False
    return source.path.stat().st_size * GROWTH[source.form] > memory
