"""The command line. Each command is one file; heavy libraries load only when a command runs."""

from __future__ import annotations


def main() -> None:
    """The entry point of ``understudy``."""
    import os
    import warnings

    from understudy.cli.app import app
    from understudy.cli.failures import SHOW_TRACEBACK

    if os.environ.get(SHOW_TRACEBACK) != "1":
        warnings.simplefilter("ignore")  # a library's warning could show a private value
    app()
