"""``understudy compare``: how close synthetic tables are to the real one. Unprotected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.choices import Force, Quiet, Report, SchemaFile
from understudy.cli.files import write_page
from understudy.cli.output import phase, say, warn
from understudy.cli.places import check_files
from understudy.errors import UsageError

if TYPE_CHECKING:
    from understudy.evaluate.criteria import Criteria

NOTICE = "UNPROTECTED: computed from the real rows, outside every budget. Not for publication."

Holdout = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Real rows that no synthesizer saw, to test on."),
]
Models = Annotated[
    bool | None,
    typer.Option(
        "--models/--no-models",
        metavar="",
        help="Train classifiers for the target; by default if scikit-learn is installed.",
    ),
]
Repeats = Annotated[
    int, typer.Option(metavar="N", min=1, help="How often to draw the ceiling and the floor.")
]


def compare(
    real: Annotated[str, typer.Argument(help="The confidential table.")],
    synthetic: Annotated[list[str], typer.Argument(help="One or more synthetic tables.")],
    *,
    schema: SchemaFile,
    target: Annotated[
        str | None, typer.Option(metavar="COL", help="A column to predict from the others.")
    ] = None,
    holdout: Holdout = None,
    models: Models = None,
    repeats: Repeats = 1,
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
    inputs: list[str | Path] = [real, *synthetic, schema]
    inputs += [given for given in (holdout, gate) if given is not None]
    check_files(outputs, inputs=inputs, force=force)
    limits = _limits(gate)
    from understudy.api import compare as run
    from understudy.schema.schema import Schema

    public = Schema.load(schema)
    with phase("Comparing", quiet=quiet):
        found = run(
            real,
            synthetic,
            public,
            target=target,
            holdout=holdout,
            models=models,
            repeats=repeats,
        )
    warn(NOTICE)
    say(found.to_text().rstrip("\n"), quiet=quiet)
    if json_ is not None:
        write_page(found.to_json(), json_, force=force)
    if report is not None:
        write_page(found.to_html(), report, force=force)
    if limits is not None:
        limits.enforce(found)


def _limits(gate: Path | None) -> Criteria | None:
    if gate is None:
        return None
    from understudy.evaluate.criteria import Criteria

    return Criteria.load(gate)
