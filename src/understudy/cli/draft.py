"""``understudy draft``: a first schema to finish by hand, made from what is public."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.choices import Force, Quiet
from understudy.cli.files import write_page
from understudy.cli.output import say
from understudy.cli.places import check_files
from understudy.errors import UsageError

EMPTY = ("column_1", "column_2")


def draft(
    *,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="A CSV file (first line only), Frictionless .json, or .sql CREATE TABLE.",
        ),
    ] = None,
    public_sample: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A CSV file of rows that you declare to be PUBLIC."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write it; stdout by default.")
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Draft a schema from a header, a Frictionless schema, SQL or a public sample.

    Private values never get into a draft: of a CSV file only the header is read.

    Example: `understudy draft --from table.csv --out schema.toml`
    """
    if source is not None and public_sample is not None:
        raise UsageError("give either --from or --public-sample, not both")
    if out is not None:
        inputs = [path for path in (source, public_sample) if path is not None]
        check_files([out], inputs=inputs, force=force)
    text = _drafted(source, public_sample)
    if out is None:
        say(text.rstrip("\n"))
        return
    write_page(text, out, force=force)
    say(f"A draft is in {out}. Edit it: what it says is public.", quiet=quiet)


def _drafted(source: Path | None, public_sample: Path | None) -> str:
    from understudy.schema import draft as drafts

    if public_sample is not None:
        from understudy.schema.draft_sample import from_public_sample

        return from_public_sample(public_sample).to_toml()
    if source is not None:
        return drafts.draft(source).to_toml()
    return drafts.from_columns(EMPTY).to_toml()
