"""Gaussian privacy in epsilon and delta: by integration, by SciPy, and rounded outwards."""

from __future__ import annotations

from fractions import Fraction
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import log_ndtr, ndtr

from understudy.errors import UsageError
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, PureDP
from understudy.privacy.convert import (
    add_remove_to_replace_one,
    approx_to_gdp,
    approx_to_zcdp,
    gdp_to_approx,
    gdp_to_zcdp,
    zcdp_to_approx,
)
from understudy.privacy.gaussian import delta_of

squares = st.fractions(Fraction(1, 10**6), 20, max_denominator=10**6)
deltas = st.builds(lambda k, m: Fraction(m, 10**k), st.integers(2, 15), st.integers(1, 9))
epsilons = st.fractions(0, 30, max_denominator=10**4)


def by_integration(mu: float, epsilon: float) -> float:
    """The mass by which N(mu, 1) passes e^epsilon times N(0, 1), summed on a fine grid."""
    edge = epsilon / mu + mu / 2  # where the two densities meet
    x, step = np.linspace(edge, edge + 12.0, 400_001, retstep=True)
    excess = np.exp(-((x - mu) ** 2) / 2) - np.exp(epsilon - x**2 / 2)
    weights = np.where(np.arange(len(x)) % 2, 4.0, 2.0)  # Simpson's rule
    weights[[0, -1]] = 1.0
    return float((excess * weights).sum() * step / 3 / sqrt(2 * np.pi))


@pytest.mark.parametrize(
    ("mu", "epsilon"),
    [(1.0, 1.0), (0.3, 1.0), (0.18, 1.0), (2.0, 0.5), (1.9, 0.0), (0.5, 0.0), (1.2, 4.0)],
)
def test_delta_is_the_mass_beyond_epsilon(mu, epsilon):
    found = delta_of(Fraction(mu) ** 2, Fraction(epsilon))
    assert float(found) == pytest.approx(by_integration(mu, epsilon), rel=1e-9)


@given(squares, epsilons)
def test_delta_is_what_floats_say(square, epsilon):
    mu = sqrt(square)
    a, b = float(epsilon) / mu - mu / 2, float(epsilon) / mu + mu / 2
    near = float(ndtr(-a)) - exp(float(epsilon) + float(log_ndtr(-b)))
    assert float(delta_of(square, epsilon)) == pytest.approx(near, rel=1e-6, abs=1e-13) or a < -1


@settings(max_examples=40)
@given(squares, deltas)
def test_gdp_to_approx_is_sound_and_tight(square, delta):
    found = gdp_to_approx(GDP(square), delta=delta)
    assert found.delta == delta
    assert delta_of(square, found.epsilon) <= delta
    less = found.epsilon * (1 - Fraction(1, 10**12))
    assert not found.epsilon or delta_of(square, less) > delta


@settings(max_examples=40)
@given(squares, deltas)
def test_normal_noise_is_never_dearer_than_by_renyi_orders(square, delta):
    budget = GDP(square)
    assert gdp_to_zcdp(budget) == ZCDP(square / 2)
    by_renyi = zcdp_to_approx(ZCDP(square / 2), delta=delta)
    assert by_renyi.covers(gdp_to_approx(budget, delta=delta))


@settings(max_examples=15)
@given(epsilons, deltas)
def test_the_round_trip_never_promises_more(epsilon, delta):
    asked = ApproxDP(epsilon, delta)
    inside = approx_to_gdp(asked)
    assert asked.covers(gdp_to_approx(inside, delta=delta))
    assert delta_of(inside.mu_squared * (1 + Fraction(1, 10**9)), epsilon) > delta
    assert inside.mu_squared >= 2 * approx_to_zcdp(asked).rho


# The largest mu, from SciPy's root finder on the float formula.
@pytest.mark.parametrize(
    ("epsilon", "delta", "mu"),
    [
        ("1", "1e-9", 0.18197480729533),
        ("1", "1e-5", 0.26805112129421),
        ("0.1", "1e-5", 0.03252078405620),
        ("10", "1e-9", 1.53787733681454),
    ],
)
def test_known_amounts(epsilon, delta, mu):
    found = approx_to_gdp(ApproxDP(epsilon, delta))
    assert sqrt(found.mu_squared) == pytest.approx(mu, rel=1e-8)


def test_a_way_back_that_overshoots_by_its_last_digit_costs_no_more_than_digits():
    """Here the way back from the best mu is 1e-19 beyond the epsilon asked for."""
    asked = ApproxDP("0.02", "0.01")
    found = approx_to_gdp(asked)
    assert asked.covers(gdp_to_approx(found, delta=asked.delta))
    assert delta_of(found.mu_squared * (1 + Fraction(1, 10**12)), asked.epsilon) > asked.delta


@pytest.mark.parametrize(("epsilon", "delta", "gain"), [("1", "1e-9", 0.049), ("1", "1e-5", 0.077)])
def test_how_much_less_noise_than_by_zcdp(epsilon, delta, gain):
    asked = ApproxDP(epsilon, delta)
    gdp, zcdp = approx_to_gdp(asked), approx_to_zcdp(asked)
    assert 1 - sqrt(2 * zcdp.rho / gdp.mu_squared) == pytest.approx(gain, abs=0.001)


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        (0, "1e-6"),
        (0, "1e-100"),
        ("1e-20", "1e-9"),
        ("1e-90", "1e-9"),
        (5000, "1e-9"),
        (1, "0.999"),
        (1, 1 - Fraction(1, 10**50)),
        (1, "1e-600"),
        (Fraction(10) ** 20, Fraction(1, 10**100)),
    ],
)
def test_extreme_requests_stay_inside(epsilon, delta):
    asked = ApproxDP(epsilon, delta)
    inside = approx_to_gdp(asked)
    assert asked.covers(gdp_to_approx(inside, delta=asked.delta))
    assert inside.mu_squared >= 2 * approx_to_zcdp(asked).rho


def test_two_halves_at_delta_zero_epsilon():
    # At epsilon 0 delta is the largest difference of chances, 2 Phi(mu / 2) - 1.
    assert float(delta_of(Fraction(9, 4), Fraction(0))) == pytest.approx(
        2 * ndtr(0.75) - 1, rel=1e-12
    )
    assert delta_of(Fraction(0), Fraction(0)) == 0
    assert delta_of(Fraction(16), Fraction(0)) == 1


def test_no_loss_costs_no_epsilon():
    assert gdp_to_approx(GDP(0), delta=1e-6) == ApproxDP(0, 1e-6)
    assert gdp_to_approx(GDP(Fraction(1, 10**30)), delta=1e-6) == ApproxDP(0, 1e-6)


def test_replacing_doubles_mu():
    assert add_remove_to_replace_one(GDP("1/3")) == GDP("4/3")


@pytest.mark.parametrize(
    ("convert", "says"),
    [
        (lambda: gdp_to_zcdp(ZCDP(1)), "starts from gdp, not from zcdp"),
        (lambda: gdp_to_approx(PureDP(1), delta=1e-6), "starts from gdp"),
        (lambda: gdp_to_approx(GDP(1), delta=0), "strictly between 0"),
        (lambda: approx_to_gdp(GDP(1)), "starts from approx"),
        (lambda: approx_to_gdp(ApproxDP(1, 0)), "without a delta"),
    ],
)
def test_refusals_say_why(convert, says):
    with pytest.raises(UsageError, match=says):
        convert()
