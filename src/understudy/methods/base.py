"""``Synthesizer``: the one contract of a method. A method is one file in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

Status = Literal["proven", "caller-owes", "ideal-numbers"]


class Synthesizer(ABC):
    """A frozen dataclass of hyper-parameters that can be fitted to a private table.

    ``accepts`` names the currencies that ``fit`` can spend; ``fit`` spends all of its budget and
    never more, and touches private rows only through the verbs of ``table``. ``rng`` is for
    post-processing.
    """

    summary: ClassVar[str]
    paper: ClassVar[str]
    status: ClassVar[Status]
    accepts: ClassVar[tuple[type[Budget], ...]]
    neighbours: ClassVar[frozenset[Neighbours]] = frozenset(Neighbours)
    needs: ClassVar[frozenset[str]] = frozenset({"count"})

    def scope(self, schema: Schema) -> Schema:
        """The part of the schema that this method works on: all of it, unless a method says less.

        Called before anything is reserved or bought. What the schema alone shows cannot work is
        refused here.
        """
        return schema

    @abstractmethod
    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        """Spend the budget on the table's marginals and return a model of it."""
