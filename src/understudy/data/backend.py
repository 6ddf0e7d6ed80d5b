"""The contract of an engine: what the gate may ask of private rows, and nothing else.

An engine holds the private table of one schema, already bounded to ``schema.contribution`` rows
per protected unit. Its answers are exact and private: only ``gate/`` calls it, and seals what it
gets. Engines encode cell by cell with the public function of ``understudy.table.codec``, or with a
form of it that ``tests/data/contract.py`` has shown to be equal. Nothing an engine raises or logs
shows a value, a row number or a count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.schema.domain import Domain
from understudy.schema.moment import Moment
from understudy.schema.schema import Schema

Counts = NDArray[np.int64]
Marginal = tuple[str, ...]


class Capability(Enum):
    """What an engine can do; methods declare what they need."""

    COUNT = "count"
    SUMS = "sums"
    ROWS = "rows"


class Backend(ABC):
    """The private table, as the gate sees it."""

    schema: Schema
    capabilities: ClassVar[frozenset[Capability]]

    @abstractmethod
    def count(self, domain: Domain, marginals: Sequence[Marginal]) -> list[Counts]:
        """The contingency table of each marginal, shaped ``domain.shape(marginal)``."""

    @abstractmethod
    def levels(self, column: str) -> Mapping[str, int]:
        """Each text that occurs in a category column, missing codes left out, with its count."""

    @abstractmethod
    def fits_declared_size(self) -> bool:
        """Whether the declared public number of rows or persons is true (True if none is)."""

    def sums(self, domain: Domain, moments: Sequence[Moment], *, granularity: int) -> Counts:
        """The sum over all rows of each moment, its factors quantised by ``table/quantise.py``.

        For engines with ``Capability.SUMS``. They hold fewer than 2^32 rows, so that nothing
        overflows up to the largest granularity.
        """
        raise UsageError("this engine cannot sum; use a file or a dataframe")


class RowBackend(Backend):
    """An engine that can also hand out its rows, as cells; for ``OpenTable`` alone."""

    @abstractmethod
    def cells(self, domain: Domain) -> Mapping[str, NDArray[Any]]:
        """The cell of every row in each column of the domain."""
