"""Every event, found by itself: n at once cost n times one; and the prices hold on exact cases."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from itertools import permutations, product
from math import exp, factorial, log, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from tests.noise_sources import gaussian_mu
from understudy.errors import UsageError
from understudy.privacy.accountant import compose
from understudy.privacy.budget import CURRENCIES, GDP, ZCDP, ApproxDP, PureDP
from understudy.privacy.events import (
    Event,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    Repeated,
    RoundedGaussian,
    Threshold,
    cost,
)

AMOUNT = st.fractions(0, 3, max_denominator=10**6)
TAIL = st.fractions(0, Fraction(1, 1000), max_denominator=10**9)
COUNT = st.integers(1, 12)
BY_FIELD = {"epsilon": AMOUNT, "rho": AMOUNT, "mu_squared": AMOUNT, "delta": TAIL, "count": COUNT}


def leaves(kind: type[Event] = Event) -> list[type[Event]]:
    below = kind.__subclasses__()
    return [leaf for sub in below for leaf in leaves(sub)] if below else [kind]


def made(kind: type[Event], inner: st.SearchStrategy[Event]) -> st.SearchStrategy[Event]:
    """Any event of a class; a field that this test does not know fails it."""
    values = {
        field.name: inner if field.type == "Event" else BY_FIELD[field.name]
        for field in fields(kind)
    }
    return st.builds(kind, **values)


SIMPLE = st.one_of(
    *(
        made(kind, st.nothing())
        for kind in leaves()
        if "Event" not in str([field.type for field in fields(kind)])
    )
)
NESTED = st.one_of(SIMPLE, *(made(kind, SIMPLE) for kind in leaves()))


def test_discovery_finds_them_all():
    assert set(leaves()) == {
        Laplace,
        Gaussian,
        RoundedGaussian,
        PermuteAndFlip,
        ExponentialMechanism,
        Threshold,
        Repeated,
    }


@pytest.mark.parametrize("kind", leaves(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("currency", CURRENCIES.values(), ids=lambda kind: kind.__name__)
@given(st.data())
def test_n_at_once_cost_as_much_as_one_by_one(kind, currency, data):
    event = data.draw(made(kind, NESTED))
    count = data.draw(COUNT)
    if currency not in event.prices():
        with pytest.raises(UsageError, match="no cost in"):
            compose([event.times(count)], currency)
        return
    one_by_one = compose([event] * count, currency)
    assert compose([event.times(count)], currency) == one_by_one
    assert compose([Repeated(event, count)], currency) == one_by_one
    assert event.times(count).times(2).cost(currency) == one_by_one * 2
    assert event.cost(currency) == cost(event, currency) == event.times(1).cost(currency)
    assert type(one_by_one) is currency


@pytest.mark.parametrize("kind", leaves(), ids=lambda kind: kind.__name__)
def test_every_event_has_a_price_somewhere(kind):
    values = {"epsilon": 1, "rho": 1, "mu_squared": 1, "delta": Fraction(1, 10**6), "count": 2}
    event = kind(**{f.name: values.get(f.name, Laplace(1)) for f in fields(kind)})
    assert event.prices()
    for currency, price in event.prices().items():
        assert type(price) is currency
        assert not price.is_zero


def test_the_prices():
    third = Fraction(1, 3)
    assert Laplace("1/3").prices() == {
        PureDP: PureDP(third),
        ZCDP: ZCDP(third**2 / 2),
        ApproxDP: ApproxDP(third, 0),
    }
    assert PermuteAndFlip(third).prices() == Laplace(third).prices()
    assert ExponentialMechanism(third).cost(ZCDP) == ZCDP(third**2 / 8)
    assert ExponentialMechanism(third).cost(PureDP) == PureDP(third)
    assert Gaussian(0.1).prices() == {ZCDP: ZCDP(0.1)}
    assert RoundedGaussian(0.1).prices() == {GDP: GDP(0.1), ZCDP: ZCDP("1/20")}
    coin = ExponentialMechanism(third).cost(GDP).mu_squared
    assert float(coin) == pytest.approx(pi / 8 / 9, rel=1e-15)
    assert RoundedGaussian(1).times(10).cost(GDP) == GDP(10)
    assert Threshold(Laplace(1), 1e-6).prices() == {
        ZCDP: ZCDP(0.5, 1e-6),
        ApproxDP: ApproxDP(1, 1e-6),
    }
    assert Threshold(Gaussian(1), 1e-6).prices() == {ZCDP: ZCDP(1, 1e-6)}
    assert Laplace(1).times(100).cost(ZCDP) == ZCDP(50)
    assert ExponentialMechanism(1).times(10).cost(ZCDP) == ZCDP(10) * Fraction(1, 8)


def test_events_are_exact_facts():
    assert Laplace(0.1) == Laplace("1/10") != PermuteAndFlip(0.1)
    assert hash(Threshold(Laplace(1), 1e-6)) == hash(Threshold(Laplace("1"), "0.000001"))


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Laplace(-1), "epsilon must not be negative"),
        (lambda: Laplace(True), "epsilon must be a number"),
        (lambda: Gaussian("nan"), "rho must be a finite number"),
        (lambda: Threshold(Laplace(1), 1), "delta must be below 1"),
        (lambda: Laplace(1).times(0), "at least once"),
        (lambda: Laplace(1).times(1.5), "whole number"),
        (lambda: Laplace(1).times(True), "count must be a number"),
        (lambda: Gaussian(1).cost(PureDP), r"known in ZCDP"),
        (lambda: Gaussian(1).cost(ApproxDP), r"no cost in ApproxDP is proven for Gaussian"),
        (lambda: Threshold(Laplace(1), 1e-6).cost(PureDP), "no cost in PureDP"),
        (lambda: Laplace(1).cost("zcdp"), "a currency is one of"),
        (lambda: Laplace(1).cost(Laplace), "a currency is one of"),
        (lambda: cost("laplace", ZCDP), "not for str"),
        (lambda: cost(PureDP(1), PureDP), "not for PureDP"),
    ],
)
def test_refusals_say_why(build, says):
    with pytest.raises(UsageError, match=says):
        build()


def test_an_event_without_any_price_is_refused_everywhere():
    inner = Threshold(Laplace(1), 1e-6)
    nothing = _Unpriced()
    for currency in CURRENCIES.values():
        with pytest.raises(UsageError, match="known in none"):
            nothing.cost(currency)
    assert inner.times(2).cost(ApproxDP) == ApproxDP(2, 2e-6)


class _Unpriced:
    """Not a subclass of Event, so that discovery does not meet it; borrows its method."""

    cost = Event.cost

    def prices(self):
        return {}


# Selections on small exact cases. Scores move by at most 1 each, so the rate is epsilon / 2.

ORDERS = (1.0001, 1.1, 1.5, 2, 3, 5, 8, 16, 40)


def gumbel_choice(scores: tuple[int, ...], epsilon: float) -> np.ndarray:
    weight = np.exp(epsilon / 2 * (np.array(scores) - max(scores)))
    return weight / weight.sum()


def flip_choice(scores: tuple[int, ...], epsilon: float) -> np.ndarray:
    """Permute-and-flip: in random order, take each with probability exp(rate (score - best))."""
    heads = np.exp(epsilon / 2 * (np.array(scores) - max(scores)))
    chance = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        still = 1.0
        for i in order:
            chance[i] += still * heads[i]
            still *= 1 - heads[i]
    return chance / factorial(len(scores))


def worst(choice, epsilon: float, candidates: int) -> tuple[float, float]:
    """The largest Renyi divergence over its order, and the largest log-ratio."""
    rho = ratio = 0.0
    starts = [(0,) * candidates, (0,) + (-1,) * (candidates - 1), (0,) * (candidates - 1) + (-2,)]
    for start in starts:
        p = choice(start, epsilon)
        for step in product((-1, 0, 1), repeat=candidates):
            q = choice(tuple(np.add(start, step)), epsilon)
            ratio = max(ratio, float(np.abs(np.log(p / q)).max()))
            for a in ORDERS:
                rho = max(rho, log(float(np.sum(p**a * q ** (1 - a)))) / (a - 1) / a)
    return rho, ratio


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("candidates", [2, 3])
def test_the_exponential_mechanism_keeps_its_small_price(epsilon, candidates):
    rho, ratio = worst(gumbel_choice, epsilon, candidates)
    assert ratio <= epsilon * (1 + 1e-9)
    assert rho <= float(ExponentialMechanism(epsilon).cost(ZCDP).rho) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("epsilon", "times"), [(0.01, 3.98), (0.1, 3.81), (0.5, 3.18), (1.0, 2.62), (2.0, 1.88)]
)
def test_permute_and_flip_needs_its_large_price(epsilon, times):
    rho, ratio = worst(flip_choice, epsilon, 2)
    small = float(ExponentialMechanism(epsilon).cost(ZCDP).rho)
    assert ratio <= epsilon * (1 + 1e-9)
    assert rho / small == pytest.approx(times, rel=0.02)
    for candidates in (2, 3):
        rho, _ = worst(flip_choice, epsilon, candidates)
        assert rho <= float(PermuteAndFlip(epsilon).cost(ZCDP).rho) * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_discrete_laplace_keeps_its_price(epsilon):
    values = np.arange(-200, 201)
    p, q = (np.exp(-epsilon * np.abs(values - shift)) for shift in (0, 1))
    p, q = p / p.sum(), q / q.sum()
    rho = max(log(float(np.sum(p * (p / q) ** (a - 1)))) / (a - 1) / a for a in ORDERS)
    assert rho <= float(Laplace(epsilon).cost(ZCDP).rho) * (1 + 1e-9)
    assert exp(float(Laplace(epsilon).cost(PureDP).epsilon)) >= (p / q).max() * (1 - 1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2.0, 6.0])
def test_the_exponential_mechanism_keeps_its_price_in_mu(epsilon):
    price = float(ExponentialMechanism(epsilon).cost(GDP).mu_squared)
    for candidates in (2, 3):
        for start in product((0, -1, -3), repeat=candidates):
            p = dict(enumerate(gumbel_choice(start, epsilon)))
            for step in product((-1, 0, 1), repeat=candidates):
                q = dict(enumerate(gumbel_choice(tuple(np.add(start, step)), epsilon)))
                assert gaussian_mu(p, q) ** 2 <= price * (1 + 1e-9)


def test_the_price_in_mu_of_a_choice_is_the_best_constant():
    epsilon = 0.01
    even, odd = (
        {0: p, 1: 1 - p} for p in (1 / (1 + exp(-epsilon / 2)), 1 / (1 + exp(epsilon / 2)))
    )
    price = float(ExponentialMechanism(epsilon).cost(GDP).mu_squared)
    assert 0.9999 * price < gaussian_mu(even, odd) ** 2 <= price * (1 + 1e-9)


def law_of_sum(mass, shift: int) -> dict[int, float]:
    return {k: mass(k - shift) for k in range(-12, 14)}


@pytest.mark.parametrize("sigma", [0.7, 1.0, 1.5])
def test_rounded_normal_noise_has_the_price_in_mu_and_the_discrete_gaussian_has_not(sigma):
    def rounded(k: int) -> float:
        return float(ndtr((0.5 - abs(k)) / sigma) - ndtr((-0.5 - abs(k)) / sigma))

    def discrete(k: int) -> float:
        return exp(-(k**2) / 2 / sigma**2)

    mass = sum(discrete(k) for k in range(-14, 15))
    mu = gaussian_mu(law_of_sum(rounded, 1), law_of_sum(rounded, 0))
    assert 0.999 / sigma < mu <= 1 / sigma * (1 + 1e-6)
    wrong = [law_of_sum(lambda k: discrete(k) / mass, shift) for shift in (1, 0)]
    assert gaussian_mu(*wrong) > 1.01 / sigma
