"""Exact marginals, sealed, counted in as few passes over the rows as possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.backend import Backend, Marginal
from understudy.gate.sensitive import Sensitive
from understudy.schema.domain import Domain

Counts = NDArray[np.int64]
CACHE_CELLS: Final = 2**27
"""At most this many exact cells (1 GiB) are kept for later questions."""


@final
class ExactTables:
    """Answers from the engine, sealed. A hinted workload is counted in one pass and kept."""

    def __init__(self, backend: Backend, *, cache_cells: int = CACHE_CELLS) -> None:
        self._backend = backend
        self._cache_cells = cache_cells
        self._domain: Domain | None = None
        self._hinted: list[Marginal] = []
        self._kept: dict[Marginal, Sensitive[Counts]] = {}

    def hint(self, domain: Domain, workload: Sequence[Marginal]) -> None:
        """Note what may be asked, as much of it as fits the cache. Reads nothing."""
        self._domain, self._hinted, self._kept = domain, [], {}
        left = self._cache_cells
        for marginal in dict.fromkeys(workload):
            size = domain.size(marginal)
            if size <= left:
                self._hinted.append(marginal)
                left -= size

    def tables(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Sensitive[Counts]]:
        """The exact table of each marginal, sealed."""
        if domain is not self._domain:
            return self._count(domain, marginals)
        if not self._kept and set(marginals) & set(self._hinted):
            counted = self._count(domain, self._hinted)
            self._kept = dict(zip(self._hinted, counted, strict=True))
        unknown = [marginal for marginal in marginals if marginal not in self._kept]
        fresh = dict(zip(unknown, self._count(domain, unknown), strict=True)) if unknown else {}
        known = {**self._kept, **fresh}
        return [known[marginal] for marginal in marginals]

    def _count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Sensitive[Counts]]:
        return [Sensitive(table) for table in self._backend.count(domain, marginals)]
