"""``mst`` and ``aim`` on adult14: quality, CPU seconds, memory, compilation, and mbi 2.0 beside it.

    python -m benchmarks.marginal_engine [--smoke | --full]

Epsilon 1 and delta 1e-9 unless said; figures are means over runs with fresh noise, measured as in
``quality.py``. AUC is judged with the predicted column named as ``target``, and shown without.
Compilation is what the first run on an empty cache takes more than the next.

The race: the measurements of the first ten rounds of one ``aim`` are fitted again, round by round,
each from the model of the round before, and every pair of columns is read off each model; by our
learner, and by a plain loop over the estimator of mbi 2.0 (1,000 steps of mirror descent, as in its
authors' AIM). Ours takes up to 300 steps, so that its loss is no higher after any round; ``aim``
itself stops where only noise would be fitted, and that is shown too. Without mbi the race is left
out, and what to install is said.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Final

import numpy as np

import understudy
from benchmarks import isolated, quality
from benchmarks.harness import Report
from benchmarks.peers.measured import INSTALL, Rounds, by_peer, pairs_of, peer_python, recorded
from benchmarks.tables import PublicTable, adult14
from tests.data_dir import ABSENT, find_data_dir
from understudy.evaluate.grid import Grid
from understudy.methods import aim
from understudy.table.codec import decode

DELTA: Final = "1e-9"
MEMORY: Final = {"peak MB": 1000.0}
CASES: Final[dict[str, tuple[str, str, list[str], dict[str, float]]]] = {
    # name: method, epsilon, settings, limits
    "mst": ("mst", "1", [], {"cpu s": 1.0, "tvd 2": 0.043, "tvd 3": 0.088}),
    "aim": ("aim", "1", [], {"cpu s": 3.0, "tvd 2": 0.033, "tvd 3": 0.070}),
    "aim, target": ("aim", "1", ["target=income>50K"], {"tvd 2": 0.033, "tvd 3": 0.070}),
    "aim, triples": ("aim", "1", ["workload=triples"], {"cpu s": 15.0}),
    "aim, epsilon 10": ("aim", "10", [], {"cpu s": 60.0, "tvd 2": 0.018}),
    "aim, epsilon 0.1": ("aim", "0.1", [], {}),
    "independent, epsilon 0.1": ("independent", "0.1", [], {}),
}
SMOKE: Final = ("mst", "aim, target")
LEAST_AUC: Final = 0.892
COMPILATION: Final = 15.0
ROUNDS, ITERATIONS = {"smoke": 2, "usual": 10, "full": 10}, 1000
RACE_STEPS, RACE_TOLERANCE = 300, 1e-5
TIMES_FASTER: Final = 50.0
CLOSE: Final = 1.001
"""Losses of which one is less than so many times the other are the same."""


def main(arguments: Sequence[str]) -> int:
    """All figures, then compilation, then the race."""
    report = Report.begin("marginal_engine", arguments)
    folder = find_data_dir(os.environ)
    if folder is None:
        print(f"  nothing measured: {ABSENT}")
        return report.end()
    table = adult14.load(folder)
    found = {
        name: _case(report, table, name) for name in CASES if not report.smoke or name in SMOKE
    }
    auc = found["aim, target"]["auc logistic"]
    report.floor("aim, target: auc logistic", auc, at_least=LEAST_AUC)
    if not report.smoke:
        low, plain = found["aim, epsilon 0.1"], found["independent, epsilon 0.1"]
        report.ceiling("aim, epsilon 0.1: tvd 2", low["tvd 2"], at_most=plain["tvd 2"])
        _compilation(report)
    python = peer_python()
    if python is None:
        print(f"  no race: {INSTALL}")
    else:
        _race(report, table, python)
    return report.end()


def _case(report: Report, table: PublicTable, name: str) -> quality.Figures:
    """The means of one case, beside its limits."""
    method, epsilon, settings, limits = CASES[name]
    run = {"method": method, "set": settings, "epsilon": epsilon, "delta": DELTA}
    grid = Grid.of(table.domain, cells=1)
    runs = [quality.of_method(table, grid, run) for _ in range(quality.RUNS[report.size])]
    for figure in runs[0]:
        report.spread(f"{name}: {figure}", [one[figure] for one in runs])
    means = {figure: fmean(one[figure] for one in runs) for figure in runs[0]}
    for figure, most in (limits | MEMORY).items():
        report.ceiling(f"{name}: {figure}", means[figure], at_most=most)
    return means


def _compilation(report: Report) -> None:
    """The CPU seconds of the first ``aim`` on a machine, less those of the second."""
    run = '{"method": "aim", "set": [], "epsilon": "1", "delta": "1e-9"}'
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder
        work = ("benchmarks.quality:synthesize", adult14.NAME, run, Path(folder) / "codes.npz")
        first, second = (isolated.run(*work).answer for _ in range(2))
        del os.environ["NUMBA_CACHE_DIR"]
    report.ceiling("CPU seconds of compilation", first - second, at_most=COMPILATION)


def _race(report: Report, table: PublicTable, python: str) -> None:
    rounds = _first_rounds(table, ROUNDS[report.size])
    _replayed(rounds, steps=aim.steps_for, tolerance=aim.TOLERANCE)  # loads what is compiled
    usual, _ = _replayed(rounds, steps=aim.steps_for, tolerance=aim.TOLERANCE)
    seconds, losses = _replayed(rounds, steps=lambda _: RACE_STEPS, tolerance=RACE_TOLERANCE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measurements.npz"
        rounds.write(path)
        peer = by_peer(python, path, iterations=ITERATIONS)
    report.figure("rounds, CPU seconds of ours as in aim", usual)
    report.figure("rounds, CPU seconds of ours", seconds)
    report.figure("rounds, CPU seconds of mbi 2.0", sum(peer["seconds"]))
    worst = max(ours / theirs for ours, theirs in zip(losses, peer["losses"], strict=True))
    report.floor(
        "rounds, times faster than mbi 2.0",
        sum(peer["seconds"]) / seconds,
        at_least=TIMES_FASTER,
    )
    report.ceiling("rounds, our worst loss over that of mbi 2.0", worst, at_most=CLOSE)


def _replayed(
    rounds: Rounds, *, steps: Callable[[int], int], tolerance: float
) -> tuple[float, list[float]]:
    """The CPU seconds of all rounds, and the loss after each."""
    seconds, losses, began = 0.0, [], process_time()
    for place, learner in enumerate(
        rounds.replay(steps=steps, tolerance=tolerance, ahead=aim.AHEAD)
    ):
        pairs_of(learner)
        seconds += process_time() - began
        losses.append(rounds.loss(learner, place))
        began = process_time()
    return seconds, losses


def _first_rounds(table: PublicTable, count: int) -> Rounds:
    """What one run of ``aim`` measured in its first rounds."""
    frame = decode(table.train, rng=np.random.default_rng(0)).to_pandas()
    with recorded() as made:
        understudy.synthesize(
            frame, table.domain.schema, method="aim", epsilon="1", delta=DELTA, rows=1
        )
    (rounds,) = made
    fits = rounds.fits[1 : count + 1]  # the first fit knows columns only
    return Rounds(rounds.domain, rounds.seen[: fits[-1][0]], fits)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
