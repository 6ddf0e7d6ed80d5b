"""Statistics for the ``statistic`` verb: whole numbers from exact tables, sensitivities declared.

What a statistic must promise, and the proof of each, is in statistic.md;
``tests/gate/test_statistics.py`` attacks the declarations of every statistic in this file on
neighbouring tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.backend import Capability
from understudy.errors import UsageError
from understudy.gate.additive import additive_noise
from understudy.gate.count import CountNoise
from understudy.gate.impurity import TreeImpurity
from understudy.gate.select import UNITS
from understudy.gate.sensitivity import holdings_l1, holdings_l2_squared
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours

Counts = NDArray[np.int64]
IMPURITY_STEPS: Final = UNITS
"""Steps of a row in the noisy impurity."""
SIZE_STEPS: Final = UNITS * 5 // 8
"""Steps of a row in the noisy size: what makes the noisy pMSE about as exact as it can be."""


class Statistic(ABC):
    """A function of the exact tables of some marginals with a public number of whole answers."""

    capability: ClassVar[Capability] = Capability.COUNT
    proof: ClassVar[str] = "statistic.md"

    @property
    @abstractmethod
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        """Which tables it is a function of."""

    @property
    @abstractmethod
    def detail(self) -> dict[str, Any]:
        """Its public parameters, for the ledger."""

    @abstractmethod
    def l1(self, neighbours: Neighbours, contribution: int) -> int:
        """The most by which all answers together change between neighbours."""

    @abstractmethod
    def l2_squared(self, neighbours: Neighbours, contribution: int) -> int:
        """The most that the squares of those changes add up to."""

    def check(self, domain: Domain) -> None:
        """Refuse a domain for which it was not made, before anything is charged."""
        return

    @abstractmethod
    def __call__(self, exact: Sequence[Counts]) -> Counts:
        """The exact answers."""


@final
@dataclass(frozen=True)
class CellsHolding(Statistic):
    """For each of ``least``, how many cells of the marginal over ``columns`` hold so many rows.

    With ``least = (1,)`` the number of combinations that occur; with (1, 2, 3) also how many of
    them are unique or rare.
    """

    columns: tuple[str, ...]
    least: tuple[int, ...] = (1,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        least = tuple(self.least)
        whole = all(isinstance(t, int) and not isinstance(t, bool) and t >= 1 for t in least)
        if not least or not whole or len(set(least)) != len(least):
            raise UsageError("'least' is one or more different whole numbers of rows, 1 or more")
        object.__setattr__(self, "least", least)

    @property
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        return (self.columns,)

    @property
    def detail(self) -> dict[str, Any]:
        return {"columns": list(self.columns), "least": list(self.least)}

    def l1(self, neighbours: Neighbours, contribution: int) -> int:
        return holdings_l1(neighbours, contribution, thresholds=len(self.least))

    def l2_squared(self, neighbours: Neighbours, contribution: int) -> int:
        return holdings_l2_squared(neighbours, contribution, thresholds=len(self.least))

    def __call__(self, exact: Sequence[Counts]) -> Counts:
        return np.array([(exact[0] >= t).sum() for t in self.least], dtype=np.int64)


@final
@dataclass(frozen=True, eq=False)
class LeastImpurity(Statistic):
    """How well the best tree tells one public table from the rows, in steps of
    1 / IMPURITY_STEPS of a row.

    ``score`` is that of the one candidate. With ``sized`` there is a second answer: how many rows
    there are, in steps of 1 / SIZE_STEPS of a row. Leave it out if that number is public.
    """

    score: TreeImpurity
    sized: bool

    def __post_init__(self) -> None:
        if self.score.candidates != 1:
            raise UsageError("the impurity is asked of one table at a time")

    @property
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        return self.score.marginals

    @property
    def detail(self) -> dict[str, Any]:
        return {**self.score.detail, "sized": self.sized}

    def l1(self, neighbours: Neighbours, contribution: int) -> int:
        return self.score.sensitivity(neighbours, contribution) + self._size(contribution)

    def l2_squared(self, neighbours: Neighbours, contribution: int) -> int:
        impurity = self.score.sensitivity(neighbours, contribution)
        return impurity**2 + self._size(contribution) ** 2

    def check(self, domain: Domain) -> None:
        self.score.check(domain)

    def _size(self, contribution: int) -> int:
        return contribution * SIZE_STEPS if self.sized else 0

    def __call__(self, exact: Sequence[Counts]) -> Counts:
        impurity = -self.score(exact)
        rows = [int(exact[0].sum()) * SIZE_STEPS] if self.sized else []
        return np.array([int(impurity[0]), *rows], dtype=np.int64)


def check_statistic(
    statistic: Statistic, domain: Domain, capabilities: frozenset[Capability]
) -> None:
    """Only statistics with a proof in this room see exact tables."""
    if not isinstance(statistic, Statistic) or not type(statistic).__module__.startswith(
        "understudy.gate."
    ):
        raise UsageError(
            f"{type(statistic).__name__} is no statistic of understudy.gate.statistics; only there "
            "its sensitivity is proven and tested. Add it there"
        )
    if statistic.capability not in capabilities:
        raise UsageError(f"this engine cannot answer by {statistic.capability.value}")
    statistic.check(domain)


def statistic_noise(
    spend: Budget, statistic: Statistic, neighbours: Neighbours, *, contribution: int
) -> CountNoise:
    """The noise with which the statistic costs ``spend``."""
    return additive_noise(
        spend,
        l1=statistic.l1(neighbours, contribution),
        l2_squared=statistic.l2_squared(neighbours, contribution),
        verb="statistic",
    )
