"""The comparators' sensitivities by brute force, and their output where noise vanishes."""

from __future__ import annotations

from itertools import product
from math import log, sqrt

import numpy as np
import pytest

from experiments.pmse import cart, comparators
from experiments.pmse.chain import STEPS, Chain, Published
from experiments.pmse.comparators import Box, Functional, NoisyBayes, SmoothedHistogram
from experiments.pmse.setting import MEANS, STDDEVS, estimates, generate, regression, table

PLENTY = 1e9


def test_the_noise_of_the_functional_mechanism_covers_every_replacement() -> None:
    steps = np.linspace(-1.0, 1.0, 21)
    points = np.array([(x, x * x, y, x * y) for x, y in product(steps, steps)])
    changes = np.abs(points[:, None, :] - points[None, :, :])
    assert changes.sum(axis=2).max() == pytest.approx(comparators.L1_SENSITIVITY)
    assert changes.max() == pytest.approx(comparators.LARGEST_CHANGE)


@pytest.mark.parametrize("largest", [False, True])
def test_the_noise_has_the_spread_that_it_claims(largest: bool) -> None:
    rng = np.random.default_rng(2)
    draw = comparators._largest_noise if largest else comparators._sum_noise
    drawn = [draw(0.5, rng) for _ in range(4000)]
    noise = np.array([one for one, _ in drawn])
    assert noise.std() == pytest.approx(drawn[0][1], rel=0.08)


def test_the_smoothing_of_the_paper_costs_epsilon_and_our_guess_of_theirs_far_more() -> None:
    for bins, n, epsilon in ((64, 5000, 0.25), (9, 40, 1.0), (2500, 5000, 4.0)):
        share = comparators.smoothing(bins, n, epsilon)
        assert comparators.true_epsilon(share, bins, n) == pytest.approx(epsilon)
        guessed = comparators.guessed_smoothing(bins, n, epsilon)
        expected = n * log(1.0 + epsilon)  # (1 - lambda) / lambda = n epsilon / K
        assert comparators.true_epsilon(guessed, bins, n) == pytest.approx(expected)


def test_a_replaced_row_moves_n_draws_by_what_the_smoothing_is_made_for() -> None:
    """All rows in one of two bins, or one of them in the other: n draws of the rarer bin."""
    n, bins, epsilon = 7, 2, 0.8
    share = comparators.smoothing(bins, n, epsilon)
    rare, less_rare = share / bins, (1.0 - share) / n + share / bins
    assert n * log(less_rare / rare) == pytest.approx(epsilon)


def test_bounds_are_multiples_of_the_true_standard_deviations() -> None:
    box = Box(2.0)
    assert box.low == pytest.approx(np.array(MEANS) - 2.0 * np.array(STDDEVS))
    wild = np.array([[1e6, -1e6]])
    assert box.clip(wild)[0] == pytest.approx([box.low[0] + box.widths[0], box.low[1]])


def test_without_noise_the_functional_mechanism_is_least_squares() -> None:
    rng = np.random.default_rng(4)
    real = Box(3.0).clip(table(rng, rows=800))
    for largest in (False, True):
        found = Functional(3.0, largest=largest)(real, PLENTY, rng)
        assert found.coefficients == pytest.approx(regression(real), abs=1e-4)
        assert found.synthetic is None


def test_without_noise_noisy_bayes_is_a_draw_from_the_posterior() -> None:
    rng = np.random.default_rng(5)
    real = Box(10.0).clip(table(rng, rows=4000))
    found = NoisyBayes(10.0)(real, PLENTY, rng)
    assert found.synthetic is not None
    assert found.coefficients == pytest.approx(regression(real), abs=0.08)
    assert np.cov(found.synthetic.T) == pytest.approx(np.cov(real.T), rel=0.15, abs=0.3)


def test_the_posterior_has_the_moments_of_its_law() -> None:
    rng = np.random.default_rng(6)
    mean, covariance, n = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 1.0]]), 40
    tables = [comparators.posterior_table(mean, covariance, n, rng) for _ in range(3000)]
    means = np.array([one.mean(axis=0) for one in tables])
    within = np.mean([np.cov(one.T) for one in tables], axis=0)
    # E[Sigma] = n S / (nu - 3) with nu = n - 1; a table's mean adds Sigma / n twice
    expected = covariance * n / (n - 1 - 3)
    assert within == pytest.approx(expected, rel=0.05)
    assert np.cov(means.T) == pytest.approx(2.0 * expected / n, rel=0.15, abs=0.01)
    assert means.mean(axis=0) == pytest.approx(mean, abs=6 * sqrt(0.2 / 3000))


def test_an_impossible_covariance_is_made_definite_and_a_possible_one_is_left() -> None:
    square = np.outer([2.0, 4.0], [2.0, 4.0])
    fine = np.array([[1.0, 0.3], [0.3, 2.0]])
    assert comparators.definite(fine, square) == pytest.approx(fine)
    raised = comparators.definite(np.array([[-1.0, 0.0], [0.0, 2.0]]), square)
    assert raised == pytest.approx(np.diag([comparators.SMALLEST_VARIANCE * 4.0, 2.0]))


def test_a_smoothed_histogram_stays_in_its_bounds_and_forgets_when_it_must() -> None:
    rng = np.random.default_rng(7)
    real = table(rng, rows=900)
    for method in (SmoothedHistogram(2.0), SmoothedHistogram(2.0, guessed=True)):
        drawn = method(real, 0.1, rng).synthetic
        assert drawn is not None
        assert drawn.shape == real.shape
        assert Box(2.0).clip(drawn) == pytest.approx(drawn)
    plain = SmoothedHistogram(2.0)(real, 0.1, rng).coefficients[1]
    assert abs(plain) < 0.15, "nearly uniform: no slope is left"
    kept = SmoothedHistogram(4.0)(real, 1e4, rng).coefficients[1]
    assert kept == pytest.approx(0.45, abs=0.1)


def test_generating_with_the_estimates_gives_a_table_with_the_same_estimates() -> None:
    rng = np.random.default_rng(8)
    real = table(rng, rows=20_000)
    again = generate(estimates(real), rng.standard_normal((2, 20_000)))
    assert estimates(again) == pytest.approx(estimates(real), rel=0.1, abs=0.1)


def test_a_chain_without_weight_wanders_and_a_heavy_one_stays() -> None:
    real = table(np.random.default_rng(1), rows=300)
    pruning = cart.Pruning(2, 0.01)
    free = Chain(real, 0.0, pruning, np.random.default_rng(2))
    held = Chain(real, 1e4, pruning, np.random.default_rng(2))
    start = estimates(real)
    for chain in (free, held):
        chain.walk(150)
        assert chain.state[1] > 0.0
        assert chain.state[4] > 0.0
    strayed = [np.abs((chain.state - start) / STEPS).max() for chain in (free, held)]
    assert strayed[0] > 3.0 > strayed[1]


def test_the_published_mechanism_averages_over_ten_tables() -> None:
    real = table(np.random.default_rng(1), rows=120)
    method = Published(cart.Pruning(1, 0.01), burn_in=3, thinning=1)
    found = method(real, 1.0, np.random.default_rng(2))
    assert found.synthetic is not None
    assert found.synthetic.shape == real.shape
    assert not np.allclose(found.coefficients, regression(found.synthetic))
