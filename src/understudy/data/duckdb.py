"""The engine for tables that need not fit in memory: DuckDB reads, the kernels count.

Every answer is one pass over the rows in pieces: DuckDB decodes the needed columns (and does part
of the encoding, see ``encoding.py``), the pieces become cells and are tallied, and only tables of
counts remain. One connection with one transaction lasts as long as the engine, so that all
answers are about the same table; a file that changes in between is refused.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.arrow import pieces
from understudy.data.backend import Capability, Counts, Marginal, RowBackend
from understudy.data.encoding import encoder_for
from understudy.data.quiet import quiet
from understudy.data.snapshot import Snapshot
from understudy.data.stored import Stored, cells_of, shape_of
from understudy.errors import SourceError
from understudy.kernels.tally import Tally
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema


@final
class DuckDBBackend(RowBackend):
    """A private table that DuckDB can read, at most ``max_rows`` rows per person."""

    capabilities: ClassVar[frozenset[Capability]] = frozenset({Capability.COUNT})

    def __init__(self, table: Stored, schema: Schema, *, snapshot: Snapshot, size: int) -> None:
        self.schema = schema
        self._table, self._snapshot, self._size = table, snapshot, size
        weakref.finalize(self, table.connection.close)

    def count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Counts]:
        """The contingency table of each marginal, shaped ``domain.shape(marginal)``."""
        names = tuple(dict.fromkeys(name for marginal in marginals for name in marginal))
        places = [tuple(names.index(name) for name in marginal) for marginal in marginals]
        sizes = domain.shape(names)
        with quiet(_unreadable("counted")):
            if not names:
                return [np.array(self._table.size(), dtype=np.int64) for _ in marginals]
            tally = Tally(sizes, places)
            for codes in self._encoded(domain, names):
                tally.add(codes)
            return tally.tables()

    def levels(self, column: str) -> Mapping[str, int]:
        """Each text that occurs in a category column, missing codes left out, with its count."""
        declared, stored = self.schema.columns[column], self._table.types[column]
        shape = shape_of(self._table.name_of(column), stored)
        query = f"SELECT {shape} AS value, count(*) AS n FROM {self._table.relation} GROUP BY 1"
        with quiet(_unreadable("read for their levels")):
            self._snapshot.check()
            found = self._table.connection.execute(query).fetchnumpy()
            self._snapshot.check()
            cells = cells_of(declared, found["value"], stored)
            counts = np.zeros(len(cells.values), dtype=np.int64)
            np.add.at(counts, cells.index, found["n"])
            occurring = zip(cells.texts(declared), counts.tolist(), strict=True)
            counted = {
                text: count
                for text, count in occurring
                if isinstance(text, str) and count and text not in declared.missing
            }
        return dict(sorted(counted.items()))

    def cells(self, domain: Domain) -> Mapping[str, NDArray[Any]]:
        """The cell of every row in each column of the domain."""
        with quiet(_unreadable("coded")):
            columns = zip(*self._encoded(domain, domain.columns), strict=True)
            coded = [np.concatenate(each) for each in columns]
            empty = [np.empty(0, dtype=np.uint8) for _ in domain.columns]
            return dict(zip(domain.columns, coded or empty, strict=True))

    def fits_declared_size(self) -> bool:
        """Whether the declared public number of rows or persons is true (True if none is)."""
        unit = self.schema.unit
        declared = self.schema.rows if unit.column is None else unit.persons
        return declared is None or declared == self._size

    def _encoded(self, domain: Domain, names: Sequence[str]) -> Iterator[list[NDArray[Any]]]:
        """The cells of these columns, piece by piece."""
        encoders = [
            encoder_for(
                self.schema.columns[name],
                domain.axes[name],
                self._table.types[name],
                named=self._table.name_of(name),
            )
            for name in names
        ]
        query = self._table.select(encoder.sql for encoder in encoders)
        self._snapshot.check()
        for piece in pieces(self._table.connection, query):
            yield [encoder.codes(given) for encoder, given in zip(encoders, piece, strict=True)]
        self._snapshot.check()


def _unreadable(verb: str) -> SourceError:
    return SourceError(
        f"the rows could not be {verb}; the file may be damaged, or there is too little memory"
    )
