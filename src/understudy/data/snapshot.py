"""``Snapshot``: notices that a file changed between two passes over it.

Two answers of one run must be about one table. Only public facts are looked at: the file's
identity, size and time of change.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

from understudy.data.source import Source

Facts = tuple[int, int, int, int]


@final
@dataclass(frozen=True)
class Snapshot:
    """A file as it was when it was opened; without ``facts``, what nobody else can change."""

    source: Source
    facts: Facts | None

    @staticmethod
    def of(source: Source) -> Snapshot:
        """The file of a source as it is now."""
        return Snapshot(source, None if source.path is None else _facts(source.path))

    def check(self) -> None:
        """Refuse to go on if the file is not the same any more."""
        if self.facts is None or self.source.path is None:
            return
        try:
            now: Facts | None = _facts(self.source.path)
        except OSError:
            now = None
        if now != self.facts:
            raise self.source.unreadable(
                "the file was changed, moved or removed during the run; run again on a file that "
                "stays as it is"
            )


def _facts(path: Path) -> Facts:
    state = path.stat()
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
