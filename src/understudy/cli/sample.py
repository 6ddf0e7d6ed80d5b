"""``understudy sample``: more rows from a release, at no cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.choices import Force, Json, Quiet, Seed, Spreadsheet
from understudy.cli.files import write_rows
from understudy.cli.output import phase, say, say_json
from understudy.cli.places import check_files


def sample(
    release: Annotated[Path, typer.Argument(help="The folder of a release.")],
    *,
    rows: Annotated[int, typer.Option(min=0, help="Rows to draw.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write them; - for stdout.")],
    where: Annotated[
        str | None,
        typer.Option(metavar="COL=VALUE", help='Only rows in this cell, such as "sex=F".'),
    ] = None,
    seed: Seed = None,
    spreadsheet: Spreadsheet = False,
    force: Force = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Draw more synthetic rows from a release. Post-processing: it costs no budget.

    Example: `understudy sample release --rows 1000 --out more.csv --where "sex=F"`
    """
    stdout = str(out) == "-"
    if not stdout:
        from understudy.table.write import check_ending

        check_ending(out, spreadsheet=spreadsheet)
        check_files([out], inputs=[release], force=force)
    from understudy.cli.condition import draw_where
    from understudy.release import load

    with phase("Sampling", quiet=quiet):
        pieces = draw_where(load(release).models[0], rows, where=where, seed=seed)
        write_rows(pieces, out, force=force, spreadsheet=spreadsheet)
    if json_ and not stdout:
        say_json({"rows": rows, "files": {"rows": [str(out)]}})
    elif not stdout:
        say(f"{rows:,} synthetic rows in {out}", quiet=quiet)
