"""From exceptions to exit codes, without leaking what an exception says."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from tests.cli.program import SECRET
from understudy import errors
from understudy.cli.failures import SHOW_TRACEBACK, Program

CODES = {
    errors.UnderstudyError: 1,
    errors.UsageError: 2,
    errors.SchemaError: 2,
    errors.TableMismatch: 3,
    errors.BudgetExceeded: 4,
    errors.LedgerError: 4,
    errors.QualityGateFailed: 5,
    errors.SourceError: 1,
    errors.ReleaseError: 1,
}


def outcome(problem: BaseException) -> tuple[int, str]:
    program = typer.Typer(cls=Program, pretty_exceptions_enable=False)

    @program.callback()
    def group() -> None:
        """A group of one command."""

    @program.command()
    def fail() -> None:
        raise problem

    result = CliRunner().invoke(program, ["fail"])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    return result.exit_code, result.stderr


def test_every_error_of_ours_has_its_code() -> None:
    ours = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    assert set(CODES) == {kind for kind in ours if issubclass(kind, errors.UnderstudyError)}


@pytest.mark.parametrize(("kind", "code"), CODES.items())
def test_our_errors_are_explained(kind: type[errors.UnderstudyError], code: int) -> None:
    assert outcome(kind("say what to do")) == (code, "Error: say what to do\n")


@pytest.mark.parametrize("kind", [RuntimeError, ValueError, KeyError, AssertionError, OSError])
def test_foreign_errors_are_only_named(kind: type[Exception]) -> None:
    code, err = outcome(kind(SECRET))
    assert code == 1
    assert kind.__name__ in err
    assert SECRET not in err
    assert SHOW_TRACEBACK in err


def test_too_little_memory_is_said_so() -> None:
    assert outcome(MemoryError(SECRET)) == (1, "Error: there is not enough memory for this\n")


def test_an_interrupt_is_130() -> None:
    code, err = outcome(KeyboardInterrupt())
    assert code == 130
    assert "interrupted" in err


def test_exits_pass_through() -> None:
    assert outcome(typer.Exit(7)) == (7, "")


def test_messages_cannot_move_the_cursor() -> None:
    _, err = outcome(errors.UsageError("column '\x1b[2J'\nsecond line"))
    assert err == "Error: column '\\x1b[2J'\nsecond line\n"


def test_the_traceback_must_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHOW_TRACEBACK, "1")
    with pytest.raises(AssertionError):
        outcome(RuntimeError(SECRET))
    monkeypatch.setenv(SHOW_TRACEBACK, "0")
    assert SECRET not in outcome(RuntimeError(SECRET))[1]
