"""``StandIn``: a table made from a schema alone, on which a run can be rehearsed.

It looks like an engine but holds no rows: every cell of a marginal gets an equal share of
``rows``, an open category column has a few invented levels. ``plan`` fits methods to it to learn
which charges they would make, without reading anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

import numpy as np

from understudy.data.backend import Backend, Capability, Counts, Marginal
from understudy.schema.domain import Domain
from understudy.schema.moment import Moment
from understudy.schema.schema import Schema

INVENTED_LEVELS: Final = 50


@final
class StandIn(Backend):
    """Evenly spread rows over any domain of a schema."""

    capabilities = frozenset({Capability.COUNT, Capability.SUMS})

    def __init__(self, schema: Schema, *, rows: int) -> None:
        self.schema = schema
        self._rows = rows

    def count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Counts]:
        return [self._even(domain.shape(marginal)) for marginal in marginals]

    def sums(self, domain: Domain, moments: Sequence[Moment], *, granularity: int) -> Counts:
        return np.zeros(len(moments), dtype=np.int64)

    def levels(self, column: str) -> Mapping[str, int]:
        share = self._rows // INVENTED_LEVELS
        return {f"level {number}": share for number in range(INVENTED_LEVELS)}

    def fits_declared_size(self) -> bool:
        return True

    def _even(self, shape: tuple[int, ...]) -> Counts:
        cells = int(np.prod(shape))
        counts = np.full(cells, self._rows // cells, dtype=np.int64)
        counts[: self._rows % cells] += 1
        return counts.reshape(shape)
