"""Redo the chapter: ``python -m experiments.programming_dp.run --data FILE [--smoke] [--out DIR]``.

Writes ``index.md``, its figures (SVG) and ``results.json``. The exit code is 0 if every number is
what it should be, 1 if one is not, 2 if the table is not there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from experiments.programming_dp import adult as tables
from experiments.programming_dp.adult import AbsentTableError, Adult
from experiments.programming_dp.claims import Verdict, judge, read
from experiments.programming_dp.figures import draw
from experiments.programming_dp.mistakes import Mistake, Setting, measure
from experiments.programming_dp.page import markdown
from experiments.programming_dp.redone import Redone, redo

RESULTS: Final = Path(__file__).with_name("results")
SEED: Final = 230
REPEATS: Final = {"smoke": 3, "full": 200}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        adult = tables.load(tables.find(options.data))
    except AbsentTableError as problem:
        print(problem, file=sys.stderr)
        return 2
    verdicts, found = run(adult, options.out, repeats=REPEATS["smoke" if options.smoke else "full"])
    for verdict in verdicts:
        if not verdict.holds:
            print(f"{verdict.claim.name}: printed {verdict.claim.printed}, not {verdict.shown}")
    if not found.holds:
        print("an answer of Understudy lies outside the law of its noise")
    print(f"{options.out / 'index.md'}: {sum(v.holds for v in verdicts)} of {len(verdicts)} hold")
    return 0 if found.holds and all(verdict.holds for verdict in verdicts) else 1


def run(adult: Adult, out: Path, *, repeats: int) -> tuple[list[Verdict], Redone]:
    """Everything, written into the folder ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    _, false_alarm = read()
    rng = np.random.default_rng(SEED)
    verdicts = judge(adult)
    with TemporaryDirectory() as folder:
        found = redo(adult, Path(folder), false_alarm=false_alarm)
        mistakes = measure(Setting(adult, Path(folder), repeats, false_alarm, rng))
    figures = draw(adult, found, out, rng)
    (out / "index.md").write_text(markdown(verdicts, found, mistakes, figures), encoding="utf-8")
    results = json.dumps(_results(verdicts, found, mistakes), indent=2) + "\n"
    (out / "results.json").write_text(results, encoding="utf-8")
    return verdicts, found


def _results(verdicts: list[Verdict], found: Redone, mistakes: list[Mistake]) -> dict[str, Any]:
    return {
        "claims": [
            {"name": v.claim.name, "rule": v.claim.rule, "expected": v.shown, "holds": v.holds}
            for v in verdicts
        ],
        "answers": [
            {
                "columns": columns,
                "ages": [answer.low, answer.high - 1],
                "real": answer.truth,
                "noisy": answer.estimate.value,
                "stddev": answer.estimate.stddev,
                "holds": answer.holds,
            }
            for columns, answers in ((1, found.answers), (2, found.answers_two_way))
            for answer in answers
        ],
        "mistakes": {
            mistake.name: {line.what: [line.published, line.right] for line in mistake.lines}
            for mistake in mistakes
        },
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments.programming_dp.run")
    parser.add_argument("--data", help="the Adult train file, or a folder with " + str(tables.FILE))
    parser.add_argument("--smoke", action="store_true", help="few repetitions")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the page")
    return parser


if __name__ == "__main__":
    sys.exit(main())
