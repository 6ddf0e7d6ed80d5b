"""The engine in memory: private rows as distinct values and an index, counted by the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.backend import Capability, Counts, Marginal, RowBackend
from understudy.data.cells import Rows
from understudy.data.contribution import bounded, count_persons
from understudy.data.quiet import quiet
from understudy.errors import SourceError
from understudy.kernels.count import count_marginals
from understudy.kernels.products import summed_products
from understudy.schema.domain import Axis, Domain
from understudy.schema.moment import Moment
from understudy.schema.schema import Schema


@final
class MemoryBackend(RowBackend):
    """A private table held in memory, at most ``max_rows`` rows per person."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.COUNT, Capability.SUMS})

    def __init__(self, rows: Rows, schema: Schema) -> None:
        self.schema = schema
        self._size = rows.number if schema.unit.column is None else count_persons(rows, schema)
        self._rows = bounded(rows, schema)
        self._codes: dict[tuple[str, Axis], NDArray[Any]] = {}

    def count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Counts]:
        """The contingency table of each marginal, shaped ``domain.shape(marginal)``."""
        names = tuple(dict.fromkeys(name for marginal in marginals for name in marginal))
        places = [tuple(names.index(name) for name in marginal) for marginal in marginals]
        sizes = domain.shape(names)
        with quiet(SourceError("the rows could not be counted; there may be too little memory")):
            if not names:
                return [np.array(self._rows.number, dtype=np.int64) for _ in marginals]
            codes = [self._encoded(name, domain.axes[name]) for name in names]
            return count_marginals(codes, sizes, places)

    def sums(self, domain: Domain, moments: Sequence[Moment], *, granularity: int) -> Counts:
        """The sum over all rows of each moment, its factors quantised by ``table/quantise.py``."""
        features = list(dict.fromkeys(one for moment in moments for one in moment.features))
        places = {one: place for place, one in enumerate(features)}
        pairs = [[places[one] for one in moment.features] for moment in moments]
        with quiet(SourceError("the rows could not be summed; there may be too little memory")):
            steps = [
                self._rows.columns[one.column].steps(
                    self.schema.columns[one.column],
                    domain.axes[one.column],
                    one,
                    granularity=granularity,
                )
                for one in features
            ]
            return summed_products(steps, pairs, rows=self._rows.number)

    def levels(self, column: str) -> Mapping[str, int]:
        """Each text that occurs in a category column, missing codes left out, with its count."""
        cells = self._rows.columns[column]
        declared = self.schema.columns[column]
        occurring = zip(cells.texts(declared), cells.counts().tolist(), strict=True)
        counted = {
            text: count
            for text, count in occurring
            if isinstance(text, str) and count and text not in declared.missing
        }
        return dict(sorted(counted.items()))

    def cells(self, domain: Domain) -> Mapping[str, NDArray[Any]]:
        """The cell of every row in each column of the domain."""
        with quiet(SourceError("the rows could not be coded; there may be too little memory")):
            return {name: self._encoded(name, axis) for name, axis in domain.axes.items()}

    def fits_declared_size(self) -> bool:
        """Whether the declared public number of rows or persons is true (True if none is)."""
        unit = self.schema.unit
        declared = self.schema.rows if unit.column is None else unit.persons
        return declared is None or declared == self._size

    def _encoded(self, name: str, axis: Axis) -> NDArray[Any]:
        """The cell of each row, worked out once per axis."""
        if (name, axis) not in self._codes:
            cells = self._rows.columns[name]
            self._codes[name, axis] = cells.encode(self.schema.columns[name], axis)
        return self._codes[name, axis]
