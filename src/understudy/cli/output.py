"""What the commands print: results on stdout; progress, warnings and errors on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from understudy.report.visible import visible


def say(text: str, *, quiet: bool = False) -> None:
    """Print a result."""
    if not quiet:
        typer.echo(text)


def say_json(content: Any) -> None:
    """Print a result for programs, with the same bytes for the same content."""
    typer.echo(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False))


def warn(text: str) -> None:
    """Say something in red that must not be overlooked."""
    typer.secho(text, fg=typer.colors.RED, bold=True, err=True)


def complain(text: str) -> None:
    """Say why the command failed."""
    lines = "\n".join(visible(line) for line in text.splitlines())
    typer.secho("Error: ", fg=typer.colors.RED, bold=True, err=True, nl=False)
    typer.echo(lines, err=True)


@contextmanager
def phase(name: str, *, quiet: bool = False) -> Iterator[None]:
    """Show on a terminal which phase is running: its name, never how many rows."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{name} ..."):
        yield


def columns(rows: Sequence[tuple[str, ...]]) -> str:
    """Lines of left-aligned columns."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
