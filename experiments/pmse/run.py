"""Redo the paper: ``python -m experiments.pmse [--smoke] [--out DIR] [--workers N]``.

Every measured cell is kept in ``DIR/cells``; a run that was stopped goes on where it was. Then
``DIR`` gets ``results.json``, ``index.md`` and the figures (SVG). ``--page`` measures nothing and
writes them again from what is there. The exit code is 1 if something proven did not hold. A printed
number that chance does not explain is a finding, not a failure: the page shows it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from experiments.pmse import cells as store
from experiments.pmse import comparison, larger, violations
from experiments.pmse.cells import Cell, pieces
from experiments.pmse.claims import broken_proofs
from experiments.pmse.figures import draw
from experiments.pmse.page import markdown
from experiments.pmse.setting import ROWS
from experiments.pmse.summary import Results, summarise, text

RESULTS: Final = Path(__file__).with_name("results")
SMOKE_ROWS: Final = 300


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; returns the exit code."""
    options = _parser().parse_args(arguments)
    plan = smoke_cells() if options.smoke else full_cells()
    if not options.page:
        rows = SMOKE_ROWS if options.smoke else ROWS
        folder = options.out / "cells"
        store.run(plan, partial(work, rows=rows), folder, workers=options.workers)
    return publish(summarise(plan, options.out / "cells"), options.out)


def publish(results: Results, out: Path) -> int:
    """Write results, figures and page; 1 if what is proven did not hold."""
    (out / "results.json").write_text(text(results), encoding="utf-8")
    (out / "index.md").write_text(markdown(results, draw(results, out)), encoding="utf-8")
    broken = broken_proofs(results)
    for sentence in broken:
        print(sentence)
    print(f"{out / 'index.md'}: {len(results['unfinished'])} measurements unfinished")
    return 1 if broken else 0


def full_cells() -> list[Cell]:
    """The whole experiment: under an hour on two cores."""
    found = [*pieces("violations", "all rows", repeats=20_000, each=500)]
    found += pieces("worst case", "exclusive or", repeats=1, each=1)
    found += comparison.cells(quick=300, slow=40)
    found += larger.cells(adult=3, fertility=10)
    return found


def smoke_cells() -> list[Cell]:
    """Every method once, at epsilon 1 and on few rows."""
    found = [*pieces("violations", "all rows", repeats=4, each=2)]
    found += pieces("worst case", "exclusive or", repeats=1, each=1)
    found += comparison.cells(quick=2, slow=1, each=(2, 1), epsilons=(1.0,))
    found += (cell for cell in larger.cells(adult=0, fertility=1) if cell.label.endswith("@ 1"))
    return found


def work(cell: Cell, *, rows: int) -> Any:
    """The measurement that a cell stands for."""
    if cell.part == "violations":
        return violations.simulate(cell.repeats, cell.rng, rows=rows)
    if cell.part == "worst case":
        return violations.worst_case(rows=rows)
    if cell.part == larger.PART:
        return larger.work(cell)
    return comparison.work(cell, rows=rows)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments.pmse")
    parser.add_argument("--smoke", action="store_true", help="few repetitions on few rows")
    parser.add_argument("--page", action="store_true", help="only write the page again")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the page")
    return parser


if __name__ == "__main__":
    sys.exit(main())
