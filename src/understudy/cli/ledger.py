"""``understudy ledger``: who spent what on which table, and what is left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.budget import budget_options
from understudy.cli.choices import Delta, Epsilon, Json, Quiet, Rho, SchemaFile
from understudy.cli.output import columns, say, say_json
from understudy.cli.places import check_files
from understudy.report.visible import visible

if TYPE_CHECKING:
    from understudy.privacy.ledger import LedgerState, Run

ledger = typer.Typer(
    no_args_is_help=True,
    help="Keep count of what is spent on one confidential table.\n\n"
    "Example: `understudy ledger init adult.ledger --schema schema.toml --epsilon 4`",
)
File = Annotated[Path, typer.Argument(help="The ledger file.")]


@ledger.command()
def init(
    file: File,
    *,
    schema: SchemaFile,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    quiet: Quiet = False,
) -> None:
    """Make a ledger for the table of a schema, with the most that may ever be spent on it.

    Table, privacy unit, neighbours, currency and total are fixed from then on.

    Example: `understudy ledger init adult.ledger --schema schema.toml --rho 0.5`
    """
    options = budget_options(epsilon, delta, rho)
    check_files([file], inputs=[schema], force=True)  # Ledger.init itself never overwrites
    from understudy.privacy.ledger import Ledger
    from understudy.privacy.request import requested
    from understudy.schema.schema import Schema

    public = Schema.load(schema)
    Ledger.init(
        file,
        table=public.name,
        unit=public.unit.name,
        neighbours=public.neighbours,
        total=requested(**options),
    )
    say(f"A ledger for {visible(public.name)!r} is in {file}.", quiet=quiet)


@ledger.command()
def show(file: File, *, json_: Json = False) -> None:
    """Show every run, what each spent, and what is left.

    Example: `understudy ledger show adult.ledger`
    """
    from understudy.privacy.ledger import Ledger

    state = Ledger.open(file).state()
    if json_:
        say_json(state.to_json())
    else:
        say(_text(state))


@ledger.command()
def spend(
    file: File,
    *,
    purpose: Annotated[str, typer.Option(help="What it is spent on.")],
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    already: Annotated[
        bool,
        typer.Option(
            "--already", metavar="", help="It is spent already: note it, even over the total."
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Book what something other than Understudy spends on the same table.

    Example: `understudy ledger spend adult.ledger --epsilon 0.5 --purpose "a published mean"`
    """
    options = budget_options(epsilon, delta, rho)
    from understudy.privacy.ledger import Ledger
    from understudy.privacy.request import requested

    book = Ledger.open(file)
    enter = book.record if already else book.spend
    run = enter(requested(**options), purpose=purpose)
    say(f"Booked {run.counted} as run {run.run_id}.", quiet=quiet)


def _text(state: LedgerState) -> str:
    facts: dict[str, Any] = {
        "table": state.about.table,
        "promised to": state.about.unit,
        "neighbours": state.about.neighbours.sentence,
        "total": state.total if state.total is not None else "none",
        "spent": state.spent,
        "held by open runs": state.reserved,
        "left": state.left if state.left is not None else "not limited",
    }
    head = columns([(key, visible(str(value))) for key, value in facts.items()])
    if not state.runs:
        return f"{head}\n\nNo run yet."
    rows = [("run", "status", "counted", "opened", "purpose"), *map(_row, state.runs)]
    return f"{head}\n\n{columns(rows)}"


def _row(run: Run) -> tuple[str, ...]:
    return (run.run_id, run.status, str(run.counted), run.opened, visible(run.purpose))
