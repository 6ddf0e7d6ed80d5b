"""The normal distribution function and tables of two correlated normal columns."""

from __future__ import annotations

from math import asin, pi
from statistics import NormalDist

import numpy as np
import pytest

from understudy.kernels.normal import cdf, quantile
from understudy.kernels.rectangles import cells, rectangles


def test_the_distribution_function_is_right_to_seven_digits() -> None:
    places = np.linspace(-10, 10, 4001)
    exact = np.array([NormalDist().cdf(place) for place in places])
    assert np.abs(cdf(places) - exact).max() < 1e-7
    assert (np.diff(cdf(places)) >= 0).all()
    assert cdf(np.array([-np.inf, np.inf])).tolist() == [0.0, 1.0]
    shares = np.linspace(0.001, 0.999, 999)
    back = np.array([NormalDist().inv_cdf(share) for share in shares])
    assert np.abs(quantile(shares) - back).max() < 1e-4
    assert np.isfinite(quantile(np.array([0.0, 1.0]))).all()


@pytest.mark.parametrize("rho", [-0.99, -0.5, 0.0, 0.3, 0.9])
def test_quadrants_have_their_textbook_probability(rho: float) -> None:
    fine = np.linspace(-4, 4, 81)
    table = rectangles(fine[None], fine[None], np.array([rho]))[0]
    upper = table[41:, 41:].sum()
    assert upper == pytest.approx(0.25 + asin(rho) / (2 * pi), abs=2e-3)


def test_every_table_is_a_distribution_with_the_right_first_margin() -> None:
    rng = np.random.default_rng(1)
    first, second = np.sort(rng.normal(0, 2, (5, 6))), np.sort(rng.normal(0, 2, (1, 4)))
    found = rectangles(first, second, np.array([-1.0, -0.4, 0.0, 0.99, 2.0]))
    assert found.shape == (5, 7, 5)
    assert (found >= 0).all()
    assert np.allclose(found.sum(axis=2), cells(first))
    assert np.allclose(found[2], cells(first)[2][:, None] * cells(second)[0][None])
    assert np.abs(found.sum(axis=1)[:4] - cells(second)).max() < 0.05


def test_columns_of_one_cell_have_no_cuts() -> None:
    none = np.zeros((1, 0))
    assert rectangles(none, none, np.array([0.5])).tolist() == [[[1.0]]]
