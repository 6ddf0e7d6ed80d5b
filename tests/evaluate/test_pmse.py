"""pMSE against its formula, its null and other implementations."""

from __future__ import annotations

import numpy as np
import pytest

from tests.evaluate.tables import grid, people, sample
from understudy.errors import UsageError
from understudy.evaluate import extra
from understudy.evaluate.pmse import PMSE, cart_pmse, logistic_pmse, tree_pmse
from understudy.evaluate.reference import independent


def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def tables():
    on = grid()
    real = sample(on, people(1500))
    return real, sample(on, people(1500, seed=8)), independent(real, rows=1500, rng=rng())


def test_one_population_has_a_ratio_near_1_and_a_lost_dependence_a_large_one(tables):
    real, fresh, floor = tables
    for depth, score in tree_pmse(real, fresh, depths=(1, 2, 3), rng=rng()).items():
        assert 0.4 < score.ratio < 2.2, depth
    lost = tree_pmse(real, floor, depths=(1, 2), rng=rng())
    assert lost[1].value == pytest.approx(0, abs=1e-12)
    assert lost[2].ratio > 10


def test_equal_tables_score_0_and_disjoint_ones_a_quarter():
    on = grid()
    young = sample(on, {**people(100), "age": ["10"] * 100})
    old = sample(on, {**people(100), "age": ["90"] * 100})
    assert tree_pmse(young, young, depths=(2,), rng=rng())[2].value == pytest.approx(0, abs=1e-12)
    assert tree_pmse(young, old, depths=(1,), rng=rng())[1].value == 0.25


def test_deeper_trees_tell_more(tables):
    real, fresh, _ = tables
    scores = tree_pmse(real, fresh, depths=(1, 2, 3), rng=rng(), permutations=1)
    assert scores[1].value < scores[2].value < scores[3].value


def test_exact_trees_are_never_below_greedy_ones(tables):
    tree = pytest.importorskip("sklearn.tree")
    real, _, floor = tables
    names = sorted(real.grid.columns)
    rows = np.hstack([np.stack([s.coarse(n) for n in names]) for s in (real, floor)]).T
    label = np.repeat([0, 1], 1500)
    exact = tree_pmse(real, floor, depths=(1, 2), rng=rng(), permutations=1)
    for depth in (1, 2):
        greedy = tree.DecisionTreeClassifier(max_depth=depth).fit(rows, label)
        value = np.mean((greedy.predict_proba(rows)[:, 1] - 0.5) ** 2)
        assert exact[depth].value >= value - 1e-12
    assert exact[2].value > 0.003


def test_logistic_pmse_equals_statsmodels_and_its_null_is_right(tables):
    api = pytest.importorskip("statsmodels.api")
    from understudy.evaluate.design import Design

    real, fresh, _ = tables
    found = logistic_pmse(real, fresh, rng=rng())
    features = Design(real.grid, tuple(sorted(real.grid.columns))).matrix(real, fresh)
    fitted = api.Logit(np.repeat([0, 1], 1500), features).fit(disp=0)
    chance = fitted.predict(features)
    assert found.value == pytest.approx(np.mean((chance - 0.5) ** 2), rel=1e-4)
    assert found.null == pytest.approx((features.shape[1] - 1) * 0.125 / 3000)
    assert 0.2 < found.ratio < 3


def test_cart_sees_what_its_depth_allows(tables):
    pytest.importorskip("sklearn")
    real, fresh, floor = tables
    assert cart_pmse(real, floor, rng=rng()).ratio > 2 > cart_pmse(real, fresh, rng=rng()).ratio


def test_nothing_to_learn_from_has_no_ratio():
    assert np.isnan(PMSE(0.0, 0.0).ratio)


def test_a_missing_library_names_the_extra():
    with pytest.raises(UsageError, match=r"understudy\[evaluate\].*models=False"):
        extra.require("no_such_library.part")
