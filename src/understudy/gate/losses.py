"""Losses for the ``minimise`` verb: which of finitely many public parameters fits the rows best.

What a loss must promise, and the proof, is in minimise.md; ``tests/gate/test_losses.py`` attacks
every loss in this file. How well trees tell candidates from the rows is in ``impurity.py``.
Minimisation over a continuum (objective perturbation) will be another class of losses behind the
same verb; it needs gradients that an engine must sum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.select import Choice, choice_for
from understudy.gate.sensitivity import loss_of_rows
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
STEPS: Final = 2**16
MOST_NUMBERS: Final = 2**27


class Loss(ABC):
    """How badly each public candidate fits, in whole steps."""

    @property
    @abstractmethod
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        """The tables that the loss is a function of."""

    @property
    @abstractmethod
    def candidates(self) -> int:
        """How many candidates there are."""

    @property
    @abstractmethod
    def detail(self) -> dict[str, Any]:
        """What the ledger keeps about it: public parameters."""

    @abstractmethod
    def sensitivity(self, neighbours: Neighbours, contribution: int) -> int:
        """The most steps by which any candidate's loss can change between neighbours."""

    @abstractmethod
    def monotone(self, neighbours: Neighbours) -> bool:
        """Whether all losses move in the same direction between neighbours."""

    @abstractmethod
    def check(self, domain: Domain) -> None:
        """Refuse a domain for which it was not made, before anything is charged."""

    @abstractmethod
    def __call__(self, exact: Sequence[Counts]) -> Counts:
        """The loss of each candidate, from the exact tables."""


@final
@dataclass(frozen=True, eq=False)
class CellLoss(Loss):
    """``losses[i, cell]`` is what a row in this cell of the marginal costs candidate i: 0 to STEPS.

    A public table, shaped (candidates, *cells). Losses are clipped to 0 ... ``clip`` and rounded to
    clip / 65536; a row can make no candidate worse by more than ``clip``.
    """

    columns: tuple[str, ...]
    losses: Floats
    clip: float

    def __post_init__(self) -> None:
        losses = np.array(self.losses, dtype=np.float64)
        if losses.ndim != 1 + len(self.columns) or not 1 <= losses.size <= MOST_NUMBERS:
            raise UsageError("losses are a table of one line per candidate, one axis per column")
        if not np.isfinite(losses).all() or not 2.0**-500 < self.clip < 2.0**500:
            raise UsageError("losses must be finite numbers, and the clip above 0")
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "losses", losses)

    @property
    def marginals(self) -> tuple[tuple[str, ...], ...]:
        return (self.columns,)

    @property
    def candidates(self) -> int:
        return len(self.losses)

    @property
    def detail(self) -> dict[str, Any]:
        return {"marginal": list(self.columns)}

    def sensitivity(self, neighbours: Neighbours, contribution: int) -> int:
        return loss_of_rows(contribution, STEPS)

    def monotone(self, neighbours: Neighbours) -> bool:
        return neighbours is Neighbours.ADD_REMOVE

    def check(self, domain: Domain) -> None:
        if domain.shape(self.columns) != self.losses.shape[1:]:
            raise UsageError(
                f"the losses are for cells of shape {self.losses.shape[1:]}, the columns "
                f"{', '.join(self.columns)} have {domain.shape(self.columns)}"
            )

    def __call__(self, exact: Sequence[Counts]) -> Counts:
        shares = np.clip(self.losses, 0.0, self.clip) / self.clip
        steps = np.floor(shares * STEPS + 0.5).astype(np.int64)
        totals: Counts = steps.reshape(len(steps), -1) @ exact[0].ravel()
        return totals


def minimum_for(spend: Budget, loss: Loss, neighbours: Neighbours, *, contribution: int) -> Choice:
    """The noisy minimum of this loss that costs ``spend``."""
    return choice_for(
        spend,
        sensitivity=loss.sensitivity(neighbours, contribution),
        monotone=loss.monotone(neighbours),
    )


def check_loss(loss: Loss, domain: Domain) -> None:
    """Only losses with a proof in this room see exact tables."""
    if not isinstance(loss, Loss) or not type(loss).__module__.startswith("understudy.gate."):
        raise UsageError(
            f"{type(loss).__name__} is no loss of understudy.gate.losses; only there its "
            "sensitivity is proven and tested. Add it there"
        )
    loss.check(domain)
