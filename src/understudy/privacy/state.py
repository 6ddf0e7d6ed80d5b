"""What a ledger says about itself: frozen records for ``ledger show`` and for cards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, final

from understudy.privacy.accountant import compose
from understudy.privacy.budget import Budget
from understudy.schema.neighbours import Neighbours

Kind = Literal["run", "elsewhere"]
Status = Literal["open", "closed"]


@final
@dataclass(frozen=True)
class Charge:
    """One question that was paid for: what was asked, the details, the cost, the time."""

    run_id: str
    position: int
    verb: str
    detail: Mapping[str, Any]
    cost: Budget
    time: str

    def to_json(self) -> dict[str, Any]:
        """The charge as plain JSON."""
        return {
            "position": self.position,
            "verb": self.verb,
            "detail": dict(self.detail),
            "cost": self.cost.to_json(),
            "time": self.time,
        }


@final
@dataclass(frozen=True)
class Run:
    """One reservation: what it may spend, what it entered the ledger as, what it has charged.

    ``working`` is in the currency that the method spends, ``entered`` the same promise in the
    ledger's currency, by the named ``conversion`` if they differ. ``kept`` is what stayed of
    ``entered`` after a clean end; while a run is open (it works, or it was killed) all of it
    counts. ``kind`` is "elsewhere" for what was spent without this ledger's gate.
    """

    run_id: str
    kind: Kind
    purpose: str
    status: Status
    working: Budget
    entered: Budget
    conversion: str | None
    kept: Budget | None
    opened: str
    closed: str | None
    charges: tuple[Charge, ...]

    @property
    def counted(self) -> Budget:
        """What this run takes from the ledger's total as things stand."""
        return self.entered if self.kept is None else self.kept

    def to_json(self) -> dict[str, Any]:
        """The run as plain JSON."""
        return {
            "run": self.run_id,
            "kind": self.kind,
            "purpose": self.purpose,
            "status": self.status,
            "working": self.working.to_json(),
            "entered": self.entered.to_json(),
            "conversion": self.conversion,
            "kept": None if self.kept is None else self.kept.to_json(),
            "opened": self.opened,
            "closed": self.closed,
            "charges": [charge.to_json() for charge in self.charges],
        }


@final
@dataclass(frozen=True)
class About:
    """What a ledger is for, fixed when it was made. No ``total``: it records, and never refuses."""

    table: str
    unit: str
    neighbours: Neighbours
    currency: type[Budget]
    total: Budget | None
    created: str


@final
@dataclass(frozen=True)
class LedgerState:
    """A ledger at one moment: what it is for, and every run."""

    about: About
    runs: tuple[Run, ...]

    @property
    def total(self) -> Budget | None:
        """The most that may ever be spent; None if this ledger only records."""
        return self.about.total

    @property
    def spent(self) -> Budget:
        """What closed runs kept, and what was spent elsewhere."""
        return self._counted("closed")

    @property
    def reserved(self) -> Budget:
        """What open runs hold. A killed run stays open, so what it holds is as good as spent."""
        return self._counted("open")

    @property
    def left(self) -> Budget | None:
        """What can still be reserved; None without a total.

        Nothing, in any part, once more was spent elsewhere than the total in one of them.
        """
        if self.total is None:
            return None
        used = self.spent + self.reserved
        return self.total - used if self.total.covers(used) else self.total.zero()

    @property
    def limit(self) -> str:
        """In plain words, whether anything is ever refused."""
        if self.total is None:
            return "no total: this ledger records what is spent and never refuses"
        return f"reservations beyond {self.total} are refused"

    def to_json(self) -> dict[str, Any]:
        """The whole state as plain JSON, every amount as exact "p/q" text."""
        amounts = {"total": self.total, "spent": self.spent, "reserved": self.reserved}
        return {
            "table": self.about.table,
            "unit": self.about.unit,
            "neighbours": self.about.neighbours.value,
            "currency": self.about.currency.currency,
            "created": self.about.created,
            "limit": self.limit,
            **{
                name: None if amount is None else amount.to_json()
                for name, amount in {**amounts, "left": self.left}.items()
            },
            "runs": [run.to_json() for run in self.runs],
        }

    def _counted(self, status: Status) -> Budget:
        counted = [run.counted for run in self.runs if run.status == status]
        return compose(counted, self.about.currency)
