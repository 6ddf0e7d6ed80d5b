"""Where a ledger lives: one SQLite file that only its owner can read, or memory.

A file is opened anew for every transaction and never held open, so a fork, a second process or a
kill finds nothing but a whole file. Writers take the write lock before they read anything
(BEGIN IMMEDIATE), so two of them never see the same budget as free. A commit is on the disk when it
returns: the rollback journal (same mode 0600 as the file, unlike a write-ahead log it leaves one
file behind) with synchronous = EXTRA, which also syncs the folder.

Links are refused: a symbolic one could lead into somebody else's file, and under two hard-linked
names SQLite would look for two different rollback journals.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from shlex import quote
from typing import Final, final

from understudy.errors import LedgerError

BUSY_SECONDS: Final = 30.0
APPLICATION: Final = 0x556E5374  # "UnSt", at a fixed place in the header of the file
VERSION: Final = 1

_SETTINGS: Final = """
PRAGMA trusted_schema = OFF;
PRAGMA foreign_keys = ON;
PRAGMA journal_mode = DELETE;
PRAGMA synchronous = EXTRA;
"""

_TABLES: Final = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
CREATE TABLE about (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    table_name TEXT NOT NULL, unit TEXT NOT NULL, neighbours TEXT NOT NULL,
    currency TEXT NOT NULL, total TEXT, created TEXT NOT NULL
);
CREATE TABLE run (
    number INTEGER PRIMARY KEY,
    kind TEXT NOT NULL, purpose TEXT NOT NULL, holder TEXT,
    working TEXT NOT NULL, entered TEXT NOT NULL, conversion TEXT, kept TEXT,
    opened TEXT NOT NULL, closed TEXT, CHECK ((kept IS NULL) = (closed IS NULL))
);
CREATE TABLE charge (
    run INTEGER NOT NULL REFERENCES run, position INTEGER NOT NULL,
    verb TEXT NOT NULL, detail TEXT NOT NULL, cost TEXT NOT NULL,
    charged TEXT NOT NULL, answer TEXT, PRIMARY KEY (run, position)
);
CREATE TRIGGER run_stays BEFORE DELETE ON run
BEGIN SELECT RAISE(ABORT, 'a ledger forgets nothing'); END;
CREATE TRIGGER closed_run_stays BEFORE UPDATE OF kept, working, entered ON run
WHEN OLD.closed IS NOT NULL BEGIN SELECT RAISE(ABORT, 'a closed run is final'); END;
CREATE TRIGGER charge_stays BEFORE DELETE ON charge
BEGIN SELECT RAISE(ABORT, 'a ledger forgets nothing'); END;
CREATE TRIGGER cost_stays BEFORE UPDATE OF verb, detail, cost ON charge
BEGIN SELECT RAISE(ABORT, 'a charge is final'); END;
CREATE TRIGGER answer_stays BEFORE UPDATE OF answer ON charge
WHEN OLD.answer IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an answer is final'); END;
"""

_MEANINGS: Final = {
    "SQLITE_BUSY": "another process is using it; try again in a moment",
    "SQLITE_READONLY": "it cannot be written; check the permissions of the file and its folder",
    "SQLITE_CANTOPEN": "it cannot be opened; check that it exists and that you may read it",
    "SQLITE_NOTADB": "it is not an Understudy ledger; make one with 'understudy ledger init'",
    "SQLITE_CORRUPT": "it is damaged; restore it from a copy, and count what ran since as spent",
    "SQLITE_FULL": "the disk is full",
}


class Store(ABC):
    """Somewhere a ledger's tables are kept."""

    name: str

    @abstractmethod
    def transaction(self, *, write: bool) -> AbstractContextManager[sqlite3.Connection]:
        """All or nothing: committed when the block ends, undone if it raises."""


@final
class FileStore(Store):
    """A ledger in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.name = str(path)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """All or nothing: committed when the block ends, undone if it raises."""
        check_private(self.path)
        with self.session(write=write) as connection:
            _check_version(connection, self.name)
            yield connection

    @contextmanager
    def session(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """A transaction on whatever is in the file."""
        # Reading, too, opens for writing: after a kill SQLite must first undo what was half done.
        with (
            _explained(self.name),
            closing(_connect(f"{self.path.as_uri()}?mode=rw")) as connection,
            _all_or_nothing(connection, write=write),
        ):
            yield connection


@final
class MemoryStore(Store):
    """A ledger that ends with its process: the charges are real, the record is not kept."""

    def __init__(self, fill: Callable[[sqlite3.Connection], None]) -> None:
        self.name = "memory"
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._connection = _connect("file::memory:")
        weakref.finalize(self, self._connection.close)
        with self.transaction(write=True) as connection:
            _create_tables(connection)
            fill(connection)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[sqlite3.Connection]:
        """All or nothing: committed when the block ends, undone if it raises."""
        if os.getpid() != self._process:  # a fork would let both sides spend the same budget
            raise LedgerError(
                "a ledger in memory belongs to the process that made it; use a ledger file to "
                "spend from several processes"
            )
        with (
            self._lock,
            _explained(self.name),
            _all_or_nothing(self._connection, write=write),
        ):
            yield self._connection


def create_file(path: Path, fill: Callable[[sqlite3.Connection], None]) -> FileStore:
    """A new ledger file with mode 0600; whatever exists at ``path`` is refused untouched.

    It is filled under another name, so that a kill leaves no half ledger under its own.
    """
    store = FileStore(path)
    try:
        with _alone_in(store.path.parent):
            if os.path.lexists(store.path):
                raise LedgerError(f"{store.name} exists already; a ledger is never overwritten")
            _fill_and_rename(store, fill)
    except (OSError, ValueError) as error:
        raise LedgerError(f"the ledger {store.name} cannot be made: {_reason(error)}") from None
    return store


def _fill_and_rename(store: FileStore, fill: Callable[[sqlite3.Connection], None]) -> None:
    new = FileStore(store.path.with_name(f".{store.path.name}.{os.getpid()}.new"))
    new.path.unlink(missing_ok=True)  # what a killed process of the same number left
    os.close(os.open(new.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    new.name = store.name
    try:
        with new.session(write=True) as connection:
            _create_tables(connection)
            fill(connection)
        new.path.rename(store.path)
    except BaseException:
        new.path.unlink(missing_ok=True)
        raise


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Only one process at a time makes ledgers in a folder; the folder's entries are on disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_private(path: Path) -> None:
    """Refuse what is not a plain file with one name that its owner alone can use."""
    try:
        found = path.lstat()
    except (OSError, ValueError) as error:
        raise LedgerError(f"the ledger {path} cannot be opened: {_reason(error)}") from None
    if stat.S_ISLNK(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_nlink > 1):
        raise LedgerError(f"{path} is a link; name the ledger file itself, under its one name")
    if not stat.S_ISREG(found.st_mode):
        raise LedgerError(f"{path} is not a file; a ledger is one file")
    if found.st_mode & 0o077:
        raise LedgerError(
            f"{path} can be used by others than its owner; if it is a ledger, "
            f"run: chmod 600 {quote(str(path))}"
        )


def check_sound(connection: sqlite3.Connection, name: str) -> None:
    """Refuse a file whose pages contradict each other."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise LedgerError(f"the ledger {name} cannot be used: {_MEANINGS['SQLITE_CORRUPT']}")


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        for setting in _statements(_SETTINGS):
            connection.execute(setting)
    except BaseException:
        connection.close()
        raise
    return connection


def _create_tables(connection: sqlite3.Connection) -> None:
    for statement in _statements(_TABLES):
        connection.execute(statement)


@contextmanager
def _all_or_nothing(connection: sqlite3.Connection, *, write: bool) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def _check_version(connection: sqlite3.Connection, name: str) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION and application == APPLICATION:
        raise LedgerError(
            f"the ledger {name} has version {version}, and this Understudy knows {VERSION}; "
            "use the newer Understudy that wrote it"
        )
    if (application, version) != (APPLICATION, VERSION):
        raise LedgerError(f"the ledger {name} cannot be used: {_MEANINGS['SQLITE_NOTADB']}")


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """SQLite's errors in words that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", None) or type(error).__name__
        meaning = next((text for key, text in _MEANINGS.items() if code.startswith(key)), code)
        raise LedgerError(
            f"the ledger {name} cannot be used: {meaning}. Nothing more was read"
        ) from error


def _statements(script: str) -> Iterator[str]:
    """The statements of a script one by one: ``executescript`` would commit in between."""
    statement = ""
    for line in script.strip().splitlines():
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
