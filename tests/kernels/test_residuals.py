"""Reconstruction in closed form against weighted least squares on the whole joint table."""

from __future__ import annotations

from itertools import combinations
from math import inf, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from understudy.kernels.residuals import (
    Columns,
    Measured,
    closure,
    marginal_variance,
    residual_variances,
    residuals_of,
    subsets,
)

sizes_of_tables = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def summing(sizes: list[int], columns: Columns) -> NDArray[np.float64]:
    """The matrix that takes a flat joint table to the flat marginal over these columns."""
    joint = np.eye(prod(sizes)).reshape(*sizes, -1)
    away = tuple(column for column in range(len(sizes)) if column not in columns)
    kept = sorted(columns)
    summed = joint.sum(axis=away)
    moved = summed.transpose([*(kept.index(column) for column in columns), len(columns)])
    return moved.reshape(-1, prod(sizes))


def least_squares(
    sizes: list[int], measured: list[Measured], wanted: Columns, total: float | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The best linear unbiased estimate of a marginal, and its covariance, by brute force."""
    rows = [summing(sizes, one.columns) / np.sqrt(one.variance) for one in measured]
    values = [one.cells.ravel() / np.sqrt(one.variance) for one in measured]
    if total is not None:
        rows.append(np.full((1, prod(sizes)), 1e5))
        values.append(np.array([total * 1e5]))
    inverse = np.linalg.pinv(np.vstack(rows), rcond=1e-11)
    takes = summing(sizes, wanted)
    return takes @ inverse @ np.concatenate(values), takes @ inverse @ inverse.T @ takes.T


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[int], list[Measured], float | None]:
    """Any mix of marginals of a small table, some of them twice and with columns out of order."""
    sizes = draw(sizes_of_tables)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sets = subsets(tuple(range(len(sizes))))[1:]
    chosen = draw(st.lists(st.sampled_from(sets), min_size=1, max_size=6))
    measured = []
    for columns in chosen:
        order = tuple(int(column) for column in rng.permutation(columns))
        cells = rng.integers(-5, 30, tuple(sizes[column] for column in order))
        measured.append(Measured(order, cells, float(rng.uniform(0.2, 9.0))))
    return sizes, measured, draw(st.sampled_from([None, 37.0]))


@given(problems())
def test_it_is_weighted_least_squares(
    problem: tuple[list[int], list[Measured], float | None],
) -> None:
    sizes, measured, total = problem
    residuals = residuals_of(measured, sizes, total=total)
    for one in measured:
        estimate, covariance = least_squares(sizes, measured, one.columns, total)
        found = residuals.marginal(one.columns)
        assert found.shape == one.cells.shape
        assert found.ravel() == pytest.approx(estimate, abs=1e-6)
        assert np.diag(covariance) == pytest.approx(residuals.variance(one.columns), abs=1e-6)


@given(problems())
def test_variances_are_known_without_a_single_cell(
    problem: tuple[list[int], list[Measured], float | None],
) -> None:
    sizes, measured, total = problem
    pairs = [(one.columns, one.variance) for one in measured]
    before = residual_variances(pairs, sizes, total_known=total is not None)
    assert before == residuals_of(measured, sizes, total=total).variances


@given(problems())
def test_all_marginals_agree(problem: tuple[list[int], list[Measured], float | None]) -> None:
    sizes, measured, total = problem
    residuals = residuals_of(measured, sizes, total=total)
    whole = residuals.marginal(tuple(range(len(sizes))))
    for columns in closure(one.columns for one in measured):
        away = tuple(column for column in range(len(sizes)) if column not in columns)
        assert whole.sum(axis=away) == pytest.approx(residuals.marginal(columns), abs=1e-9)
    if total is not None:
        assert whole.sum() == pytest.approx(total)


def test_without_noise_it_gives_back_what_was_measured() -> None:
    rng = np.random.default_rng(1)
    joint = rng.integers(0, 50, (3, 4, 2, 5))
    measured = [
        Measured(pair, joint.sum(axis=tuple({0, 1, 2, 3} - set(pair))), 0.0)
        for pair in combinations(range(4), 2)
    ]
    residuals = residuals_of(measured, joint.shape)
    for one in measured:
        assert residuals.marginal(one.columns) == pytest.approx(one.cells)
    assert residuals.marginal((2,)) == pytest.approx(joint.sum(axis=(0, 1, 3)))


def test_the_input_is_left_alone() -> None:
    cells = np.arange(6.0).reshape(2, 3)
    before = cells.copy()
    residuals_of([Measured((0, 1), cells, 1.0), Measured((0, 1), cells, 2.0)], (2, 3))
    assert (cells == before).all()


def test_what_was_never_measured_is_spread_evenly_and_known_to_be_unknown() -> None:
    residuals = residuals_of([Measured((0,), np.array([6, 3]), 1.0)], (2, 3))
    assert residuals.marginal((0, 1)) == pytest.approx(np.array([[2.0] * 3, [1.0] * 3]))
    assert residuals.variance((0, 1)) == inf
    assert residuals.variance((0,)) == pytest.approx(1.0)


def test_a_constant_column_hides_nothing() -> None:
    """A residual over a column with one cell is empty: nobody needs to measure it."""
    variances = residual_variances([((0,), 2.0)], (3, 1))
    assert marginal_variance((0, 1), variances, (3, 1)) == pytest.approx(2.0)


def test_more_columns_than_a_joint_table_could_have() -> None:
    """200 columns of 4 cells: every pair of the reconstruction sums to the known total."""
    rng = np.random.default_rng(2)
    sizes = (4,) * 200
    pairs = list(combinations(range(200), 2))
    measured = [Measured(pair, rng.integers(0, 9, (4, 4)), 4.0) for pair in pairs]
    residuals = residuals_of(measured, sizes, total=1000.0)
    for pair in pairs[::997]:
        assert residuals.marginal(pair).sum() == pytest.approx(1000.0)
        assert residuals.variance(pair) < 4.0
