"""``understudy synthesize``: from a confidential table to rows, a release folder and a card."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.cli.budget import budget_options
from understudy.cli.choices import (
    Copies,
    Delta,
    Epsilon,
    Force,
    Json,
    LedgerFile,
    Method,
    NoLedger,
    Out,
    Quiet,
    Refit,
    ReleaseFolder,
    Report,
    Resume,
    Rho,
    Rows,
    SchemaFile,
    Seed,
    Settings,
    Spreadsheet,
)
from understudy.cli.output import phase, say, say_json
from understudy.cli.places import check_apart, check_file, check_folder, numbered
from understudy.cli.settings import options_of
from understudy.errors import UsageError

if TYPE_CHECKING:
    from understudy.privacy.ledger_place import LedgerPlace


def synthesize(
    source: Annotated[str, typer.Argument(help="The confidential table: a file or -.")],
    *,
    schema: SchemaFile,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    method: Method = "auto",
    settings: Settings = None,
    rows: Rows = None,
    copies: Copies = 1,
    refit: Refit = False,
    out: Out = None,
    release: ReleaseFolder = None,
    report: Report = None,
    ledger: LedgerFile = None,
    no_ledger: NoLedger = False,
    resume: Resume = None,
    seed: Seed = None,
    spreadsheet: Spreadsheet = False,
    force: Force = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make differentially private synthetic rows from a confidential table.

    Example: `understudy synthesize table.csv --schema schema.toml --epsilon 1 --delta 1e-6
    --out synthetic.csv --release release`
    """
    budget = budget_options(epsilon, delta, rho)
    places = {"out": out, "release": release, "report": report}
    outputs = Outputs(**places, copies=copies, force=force, spreadsheet=spreadsheet)
    book = book_of(ledger, schema, no_ledger=no_ledger, resume=resume)
    outputs.check(inputs=[source, schema, *_path_of(book)])
    from understudy.schema.schema import Schema

    public = Schema.load(schema)
    options = options_of(method, settings or [])
    from understudy.api import synthesize as run

    with phase("Reading, buying and fitting", quiet=quiet):
        made = run(
            source,
            public,
            **budget,
            method=method,
            options=options,
            rows=rows,
            copies=copies,
            refit=refit,
            ledger=book,
            seed=seed,
            resume=resume,
        )
    with phase("Writing", quiet=quiet):
        files = outputs.write(made)
    if json_:
        say_json({"card": made.card.to_dict(), "files": files})
    elif outputs.stdout_is_free:
        say(f"{made.card.to_text()}\n{_listed(files)}", quiet=quiet)


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """Where the results of a run go; refused as a whole before the run begins."""

    out: Path | None
    release: Path | None
    report: Path | None
    copies: int
    force: bool
    spreadsheet: bool

    @property
    def stdout_is_free(self) -> bool:
        """Whether stdout is not taken by the rows themselves."""
        return str(self.out) != "-"

    def check(self, *, inputs: list[str | Path]) -> None:
        """Refuse every output that cannot be written, before anything is read."""
        if self.out is None and self.release is None and self.report is None:
            raise UsageError(
                "nothing would be kept of what the budget buys; name --release, --out or --report"
            )
        if self.spreadsheet and self.out is None:
            raise UsageError("--spreadsheet is about the rows of --out; name that file too")
        if self.report is not None and self.report.suffix != ".html":
            raise UsageError(f"{self.report} must end in .html")
        files = [*self._tables(), *([self.report] if self.report else [])]
        check_apart([*files, *([self.release] if self.release else [])], inputs=inputs)
        for file in files:
            check_file(file, force=self.force)
        if self.release is not None:
            check_folder(self.release, force=self.force)

    def write(self, made: Any) -> dict[str, Any]:
        """Write everything; returns what went where."""
        from understudy.cli.files import write_page, write_rows

        files: dict[str, Any] = {}
        if self.release is not None:
            files["release"] = str(made.save(self.release, force=self.force))
        if self.out is not None:
            places = self._tables() or [self.out]
            for table, place in zip(made.synthetic, places, strict=True):
                write_rows((table,), place, force=self.force, spreadsheet=self.spreadsheet)
            files["rows"] = [str(place) for place in places]
        if self.report is not None:
            write_page(made.card.to_html(), self.report, force=self.force)
            files["report"] = str(self.report)
        return files

    def _tables(self) -> list[Path]:
        if self.out is None:
            return []
        if not self.stdout_is_free:
            if self.copies > 1:
                raise UsageError("standard output takes one table; name a file for several copies")
            return []
        from understudy.table.write import check_ending

        check_ending(self.out, spreadsheet=self.spreadsheet)
        return numbered(self.out, self.copies)


def book_of(
    ledger: Path | None, schema: Path, *, no_ledger: bool, resume: str | None
) -> Path | LedgerPlace | None:
    """The ledger named, the one beside the schema, or none."""
    from understudy.privacy.ledger_place import LedgerPlace

    if no_ledger and (ledger is not None or resume is not None):
        raise UsageError("--no-ledger keeps no ledger, and goes neither with --ledger nor --resume")
    if ledger is not None or no_ledger:
        return ledger
    place = LedgerPlace.beside(schema)
    if resume is not None and not place.path.exists():
        raise UsageError(
            f"--resume finishes a run of a ledger, and there is none at {place.path}; name it "
            "with --ledger"
        )
    return place


def _path_of(book: Path | LedgerPlace | None) -> list[str | Path]:
    return [] if book is None else [book if isinstance(book, Path) else book.path]


def _listed(files: dict[str, Any]) -> str:
    lines = ["Files"]
    for what, where in files.items():
        lines += [f"  {what}: {place}" for place in ([where] if isinstance(where, str) else where)]
    return "\n".join(lines)
