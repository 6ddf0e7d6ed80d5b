"""The program ``understudy`` and its list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from understudy.cli.check import check
from understudy.cli.compare import compare
from understudy.cli.demo import demo
from understudy.cli.draft import draft
from understudy.cli.failures import Program
from understudy.cli.ledger import ledger
from understudy.cli.methods import methods
from understudy.cli.plan import plan
from understudy.cli.sample import sample
from understudy.cli.synthesize import synthesize

app = typer.Typer(
    name="understudy",
    cls=Program,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        import understudy

        typer.echo(f"understudy {understudy.__version__}")
        raise typer.Exit


@app.callback()
def understudy(
    version: Annotated[
        bool,
        typer.Option(
            "--version", metavar="", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Differentially private synthetic tables: rows that stand in for a confidential table.

    Describe the table's public shape in a schema, name a privacy budget, and get rows that anyone
    may use, with a card that says exactly what was promised.

    Example: `understudy demo --out demo-output`
    """


for command in (demo, draft, check, plan, synthesize, sample, compare, methods):
    app.command()(command)
app.add_typer(ledger, name="ledger")
