"""The rows of a ledger's tables, written from and read into the records of ``state``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, final
from uuid import uuid4

from understudy.errors import LedgerError, UsageError
from understudy.privacy.answer import encode_detail
from understudy.privacy.budget import CURRENCIES, Budget, budget_from_json
from understudy.privacy.clock import now
from understudy.privacy.exchange import Entry
from understudy.privacy.state import About, Charge, Kind, Run
from understudy.schema.neighbours import Neighbours

_RUN_NAME: Final = "run-{:04d}"
_LONGEST_TEXT: Final = 1000
_CHARGES: Final = "SELECT position, verb, detail, cost, charged FROM charge WHERE run = ?"


@final
@dataclass(frozen=True)
class Question:
    """What a charge is for, in the form in which two of them are compared."""

    verb: str
    detail: str
    cost: Budget

    @classmethod
    def of(cls, charge: Charge) -> Question:
        """The question of a recorded charge."""
        return cls(charge.verb, encode_detail(charge.detail), charge.cost)

    def __str__(self) -> str:
        return f"{self.verb} for {self.cost} ({self.detail})"


def run_id_of(number: int) -> str:
    """The name under which people meet a run."""
    return _RUN_NAME.format(number)


def number_of(run_id: str) -> int | None:
    """The number in a run's name; None if it is no such name."""
    digits = run_id.removeprefix("run-")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 18 else 0
    return number if run_id_of(number) == run_id else None


def write_about(connection: sqlite3.Connection, about: About) -> None:
    """Say what the ledger is for; possible once."""
    connection.execute(
        "INSERT INTO about VALUES (1, ?, ?, ?, ?, ?, ?)",
        (
            about.table,
            about.unit,
            about.neighbours.value,
            about.currency.currency,
            None if about.total is None else budget_text(about.total),
            about.created,
        ),
    )


def read_about(connection: sqlite3.Connection) -> About:
    """What the ledger is for."""
    with _damaged():
        row = connection.execute(
            "SELECT table_name, unit, neighbours, currency, total, created FROM about"
        ).fetchone()
        table, unit, neighbours, currency, total, created = row
        return About(
            table=table,
            unit=unit,
            neighbours=Neighbours(neighbours),
            currency=CURRENCIES[currency],
            total=None if total is None else budget_of(total),
            created=created,
        )


def write_run(connection: sqlite3.Connection, entry: Entry, *, kind: Kind, purpose: str) -> int:
    """A new open run; its number."""
    cursor = connection.execute(
        "INSERT INTO run (kind, purpose, working, entered, conversion, opened)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            kind,
            purpose,
            budget_text(entry.working),
            budget_text(entry.entered),
            entry.conversion,
            now(),
        ),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def take_run(connection: sqlite3.Connection, number: int) -> str:
    """Give the run to whoever asked last; the token that shows it."""
    holder = uuid4().hex
    connection.execute("UPDATE run SET holder = ? WHERE number = ?", (holder, number))
    return holder


def close_run(connection: sqlite3.Connection, number: int, kept: Budget) -> None:
    """Close a run for good; ``kept`` stays spent."""
    connection.execute(
        "UPDATE run SET kept = ?, closed = ? WHERE number = ?", (budget_text(kept), now(), number)
    )


def read_runs(connection: sqlite3.Connection, number: int | None = None) -> tuple[Run, ...]:
    """Every run in order, or the one with this number."""
    rows = connection.execute(
        "SELECT number, kind, purpose, working, entered, conversion, kept, opened, closed FROM run"
        " WHERE ?1 IS NULL OR number = ?1 ORDER BY number",
        (number,),
    ).fetchall()
    with _damaged():
        return tuple(_run(row, read_charges(connection, row[0])) for row in rows)


def write_charge(
    connection: sqlite3.Connection, number: int, position: int, asked: Question
) -> Charge:
    """A new charge of a run, without an answer yet."""
    time = now()
    connection.execute(
        "INSERT INTO charge (run, position, verb, detail, cost, charged) VALUES (?, ?, ?, ?, ?, ?)",
        (number, position, asked.verb, asked.detail, budget_text(asked.cost), time),
    )
    detail = json.loads(asked.detail)
    return Charge(run_id_of(number), position, asked.verb, detail, asked.cost, time)


def read_charges(connection: sqlite3.Connection, number: int) -> tuple[Charge, ...]:
    """The charges of a run in order."""
    rows = connection.execute(f"{_CHARGES} ORDER BY position", (number,)).fetchall()
    with _damaged():
        return tuple(_charge(number, row) for row in rows)


def read_charge(connection: sqlite3.Connection, number: int, position: int) -> Charge:
    """One charge of a run."""
    row = connection.execute(f"{_CHARGES} AND position = ?", (number, position)).fetchone()
    with _damaged():
        return _charge(number, row)


def read_costs(connection: sqlite3.Connection, number: int) -> tuple[Budget, ...]:
    """What each charge of a run cost, in order. Long details of other charges are left alone: a
    run that pays a hundred times would read them a hundred times."""
    rows = connection.execute(
        "SELECT cost FROM charge WHERE run = ? ORDER BY position", (number,)
    ).fetchall()
    with _damaged():
        return tuple(budget_of(cost) for (cost,) in rows)


def printable(text: str, *, name: str) -> str:
    """``text`` itself, if it is one short line that can be shown and stored."""
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{name} must be a few words of text")
    if len(text) > _LONGEST_TEXT or not text.isprintable():
        raise UsageError(f"{name} must be one line of at most {_LONGEST_TEXT} printable characters")
    return text


def budget_text(budget: Budget) -> str:
    """A budget as text with exact "p/q" amounts."""
    return json.dumps(budget.to_json())


def budget_of(text: str) -> Budget:
    """The budget of such a text."""
    return budget_from_json(json.loads(text))


def _charge(number: int, row: tuple[Any, ...]) -> Charge:
    position, verb, detail, cost, time = row
    return Charge(run_id_of(number), position, verb, json.loads(detail), budget_of(cost), time)


def _run(row: tuple[Any, ...], charges: tuple[Charge, ...]) -> Run:
    number, kind, purpose, working, entered, conversion, kept, opened, closed = row
    return Run(
        run_id=run_id_of(number),
        kind=kind,
        purpose=purpose,
        status="open" if closed is None else "closed",
        working=budget_of(working),
        entered=budget_of(entered),
        conversion=conversion,
        kept=None if kept is None else budget_of(kept),
        opened=opened,
        closed=closed,
        charges=charges,
    )


@contextmanager
def _damaged() -> Iterator[None]:
    try:
        yield
    except (UsageError, ValueError, TypeError, KeyError):
        raise LedgerError(
            "the ledger is damaged: what it records cannot be read; restore it from a copy, and "
            "count what ran since as spent"
        ) from None
