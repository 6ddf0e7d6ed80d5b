"""Published ceilings and floors come out on the public tables."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest

from benchmarks.quality import quality
from benchmarks.tables import PublicTable, adult14, national2019
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.marginals import subsets, total_variation
from understudy.evaluate.reference import bootstrap, independent


def distances(table: PublicTable) -> dict[str, list[float]]:
    """Mean TVD of pairs and triples of a bootstrap and of independent columns, 3 draws each."""
    train = Sample.of(Grid.of(table.domain, cells=1), table.train)
    found: dict[str, list[float]] = {}
    for name, draw in (("bootstrap", bootstrap), ("independent", independent)):
        drawn = [draw(train, rows=train.rows, rng=np.random.default_rng(i)) for i in range(3)]
        found[name] = [
            float(
                total_variation(
                    train, drawn, subsets(train.grid.columns, k=k, most=200).chosen
                ).mean()
            )
            for k in (2, 3)
        ]
    return found


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        # the peers' runs: bins over the range that occurs
        (adult14.PEERS_NUMBERS, {"bootstrap": (0.012, 0.024), "independent": (0.072, 0.165)}),
        # bins over public bounds merge almost all of capital-loss, so less is there to be lost
        (adult14.NUMBERS, {"bootstrap": (0.0113, 0.0232), "independent": (0.0688, 0.1606)}),
    ],
    ids=["peers", "public"],
)
def test_adult_ceilings_and_floors(data_dir, numbers, expected):
    table = adult14.load(data_dir, numbers=numbers)
    assert (table.train.rows, table.test.rows) == (39_073, 9_769)
    sizes = [axis.size for axis in table.domain.axes.values()]
    assert sizes == [85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2]
    for name, values in distances(table).items():
        assert values == pytest.approx(expected[name], abs=0.003), name


def test_auc_of_the_real_rows(data_dir):
    pytest.importorskip("sklearn")
    table = adult14.load(data_dir, numbers=adult14.PEERS_NUMBERS)
    train = Sample.of(Grid.of(table.domain, cells=1), table.train)
    found = quality(table, train)
    assert found["auc logistic"] == pytest.approx(0.914, abs=0.003)
    assert found["tvd 3"] == 0


def test_nist_scores_of_subsamples_and_rules_of_real_rows(data_dir):
    """SDNist's own scale: a 20% sample scores about 976, a 5% sample about 958."""
    table = national2019.load(data_dir)
    train = Sample.of(Grid.of(table.domain, cells=1), table.train)
    assert train.rows == 27_253
    for share, expected in ((0.2, 976), (0.05, 958)):
        scores = []
        for seed in range(3):
            rows = np.random.default_rng(seed).permutation(train.rows)[: int(share * train.rows)]
            scores.append(quality(table, train.take(rows))["nist"])
        assert fmean(scores) == pytest.approx(expected, abs=6)
    assert quality(table, train)["rules broken"] == 0
