"""``Synthesizer``: the one contract of a method. A method is one file in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import prod
from typing import Any, ClassVar, Literal, Self

import numpy as np

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

Status = Literal["proven", "caller-owes", "ideal-numbers"]


@dataclass(frozen=True)
class Foretold:
    """A marginal that a method will answer, and the standard deviation of each cell of it.

    ``shape`` is the number of cells of each column there, fewer than the domain's where cells are
    counted in groups. The answer is unbiased: post-processing starts from it.
    """

    columns: tuple[str, ...]
    shape: tuple[int, ...]
    stddev: float

    @property
    def cells(self) -> int:
        """How many cells it has."""
        return prod(self.shape)


@dataclass(frozen=True)
class Settled:
    """Who fits, with which budget, and why it is this method; no reason if no other could be."""

    method: Synthesizer
    budget: Budget
    reason: str = ""


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

    @classmethod
    def settings(cls) -> dict[str, str]:
        """The hyper-parameters and their types, as written."""
        return {field.name: str(field.type) for field in fields(cls)}  # type: ignore[arg-type]

    @classmethod
    def check_settings(cls, names: Iterable[str], *, called: str) -> None:
        """Refuse names of hyper-parameters that the method, ``called`` so, does not have."""
        allowed = cls.settings()
        unknown = [name for name in names if name not in allowed]
        if unknown:
            known = f"it has {', '.join(allowed)}" if allowed else "it has none"
            raise UsageError(f"{called!r} has no setting {', '.join(map(repr, unknown))}; {known}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The hyper-parameters by name, as scikit-learn asks for them; none has parts of its own,
        so ``deep`` changes nothing."""
        return {name: getattr(self, name) for name in self.settings()}

    def set_params(self, **changes: Any) -> Self:
        """A method with other hyper-parameters. This one stays as it is: it is a value."""
        self.check_settings(changes, called=type(self).__name__)
        changed: Self = replace(self, **changes)  # type: ignore[type-var]
        return changed

    def scope(self, schema: Schema) -> Schema:
        """The part of the schema that this method works on: all of it, unless a method says less.

        Called before anything is reserved or bought. What the schema alone shows cannot work is
        refused here.
        """
        return schema

    def foretell(self, domain: Domain, budget: Budget) -> tuple[Foretold, ...] | None:
        """Every marginal that ``fit`` will answer with this budget, its error exactly as it will
        be; None if that depends on what is found on the way. Public facts only: nothing is read or
        spent. What ``fit`` would refuse is refused."""
        return None

    def settle(self, table: PrivateTable, domain: Domain, budget: Budget) -> Settled:
        """The method that will fit, once for all fits that share the budget: this one, unless a
        method hands over to another. What the choice costs is taken from the budget."""
        return Settled(self, budget)

    @abstractmethod
    def fit(
        self, table: PrivateTable, domain: Domain, budget: Budget, rng: np.random.Generator
    ) -> Model:
        """Spend the budget on the table's marginals and return a model of it."""
