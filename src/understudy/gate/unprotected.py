"""``OpenTable``: exact answers, for the keeper's eyes and for public experiments only.

Whoever opens a table this way gives a reason, and everything made from it carries the notice.
Nothing here costs budget because nothing here is private: results must not be published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from understudy.data.backend import Backend, Counts
from understudy.errors import UsageError
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

NOTICE: Final = "UNPROTECTED: computed from the real rows; not for publication"


@final
class OpenTable:
    """The counting verbs without noise. ``notice`` must head every page made from the answers."""

    def __init__(self, backend: Backend, *, reason: str) -> None:
        if not reason.strip():
            raise UsageError("opening a table without protection needs a reason")
        self._backend = backend
        self.reason = reason
        self.notice = f"{NOTICE} ({reason})"

    @property
    def schema(self) -> Schema:
        """The table's public description."""
        return self._backend.schema

    def count(self, domain: Domain, marginals: Sequence[Sequence[str]]) -> list[Counts]:
        """Exact contingency tables."""
        return self._backend.count(domain, [tuple(columns) for columns in marginals])

    def levels(self, column: str) -> Mapping[str, int]:
        """Exact counts of the texts in a category column."""
        return self._backend.levels(column)
