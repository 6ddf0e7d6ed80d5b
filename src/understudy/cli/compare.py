"""``understudy compare``: how close synthetic tables are to the real one. Unprotected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.choices import Force, Quiet, Report, SchemaFile
from understudy.cli.places import check_files
from understudy.errors import UsageError

NOTICE = "UNPROTECTED: computed from the real rows, outside every budget. Not for publication."


def compare(
    real: Annotated[str, typer.Argument(help="The confidential table.")],
    synthetic: Annotated[list[str], typer.Argument(help="One or more synthetic tables.")],
    *,
    schema: SchemaFile,
    target: Annotated[
        str | None, typer.Option(metavar="COL", help="A column to predict from the others.")
    ] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the scores as JSON.")
    ] = None,
    report: Report = None,
    gate: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Limits in TOML; exit code 5 if one is broken."),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Compare synthetic tables with the real one. Unprotected: for the keeper's eyes only.

    Example: `understudy compare table.csv synthetic.csv --schema schema.toml --json scores.json`
    """
    if report is not None and report.suffix != ".html":
        raise UsageError(f"{report} must end in .html")
    outputs = [path for path in (json_, report) if path is not None]
    inputs: list[str | Path] = [real, *synthetic, schema, *([gate] if gate else [])]
    check_files(outputs, inputs=inputs, force=force)
