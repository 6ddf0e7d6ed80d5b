"""The normal tail's enclosures against published digits, against each other and SciPy."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import erfcx, log_ndtr

from understudy.privacy.normal import _by_fraction, _by_series, density, mills, upper_tail

POINTS = st.fractions(0, 12, max_denominator=10**6)

# 1 - Phi(x): digits that are printed in tables of the normal distribution.
PRINTED = [
    ("0", "0.5"),
    ("1", "0.158655253931457051414767454367962"),
    ("2", "0.022750131948179207200282637166533"),
    ("3", "0.001349898031630094526651814767595"),
    ("6", "9.86587645037698140700864132e-10"),
]


@pytest.mark.parametrize(("x", "tail"), PRINTED)
def test_tails_as_printed(x, tail):
    low, high = upper_tail(Fraction(x), digits=40)
    rounded = Fraction(tail) * Fraction(1, 10**26)
    assert low - rounded <= Fraction(tail) <= high + rounded
    assert high - low <= low / 10**40


@given(POINTS, st.sampled_from([20, 40, 77]))
def test_fewer_digits_enclose_what_more_digits_find(x, digits):
    low, high = upper_tail(x, digits=digits)
    least, most = upper_tail(x, digits=digits + 60)
    assert low <= least <= most <= high
    assert high - low <= low / 10**digits


@given(st.fractions(Fraction(1, 2), 6, max_denominator=10**3))
def test_series_and_fraction_meet(x):
    series, fraction = _by_series(x, 30), _by_fraction(x, 30)
    assert max(series[0], fraction[0]) <= min(series[1], fraction[1])


@given(st.fractions(Fraction(1, 10**6), 12, max_denominator=10**6))
def test_the_two_tails_are_one_together(x):
    (low, high), (least, most) = upper_tail(x, digits=25), upper_tail(-x, digits=25)
    assert low + most == high + least == 1


@pytest.mark.parametrize("x", [0.0, 1e-30, 0.3, 2.9, 3.0, 3.1, 20.0, 500.0])
def test_mills_ratio_is_the_scaled_error_function(x):
    low, high = mills(Fraction(x), digits=30)
    assert low < high
    assert float(low) == pytest.approx(1.2533141373155003 * erfcx(x / 2**0.5), rel=1e-13)


def test_far_tails_keep_their_digits():
    low, high = upper_tail(Fraction(200), digits=30)
    assert high - low <= low / 10**30
    assert float(low.numerator.bit_length() - low.denominator.bit_length()) == pytest.approx(
        log_ndtr(-200.0) / 0.6931471805599453, abs=2
    )


def test_beyond_far_a_bound_is_all():
    low, high = upper_tail(Fraction(10**9), digits=30)
    assert low == 0 < high < Fraction(1, 10**8000)


def test_density_falls():
    points = [density(Fraction(x, 4), digits=20) for x in range(60)]
    assert all(after[1] < before[0] for before, after in pairwise(points))
