"""The quality of synthetic rows on adult14 and national2019, and what they cost, as one command.

    python -m benchmarks.quality                                 ceilings and floors
    python -m benchmarks.quality --method independent --epsilon 1 [--delta 1e-9 | --rho 0.01]
                                [--set key=value ...]            a method of the package
    ... --table adult14                                          one table only

Per table: mean total variation for one, two and three columns (200 triples), the NIST k-marginal
score, the exact-tree pMSE of depth 2 over its null, AUC on held-out real rows of a logistic
regression and of boosting trained on the rows, the worst share of rows that break a rule. Each is
the mean and standard deviation of 5 runs with fresh noise, each in a process of its own: ``cpu s``
is what ``synthesize`` took in it, from a dataframe to rows, ``peak MB`` the most memory the process
held, libraries and table included. The first run stands apart too: it may have to compile.

The domain is taken as public, the size as private (add or remove one row); as many rows are asked
for as the table has.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import isolated
from benchmarks.harness import Report, timed
from benchmarks.tables import PublicTable, adult14, national2019
from tests.data_dir import ABSENT, find_data_dir
from understudy.cli.settings import options_of
from understudy.errors import UnderstudyError
from understudy.evaluate import marginals
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.pmse import tree_pmse
from understudy.evaluate.prediction import Task, train_and_test
from understudy.evaluate.reference import bootstrap, independent
from understudy.evaluate.rules import broken_shares
from understudy.privacy.request import requested
from understudy.table.codec import decode, encode_table
from understudy.table.table import Codes

TABLES = {adult14.NAME: adult14.load, national2019.NAME: national2019.load}
RUNS = {"smoke": 1, "usual": 5, "full": 20}
EVERY_PAIR, MOST_TRIPLES = 10**6, 200
MEGABYTE = 1_000_000

Figures = dict[str, float]
Measure = Callable[[int], Figures]


def main(arguments: Sequence[str]) -> int:
    """Measure what there is to measure on every table that is asked for."""
    asked, rest = _asked(arguments)
    report = Report.begin("quality", rest)
    folder = find_data_dir(os.environ)
    if folder is None:
        print(f"  nothing measured: {ABSENT}")
        return report.end()
    for name in asked.tables:
        for contender, measure in _contenders(TABLES[name](folder), asked).items():
            runs = [measure(run) for run in range(RUNS[report.size])]
            for figure in runs[0]:
                report.spread(f"{name}, {contender}: {figure}", [run[figure] for run in runs])
            if "cpu s" in runs[0]:
                report.figure(f"{name}, {contender}: cpu s of the first run", runs[0]["cpu s"])
    return report.end()


def _contenders(table: PublicTable, asked: argparse.Namespace) -> Mapping[str, Measure]:
    """What is measured: the method, or the real rows, a bootstrap of them, independent columns."""
    grid = Grid.of(table.domain, cells=1)  # engines work on the domain's own cells
    if asked.method is not None:
        return {asked.method: lambda run: of_method(table, grid, asked.run)}
    train = Sample.of(grid, table.train)
    rows, of_real = train.rows, cache(lambda: quality(table, train))
    return {
        "real rows": lambda run: of_real(),
        "bootstrap": lambda run: quality(table, bootstrap(train, rows=rows, rng=_rng(run))),
        "independent columns": lambda run: quality(
            table, independent(train, rows=rows, rng=_rng(run))
        ),
    }


def quality(table: PublicTable, synthetic: Sample) -> Figures:
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


def of_method(table: PublicTable, grid: Grid, asked: Mapping[str, Any]) -> Figures:
    """One run with fresh noise: ``method``, its settings (``set``) and the budget, as texts."""
    name = table.domain.schema.name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codes.npz"
        use = isolated.run("benchmarks.quality:synthesize", name, json.dumps(asked), path)
        with np.load(path) as codes:
            columns = dict(codes)
    synthetic = Codes(table.domain, columns, len(next(iter(columns.values()))))
    costs = {"cpu s": float(use.answer), "peak MB": use.peak_bytes / MEGABYTE}
    return quality(table, Sample.of(grid, synthetic)) | costs


def synthesize(name: str, run: str, path: str) -> float:
    """Run a method on values that lie in the coded cells; write codes, return CPU seconds."""
    import understudy

    folder = find_data_dir(os.environ)
    assert folder is not None
    table = TABLES[name](folder)
    frame = decode(table.train, rng=_rng(0)).to_pandas()
    schema, rows = table.domain.schema, table.train.rows
    given = json.loads(run)
    options = options_of(given["method"], given.pop("set"))
    release, cpu, _ = timed(
        lambda: understudy.synthesize(frame, schema, rows=rows, options=options, **given)
    )
    np.savez(path, **dict(encode_table(table.domain, release.synthetic[0]).columns))
    return cpu


def _asked(arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """What to run; anything that is wrong with it is said before a table is read."""
    parser = argparse.ArgumentParser("python -m benchmarks.quality", allow_abbrev=False)
    parser.add_argument("--table", choices=TABLES, help="only this table")
    parser.add_argument("--method", help="a method of the package")
    for amount in ("--epsilon", "--delta", "--rho"):
        parser.add_argument(amount, help="as text, so that it stays exact")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--smoke", action="store_true", help="one run")
    sizes.add_argument("--full", action="store_true", help="20 runs instead of 5")
    asked = parser.parse_args(arguments)
    asked.tables = [asked.table] if asked.table else list(TABLES)
    budget = {key: getattr(asked, key) for key in ("epsilon", "delta", "rho")}
    budget = {key: text for key, text in budget.items() if text is not None}
    if asked.method is None and (budget or asked.set):
        parser.error("a budget and settings need a --method")
    if asked.method is not None:
        try:
            requested(**budget)
            options_of(asked.method, asked.set)
        except UnderstudyError as problem:
            parser.error(str(problem))
        asked.run = {"method": asked.method, "set": asked.set, **budget}
    return asked, [f"--{size}" for size in ("smoke", "full") if getattr(asked, size)]


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
