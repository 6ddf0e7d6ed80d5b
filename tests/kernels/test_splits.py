"""Splits of a budget: published optima, closed forms, and no better split nearby."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.kernels.residuals import marginal_variance, residual_variances
from understudy.kernels.splits import (
    CLOSE,
    Law,
    Loss,
    Split,
    Workload,
    best_split,
    loss_of,
    residual_optimum,
)

ADULT = (85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2)


def adult(*orders: int, total_known: bool = False) -> Workload:
    every = tuple(w for order in orders for w in combinations(range(len(ADULT)), order))
    return Workload(every, ADULT, total_known)


def rmse(workload: Workload, residuals: np.ndarray) -> float:
    squares = workload.cells * workload.variances(residuals)
    return float(np.sqrt(squares.sum() / workload.cells.sum()))


def residuals_under(workload: Workload, split: Split, power: int = 1) -> np.ndarray:
    """The variance of every residual by the slow road, marginal by marginal."""
    pairs = zip(split.marginals, (1.0 / split.shares**power).tolist(), strict=True)
    found = residual_variances(pairs, workload.sizes, total_known=workload.total_known)
    return np.array([found[part] for part in workload.parts])


@pytest.mark.parametrize(
    ("orders", "published", "times"),
    [((1,), 3.047, 1.012), ((2,), 6.359, 1.024), ((3,), 10.515, 1.037), ((1, 2, 3), 10.665, 1.027)],
)
def test_the_published_optimum_on_adult_and_how_near_plain_marginals_come(
    orders: tuple[int, ...], published: float, times: float
) -> None:
    """Xiao and others, NeurIPS 2023: root mean squared error at privacy cost 1."""
    workload = adult(*orders)
    best = rmse(workload, residual_optimum(workload))
    assert best == pytest.approx(published, abs=5e-4)
    split = best_split(workload, loss="variance")
    assert best <= rmse(workload, residuals_under(workload, split)) <= times * best


def test_the_optimum_costs_exactly_one() -> None:
    workload = adult(2)
    variances = residual_optimum(workload)
    assert (workload.freedoms / variances).sum() == pytest.approx(1.0)
    weighted = residual_optimum(workload, weights=np.linspace(1.0, 9.0, len(workload.marginals)))
    assert (workload.freedoms / weighted).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["distance", "variance"])
@pytest.mark.parametrize("total_known", [False, True])
def test_the_split_is_optimal_up_to_a_certified_gap(loss: Loss, total_known: bool) -> None:
    workload = adult(2, total_known=total_known)
    split = best_split(workload, loss=loss)
    assert split.shares.sum() == pytest.approx(1.0)
    assert split.gap is not None
    assert 0 <= split.gap <= CLOSE
    assert split.loss == pytest.approx(
        loss_of(workload, residuals_under(workload, split), loss), rel=1e-9
    )


@pytest.mark.parametrize("law", ["gaussian", "laplace"])
@pytest.mark.parametrize("loss", ["distance", "variance"])
def test_no_split_nearby_is_better(law: Law, loss: Loss) -> None:
    workload = Workload(((0, 1), (1, 2), (0, 2, 3), (3,)), (2, 5, 3, 7))
    split = best_split(workload, law=law, loss=loss)
    power = 1 if law == "gaussian" else 2
    rng = np.random.default_rng(3)
    for size in (0.3, 0.03):
        for _ in range(100):
            shares = split.shares * np.exp(rng.normal(0.0, size, len(split.shares)))
            other = Split(split.marginals, shares / shares.sum(), 0.0, None)
            nearby = loss_of(workload, residuals_under(workload, other, power), loss)
            assert nearby >= split.loss * (1.0 - 2e-4)


@pytest.mark.parametrize(("law", "root"), [("gaussian", 2), ("laplace", 3)])
def test_lone_columns_of_a_known_total_share_by_a_root(law: Law, root: int) -> None:
    """Nothing overlaps: the least sum of q / s^k with sum 1 has s in proportion to q^(1/(k+1))."""
    sizes = (2, 5, 40)
    workload = Workload(((0,), (1,), (2,)), sizes, total_known=True)
    split = best_split(workload, law=law, loss="variance")
    wanted = np.array([size - 1.0 for size in sizes]) ** (1.0 / root)
    assert split.marginals == ((0,), (1,), (2,))
    assert split.shares == pytest.approx(wanted / wanted.sum(), rel=1e-3)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.booleans(), st.data())
def test_every_marginal_of_the_workload_becomes_known(
    sizes: list[int], total_known: bool, data: st.DataObject
) -> None:
    columns = st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=3, unique=True)
    marginals = tuple(map(tuple, data.draw(st.lists(columns, min_size=1, max_size=5))))
    workload = Workload(marginals, tuple(sizes), total_known)
    for law in ("gaussian", "laplace"):
        split = best_split(workload, law=law)  # type: ignore[arg-type]
        assert split.shares.sum() == pytest.approx(1.0)
        assert (split.shares > 0).all()
        assert () not in split.marginals
        found = residual_variances(
            ((one, 1.0) for one in split.marginals), sizes, total_known=total_known
        )
        for one in marginals:
            assert np.isfinite(marginal_variance(one, found, sizes))


def test_shares_of_two_strangers_follow_a_root_of_their_cells() -> None:
    """Near n^(1/2) for a sum of n / s, near n^(2/3) for one of n / s^(1/2)."""
    workload = Workload(((0, 1), (2, 3)), (2, 2, 60, 60), total_known=True)
    for loss, root in (("variance", 1 / 2), ("distance", 2 / 3)):
        split = best_split(workload, loss=loss)  # type: ignore[arg-type]
        shares = dict(zip(split.marginals, split.shares, strict=True))
        assert shares[2, 3] / shares[0, 1] == pytest.approx((3600 / 4) ** root, rel=0.2)


def test_importance_counts_like_so_many_of_the_same() -> None:
    often = best_split(Workload(((0, 1), (2,), (2,), (2,)), (3, 4, 9)))
    once = best_split(Workload(((0, 1), (2,)), (3, 4, 9), importance=(0.5, 1.5)))
    assert once.marginals == often.marginals
    assert once.shares == pytest.approx(often.shares, rel=1e-3)
    assert once.loss == pytest.approx(often.loss, rel=1e-6)


def test_constant_columns_of_a_known_total_need_nothing() -> None:
    split = best_split(Workload(((0,), (0, 1)), (1, 1), total_known=True))
    assert split.loss == 0
    assert split.shares.sum() == pytest.approx(1.0)


def test_a_constant_column_of_a_known_total_is_not_asked_for() -> None:
    for law in ("gaussian", "laplace"):
        split = best_split(Workload(((0,), (1,), (2,)), (1, 4, 3), total_known=True), law=law)  # type: ignore[arg-type]
        assert split.marginals == ((1,), (2,))
        assert split.shares.sum() == pytest.approx(1.0)
