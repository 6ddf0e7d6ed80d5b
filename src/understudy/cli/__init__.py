"""The command line. Each command is one file; heavy libraries load only when a command runs."""

from __future__ import annotations

from typing import Final, NoReturn

INTERRUPTED: Final = 130


def main() -> None:
    """The entry point of ``understudy``."""
    try:
        _run()
    except KeyboardInterrupt:  # before the command began; the command itself says more
        _stop()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _stop()
        raise


def _run() -> None:
    import os
    import warnings

    from understudy.cli.app import app
    from understudy.cli.failures import SHOW_TRACEBACK

    if os.environ.get(SHOW_TRACEBACK) != "1":
        warnings.simplefilter("ignore")  # a library's warning could show a private value
    app()


def _stop() -> NoReturn:
    """End now with the exit code of an interrupted program, private files removed.

    Taking an interpreter down with all its libraries lasts most of a second, and has been seen to
    end by the signal after all.
    """
    import atexit
    import os
    import sys
    from contextlib import suppress

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read it may have been stopped too
            stream.flush()
    os._exit(INTERRUPTED)
