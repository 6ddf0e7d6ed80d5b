"""The exception tree. Every message says what was asked, what is allowed and what to do.

    UnderstudyError            base of all; ``exit_code`` is what the command line returns
    |-- UsageError        2    the arguments are wrong, knowable without reading any row
    |-- SchemaError       2    the schema is wrong; carries the column and the place in the file
    |-- TableMismatch     3    the table's public shape (header, declared size) does not fit
    |-- BudgetExceeded    4    a charge does not fit; nothing more was read
    |-- LedgerError       4    the ledger cannot be trusted or does not match; nothing was read
    |-- QualityGateFailed 5    a declared acceptance criterion failed
    |-- SourceError       1    a file cannot be read or written
    `-- ReleaseError      1    a release folder is damaged or from a newer version

No message ever contains a data value, a row number or an exact count: whoever raises inside
``data/`` or ``gate/`` names columns and rules, which are public, and nothing else.
"""

from __future__ import annotations

from typing import ClassVar


class UnderstudyError(Exception):
    """Base of everything Understudy raises on purpose."""

    exit_code: ClassVar[int] = 1


class UsageError(UnderstudyError, ValueError):
    """The arguments cannot be used; knowable without reading a row."""

    exit_code = 2


class SchemaError(UnderstudyError, ValueError):
    """The schema cannot be used; ``column``, ``key`` and ``place`` say where, if known.

    ``message`` is the sentence alone, so that who knows more of the place can say it again.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        column: str | None = None,
        key: str | None = None,
        place: str | None = None,
    ) -> None:
        self.message, self.column, self.key, self.place = message, column, key, place
        where = [] if column is None else [f"column {_short(column)}"]
        where += [] if key is None else [f"key {_short(key)}"]
        where += [place] if place else []
        super().__init__(f"{', '.join(where)}: {message}" if where else message)


def _short(name: str, *, most: int = 60) -> str:
    quoted = repr(name)
    return quoted if len(quoted) <= most else f"{quoted[: most - 4]}...{quoted[0]}"


class TableMismatch(UnderstudyError, ValueError):
    """The table's header or declared size does not fit the schema."""

    exit_code = 3


class BudgetExceeded(UnderstudyError):
    """A charge or reservation does not fit in what is left. Nothing more was read."""

    exit_code = 4


class LedgerError(UnderstudyError):
    """The ledger is missing, damaged, locked or about something else. Nothing was read."""

    exit_code = 4


class QualityGateFailed(UnderstudyError):
    """A declared acceptance criterion was not met."""

    exit_code = 5


class SourceError(UnderstudyError, OSError):
    """A file cannot be read or written."""

    exit_code = 1


class ReleaseError(UnderstudyError, ValueError):
    """A release folder is damaged, incomplete or newer than this version."""

    exit_code = 1
