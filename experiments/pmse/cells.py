"""The experiment cut into cells: each has its own random numbers and is kept once it is measured.

A run that was stopped goes on where it was, and a run that never ends still leaves every number it
has measured, with how often it was measured.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.pmse.setting import Rng

Work = Callable[[int, Rng], Any]


@dataclass(frozen=True)
class Cell:
    """So many repetitions of one measurement: its part of the experiment, its name, which piece."""

    part: str
    label: str
    piece: int
    repeats: int

    @property
    def file(self) -> str:
        """The name of the file that keeps it."""
        words = "".join(c if c.isalnum() or c in ".-" else "_" for c in self.label)
        return f"{self.part}--{words}--{self.piece:03d}x{self.repeats}.json"

    @property
    def rng(self) -> Rng:
        """Random numbers that no other cell has, the same in every run."""
        return np.random.default_rng([zlib.crc32(self.file.encode()), self.piece])


def pieces(part: str, label: str, *, repeats: int, each: int) -> Iterator[Cell]:
    """Cells of at most ``each`` repetitions that add up to ``repeats``."""
    for piece, start in enumerate(range(0, repeats, each)):
        yield Cell(part, label, piece, min(each, repeats - start))


def measured(cells: Iterable[Cell], folder: Path) -> dict[str, list[Any]]:
    """What is known so far: the results of the cells of each label."""
    found: dict[str, list[Any]] = {}
    for cell in cells:
        path = folder / cell.file
        if path.is_file():
            found.setdefault(cell.label, []).append(json.loads(path.read_text(encoding="utf-8")))
    return found


def run(cells: Iterable[Cell], work: Callable[[Cell], Any], folder: Path, *, workers: int) -> None:
    """Measure what is missing, first pieces first, and say on stderr how far it is."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = sorted(
        (cell for cell in cells if not (folder / cell.file).is_file()), key=lambda one: one.piece
    )
    start = time.monotonic()
    for done, cell in enumerate(_finished(missing, work, folder, workers), 1):
        seconds = time.monotonic() - start
        progress = f"{done} of {len(missing)} cells, {seconds:.0f} s, last: {cell.file}"
        print(progress, file=sys.stderr, flush=True)


def _finished(
    cells: list[Cell], work: Callable[[Cell], Any], folder: Path, workers: int
) -> Iterator[Cell]:
    """The cells as they are measured, in this process or in others."""
    if workers == 1:
        for cell in cells:
            yield _keep(cell, work, folder)
        return
    with ProcessPoolExecutor(workers) as pool:
        for future in as_completed([pool.submit(_keep, cell, work, folder) for cell in cells]):
            yield future.result()


def _keep(cell: Cell, work: Callable[[Cell], Any], folder: Path) -> Cell:
    """Measure one cell; its file appears whole or not at all."""
    result = json.dumps(work(cell))
    aside = folder / f"{cell.file}.part"
    aside.write_text(result, encoding="utf-8")
    aside.replace(folder / cell.file)
    return cell
