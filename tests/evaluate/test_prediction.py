"""Classifiers, AUC and calibration, coefficients and their overlap, against the usual libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.tables import grid, people, sample
from understudy.errors import UsageError
from understudy.evaluate import prediction as p
from understudy.evaluate import regression as r
from understudy.evaluate.design import Design, at_most
from understudy.evaluate.reference import independent


def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def real():
    return sample(grid(), people(2500))


@given(
    rows=st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=2, max_size=40),
)
def test_auc_equals_counting_pairs(rows):
    score = np.array([row[0] for row in rows], dtype=float)
    truth = np.array([row[1] for row in rows]).astype(int)
    found = p.auc(np.stack([-score, score], axis=1), truth)
    pairs = [(a > b) + (a == b) / 2 for a in score[truth == 1] for b in score[truth == 0]]
    if pairs:
        assert found == pytest.approx(np.mean(pairs))
    else:
        assert np.isnan(found)


def test_auc_of_several_classes_equals_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    chance = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    truth = np.random.default_rng(1).integers(0, 3, 300)
    expected = metrics.roc_auc_score(truth, chance, multi_class="ovr")
    assert p.auc(chance, truth) == pytest.approx(expected)


def test_calibration_of_honest_and_boasting_classifiers():
    truth = np.repeat([0, 1], [750, 250])
    honest, boast = np.full(1000, 0.25), np.full(1000, 0.75)
    assert p.calibration(np.stack([1 - honest, honest], axis=1), truth) == pytest.approx(0)
    assert p.calibration(np.stack([1 - boast, boast], axis=1), truth) == pytest.approx(0.5)
    three = np.eye(3)[np.array([0, 1, 2, 2])]
    assert p.calibration(three, np.array([0, 1, 2, 0])) == pytest.approx(0.25)


@pytest.mark.parametrize("target", ["member", "grade", "income"])
def test_real_rows_teach_and_independent_ones_do_not(real, target):
    pytest.importorskip("sklearn")
    task = p.Task.of(real, target)
    train, test = p.split(real, rng())
    floor = independent(real, rows=2000, rng=rng())
    taught = p.train_and_test(task, train, test, rng())
    lost = p.train_and_test(task, floor, test, rng())
    assert set(taught) == {"logistic", "boosting", "svm"}
    for name in taught:
        assert taught[name].auc > 0.75, name
        assert lost[name].auc < taught[name].auc - 0.1, name
        assert taught[name].accuracy > lost[name].accuracy
    assert taught["svm"].calibration is None
    assert taught["logistic"].calibration < 0.1


def test_the_split_shares_no_row_and_keeps_a_fifth(real):
    train, test = p.split(real, rng())
    assert (train.rows, test.rows) == (2000, 500)
    both = np.sort(np.concatenate([train.keys(fine=True), test.keys(fine=True)]))
    np.testing.assert_array_equal(both, np.sort(real.keys(fine=True)))


def test_flags_are_one_hot(real):
    pytest.importorskip("scipy")
    cells = np.array([[0, 2], [1, 0]], dtype=np.uint8)
    expected = [[1, 0, 0, 0, 1], [0, 1, 1, 0, 0]]
    assert p.flags(cells, [2, 3]).toarray().tolist() == expected


def test_a_number_asks_above_the_median_and_missing_targets_are_left_out(real):
    task = p.Task.of(real, "income")
    known, label = task.labelled(real)
    assert not known.missing("income").any()
    assert task.classes == 2
    assert label.mean() == pytest.approx(0.5, abs=0.02)


def test_training_rows_of_one_class_teach_the_constant(real):
    pytest.importorskip("sklearn")
    on = real.grid
    same = sample(on, {**people(50), "member": ["true"] * 50})
    found = p.train_and_test(p.Task.of(real, "member"), same, real, rng())
    yes = np.mean(real.cells("member") == 1)
    assert {one.auc for one in found.values()} == {0.5}
    assert found["logistic"].accuracy == pytest.approx(yes)


def test_a_class_that_training_rows_lack_is_never_predicted(real):
    pytest.importorskip("sklearn")
    keep = np.flatnonzero(real.cells("grade") != 1)
    found = p.train_and_test(p.Task.of(real, "grade"), real.take(keep), real, rng())
    assert all(0.3 < one.accuracy < 1 and np.isfinite(one.auc) for one in found.values())


def test_targets_that_cannot_be_predicted_are_refused():
    on = grid()
    constant = sample(on, {**people(20), "member": ["true"] * 20})
    with pytest.raises(UsageError, match="same known value"):
        p.Task.of(constant, "member")


# ---- regressions -------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["member", "income", "city"])
def test_fits_equal_statsmodels(real, target):
    api = pytest.importorskip("statsmodels.api")
    model = r.Regression.of(real, target, rng=rng())
    found = model.fit(real, rng())
    features, y = model._data(real)
    kind = api.OLS(y, features) if target == "income" else api.Logit(y, features)
    expected = kind.fit() if target == "income" else kind.fit(disp=0, maxiter=100)
    np.testing.assert_allclose(found.coefficients, expected.params, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(found.errors, expected.bse, rtol=1e-3, atol=1e-5)
    assert len(model.names) == features.shape[1] == len(found.errors)


def test_overlap_by_hand():
    half = r.NORMAL_95
    one = r.Fit(np.array([0.0, 0.0, 0.0, 0.0]), np.array([1, 1, 1, 0]) / half)
    two = r.Fit(np.array([0.0, 1.0, 5.0, 0.0]), np.array([1, 1, 1, 0]) / half)
    np.testing.assert_allclose(r.overlap(one, two), [1, 0.5, 0, 1])
    wide = r.Fit(np.zeros(1), np.array([2.0]) / half)
    narrow = r.Fit(np.zeros(1), np.array([1.0]) / half)
    assert r.overlap(wide, narrow)[0] == pytest.approx(0.75)
    assert r.overlap(narrow, wide)[0] == pytest.approx(0.75)


def test_dependent_features_are_left_out():
    x = np.random.default_rng(0).normal(size=(50, 2))
    features = np.column_stack([np.ones(50), x, x @ [1.0, 2.0] + 3, np.zeros(50)])
    assert r.independent_features(features).tolist() == [0, 1, 2]


def test_separated_classes_end_with_finite_numbers():
    features = np.column_stack([np.ones(20), np.arange(20.0)])
    found = r.logistic(features, (np.arange(20) >= 10).astype(float))
    assert np.isfinite(found.coefficients).all()
    assert np.isfinite(found.errors).all()
    assert found.errors[1] > 1


def test_expit_does_not_overflow():
    with np.errstate(all="raise"):
        found = r.expit(np.array([-1e4, 0.0, 1e4]))
    np.testing.assert_allclose(found, [0, 0.5, 1], atol=1e-12)


def test_design_has_a_name_for_each_feature_and_the_values_meant():
    on = grid()
    table = sample(on, {**people(2), "income": [None, "500"], "city": ["C", None]})
    design = Design(on, ("age", "city", "income"))
    assert design.names[:3] == ["intercept", "age", "city [1]"]
    rows = dict(zip(design.names, design.matrix(table).T, strict=True))
    assert rows["income is missing"].tolist() == [1, 0]
    assert rows["income"] == pytest.approx([0, 0.5], abs=1e-3)
    assert rows["city [2]"].tolist() == [1, 0]
    assert rows["city [4]"].tolist() == [0, 1]
    np.testing.assert_array_equal(
        design.matrix(table, table), np.vstack([design.matrix(table)] * 2)
    )


def test_large_tables_are_thinned(real):
    assert at_most(real, rng(), rows=10).rows == 10
    assert at_most(real, rng()) is real
