"""The draws against their exact laws: chi-square tests at small, large and fractional scales.

Every source of noise that products run on is tested: OpenDP's samplers, the exact tables that long
vectors are drawn from, and the table of the rounded normal law. A test fails if its p-value is
below 1e-9. There are fewer than 300 tests, so a false alarm anywhere has a probability below 1e-6,
even if the chi-square approximation (at least 50 expected draws in every bin) is off by a factor of
three so far out.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tests.noise_sources import (
    discrete_gaussian_tail,
    discrete_laplace_tail,
    exponential_law,
    permute_and_flip_law,
    rounded_gaussian_tail,
)
from understudy.gate.noise import Noise, OpenDPNoise, SystemNoise

LEAST_P = 1e-9
LEAST_EXPECTED = 50
BINS = 40
SCALES = [2.0**-20, 0.05, 1 / 3, 0.7, 1.0, math.sqrt(2), math.pi, 17.3, 1000.1, 2.0**20, 2.0**40]
SOURCES = {"opendp": OpenDPNoise, "system": SystemNoise}
LAWS = ["laplace", "gaussian", "rounded_gaussian"]
SMOKE, FULL = 4_000, 150_000
DRAWS = [SMOKE, pytest.param(FULL, marks=pytest.mark.slow)]


def upper(law: str, scale: float) -> Callable[[int], float]:
    """P(Z >= t), exactly; beyond a scale of 10^5 the discrete Gaussian's by the normal law.

    There the two differ by less than 1e-10 relatively if t is moved by half a step.
    """
    if law == "laplace":
        return lambda t: discrete_laplace_tail(t, scale)
    if law == "rounded_gaussian":
        return lambda t: rounded_gaussian_tail(t, scale)
    if scale < 1e5:
        return lambda t: discrete_gaussian_tail(t, scale)
    return lambda t: float(stats.norm.sf((t - 0.5) / scale))


def edges_of(tail: Callable[[int], float], draws: int) -> list[int]:
    """Whole numbers that cut the law into bins with enough expected draws in each."""
    share = max(1.0 / BINS, LEAST_EXPECTED / draws)
    edges: list[int] = []
    left = 1.0
    while left > 2.0 * share:
        edge = _largest(tail, left - share)
        if tail(edge) < share:
            break
        edges.append(edge)
        left = tail(edge)
    return edges


def _largest(tail: Callable[[int], float], most: float) -> int:
    """The least t whose upper tail is at most ``most``."""
    low, high = -1, 1
    while tail(low) <= most:
        low *= 2
    while tail(high) > most:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if tail(middle) > most else (low, middle)
    return high


def p_value(observed: NDArray[np.int64], expected: NDArray[np.float64]) -> float:
    """The probability of a fit at least as bad, by chi-square."""
    assert observed.sum() == pytest.approx(expected.sum())
    if len(expected) == 1:
        return 1.0
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, len(expected) - 1))


def p_of_sample(sample: NDArray[np.int64], law: str, scale: float) -> float:
    tail = upper(law, scale)
    edges = edges_of(tail, len(sample))
    uppers = np.array([1.0, *map(tail, edges), 0.0])
    places = np.searchsorted(np.array(edges, dtype=np.int64), sample, side="right")
    observed = np.bincount(places, minlength=len(edges) + 1)
    return p_value(observed, -np.diff(uppers) * len(sample))


@pytest.mark.parametrize("draws", DRAWS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("source", SOURCES)
def test_added_noise_has_the_exact_law(source: str, law: str, scale: float, draws: int) -> None:
    value = 12_345
    noisy = getattr(SOURCES[source](), law)(np.full(draws, value), scale=scale)
    assert p_of_sample(noisy - value, law, scale) > LEAST_P


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [0.7, 17.3])
@pytest.mark.parametrize("source", SOURCES)
def test_draws_do_not_depend_on_each_other(source: str, law: str, scale: float) -> None:
    """Correlations with the next draws, of value and of size: 6 standard errors, 2e-9 each."""
    draws = 20_000
    noise = getattr(SOURCES[source](), law)(np.zeros(draws, np.int64), scale=scale).astype(float)
    for series in (noise, np.abs(noise)):
        for lag in (1, 2, 7):
            correlation = np.corrcoef(series[lag:], series[:-lag])[0, 1]
            assert abs(correlation) < 6.0 / math.sqrt(draws - lag)


SCORES = [
    # scores, scale
    ([0, 0], 1.0),
    ([0, 1], 1 / 3),
    ([5, 5, 5, 4, 3, -2], 2.5),
    ([0, -65_539, -3 * 65_539], 65_539.0),
    ([2**45, 2**45 - 2**20, 0], 2.0**20),
    ([2**60, 2**60 - 1, 2**60 - 3], 0.7),
    ([-(2**60), -(2**60) + 2], math.pi),
    ([0, 3, 1, 2] * 20, 1.7),
    ([*range(0, -500, -5)], 60.1),
    ([0, 2**30], 2.0**40),
    ([0, 1], 0.05),
]
SELECTIONS = {"permute_and_flip": permute_and_flip_law, "gumbel_max": exponential_law}


@pytest.mark.parametrize("draws", [SMOKE // 2, pytest.param(FULL // 3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("scores", "scale"), SCORES)
@pytest.mark.parametrize("draw", SELECTIONS)
@pytest.mark.parametrize("source", SOURCES)
def test_selections_have_the_exact_law(
    source: str, draw: str, scores: list[int], scale: float, draws: int
) -> None:
    law = np.array(SELECTIONS[draw](scores, scale))
    noise: Noise = SOURCES[source]()
    exact = np.array(scores, dtype=np.int64)
    chosen = [getattr(noise, draw)(exact, scale=scale) for _ in range(draws)]
    observed = np.bincount(chosen, minlength=len(scores))
    assert (observed[law * draws < 1e-12] == 0).all()
    assert p_value(*_merged(observed, law * draws)) > LEAST_P


def _merged(
    observed: NDArray[np.int64], expected: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Candidates in the order of their chances, put together until each bin has enough."""
    bins: list[tuple[int, float]] = [(0, 0.0)]
    for index in np.argsort(expected):
        if bins[-1][1] >= LEAST_EXPECTED:
            bins.append((0, 0.0))
        bins[-1] = (bins[-1][0] + int(observed[index]), bins[-1][1] + float(expected[index]))
    return np.array([o for o, _ in bins]), np.array([e for _, e in bins])


# ---- the test itself ---------------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("scale", [0.7, 3.0, 1000.1])
def test_the_check_notices_a_scale_that_is_four_percent_too_small(law: str, scale: float) -> None:
    wrong = getattr(SystemNoise(), law)(np.zeros(FULL, np.int64), scale=scale * 0.96)
    assert p_of_sample(wrong, law, scale) < LEAST_P


def test_the_check_notices_noise_that_is_rounded_instead_of_discrete() -> None:
    rng = np.random.default_rng(1)
    rounded = np.rint(rng.laplace(0.0, 1.0, FULL)).astype(np.int64)
    assert p_of_sample(rounded, "laplace", 1.0) < LEAST_P


def test_the_check_tells_the_rounded_from_the_discrete_gaussian() -> None:
    rounded = SystemNoise().rounded_gaussian(np.zeros(FULL, np.int64), scale=0.7)
    assert p_of_sample(rounded, "rounded_gaussian", 0.7) > LEAST_P
    assert p_of_sample(rounded, "gaussian", 0.7) < LEAST_P


def test_the_check_tells_the_two_selections_apart() -> None:
    scores, scale, draws = [5, 5, 5, 4, 3, -2], 2.5, 60_000
    noise = OpenDPNoise()
    chosen = [noise.permute_and_flip(np.array(scores), scale=scale) for _ in range(draws)]
    wrong = np.array(exponential_law(scores, scale)) * draws
    assert p_value(*_merged(np.bincount(chosen, minlength=6), wrong)) < LEAST_P
