"""``understudy demo``: everything once, on a simulated table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.cli.choices import Force, Json, Quiet
from understudy.cli.output import columns, phase, say, say_json
from understudy.cli.places import check_files, check_folder
from understudy.errors import UsageError


def demo(
    *,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder to write into; made if needed.")
    ] = Path("demo-output"),
    rows: Annotated[int, typer.Option(min=0, help="Rows to simulate.")] = 50_000,
    force: Force = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Simulate a confidential table of hospital admissions and make a release of it.

    It needs no input. The seed of the simulation is fixed; the noise of the release is fresh each
    time, as it must be.

    Example: `understudy demo --out demo-output`
    """
    from understudy.demo.run import DELTA, EPSILON, DemoFiles, prepare, release

    files = DemoFiles(out)
    _make_folder(out)
    check_files(files.single, inputs=[], force=force)
    check_folder(files.release, force=force)
    with phase("Simulating a confidential table", quiet=quiet):
        prepare(files, rows=rows, force=force)
    with phase("Synthesizing it", quiet=quiet):
        made = release(files, force=force)
    places = {
        "confidential": str(files.confidential),
        "schema": str(files.schema),
        "synthetic": str(files.synthetic),
        "release": str(files.release),
        "report": str(files.report),
    }
    if json_:
        say_json({"card": made.card.to_dict(), "files": places})
        return
    say(made.card.to_text(), quiet=quiet)
    say(_where(places, f"--epsilon {EPSILON} --delta {DELTA}"), quiet=quiet)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(f"cannot make the folder {out}: {problem.strerror}") from None


def _where(places: dict[str, str], budget: str) -> str:
    notes = {
        "confidential": "the simulated confidential table",
        "schema": "what is public about it",
        "synthetic": "rows that anyone may see",
        "release": "the same rows with the model, the noisy counts and the card",
        "report": "the card as a page: open it in a browser",
    }
    table = columns([(f"  {places[key]}", note) for key, note in notes.items()])
    again = (
        f"understudy synthesize {places['confidential']} --schema {places['schema']} {budget} "
        "--out rows.csv --release my-release"
    )
    return f"Files\n{table}\n\nWith a table of your own\n  {again}"
