"""Chains of regressions: least squares where the noise allows it, a model whatever it says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from understudy.models.chain_family import LEAST_UNEXPLAINED, Chain

THREE = st.permutations([0, 1, 2])


def rows_of(columns: int = 3) -> np.ndarray:
    """Rows of dependent columns, each of mean 0 and variance 1."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(500, columns)) @ rng.normal(size=(columns, columns))
    rows -= rows.mean(axis=0)
    return rows / rows.std(axis=0)


@given(THREE)
def test_slopes_are_those_of_least_squares_on_earlier_columns(order: list[int]) -> None:
    rows = rows_of()
    chain = Chain.fitted(np.cov(rows.T, bias=True)[None], order)
    for place, j in enumerate(order):
        earlier = order[:place]
        expected, *_ = np.linalg.lstsq(rows[:, earlier], rows[:, j], rcond=None)
        assert np.allclose(chain.slopes[0, j, earlier], expected)
        left = (rows[:, j] - rows[:, earlier] @ expected).var()
        assert np.isclose(chain.unexplained[0, j], left)
        assert (chain.slopes[0, j, order[place:]] == 0).all()


@given(THREE)
def test_a_chain_has_the_correlations_that_it_was_made_from(order: list[int]) -> None:
    wanted = np.corrcoef(rows_of().T)
    assert np.allclose(Chain.fitted(wanted[None], order).correlations[0], wanted)


wild = arrays(np.float64, (2, 3, 3), elements=st.floats(-50, 50) | st.just(np.nan))


@given(wild, THREE)
def test_whatever_noise_says_every_column_keeps_variance_of_its_own(
    noisy: np.ndarray, order: list[int]
) -> None:
    """Also where sums say that a column's residual variance is negative, or no matrix is one."""
    chain = Chain.fitted((noisy + noisy.transpose(0, 2, 1)) / 2, order)
    assert chain.unexplained.min() >= LEAST_UNEXPLAINED - 1e-9
    assert np.linalg.eigvalsh(chain.correlations).min() > 0
    assert np.allclose(np.diagonal(chain.correlations, axis1=1, axis2=2), 1.0)
    for slopes, left, found in zip(
        chain.slopes, chain.unexplained, chain.correlations, strict=True
    ):
        assert np.allclose(np.einsum("ij,jk,ik->i", slopes, found, slopes) + left, 1.0)


def test_an_impossible_chain_is_shrunk_not_dropped() -> None:
    """Columns 0 and 1 independent, both perfectly correlated with 2: more than there is."""
    impossible = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    chain = Chain.fitted(impossible[None], [0, 1, 2])
    assert np.isclose(chain.unexplained[0, 2], LEAST_UNEXPLAINED)
    assert np.allclose(chain.slopes[0, 2, :2], np.sqrt((1 - LEAST_UNEXPLAINED) / 2))
