"""Systematic draws: counts near the tables, and columns as independent as the chain says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.kernels.chains import FALSE_ALARM, counted, joint, small_chain, weights
from understudy.kernels.ancestral import Chain, Step
from understudy.kernels.systematic import draw_systematic


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_the_shares_rounded(seed: int) -> None:
    """Of each step, given what was drawn before: less than one row off, and none where none is."""
    chain = small_chain(seed)
    codes = draw_systematic(chain, 5_003, np.random.default_rng(seed))
    for step in chain.steps:
        places = (*step.given, step.column)
        sizes = tuple(chain.sizes[place] for place in places)
        counts = counted([codes[place] for place in places], sizes)
        shares = step.weights / step.weights.sum(axis=-1, keepdims=True)
        assert (np.abs(counts - counts.sum(axis=-1, keepdims=True) * shares) < 1 + 1e-6).all()
        assert not counts[step.weights == 0].any()


def test_every_row_follows_the_joint_law() -> None:
    """Over many small draws, the mean count of each cell is within 6 of its standard errors."""
    chain, draws, rows = small_chain(4), 20_000, 7
    rng = np.random.default_rng(11)
    total = np.zeros(chain.sizes)
    squares = np.zeros(chain.sizes)
    for _ in range(draws):
        counts = counted(draw_systematic(chain, rows, rng), chain.sizes)
        total += counts
        squares += counts**2
    spread = np.sqrt(np.maximum(squares / draws - (total / draws) ** 2, 1 / draws) / draws)
    assert (np.abs(total / draws - rows * joint(chain)) < 6 * spread).all()


def siblings() -> Chain:
    """A parent of two cells and two children of many, which do not depend on it or each other."""
    rng = np.random.default_rng(2)
    one, two = weights(rng, 30, empty=0.0), weights(rng, 30, empty=0.0)
    children = (Step((0,), 1, np.stack([one, one])), Step((0,), 2, np.stack([two, two])))
    return Chain((2, 30, 30), (Step((), 0, np.ones(2)), *children))


class DealsInOrder:
    """A generator whose random orders are none: the known defect of another library."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(3)

    def random(self, shape: Any) -> Any:
        return self._rng.random(shape)

    def permutation(self, rows: int) -> NDArray[np.int64]:
        return np.arange(rows)


def test_children_of_one_parent_are_not_tied() -> None:
    """Correlations within 6 / sqrt(rows), where dealing out in order correlates above 0.9."""
    rows = 50_000
    for draw in (
        lambda: draw_systematic(siblings(), rows, np.random.default_rng(3)),
        lambda: siblings().draw(rows, np.random.default_rng(3)),
    ):
        _, one, two = draw()
        assert abs(np.corrcoef(one, two)[0, 1]) < 6 / np.sqrt(rows)
    in_order: Any = DealsInOrder()
    _, one, two = draw_systematic(siblings(), rows, in_order)
    assert np.corrcoef(one, two)[0, 1] > 0.9


def test_pairs_of_children_vary_as_independent_ones_do() -> None:
    """Given both columns' counts, each pair of cells is hypergeometric: chi-square of the pairs."""
    _, one, two = draw_systematic(siblings(), 50_000, np.random.default_rng(9))
    table = counted([one // 6, two // 6], (5, 5))
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


def test_no_rows_are_no_rows() -> None:
    codes = draw_systematic(small_chain(0), 0, np.random.default_rng(0))
    assert [len(column) for column in codes] == [0] * 6
