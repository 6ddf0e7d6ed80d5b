"""Where a ledger is kept if nobody says otherwise: beside the schema, made when first needed.

Such a ledger has no total, so it records everything and refuses nothing. It counts in zCDP, which
every run can enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self, final

from understudy.errors import LedgerError
from understudy.privacy.budget import ZCDP
from understudy.privacy.ledger import Ledger
from understudy.schema.neighbours import Neighbours

ENDING = ".ledger"


@final
@dataclass(frozen=True)
class LedgerPlace:
    """A ledger file that may not exist yet."""

    path: Path

    @classmethod
    def beside(cls, schema: Path | str) -> Self:
        """The default place for the table of this schema file."""
        return cls(Path(schema).with_suffix(ENDING))

    def open(self, *, table: str, unit: str, neighbours: Neighbours) -> Ledger:
        """The ledger that is there, else a new one about this table."""
        if not self.path.is_symlink() and not self.path.exists():
            try:
                return Ledger.init(
                    self.path,
                    table=table,
                    unit=unit,
                    neighbours=neighbours,
                    total=None,
                    currency=ZCDP,
                )
            except LedgerError:
                if not self.path.exists():  # else another run has just made it
                    raise
        return Ledger.open(self.path)
