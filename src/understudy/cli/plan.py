"""``understudy plan``: what a run would spend and what errors to expect. Reads no row."""

from __future__ import annotations

from dataclasses import asdict
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from understudy.cli.budget import budget_options
from understudy.cli.choices import Delta, Epsilon, Json, Method, Quiet, Rho, SchemaFile, Settings
from understudy.cli.forecast import Forecast, forecast
from understudy.cli.output import columns, phase, say, say_json
from understudy.cli.settings import options_of
from understudy.errors import UsageError

FOUND_EXACTLY: Final = (
    "These are the errors of the answers themselves. Rows are made from all answers together, "
    "which takes off much of the noise, and no model can hold every relation of many columns."
)
FOUND_BY_SIMULATION: Final = (
    "The method was tried on evenly spread rows without relations: this is what its noise does. On "
    "real rows, whatever the method leaves out of their relations comes on top; where rows crowd "
    "into few cells, noise does less."
)
ALONE: Final = (
    "No table of two or more columns would be bought: the columns of the synthetic rows would be "
    "independent of each other. A method that learns relations does this if the budget is too "
    "small for them."
)
WIDTH: Final = 80

if TYPE_CHECKING:
    from understudy.planning import Plan
    from understudy.privacy.budget import Budget


def plan(
    *,
    schema: SchemaFile,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    method: Method = "auto",
    settings: Settings = None,
    rows: Annotated[
        int | None,
        typer.Option(
            "--n", min=1, help="A guess of the table's size, to express errors as shares."
        ),
    ] = None,
    want_error: Annotated[
        float | None,
        typer.Option(metavar="X", help="Find the epsilon for this mean error (a share of rows)."),
    ] = None,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what a run would buy, at what error, in what time and memory. Reads no row.

    Example: `understudy plan --schema schema.toml --epsilon 1 --delta 1e-6 --n 50000`
    """
    if want_error is None:
        budget: dict[str, Any] = dict(budget_options(epsilon, delta, rho))
    elif epsilon is not None or rho is not None:
        raise UsageError("give either a budget or --want-error, not both")
    else:
        budget = {"delta": delta}
    from understudy.api import plan as rehearsed
    from understudy.report.spending import single_columns
    from understudy.schema.schema import Schema

    public = Schema.load(schema)
    with phase("Rehearsing on a stand-in made from the schema", quiet=quiet):
        found = rehearsed(
            public,
            **budget,
            method=method,
            options=options_of(method, settings or []),
            rows=rows,
            want_error=want_error,
        )
    effort, alone = forecast(public, found), single_columns(found.charges)
    if json_:
        say_json(_plain(found, effort) | {"single_columns": alone})
    else:
        say(_text(found, effort, alone=alone), quiet=quiet)


def _plain(found: Plan, effort: Forecast) -> dict[str, Any]:
    return {
        "asked": str(found.asked),
        "worked": str(found.working),
        "rows": found.rows,
        "method": found.method,
        "reason": found.reason,
        "charges": [
            {"verb": charge.verb, "cost": str(charge.cost), "detail": dict(charge.detail)}
            for charge in found.charges
        ],
        "errors": [asdict(error) for error in found.errors],
        "mean_tvd": found.mean_tvd,
        "relations": [asdict(error) for error in found.relations],
        "mean_relation_tvd": found.mean_relation_tvd,
        "exact": found.exact,
        "effort": asdict(effort),
    }


def _text(found: Plan, effort: Forecast, *, alone: bool) -> str:
    table = [("column", "cells", "standard error", "wrong share")] + [
        (error.column, str(error.cells), f"{error.stddev:.1f} rows", f"{100 * error.tvd:.2f} %")
        for error in found.errors
    ]
    lines = [
        f"Budget: {found.asked}" + _worked(found),
        f"Method: {found.method}" + (f", chosen by auto: {found.reason}" if found.reason else ""),
        f"Errors are for a table of {found.rows:,} rows (--n changes that).",
        "",
        *_charges(found),
        "",
        columns(table),
        "",
        *_means(found),
        *(wrap(ALONE, WIDTH) if alone else ()),
        f"Rough effort: {effort.seconds:.0f} s, {effort.megabytes:.0f} MB",
    ]
    return "\n".join(lines)


def _charges(found: Plan) -> list[str]:
    """What each verb costs in all, in the order of their first charge."""
    total: dict[str, Budget] = {}
    for charge in found.charges:
        total[charge.verb] = total.get(charge.verb, charge.cost.zero()) + charge.cost
    return [f"{found.verbs[verb]:>3} {verb:<10} {cost}" for verb, cost in total.items()]


def _means(found: Plan) -> list[str]:
    if found.mean_tvd is None:
        return ["The method buys no marginals, so their errors cannot be told beforehand."]
    lines = [f"Mean wrong share of a column: {100 * found.mean_tvd:.2f} %"]
    if found.mean_relation_tvd is not None:
        many = f"{len(found.relations):,} relation{'s' if len(found.relations) > 1 else ''}"
        how = "from the noise alone, exactly" if found.exact else "simulated, of noise alone"
        mean = 100 * found.mean_relation_tvd
        lines.append(f"Mean wrong share of {many} of columns: {mean:.2f} % ({how})")
        lines += wrap(FOUND_EXACTLY if found.exact else FOUND_BY_SIMULATION, WIDTH)
    return lines


def _worked(found: Plan) -> str:
    same = str(found.asked) == str(found.working)
    return "" if same else f" (worked in: {found.working})"
