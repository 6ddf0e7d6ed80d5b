"""``Model``: what a method leaves behind. Sampling from it is post-processing and costs nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from understudy.schema.columns import Fake
from understudy.schema.domain import Domain
from understudy.table.codec import decode
from understudy.table.table import Codes, Table, joined

PIECE: Final = 1 << 20
"""Rows that are drawn and held at a time."""


class Model(ABC):
    """A distribution over the cells of a domain, with an estimate of the table's size.

    A model is saved as JSON (``describe``) and arrays (``arrays``) and rebuilt by ``restore``;
    loading never runs code from the file.
    """

    kind: ClassVar[str]
    in_parts: ClassVar[bool] = False
    """Whether some rows and then some more are drawn as well as all of them at once."""
    domain: Domain

    @property
    @abstractmethod
    def total(self) -> float:
        """The estimated (or public) number of rows; never the private one."""

    @abstractmethod
    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        """``rows`` synthetic rows, as cell numbers."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """The JSON part of the model, domain left out."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numeric part of the model, by name."""

    @classmethod
    @abstractmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        """The model that ``describe`` and ``arrays`` came from; refuses what does not fit."""

    def given(self, allowed: Mapping[str, NDArray[np.bool_]]) -> Model | None:
        """The model of the rows whose cells are allowed, exactly, sized by how many those are.

        ``allowed`` has a mask over the cells of each column that something is known about.
        ``UsageError`` if the model holds that impossible. None, as here, from a model that cannot
        say it: then rows have to be drawn and the others thrown away.
        """
        return None

    @property
    def independent(self) -> bool:
        """Whether it is known to hold several columns and no relation between any of them."""
        return False

    @final
    def pieces(self, rows: int, rng: np.random.Generator) -> Iterator[Table]:
        """The tables, at least one, that ``sample`` joins: to write many rows in little memory.

        All rows come at once if they depend on each other, and with fakes, which are unique within
        what is drawn at once.
        """
        schema = self.domain.schema
        fakes = any(isinstance(schema.columns[name], Fake) for name in schema.released)
        height = PIECE if self.in_parts and not fakes else max(rows, 1)
        for start in range(0, max(rows, 1), height):
            yield decode(self.draw(min(height, rows - start), rng), rng=rng)

    @final
    def sample(self, rows: int, rng: np.random.Generator) -> Table:
        """``rows`` synthetic rows with values drawn inside their cells and fakes made up."""
        return joined(list(self.pieces(rows, rng)))
