"""``Reservation``: the budget of one run, and the journal of what it was answered.

A charge is on the disk before the question is asked, an answer before it leaves. So a killed run
can go on: ``Ledger.resume`` gives a reservation that expects the same charges in the same order,
costs nothing for those already paid, and hands out their journalled answers.

A charge that is recorded without an answer was cut off between the two. Nothing left then, for an
answer leaves only after it is in the journal; drawing it once now is its first release. Only one
process can do so: resuming takes the run over, and from then on whoever held it before can neither
charge nor journal.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, final

from understudy.errors import BudgetExceeded, LedgerError, UsageError
from understudy.privacy.accountant import compose
from understudy.privacy.answer import Answer, decode_answer, encode_answer, encode_detail
from understudy.privacy.budget import Budget
from understudy.privacy.exchange import Entry, kept
from understudy.privacy.ledger_file import Store
from understudy.privacy.ledger_rows import (
    Question,
    close_run,
    printable,
    read_charge,
    read_charges,
    read_costs,
    write_charge,
)
from understudy.privacy.state import About, Charge, Run
from understudy.schema.neighbours import Neighbours


@final
class Reservation:
    """The budget of one run. Made by ``Ledger.reserve`` and ``Ledger.resume`` only."""

    def __init__(self, store: Store, about: About, run: Run, *, number: int, holder: str) -> None:
        self._store, self._about, self._run = store, about, run
        self._number, self._holder = number, holder
        self._recorded = len(run.charges)
        self._position = 0

    def __repr__(self) -> str:
        return f"<Reservation {self.run_id}: {self.budget}>"

    @property
    def run_id(self) -> str:
        """The name of the run in its ledger, for ``resume``."""
        return self._run.run_id

    @property
    def purpose(self) -> str:
        """What the run is for."""
        return self._run.purpose

    @property
    def budget(self) -> Budget:
        """The whole that this run may charge, in its working currency."""
        return self._run.working

    @property
    def entered(self) -> Budget:
        """The same promise in the ledger's currency."""
        return self._run.entered

    @property
    def neighbours(self) -> Neighbours:
        """Between which tables the ledger promises privacy."""
        return self._about.neighbours

    @property
    def unit(self) -> str:
        """Whose privacy the ledger promises."""
        return self._about.unit

    @property
    def charges(self) -> list[Charge]:
        """Everything that this run has paid for so far, also before it was resumed."""
        with self._store.transaction(write=False) as connection:
            return list(read_charges(connection, self._number))

    @property
    def left(self) -> Budget:
        """What is not charged yet; while a run is replayed, as it was at the same place."""
        with self._store.transaction(write=False) as connection:
            costs = read_costs(connection, self._number)
        return self.budget - self._charged(costs[: self._position])

    def charge(self, verb: str, *, detail: Mapping[str, Any], cost: Budget) -> Charge:
        """Pay for one question, before it is asked; committed to disk when this returns.

        On a resumed run the question must be the recorded one at this place, and costs nothing
        more. BudgetExceeded if the cost does not fit in what is left of this reservation.
        """
        asked = Question(printable(verb, name="verb"), encode_detail(detail), cost)
        with self._held() as (connection, is_open):
            if self._position < self._recorded:
                recorded = read_charge(connection, self._number, self._position)
                charge = self._repeated(recorded, asked)
            else:
                self._check_open(is_open)
                self._check_fits(read_costs(connection, self._number), asked)
                charge = write_charge(connection, self._number, self._position, asked)
        self._position += 1
        return charge

    def recall(self, charge: Charge) -> Answer | None:
        """The journalled answer of a charge; None if none ever left."""
        with self._held() as (connection, _):
            row = connection.execute(
                "SELECT answer FROM charge WHERE run = ? AND position = ?", self._place(charge)
            ).fetchone()
        return None if row[0] is None else decode_answer(row[0])

    def journal(self, charge: Charge, answer: Answer) -> None:
        """Record the noisy answer, before it leaves; committed when this returns, and final."""
        text = encode_answer(answer)
        with self._held() as (connection, is_open):
            self._check_open(is_open)
            written = connection.execute(
                "UPDATE charge SET answer = ? WHERE run = ? AND position = ? AND answer IS NULL",
                (text, *self._place(charge)),
            )
            if written.rowcount != 1:
                raise LedgerError(
                    f"charge {charge.position} of {self.run_id} has an answer already; "
                    "the same question is never answered twice"
                )

    def close(self) -> Budget:
        """End cleanly: keep what was charged, give the rest back; the amount given back.

        Without it, after a kill or an error, the whole reservation stays spent. What is kept is
        counted in the ledger's currency by the conversion the run entered with; where charges
        chosen along the way cannot be converted afterwards, all of it is kept (see ``exchange``).
        """
        with self._held() as (connection, is_open):
            if self._position < self._recorded:
                raise LedgerError(
                    f"{self.run_id} ended after {self._position} of its {self._recorded} recorded "
                    "charges; it is not the same run, so it stays open and its budget spent"
                )
            entry = Entry(self.budget, self.entered, self._run.conversion)
            keep = kept(entry, read_costs(connection, self._number))
            if is_open:
                close_run(connection, self._number, keep)
        return self.entered - keep

    @contextmanager
    def _held(self) -> Iterator[tuple[sqlite3.Connection, bool]]:
        """A transaction, and whether the run is open; refused if it was resumed elsewhere."""
        with self._store.transaction(write=True) as connection:
            row = connection.execute(
                "SELECT holder, closed IS NULL FROM run WHERE number = ?", (self._number,)
            ).fetchone()
            if row is None:
                raise LedgerError(
                    f"{self.run_id} is not in the ledger {self._store.name} any more: the file was "
                    "replaced. Nothing more was read"
                )
            if row[0] != self._holder:
                raise LedgerError(
                    f"{self.run_id} was resumed elsewhere and cannot go on here. "
                    "Nothing more was read"
                )
            yield connection, bool(row[1])

    def _check_open(self, is_open: bool) -> None:
        if not is_open:
            raise LedgerError(
                f"{self.run_id} is closed: it can be replayed, but asks nothing new. "
                "Nothing more was read"
            )

    def _repeated(self, recorded: Charge, asked: Question) -> Charge:
        before = Question.of(recorded)
        if asked == before:
            return recorded
        raise LedgerError(
            f"a resumed run repeats itself, but at step {self._position} {self.run_id} recorded "
            f"{before} and is now asked {asked}; resume with the same schema, arguments, seed and "
            "version. Nothing more was read"
        )

    def _check_fits(self, costs: Sequence[Budget], asked: Question) -> None:
        if len(costs) != self._position:
            raise LedgerError(
                f"{self.run_id} is used twice at the same time. Nothing more was read"
            )
        left = self.budget - self._charged(costs)
        if not left.covers(asked.cost):
            raise BudgetExceeded(
                f"{asked.verb} asks for {asked.cost}, and {left} is left of the {self.budget} that "
                f"this run reserved: {asked.cost.beyond(left)} too much. Nothing more was read"
            )

    def _charged(self, costs: Sequence[Budget]) -> Budget:
        return compose(costs, type(self.budget))

    def _place(self, charge: Charge) -> tuple[int, int]:
        if charge.run_id != self.run_id:
            raise UsageError(f"a charge of {charge.run_id} is not one of {self.run_id}")
        return self._number, charge.position
