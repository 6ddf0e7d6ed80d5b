"""Scales: the inequality holds exactly in rationals, and no noise is wasted."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.noise_sources import discrete_gaussian, discrete_laplace, rounded_gaussian
from understudy.errors import UsageError
from understudy.gate.scale import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    gaussian_scale,
    gaussian_stddev,
    gumbel_scale,
    laplace_scale,
    laplace_stddev,
    rounded_stddev,
    selection_scale,
)

PRICES = st.builds(Fraction, st.integers(1, 10**6), st.integers(1, 10**9)) | st.sampled_from(
    [Fraction(1, 3), Fraction(1, 10), Fraction(2, 7), Fraction(1, 2**35), Fraction(10**6, 7)]
)
SENSITIVITIES = st.integers(1, 10**4)
WASTE = Fraction(1, 10**12)


@given(SENSITIVITIES, PRICES)
def test_laplace_scale_is_never_too_small_and_hardly_too_large(d: int, epsilon: Fraction) -> None:
    scale = Fraction(laplace_scale(d, epsilon))
    assert d / scale <= epsilon
    assert d / scale >= epsilon * (1 - WASTE)


@given(SENSITIVITIES, PRICES)
def test_gaussian_scale_is_never_too_small_and_hardly_too_large(d2: int, rho: Fraction) -> None:
    scale = Fraction(gaussian_scale(d2, rho))
    assert d2 / (2 * scale**2) <= rho
    assert d2 / (2 * scale**2) >= rho * (1 - WASTE)


@given(SENSITIVITIES, PRICES, st.booleans())
def test_selection_scale_pays_for_both_directions(d: int, price: Fraction, monotone: bool) -> None:
    moved = d if monotone else 2 * d
    scale = Fraction(selection_scale(d, price, monotone=monotone))
    assert price * (1 - WASTE) <= moved / scale <= price
    scale = Fraction(gumbel_scale(d, price, monotone=monotone))
    assert price * (1 - WASTE) <= (moved / scale) ** 2 / 8 <= price


def test_scales_that_are_no_floats_are_rounded_up() -> None:
    assert Fraction(laplace_scale(1, Fraction(3))) > Fraction(1, 3)  # the nearest float is below
    assert float(Fraction(1, 3)) < laplace_scale(1, Fraction(3))
    assert laplace_scale(1, Fraction(2)) == 0.5
    assert gaussian_scale(2, Fraction(1, 4)) == 2.0
    assert Fraction(gaussian_scale(1, Fraction(1, 4))) ** 2 >= 2


@pytest.mark.parametrize("scale_for", [laplace_scale, gaussian_scale])
@pytest.mark.parametrize("price", [Fraction(1, 10**20), Fraction(1, 10**40), Fraction(1, 10**400)])
def test_a_budget_too_small_for_any_use_is_refused(scale_for: object, price: Fraction) -> None:
    with pytest.raises(UsageError, match="too small"):
        scale_for(10**12, price**2)  # type: ignore[operator]


@pytest.mark.parametrize("scale_for", [laplace_scale, gaussian_scale])
@pytest.mark.parametrize("price", [Fraction(0), Fraction(-1)])
def test_no_budget_buys_no_answer(scale_for: object, price: Fraction) -> None:
    with pytest.raises(UsageError, match="above 0"):
        scale_for(1, price)  # type: ignore[operator]


def test_the_largest_scale_is_where_it_is_said_to_be() -> None:
    assert laplace_scale(1, Fraction(1, int(LARGEST_SCALE))) == LARGEST_SCALE
    with pytest.raises(UsageError, match="raise epsilon"):
        laplace_scale(1, Fraction(1, int(LARGEST_SCALE) + 1))


@pytest.mark.parametrize("price", [Fraction(10**12), Fraction(10**400)])
def test_a_huge_budget_has_a_scale_that_never_changes_an_integer(price: Fraction) -> None:
    for scale in (laplace_scale(1, price), gaussian_scale(1, price * price)):
        assert scale == SMALLEST_SCALE
        assert laplace_stddev(scale) == gaussian_stddev(scale) == rounded_stddev(scale) == 0.0


@pytest.mark.parametrize("scale", [0.05, 0.2, 0.5, 1.0, 1.5, 1.51, 3.7, 8.0, 8.1, 30.0])
def test_standard_deviations_are_those_of_the_laws(scale: float) -> None:
    reach = range(-math.ceil(60 * scale) - 2, math.ceil(60 * scale) + 3)
    for law, stddev in (
        (discrete_laplace, laplace_stddev(scale)),
        (discrete_gaussian, gaussian_stddev(scale)),
        (rounded_gaussian, rounded_stddev(scale)),
    ):
        second = math.fsum(k * k * law(k, scale) for k in reach)
        assert stddev == pytest.approx(math.sqrt(second), rel=1e-9, abs=1e-150)


def test_a_rounded_deviations_two_formulas_meet_to_the_last_digit() -> None:
    assert rounded_stddev(1.5) == pytest.approx(math.sqrt(1.5**2 + 1 / 12), rel=4e-16)
    assert rounded_stddev(2.0**40) == 2.0**40
