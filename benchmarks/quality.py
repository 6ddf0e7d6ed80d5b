"""The quality of synthetic rows on adult14 and national2019, as one command.

    python -m benchmarks.quality                       ceilings and floors
    python -m benchmarks.quality --method aim --epsilon 1 --delta 1e-9
    python -m benchmarks.quality --json results.json

Figures: mean total variation for one, two and three columns (200 triples of adult14), the NIST
k-marginal score, AUC on held-out real rows of a logistic regression and of boosting trained on the
rows, exact-tree pMSE (depth 2) as a ratio to its null, the worst share of rows that break a rule.
Every line is the mean and standard deviation of ``--runs`` runs with fresh noise. Domain taken as
public.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean, stdev

import numpy as np

from benchmarks import adult14, national2019
from benchmarks.adult14 import Table
from tests.data_dir import ABSENT, find_data_dir
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.marginals import (
    nist_score,
    subsets,
    total_variation,
    total_variation_of_cells,
)
from understudy.evaluate.pmse import tree_pmse
from understudy.evaluate.prediction import Task, train_and_test
from understudy.evaluate.reference import bootstrap, independent
from understudy.evaluate.rules import broken_shares

TABLES = {adult14.NAME: adult14.load, national2019.NAME: national2019.load}
MOST_TRIPLES = 200

Draw = Callable[[int], Sample]


def quality(table: Table, synthetic: Sample, *, models: bool = True) -> dict[str, float]:
    """The figures of one synthetic table, against the rows that the engine saw."""
    grid = synthetic.grid
    train = Sample.of(grid, table.train)
    names = grid.columns
    pairs = subsets(names, k=2, most=10**6).chosen
    triples = subsets(names, k=3, most=MOST_TRIPLES).chosen
    figures = {
        "tvd1": float(total_variation_of_cells(train, [synthetic]).mean()),
        "tvd2": float(total_variation(train, [synthetic], pairs).mean()),
        "tvd3": float(total_variation(train, [synthetic], triples).mean()),
        "nist": float(nist_score(train, [synthetic], pairs)[0]),
    }
    exact = tree_pmse(train, synthetic, depths=(2,), rng=np.random.default_rng(0))[2]
    figures["pmse_ratio"] = exact.ratio
    if grid.domain.schema.rules:
        figures["broken"] = max(broken_shares(synthetic).values())
    if table.test is not None:
        test = Sample.of(grid, table.test)
        figures["tvd2_test"] = float(total_variation(test, [synthetic], pairs).mean())
        figures["tvd3_test"] = float(total_variation(test, [synthetic], triples).mean())
        if models:
            figures |= _auc(table, train, test, synthetic)
    return figures


def _auc(table: Table, train: Sample, test: Sample, synthetic: Sample) -> dict[str, float]:
    task = Task.of(train, table.target)
    rng = np.random.default_rng(0)
    found = train_and_test(task, synthetic, test, rng, classifiers=("logistic", "boosting"))
    return {f"auc_{name}": one.auc for name, one in found.items()}


def contenders(table: Table, arguments: argparse.Namespace) -> Iterator[tuple[str, Draw]]:
    """What is measured: the real rows themselves, a bootstrap, independent columns, a method."""
    grid = Grid.of(table.domain, cells=1)
    train = Sample.of(grid, table.train)
    rows = train.rows
    yield "real rows", lambda run: train
    yield "bootstrap", lambda run: bootstrap(train, rows=rows, rng=np.random.default_rng(run))
    yield "independent", lambda run: independent(train, rows=rows, rng=np.random.default_rng(run))
    if arguments.method is not None:
        yield arguments.method, lambda run: _synthesized(table, grid, arguments)


def _synthesized(table: Table, grid: Grid, arguments: argparse.Namespace) -> Sample:
    """A run of a method of the package, from the rows as text."""
    import understudy
    from understudy.table.codec import decode, encode_table

    source = decode(table.train, rng=np.random.default_rng(0)).to_pandas()
    release = understudy.synthesize(
        source,
        table.domain.schema,
        method=arguments.method,
        epsilon=arguments.epsilon,
        delta=arguments.delta,
    )
    codes = encode_table(table.domain, release.synthetic[0])
    return Sample.of(grid, codes)


def measure(name: str, draw: Draw, table: Table, *, runs: int, models: bool) -> dict[str, object]:
    """One line: each figure's mean and standard deviation, and the seconds of a run."""
    found, seconds = [], []
    for run in range(1 if name == "real rows" else runs):
        start = time.process_time()
        sample = draw(run)
        seconds.append(time.process_time() - start)
        found.append(quality(table, sample, models=models))
    values = {key: [one[key] for one in found] for key in found[0]}
    return {
        "name": name,
        "runs": len(found),
        "cpu_seconds": fmean(seconds),
        "mean": {key: fmean(column) for key, column in values.items()},
        "std": {key: stdev(column) if len(column) > 1 else 0.0 for key, column in values.items()},
    }


def show(name: str, line: dict[str, object]) -> None:
    """Print one line."""
    mean, std = line["mean"], line["std"]
    assert isinstance(mean, dict)
    assert isinstance(std, dict)
    figures = "  ".join(f"{key} {value:.4g} ({std[key]:.2g})" for key, value in mean.items())
    print(f"{name:<13} {line['name']:<12} {figures}  [{line['cpu_seconds']:.2f} CPU s]", flush=True)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tables", nargs="*", help=f"some of {', '.join(TABLES)}; all without")
    parser.add_argument("--method")
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--delta", type=float)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-models", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    folder = find_data_dir(os.environ)
    if folder is None:
        raise SystemExit(ABSENT)
    results: dict[str, list[dict[str, object]]] = {}
    print("domain taken as public")
    for name in arguments.tables or TABLES:
        table = TABLES[name](folder)
        for label, draw in contenders(table, arguments):
            line = measure(label, draw, table, runs=arguments.runs, models=not arguments.no_models)
            show(name, line)
            results.setdefault(name, []).append(line)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
