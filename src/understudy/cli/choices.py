"""Options that several commands share, described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Epsilon = Annotated[
    str | None,
    typer.Option(metavar="E", help="Privacy loss allowed, such as 1 or 1/3. No default."),
]
Delta = Annotated[
    str | None,
    typer.Option(metavar="D", help="Chance of failure allowed, such as 1e-6. No default."),
]
Rho = Annotated[
    str | None,
    typer.Option(metavar="R", help="Instead of epsilon: a zero-concentrated budget."),
]
SchemaFile = Annotated[
    Path, typer.Option("--schema", metavar="FILE", help="The table's public description.")
]
Method = Annotated[str, typer.Option(metavar="NAME", help="See `understudy methods`.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the method; repeatable."),
]
Force = Annotated[bool, typer.Option("--force", metavar="", help="Replace outputs that exist.")]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Print nothing but errors.")]
Seed = Annotated[
    int | None,
    typer.Option(metavar="INT", min=0, help="Fixes what happens after the noise; never the noise."),
]
Rows = Annotated[
    int | None, typer.Option(metavar="N", min=0, help="Rows to make; a number that is public.")
]
Copies = Annotated[int, typer.Option(metavar="M", min=1, max=1000, help="Tables to make.")]
Refit = Annotated[
    bool,
    typer.Option("--refit", metavar="", help="Each copy from its own fit; they share the budget."),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the rows: .csv, .parquet ... or -.")
]
ReleaseFolder = Annotated[
    Path | None, typer.Option("--release", metavar="DIR", help="Write the release folder.")
]
Report = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page: .html.")]
LedgerFile = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        metavar="FILE",
        help="Book the run in this ledger. Default: SCHEMA.ledger beside the schema, made without "
        "a total when first needed.",
    ),
]
NoLedger = Annotated[
    bool, typer.Option("--no-ledger", metavar="", help="Keep no ledger of this run.")
]
Resume = Annotated[
    str | None, typer.Option(metavar="RUN", help="Finish an interrupted run of the ledger.")
]
Spreadsheet = Annotated[
    bool,
    typer.Option(
        "--spreadsheet",
        metavar="",
        help="In CSV, put an apostrophe before texts that a spreadsheet would run as formulas.",
    ),
]
