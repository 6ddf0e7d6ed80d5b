"""Writing rows and pages, whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from understudy.table.table import Table


def write_rows(
    pieces: Iterable[Table], place: Path, *, force: bool, spreadsheet: bool = False
) -> None:
    """Write rows to a file by its ending, or as CSV to standard output if it is called ``-``."""
    from understudy.table.write import write_csv_to, write_pieces

    if str(place) != "-":
        write_pieces(pieces, place, force=force, spreadsheet=spreadsheet)
        return
    write_csv_to(pieces, sys.stdout.buffer, spreadsheet=spreadsheet)
    sys.stdout.buffer.flush()


def write_page(text: str, place: Path, *, force: bool) -> None:
    """Write a text file."""
    from understudy.table.replacing import replacing

    with replacing(place, force=force) as aside:
        aside.write_text(text, encoding="utf-8")
