"""``understudy check``: does a confidential table fit its schema? For the keeper's eyes only."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.cli.choices import Json, SchemaFile
from understudy.cli.output import columns, phase, say, say_json, warn

if TYPE_CHECKING:
    from understudy.cli.misfits import ColumnFit, TableFit

EXPLAINED = (
    "Missing cells stay missing. Undeclared and unreadable cells become the column's 'other', "
    "else missing, else its first level or lower bound; cells out of bounds are clipped. If many "
    "are, widen the schema, but only by what is public."
)


def check(
    source: Annotated[str, typer.Argument(help="The confidential table: a file or -.")],
    *,
    schema: SchemaFile,
    json_: Json = False,
) -> None:
    """Count, per column, the cells that do not fit the schema. Not for publication.

    Example: `understudy check table.csv --schema schema.toml`
    """
    from understudy.cli.misfits import REASON, fit_of
    from understudy.schema.schema import Schema

    public = Schema.load(schema)
    with phase("Reading"):
        found = fit_of(source, public)
    if json_:
        say_json({"not_for_publication": REASON, **asdict(found)})
        return
    warn("NOT FOR PUBLICATION: exact counts of the confidential table.")
    say(_text(found))


def _text(found: TableFit) -> str:
    head = ("column", "kind", "missing", "undeclared", "unreadable", "out of bounds")
    table = columns([head, *(_row(fit) for fit in found.columns)])
    size = f"{found.rows:,} rows"
    if found.declared_size_is_true is not None:
        verdict = (
            "is true" if found.declared_size_is_true else "is NOT TRUE: synthesize will refuse"
        )
        size += f"; the declared public size {verdict}"
    return f"{size}\n\n{table}\n\n{EXPLAINED}"


def _row(fit: ColumnFit) -> tuple[str, ...]:
    numbers = (fit.missing, fit.undeclared, fit.unreadable, fit.out_of_bounds)
    return (fit.name, fit.kind, *("" if number is None else f"{number:,}" for number in numbers))
