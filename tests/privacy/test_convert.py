"""Conversions against independent computations, and in the certified direction."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import erfc, exp, log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.errors import UsageError
from understudy.privacy.budget import ZCDP, ApproxDP, PureDP
from understudy.privacy.convert import (
    CONVERSIONS,
    add_remove_to_replace_one,
    approx_to_zcdp,
    log_bounds,
    pure_to_approx,
    pure_to_zcdp,
    zcdp_to_approx,
)

rhos = st.fractions(Fraction(1, 10**6), 20, max_denominator=10**6)
deltas = st.builds(lambda k, m: Fraction(m, 10**k), st.integers(2, 15), st.integers(1, 9))
epsilons = st.fractions(0, 30, max_denominator=10**4)


def least_delta(rho: Fraction, epsilon: Fraction) -> Decimal:
    """min over alpha of the delta of Corollary 13, by ternary search on log(alpha - 1)."""
    with localcontext(Context(prec=60)):
        r, e = (Decimal(x.numerator) / Decimal(x.denominator) for x in (rho, epsilon))

        def log_delta(t: Decimal) -> Decimal:
            b = t.exp()
            alpha = 1 + b
            return b * (alpha * r - e) - b.ln() + alpha * (1 - 1 / alpha).ln()

        low, high = Decimal(-12), Decimal(40)
        for _ in range(170):
            third = (high - low) / 3
            if log_delta(low + third) < log_delta(high - third):
                high -= third
            else:
                low += third
        return log_delta((low + high) / 2).exp()


def gaussian_delta(rho: float, epsilon: float) -> float:
    """The exact delta of the Gaussian mechanism with this rho (Balle and Wang 2018)."""
    mu = sqrt(2 * rho)
    upper = [0.5 * erfc((epsilon / mu + sign * mu / 2) / sqrt(2)) for sign in (-1, 1)]
    return upper[0] - exp(epsilon) * upper[1]


def as_decimal(value: Fraction) -> Decimal:
    return Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))


# Computed once with mpmath at 40 digits from the stationary order; the last column is what the
# accountant dp_accounting 0.6.0 says with 5929 orders, which can only be larger.
REFERENCE = [
    ("0.5", "1e-6", 5.2215344445301690442, 5.221534870343525),
    ("0.015", "1e-9", 1.0009389481893834982, 1.0009512212284242),
    ("0.1", "1e-5", 1.9142388320035977985, 1.9142388669294337),
    ("1", "1e-6", 7.7662166253117207364, 7.76621728978931),
    ("0.001", "1e-9", 0.24511925387195137881, 0.24511925502056783),
    ("2", "0.01", 6.9235061959116815099, 6.923512194066024),
]


@pytest.mark.parametrize(("rho", "delta", "epsilon", "accountant"), REFERENCE)
def test_zcdp_to_approx_meets_two_other_programs(rho, delta, epsilon, accountant):
    found = zcdp_to_approx(ZCDP(rho), delta=delta)
    assert found.delta == Fraction(delta)
    assert float(found.epsilon) == pytest.approx(epsilon, rel=1e-15)
    assert epsilon <= accountant * (1 + 1e-12)
    assert float(found.epsilon) <= accountant * (1 + 1e-12)


def test_the_known_rho_of_epsilon_one():
    best = approx_to_zcdp(ApproxDP(1, 1e-9)).rho
    assert float(best) == pytest.approx(0.014973, abs=1e-6)
    # The simple conversion rho + 2 sqrt(rho ln(1/delta)) gives a fifth less.
    root = sqrt(log(1e9) + 1) - sqrt(log(1e9))
    assert root**2 == pytest.approx(0.0118, abs=1e-4)
    assert float(best) > 1.25 * root**2


@settings(max_examples=40)
@given(rhos, deltas)
def test_zcdp_to_approx_is_sound_and_tight(rho, delta):
    epsilon = zcdp_to_approx(ZCDP(rho), delta=delta).epsilon
    assert least_delta(rho, epsilon) <= as_decimal(delta)
    if epsilon:
        assert least_delta(rho, epsilon * (1 - Fraction(1, 10**12))) > as_decimal(delta)


@settings(max_examples=40)
@given(rhos, deltas)
def test_the_gaussian_mechanism_keeps_the_promise(rho, delta):
    epsilon = float(zcdp_to_approx(ZCDP(rho), delta=delta).epsilon)
    assert gaussian_delta(float(rho), epsilon) <= float(delta) + 1e-15


@settings(max_examples=40)
@given(epsilons, deltas)
def test_the_round_trip_never_promises_more(epsilon, delta):
    asked = ApproxDP(epsilon, delta)
    inside = approx_to_zcdp(asked)
    assert asked.covers(zcdp_to_approx(inside, delta=delta))
    # The largest rho: a little more does not fit.
    more = ZCDP(inside.rho * (1 + Fraction(1, 10**9)))
    assert not asked.covers(zcdp_to_approx(more, delta=delta))


@settings(max_examples=30)
@given(epsilons.filter(bool), deltas, st.fractions(0, Fraction(99, 100), max_denominator=100))
def test_a_reserved_delta_is_added_back(epsilon, delta, share):
    asked = ApproxDP(epsilon, delta)
    inside = approx_to_zcdp(asked, reserve_delta=delta * share)
    assert inside.delta == delta * share
    assert inside.rho <= approx_to_zcdp(asked).rho
    back = zcdp_to_approx(inside, delta=delta)
    assert asked.covers(back)
    alone = zcdp_to_approx(ZCDP(inside.rho), delta=delta * (1 - share))
    assert back.epsilon == alone.epsilon


@settings(max_examples=30)
@given(rhos, rhos, deltas)
def test_more_rho_never_means_less_epsilon(one, other, delta):
    low, high = sorted([one, other])
    cheap, dear = (zcdp_to_approx(ZCDP(rho), delta=delta).epsilon for rho in (low, high))
    assert cheap <= dear


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [
        (0, "1e-6"),
        ("1e-20", "1e-9"),
        ("1e-90", "1e-9"),
        ("1/3", "1e-5"),
        (5000, "1e-9"),
        (1, "0.999"),
        (1, 1 - Fraction(1, 10**50)),
        (Fraction(10) ** 1000, Fraction(1, 10**1000)),
    ],
)
def test_extreme_requests_stay_inside(epsilon, delta):
    asked = ApproxDP(epsilon, delta)
    assert asked.covers(zcdp_to_approx(approx_to_zcdp(asked), delta=asked.delta))


@pytest.mark.parametrize(("rho", "delta"), [("1e-60", "1e-9"), (10**9, "0.99"), (10**30, "1e-300")])
def test_extreme_costs_are_still_bounds(rho, delta):
    epsilon = zcdp_to_approx(ZCDP(rho), delta=delta).epsilon
    assert epsilon >= 0
    assert epsilon <= 2 * ZCDP(rho).rho + 10**9


def test_no_loss_costs_no_epsilon():
    assert zcdp_to_approx(ZCDP(0), delta=1e-6) == ApproxDP(0, 1e-6)
    assert zcdp_to_approx(ZCDP(0, 1e-7), delta=1e-6) == ApproxDP(0, 1e-6)
    assert zcdp_to_approx(ZCDP(Fraction(1, 10**40)), delta=1e-6) == ApproxDP(0, 1e-6)


@given(epsilons)
def test_pure_conversions_are_exact(epsilon):
    assert pure_to_zcdp(PureDP(epsilon)) == ZCDP(epsilon * epsilon / 2)
    assert pure_to_approx(PureDP(epsilon)) == ApproxDP(epsilon, 0)


def test_pure_to_zcdp_bounds_randomised_response():
    # The worst pure mechanism has two outcomes; its Renyi divergences never exceed alpha rho.
    for epsilon in (0.01, 0.5, 1.0, 3.0):
        p = exp(epsilon) / (1 + exp(epsilon))
        rho = float(pure_to_zcdp(PureDP(epsilon)).rho)
        ratios = [
            log(p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)) / (a - 1) / a
            for a in (1.001, 1.5, 2, 4, 10, 50)
        ]
        assert max(ratios) <= rho * (1 + 1e-9)
        assert max(ratios) > 0.8 * rho or epsilon > 1


def test_add_remove_to_replace_one_has_the_price_of_two_steps():
    assert add_remove_to_replace_one(PureDP("1/3")) == PureDP("2/3")
    assert add_remove_to_replace_one(ZCDP("1/3")) == ZCDP("4/3")
    assert add_remove_to_replace_one(ApproxDP(10**6, 0)) == ApproxDP(2 * 10**6, 0)
    found = add_remove_to_replace_one(ApproxDP(1, 1e-6))
    assert found.epsilon == 2
    assert float(found.delta) == pytest.approx((1 + exp(1)) * 1e-6, rel=1e-15)


@settings(max_examples=30)
@given(st.fractions(0, 3, max_denominator=999), deltas)
def test_the_replaced_delta_is_rounded_up(epsilon, delta):
    found = add_remove_to_replace_one(ApproxDP(epsilon, delta)).delta
    with localcontext(Context(prec=100)):
        true = (1 + as_decimal(epsilon).exp()) * as_decimal(delta)
        assert true * (1 - Decimal(10) ** -50) <= as_decimal(found)
        assert as_decimal(found) <= true * (1 + Decimal(10) ** -16)


@given(st.fractions(Fraction(1, 10**30), 10**30, max_denominator=10**30).filter(bool))
def test_logarithms_are_enclosed(value):
    low, high = log_bounds(value)
    with localcontext(Context(prec=120)):
        near = Fraction((Decimal(value.numerator) / Decimal(value.denominator)).ln())
    assert low < near < high
    assert high - low <= Fraction(2, 10**70) * (1 + abs(near)) * 2
    assert float(low) == pytest.approx(log(value), abs=1e-12)


@pytest.mark.parametrize(
    ("convert", "says"),
    [
        (lambda: pure_to_zcdp(ZCDP(1)), "starts from pure, not from zcdp"),
        (lambda: pure_to_zcdp(1), "not from int"),
        (lambda: pure_to_approx(ApproxDP(1, 0)), "starts from pure"),
        (lambda: zcdp_to_approx(PureDP(1), delta=1e-6), "starts from zcdp"),
        (lambda: approx_to_zcdp(ZCDP(1)), "starts from approx"),
        (lambda: zcdp_to_approx(ZCDP(1), delta=0), "strictly between 0"),
        (lambda: zcdp_to_approx(ZCDP(1), delta=1), "and 1"),
        (lambda: zcdp_to_approx(ZCDP(1, 1e-6), delta=1e-6), "already promised"),
        (lambda: zcdp_to_approx(ZCDP(0, 1e-6), delta=1e-7), "already promised"),
        (lambda: approx_to_zcdp(ApproxDP(1, 0)), "without a delta"),
        (lambda: approx_to_zcdp(ApproxDP(1, 1e-6), reserve_delta=1e-6), "already promised"),
        (lambda: approx_to_zcdp(ApproxDP(1, 1e-6), reserve_delta=-1), "must not be negative"),
        (lambda: add_remove_to_replace_one(ZCDP(1, 1e-6)), "no price is proven"),
        (lambda: add_remove_to_replace_one("pure"), "no price is proven"),
        (lambda: add_remove_to_replace_one(ApproxDP(10, 0.1)), "promises nothing"),
        (
            lambda: add_remove_to_replace_one(ApproxDP(10**6, Fraction(1, 10**3900))),
            "promises nothing",
        ),
    ],
)
def test_refusals_say_why(convert, says):
    with pytest.raises(UsageError, match=says):
        convert()


def test_every_conversion_has_a_name_and_a_price_in_words():
    names = [conversion.name for conversion in CONVERSIONS]
    assert len(set(names)) == len(names) == 8
    for conversion in CONVERSIONS:
        assert conversion.name.replace("-", "").isalpha()
        assert len(conversion.price.split()) >= 4
    assert {pure_to_zcdp, zcdp_to_approx, approx_to_zcdp} <= set(CONVERSIONS)
