"""Draws against their law, and every corner of the weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from understudy.kernels.sample import _find, categorical

FALSE_ALARM = 1e-7  # of each statistical test here; there are four


@pytest.mark.parametrize("size", [2, 7, 300, 5000])
def test_cells_are_drawn_in_proportion(size: int) -> None:
    rng = np.random.default_rng(3)
    weights = rng.exponential(size=size)
    drawn = categorical(weights, 200_000, rng)
    expected = weights / weights.sum() * 200_000
    found = np.bincount(drawn, minlength=size).astype(float)
    rare = expected < 5
    if rare.any():
        found = np.append(found[~rare], found[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    assert stats.chisquare(found, expected).pvalue > FALSE_ALARM


@given(
    st.lists(st.sampled_from((0.0, 1e-300, 1e-9, 0.1, 1.0, 1e300)), min_size=1, max_size=40),
    st.integers(0, 99),
)
def test_the_guide_finds_what_a_search_finds(weights: list[float], seed: int) -> None:
    shares = np.array(weights) if any(weights) else np.ones(len(weights))
    upto = np.cumsum(shares / shares.max())
    upto /= upto[-1]
    edges = np.concatenate([[0.0], upto[upto < 1], np.nextafter(upto, 0)])
    draws = np.concatenate([np.random.default_rng(seed).random(200), edges])
    assert (_find(upto, draws) == np.searchsorted(upto, draws, side="right")).all()


def test_draws_just_below_a_boundary_stay_below_it() -> None:
    for size in range(1, 200):
        upto = np.cumsum(np.ones(size))
        upto /= upto[-1]
        assert (_find(upto, np.nextafter(upto, 0)) == np.arange(size)).all()


@given(st.lists(st.sampled_from((0.0, 1e-12, 1.0)), min_size=1, max_size=9), st.integers(0, 99))
def test_a_cell_without_weight_is_never_drawn(weights: list[float], seed: int) -> None:
    drawn = categorical(np.array(weights), 500, np.random.default_rng(seed))
    if any(weights):
        assert all(weights[cell] > 0 for cell in drawn)
    assert drawn.max() < len(weights)


def test_without_any_weight_all_cells_are_alike() -> None:
    drawn = categorical(np.zeros(4), 1000, np.random.default_rng(0))
    assert set(drawn.tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize(("size", "dtype"), [(1, "u1"), (256, "u1"), (257, "u2"), (70_000, "u4")])
def test_the_smallest_type_that_fits(size: int, dtype: str) -> None:
    assert categorical(np.ones(size), 3, np.random.default_rng(0)).dtype == np.dtype(dtype)


def test_no_rows_and_one_cell() -> None:
    assert categorical(np.ones(3), 0, np.random.default_rng(0)).tolist() == []
    assert categorical(np.array([0.2]), 3, np.random.default_rng(0)).tolist() == [0, 0, 0]


def test_the_same_generator_draws_the_same() -> None:
    one, two = (categorical(np.ones(50), 100, np.random.default_rng(8)) for _ in range(2))
    assert (one == two).all()


@pytest.mark.parametrize("weights", [[], [-1.0, 2.0], [np.nan], [np.inf, 1.0]])
def test_weights_that_are_none_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        categorical(np.array(weights), 1, np.random.default_rng(0))
