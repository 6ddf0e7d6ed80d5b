"""``KnownTables``: candidates that are known by their contingency tables, such as releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class KnownTables:
    """A line per candidate: the shares of the cells of these tables, one table after another.

    ``names`` says which candidates these are, such as the hashes of releases, for the ledger.
    """

    tables: tuple[tuple[str, ...], ...]
    lines: Floats
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lines = np.array(self.lines, dtype=np.float64)
        if lines.ndim != 2 or not np.isfinite(lines).all() or (lines < 0).any():
            raise UsageError("shares are a table of numbers that are not negative")
        if self.names and len(self.names) != len(lines):
            raise UsageError("give every candidate a name, or none")
        lines.setflags(write=False)
        object.__setattr__(self, "lines", lines)

    @property
    def candidates(self) -> int:
        """How many there are."""
        return len(self.lines)

    def shares(self, tables: Sequence[tuple[str, ...]], start: int, stop: int) -> Floats:
        """The known lines; refuses tables that it does not know."""
        if tuple(tables) != self.tables:
            raise UsageError(f"only the tables over {self.tables} are known")
        return self.lines[start:stop]
