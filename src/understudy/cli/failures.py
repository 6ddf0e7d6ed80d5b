"""From exceptions to exit codes: 1 failure, 2 usage, 3 misfit, 4 budget, 5 quality, 130 stopped.

Our own errors are written to show no private value and are printed. Anything else may carry one in
its text, so only its type is named. ``UNDERSTUDY_TRACEBACK=1`` shows the whole traceback: it may
contain private values and must not be shared.
"""

from __future__ import annotations

import os
from typing import Any, Final

import typer
from typer.core import TyperGroup

from understudy.cli import INTERRUPTED
from understudy.cli.output import complain
from understudy.errors import UnderstudyError

SHOW_TRACEBACK: Final = "UNDERSTUDY_TRACEBACK"


class Program(TyperGroup):
    """The command group that turns every failure into a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; nothing leaves as a traceback unless that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            complain(
                "interrupted; no output was left half-written. If a ledger was in use, what this "
                "run had reserved stays spent."
            )
            raise typer.Exit(INTERRUPTED) from None
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as problem:
            if os.environ.get(SHOW_TRACEBACK) == "1" or _is_typers_own(problem):
                raise
            raise typer.Exit(_explain(problem)) from None


def _explain(problem: Exception) -> int:
    if isinstance(problem, UnderstudyError):
        complain(str(problem))
        return problem.exit_code
    if isinstance(problem, MemoryError):
        complain("there is not enough memory for this")
        return 1
    complain(
        f"an unexpected {type(problem).__name__}. Its text is not shown, because it may contain a "
        f"private value; {SHOW_TRACEBACK}=1 shows it, for your eyes only."
    )
    return 1


def _is_typers_own(problem: Exception) -> bool:
    """Wrong options and the like, which typer explains itself (exit code 2)."""
    return hasattr(problem, "exit_code") and not isinstance(problem, UnderstudyError)
