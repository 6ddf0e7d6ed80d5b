"""``Ledger``: who spent what on which table, and what is left.

A ledger is about one table, one privacy unit, one relation between neighbours and one currency, and
has one total, all fixed when it is made. A run reserves its whole budget before it reads anything,
details each charge inside the reservation, and gives back after a clean end only what it never
charged; after a kill the whole reservation stays spent. A ledger without a total records
everything and never refuses.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Self, final

from understudy.errors import BudgetExceeded, LedgerError, UsageError
from understudy.privacy.accountant import compose
from understudy.privacy.budget import Budget, known_currency
from understudy.privacy.clock import now
from understudy.privacy.exchange import Entry, enter
from understudy.privacy.ledger_file import (
    FileStore,
    MemoryStore,
    Store,
    check_sound,
    create_file,
)
from understudy.privacy.ledger_rows import (
    close_run,
    number_of,
    printable,
    read_about,
    read_runs,
    take_run,
    write_about,
    write_run,
)
from understudy.privacy.reservation import Reservation
from understudy.privacy.state import About, Charge, LedgerState, Run
from understudy.schema.neighbours import Neighbours

__all__ = ["Charge", "Ledger", "LedgerState", "Reservation", "Run"]


@final
class Ledger:
    """The record of everything spent on one table. Made by ``init``, ``open`` or ``in_memory``."""

    def __init__(self, store: Store, about: About) -> None:
        self._store, self._about = store, about

    def __repr__(self) -> str:
        return f"<Ledger {self.name}: {self.table!r}, {self.neighbours.value}>"

    @classmethod
    def init(
        cls,
        path: Path | str,
        *,
        table: str,
        unit: str,
        neighbours: Neighbours,
        total: Budget | None,
        currency: type[Budget] | None = None,
    ) -> Self:
        """A new ledger file (mode 0600). An existing file is refused.

        Without a ``total`` nothing is ever refused, and ``currency`` says what is counted.
        """
        about = _about(table, unit, neighbours, total, currency)
        store = create_file(Path(path), lambda connection: write_about(connection, about))
        return cls(store, about)

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """An existing ledger file; anything damaged, foreign, newer or a link is refused."""
        store = FileStore(Path(path))
        with store.transaction(write=False) as connection:
            check_sound(connection, store.name)
            return cls(store, read_about(connection))

    @classmethod
    def in_memory(
        cls,
        *,
        table: str,
        unit: str,
        neighbours: Neighbours,
        total: Budget | None,
        currency: type[Budget] | None = None,
    ) -> Self:
        """A ledger that ends with this process: it limits what a run spends and keeps no record."""
        about = _about(table, unit, neighbours, total, currency)
        return cls(MemoryStore(lambda connection: write_about(connection, about)), about)

    @property
    def name(self) -> str:
        """The file as it was named, or "memory"."""
        return self._store.name

    @property
    def table(self) -> str:
        """The name of the table whose privacy is counted."""
        return self._about.table

    @property
    def unit(self) -> str:
        """Whose privacy is counted, a row or a person named by a column."""
        return self._about.unit

    @property
    def neighbours(self) -> Neighbours:
        """Between which tables privacy is promised."""
        return self._about.neighbours

    @property
    def currency(self) -> type[Budget]:
        """What this ledger counts in."""
        return self._about.currency

    @property
    def total(self) -> Budget | None:
        """The most that may ever be spent; None if this ledger only records."""
        return self._about.total

    def expect(self, *, table: str, unit: str, neighbours: Neighbours) -> None:
        """LedgerError unless this ledger is about exactly this."""
        booked = (self.table, self.unit, self.neighbours)
        if booked != (table, unit, neighbours):
            raise LedgerError(
                f"the ledger {self.name} is about table {self.table!r}, unit {self.unit!r}, "
                f"{self.neighbours.value}, and not about table {table!r}, unit {unit!r}, "
                f"{neighbours.value}; use the ledger of that table. Nothing was read"
            )

    def reserve(
        self, working: Budget, *, entered: Budget | None = None, purpose: str
    ) -> Reservation:
        """Set a run's whole budget aside before it reads anything.

        ``working`` is what the run may charge, in its own currency; ``entered`` is the same promise
        in the ledger's currency (by default by the named conversion). BudgetExceeded if it does not
        fit in what is left; then nothing is set aside.
        """
        with self._store.transaction(write=True) as connection:
            entry = self._fitting(connection, working, entered=entered, purpose=purpose)
            number = write_run(connection, entry, kind="run", purpose=purpose)
            return self._taken(connection, number)

    def resume(self, run_id: str) -> Reservation:
        """Go on with a killed run: its recorded charges are replayed in order and cost nothing.

        This takes the run over: whoever held it before can neither charge nor journal any more. A
        closed run can be replayed, and asks nothing new.
        """
        number = number_of(run_id)
        with self._store.transaction(write=True) as connection:
            runs = [run for run in read_runs(connection) if run.kind == "run"]
            if number is None or run_id not in {run.run_id for run in runs}:
                waiting = ", ".join(run.run_id for run in runs if run.status == "open")
                raise LedgerError(
                    f"the ledger {self.name} has no run {run_id!r}; open runs: {waiting or 'none'}"
                )
            return self._taken(connection, number)

    def spend(self, budget: Budget, *, purpose: str) -> Run:
        """Book what something other than Understudy is about to spend on the same table.

        BudgetExceeded if it does not fit; for what is spent already there is ``record``.
        """
        with self._store.transaction(write=True) as connection:
            entry = self._fitting(connection, budget, purpose=purpose)
            return _written_off(connection, entry, purpose=purpose)

    def record(self, budget: Budget, *, purpose: str) -> Run:
        """Note what was spent elsewhere already. Never refused: if it exceeds the total, it is so.

        Then nothing is left.
        """
        with self._store.transaction(write=True) as connection:
            entry = self._entry(connection, budget, purpose=purpose)
            return _written_off(connection, entry, purpose=purpose)

    def state(self) -> LedgerState:
        """Everything this ledger says, at this moment."""
        return LedgerState(self._about, self.entries())

    def entries(self) -> tuple[Run, ...]:
        """Every run, oldest first."""
        with self._store.transaction(write=False) as connection:
            return read_runs(connection)

    def _taken(self, connection: sqlite3.Connection, number: int) -> Reservation:
        holder = take_run(connection, number)
        (run,) = read_runs(connection, number)
        return Reservation(self._store, self._about, run, number=number, holder=holder)

    def _entry(
        self,
        connection: sqlite3.Connection,
        working: Budget,
        *,
        entered: Budget | None = None,
        purpose: str,
    ) -> Entry:
        """What a run enters as, if the ledger can still be added up with it."""
        printable(purpose, name="purpose")
        if read_about(connection) != self._about:
            raise LedgerError(f"the ledger {self.name} was replaced by another. Nothing was read")
        entry = enter(working, self.currency, entered=entered)
        compose([entry.entered, *(run.counted for run in read_runs(connection))], self.currency)
        return entry

    def _fitting(
        self,
        connection: sqlite3.Connection,
        working: Budget,
        *,
        entered: Budget | None = None,
        purpose: str,
    ) -> Entry:
        """The same, refused if it is more than is left."""
        entry = self._entry(connection, working, entered=entered, purpose=purpose)
        left = LedgerState(self._about, read_runs(connection)).left
        if left is None or left.covers(entry.entered):
            return entry
        raise BudgetExceeded(
            f"{purpose} asks for {entry.entered}, and {left} is left of the total {self.total} in "
            f"the ledger {self.name}: {entry.entered.beyond(left)} too much. Ask for less; nothing "
            "was read"
        )


def _about(
    table: str,
    unit: str,
    neighbours: Neighbours,
    total: Budget | None,
    currency: type[Budget] | None,
) -> About:
    counted = currency if total is None else type(total)
    if counted is None or currency not in (None, counted):
        raise UsageError(
            "a ledger counts in the currency of its total; without a total, say which with currency"
        )
    if not isinstance(neighbours, Neighbours):
        raise UsageError(f"neighbours must be a Neighbours value, not {neighbours!r}")
    return About(
        table=printable(table, name="table"),
        unit=printable(unit, name="unit"),
        neighbours=neighbours,
        currency=known_currency(counted),
        total=total,
        created=now(),
    )


def _written_off(connection: sqlite3.Connection, entry: Entry, *, purpose: str) -> Run:
    number = write_run(connection, entry, kind="elsewhere", purpose=purpose)
    close_run(connection, number, entry.entered)
    (run,) = read_runs(connection, number)
    return run
