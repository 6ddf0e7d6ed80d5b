"""``benchmarks.quality``: its figures against independent computations, and what it refuses."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from benchmarks import quality as command
from benchmarks.tables import PublicTable, adult14, national2019
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.reference import independent
from understudy.table.table import Codes

RUN = [
    *("--smoke", "--table", "national2019", "--method", "independent"),
    *("--epsilon", "1", "--delta", "1e-9"),
]


@pytest.fixture(scope="module")
def adult(data_dir) -> PublicTable:
    return adult14.load(data_dir)


@pytest.fixture(scope="module")
def few(adult) -> tuple[dict[str, float], Codes]:
    """The figures of 3,000 rows with independent columns, and these rows."""
    train = Sample.of(Grid.of(adult.domain, cells=1), adult.train)
    drawn = independent(train, rows=3_000, rng=np.random.default_rng(1))
    return command.quality(adult, drawn), Codes(adult.domain, drawn.codes, drawn.rows)


def cut(codes: Codes) -> dict[str, np.ndarray]:
    """At most 32 cells a column, as the definition of the measures says."""
    found = {}
    for name, axis in codes.domain.axes.items():
        column = codes.columns[name].astype(int)
        found[name] = column * 32 // axis.size if axis.size > 32 else column
    return found


def tvd(left: dict[str, np.ndarray], right: dict[str, np.ndarray], names) -> float:
    """Half the L1 distance of the shares, with a dictionary."""
    counts = [Counter(zip(*(t[n].tolist() for n in names), strict=True)) for t in (left, right)]
    rows = [sum(count.values()) for count in counts]
    cells = set(counts[0]) | set(counts[1])
    return sum(abs(counts[0][c] / rows[0] - counts[1][c] / rows[1]) for c in cells) / 2


def test_total_variation_is_that_of_the_definition(adult, few):
    figures, synthetic = few
    names = adult.domain.columns
    real, other = cut(adult.train), cut(synthetic)
    full = [dict(codes.columns) for codes in (adult.train, synthetic)]
    one = [tvd(*full, [name]) for name in names]
    assert figures["tvd 1"] == pytest.approx(np.mean(one))
    pairs = [tvd(real, other, pair) for pair in combinations(names, 2)]
    assert figures["tvd 2"] == pytest.approx(np.mean(pairs))
    test = [tvd(cut(adult.test), other, pair) for pair in combinations(names, 2)]
    assert figures["tvd 2, test rows"] == pytest.approx(np.mean(test))
    triples = np.array(list(combinations(range(len(names)), 3)))
    chosen = sorted(map(tuple, np.random.default_rng(12345).permutation(triples)[:200].tolist()))
    three = [tvd(real, other, [names[i] for i in triple]) for triple in chosen]
    assert figures["tvd 3"] == pytest.approx(np.mean(three))


def test_auc_is_that_of_scikit_learn(adult, few):
    ensemble = pytest.importorskip("sklearn.ensemble")
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.preprocessing import OneHotEncoder

    figures, synthetic = few
    names = [name for name in adult.domain.columns if name != adult14.TARGET]
    label, truth = (np.asarray(c.columns[adult14.TARGET]) for c in (synthetic, adult.test))

    def rows(columns) -> np.ndarray:
        return np.stack([columns[name] for name in names], axis=1)

    boosting = ensemble.HistGradientBoostingClassifier(random_state=0, early_stopping=False)
    boosting.fit(rows(synthetic.columns), label)
    chance = boosting.predict_proba(rows(adult.test.columns))[:, 1]
    assert figures["auc boosting"] == pytest.approx(roc_auc_score(truth, chance), abs=0.005)
    flags = OneHotEncoder(handle_unknown="ignore")
    flagged = flags.fit_transform(rows(cut(synthetic)))
    logistic = LogisticRegression(C=1, max_iter=500).fit(flagged, label)
    chance = logistic.predict_proba(flags.transform(rows(cut(adult.test))))[:, 1]
    assert figures["auc logistic"] == pytest.approx(roc_auc_score(truth, chance), abs=0.005)


def test_nist_score_is_that_of_the_definition(data_dir):
    table = national2019.load(data_dir)
    train = Sample.of(Grid.of(table.domain, cells=1), table.train)
    drawn = independent(train, rows=20_000, rng=np.random.default_rng(1))
    tables = [dict(table.train.columns), dict(drawn.codes)]
    ages = tables[0]["AGEP"]
    edges = np.unique(np.percentile(ages, range(0, 100, 5), method="higher"))
    for columns in tables:
        columns["AGEP"] = np.searchsorted(edges[1:], columns["AGEP"], side="right")
    gaps = [2 * tvd(*tables, pair) for pair in combinations(table.domain.columns, 2)]
    assert command.quality(table, drawn)["nist"] == pytest.approx((2 - np.mean(gaps)) * 500)


def test_the_size_of_the_tables_is_private(adult, data_dir):
    for table in (adult, national2019.load(data_dir)):
        assert table.domain.schema.neighbours.value == "add-remove"


def test_a_run_of_a_method_tells_its_quality_and_its_cost(data_dir, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.harness.RESULTS", tmp_path)
    assert command.main(RUN) == 0
    lines = [line.rpartition(": ") for line in capsys.readouterr().out.splitlines()]
    figures = {name.rpartition(": ")[2]: value for name, _, value in lines}
    assert 0 < float(figures["tvd 1"]) < 0.02 < float(figures["tvd 2"])
    assert 0 < float(figures["cpu s"]) < 100
    assert float(figures["cpu s"]) == float(figures["cpu s of the first run"])
    assert 50 < float(figures["peak MB"]) < 5_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--methd", "independent"], "unrecognized arguments"),
        (["--method", "independnt", "--epsilon", "1"], "did you mean 'independent'"),
        (["--method", "independent"], "no default"),
        (["--method", "independent", "--epsilon", "one"], "finite number"),
        (["--method", "independent", "--epsilon", "-1"], "above 0"),
        (["--method", "independent", "--epsilon", "1", "--delta", "2"], "between 0 and 0.1"),
        (["--method", "independent", "--epsilon", "1", "--rho", "1"], "either epsilon"),
        (["--method", "independent", "--epsilon", "1", "--set", "deep=3"], "no setting 'deep'"),
        (["--epsilon", "1"], "need a --method"),
        (["--table", "adult"], "invalid choice"),
        (["--smoke", "--full"], "not allowed with"),
    ],
)
def test_mistakes_are_named_before_a_table_is_read(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err
