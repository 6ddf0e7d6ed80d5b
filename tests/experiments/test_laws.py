"""The laws of noise against simulation, quadrature and closed forms."""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np
import pytest

from experiments.programming_dp import laws

FALSE_ALARM = 1e-7


def binomial_reach(share: float, draws: int) -> float:
    """Hoeffding: how far a share of so many draws strays, except once in ten million."""
    return sqrt(log(2.0 / FALSE_ALARM) / (2.0 * draws)) + 0.0 * share


@pytest.mark.parametrize("reach", [0.0, 0.3, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_one_term_is_the_laplace_law(reach: float, scale: float) -> None:
    expected = exp(-reach / scale) / 2.0
    assert laws.laplace_sum_tail(reach, terms=1, scale=scale) == pytest.approx(expected)


def test_two_terms_are_the_convolution() -> None:
    # P(X + Y > t) = e^-t (t + 2) / 4
    for reach in (0.1, 1.0, 7.5):
        expected = exp(-reach) * (reach + 2.0) / 4.0
        assert laws.laplace_sum_tail(reach, terms=2, scale=1.0) == pytest.approx(expected)


@pytest.mark.parametrize("terms", [3, 12, 41])
def test_many_terms_against_simulation(terms: int) -> None:
    draws = 40_000
    noise = np.random.default_rng(terms).laplace(0.0, 2.0, (draws, terms)).sum(axis=1)
    for reach in (1.0, 5.0, 15.0):
        found = float((noise > reach).mean())
        expected = laws.laplace_sum_tail(reach, terms=terms, scale=2.0)
        assert abs(found - expected) < binomial_reach(expected, draws)


@pytest.mark.parametrize("terms", [1, 12, 41])
def test_reaches_are_where_the_tails_are_small_enough(terms: int) -> None:
    reach = laws.laplace_sum(terms=terms, scale=1.0, false_alarm=1e-6)
    assert 2.0 * laws.laplace_sum_tail(reach, terms=terms, scale=1.0) == pytest.approx(1e-6)
    assert reach > laws.normal(sqrt(2.0 * terms), false_alarm=1e-6), "Laplace tails are heavier"


def test_whole_noise_by_hand() -> None:
    # P(|X| >= 1) = 2 q / (1 + q); with q = 1/2 that is 2/3, and P(|X| >= 2) = 1/3
    scale = 1.0 / log(2.0)
    assert laws.whole_noise_sum(terms=1, scale=scale, false_alarm=0.67) == 0.0
    assert laws.whole_noise_sum(terms=1, scale=scale, false_alarm=0.34) == 1.0
    assert laws.whole_noise_sum(terms=1, scale=scale, false_alarm=0.33) == 2.0


@pytest.mark.parametrize("terms", [1, 5, 30])
def test_whole_noise_against_simulation(terms: int) -> None:
    q, draws = exp(-1.0), 40_000
    rng = np.random.default_rng(terms)
    first, second = rng.geometric(1.0 - q, (2, draws, terms))
    noise = np.abs((first - second).sum(axis=1))
    reach = laws.whole_noise_sum(terms=terms, scale=1.0, false_alarm=0.05)
    assert (noise > reach).mean() <= 0.05 + binomial_reach(0.05, draws)
    assert (noise >= reach).mean() >= 0.05 - binomial_reach(0.05, draws)


def test_normal_reaches() -> None:
    assert laws.normal(2.0, false_alarm=0.05) == pytest.approx(3.91993, abs=1e-5)


@pytest.mark.parametrize("count", [0.0, 0.5, 3.0, 40.0])
def test_moments_of_clipped_noise_by_quadrature(count: float) -> None:
    steps = np.linspace(-60.0, 60.0, 1_200_001)
    density = np.exp(-np.abs(steps)) / 2.0
    kept = np.maximum(count + steps, 0.0)
    mean = float(np.trapezoid(kept * density, steps))
    variance = float(np.trapezoid(kept**2 * density, steps)) - mean**2
    values = np.array([count])
    assert laws.clipped_mean(values, scale=1.0)[0] == pytest.approx(mean, rel=1e-6)
    assert laws.clipped_variance(values, scale=1.0)[0] == pytest.approx(variance, rel=1e-6)


def test_shares_of_clipped_counts_against_simulation() -> None:
    rng = np.random.default_rng(4)
    counts = np.array([500.0, 300.0, 40.0, 0.0, 0.0, 2.0])
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    law = laws.clipped_share(counts, weights, scale=1.0)
    noisy = np.maximum(counts + rng.laplace(0.0, 1.0, (40_000, 6)), 0.0)
    found = noisy @ weights / noisy.sum(axis=1)
    stddev = sqrt(law.variance)
    assert found.mean() == pytest.approx(law.mean, abs=5.5 * stddev / 200 + 1e-4)
    assert found.std() == pytest.approx(stddev, rel=0.05)


def test_draws_widen_an_interval_and_their_share_centres_it() -> None:
    sharp = laws.drawn(laws.Share(0.25, 0.0), draws=400, false_alarm=0.05)
    assert (sharp.low + sharp.high) / 2.0 == pytest.approx(100.0)
    assert sharp.high - 100.0 == pytest.approx(1.959964 * sqrt(75.0), rel=1e-5)
    noisy = laws.drawn(laws.Share(0.25, 1e-3), draws=400, false_alarm=0.05)
    assert noisy.low < sharp.low


def test_an_interval_knows_what_is_in_it() -> None:
    assert 1.0 in laws.around(0.0, 1.0)
    assert 1.1 not in laws.around(0.0, 1.0)
