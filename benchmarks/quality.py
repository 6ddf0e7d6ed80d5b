"""The quality of synthetic rows on adult14 and national2019, as one command.

    python -m benchmarks.quality                                  ceilings and floors
    python -m benchmarks.quality --method independent --epsilon 1 and a method of the package

Per table: mean total variation for one, two and three columns (200 triples), the NIST k-marginal
score, the exact-tree pMSE of depth 2 over its null, AUC on held-out real rows of a logistic
regression and of boosting trained on the rows, the worst share of rows that break a rule. Each is
the mean and standard deviation of 5 runs with fresh noise. The domain is taken as public.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

import numpy as np

from benchmarks.harness import Report
from benchmarks.tables import PublicTable, adult14, national2019
from tests.data_dir import ABSENT, find_data_dir
from understudy.evaluate import marginals
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.pmse import tree_pmse
from understudy.evaluate.prediction import Task, train_and_test
from understudy.evaluate.reference import bootstrap, independent
from understudy.evaluate.rules import broken_shares
from understudy.table.codec import decode, encode_table

TABLES = {adult14.NAME: adult14.load, national2019.NAME: national2019.load}
RUNS = {"smoke": 1, "usual": 5, "full": 20}
EVERY_PAIR, MOST_TRIPLES = 10**6, 200

Draw = Callable[[int], Sample]


def main(arguments: Sequence[str]) -> int:
    """Measure what there is to measure on every table."""
    asked, rest = _parser().parse_known_args(arguments)
    report = Report.begin("quality", rest)
    folder = find_data_dir(os.environ)
    if folder is None:
        print(f"  nothing measured: {ABSENT}")
        return report.end()
    for name, load in TABLES.items():
        table = load(folder)
        for contender, draw in contenders(table, asked).items():
            runs = [quality(table, draw(run)) for run in range(RUNS[report.size])]
            for figure in runs[0]:
                values = [run[figure] for run in runs]
                report.figure(f"{name}, {contender}: {figure}", fmean(values))
                if len(values) > 1:
                    report.figures[f"{name}, {contender}: {figure} (std)"] = stdev(values)
    return report.end()


def contenders(table: PublicTable, asked: argparse.Namespace) -> Mapping[str, Draw]:
    """What is measured: the real rows, a bootstrap of them, independent columns, a method."""
    grid = Grid.of(table.domain, cells=1)  # engines work on the domain's own cells
    train = Sample.of(grid, table.train)
    found: dict[str, Draw] = {
        "real rows": lambda run: train,
        "bootstrap": lambda run: bootstrap(train, rows=train.rows, rng=_rng(run)),
        "independent columns": lambda run: independent(train, rows=train.rows, rng=_rng(run)),
    }
    if asked.method is not None:
        found[asked.method] = lambda run: _synthesized(table, grid, asked)
    return found


def quality(table: PublicTable, synthetic: Sample) -> dict[str, float]:
    """The figures of one synthetic table, against the rows that the engine saw."""
    train = Sample.of(synthetic.grid, table.train)
    pairs = marginals.subsets(synthetic.grid.columns, k=2, most=EVERY_PAIR).chosen
    triples = marginals.subsets(synthetic.grid.columns, k=3, most=MOST_TRIPLES).chosen
    exact = tree_pmse(train, synthetic, depths=(2,), rng=_rng(0))[2]
    figures = {
        "tvd 1": marginals.total_variation_of_cells(train, [synthetic]).mean(),
        "tvd 2": marginals.total_variation(train, [synthetic], pairs).mean(),
        "tvd 3": marginals.total_variation(train, [synthetic], triples).mean(),
        "nist": marginals.nist_score(train, [synthetic], pairs)[0],
        "pmse ratio": exact.ratio,
    }
    if table.domain.schema.rules:
        figures["rules broken"] = max(broken_shares(synthetic).values())
    if table.test is not None:
        test = Sample.of(synthetic.grid, table.test)
        figures["tvd 2, test rows"] = marginals.total_variation(test, [synthetic], pairs).mean()
        figures |= _auc(table.target, train, test, synthetic)
    return {name: float(value) for name, value in figures.items()}


def _auc(target: str, train: Sample, test: Sample, synthetic: Sample) -> dict[str, Any]:
    names = ("logistic", "boosting")
    task = Task.of(train, target)
    found = train_and_test(task, synthetic, test, _rng(0), classifiers=names)
    return {f"auc {name}": one.auc for name, one in found.items()}


def _synthesized(table: PublicTable, grid: Grid, asked: argparse.Namespace) -> Sample:
    """A run of a method of the package on values that lie in the coded cells."""
    import understudy

    release = understudy.synthesize(
        decode(table.train, rng=_rng(0)).to_pandas(),
        table.domain.schema,
        method=asked.method,
        epsilon=asked.epsilon,
        delta=asked.delta,
    )
    return Sample.of(grid, encode_table(table.domain, release.synthetic[0]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--method")
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--delta", type=float)
    return parser


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
