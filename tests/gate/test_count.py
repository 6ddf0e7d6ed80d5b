"""The count verb: shares, laws and scales of each marginal's noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.noise_sources import (
    KeyedNoise,
    discrete_gaussian,
    discrete_laplace,
    distribution,
    rounded_gaussian,
)
from tests.tables import TinyBackend, cells, purse_for, schema_of, universe
from understudy.errors import UsageError
from understudy.gate.count import CountNoise, noise_for, shares
from understudy.gate.private_table import PrivateTable
from understudy.gate.sensitive import Sensitive
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE


def test_shares_are_exact_and_are_the_whole() -> None:
    assert shares(3, None) == [Fraction(1, 3)] * 3
    assert shares(3, [0.1, "1/5", 0.7]) == [Fraction(1, 10), Fraction(1, 5), Fraction(7, 10)]
    assert sum(shares(7, [0.1] * 7)) == 1


@pytest.mark.parametrize(
    ("count", "weights", "message"),
    [
        (0, None, "at least one"),
        (2, [1], "1 weights were given for 2"),
        (2, [1, 0], "above 0"),
        (2, [1, -1], "above 0"),
        (2, [1, float("nan")], "finite"),
        (2, [1, True], "number"),
    ],
)
def test_shares_that_make_no_sense_are_refused(
    count: int, weights: list[float] | None, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        shares(count, weights)


@pytest.mark.parametrize(
    ("spend", "relation", "c", "law", "scale"),
    [
        (PureDP("1/2"), ADD_REMOVE, 1, "laplace", 2.0),
        (PureDP("1/2"), REPLACE_ONE, 1, "laplace", 4.0),
        (PureDP("1/2"), ADD_REMOVE, 3, "laplace", 6.0),
        (PureDP("1/2"), REPLACE_ONE, 3, "laplace", 12.0),
        (ZCDP("1/8"), ADD_REMOVE, 1, "gaussian", 2.0),
        (ZCDP("1/4"), REPLACE_ONE, 1, "gaussian", 2.0),
        (ZCDP("1/8"), ADD_REMOVE, 3, "gaussian", 6.0),
        (ZCDP("1/4"), REPLACE_ONE, 3, "gaussian", 6.0),
    ],
)
def test_scales_by_hand(
    spend: Budget, relation: Neighbours, c: int, law: str, scale: float
) -> None:
    noise = noise_for(spend, relation, contribution=c)
    assert (noise.law, noise.scale) == (law, scale)
    mass = discrete_laplace if law == "laplace" else discrete_gaussian
    variance = sum(k * k * mass(k, scale) for k in range(-1000, 1001))
    assert noise.stddev == pytest.approx(variance**0.5, rel=1e-9)


def test_rounded_gaussian_noise_has_its_own_law_and_deviation() -> None:
    noise = CountNoise("rounded-gaussian", 0.6)
    law = distribution(
        lambda source: int(noise.add(Sensitive(np.array([2])), source)[0]), window=(-40, 44)
    )
    for value in (-3, 1, 2, 3, 6):
        assert law[value] == pytest.approx(rounded_gaussian(value - 2, 0.6), rel=1e-12)
    second = sum((value - 2) ** 2 * mass for value, mass in law.items())
    assert noise.stddev == pytest.approx(second**0.5, rel=1e-12)


@pytest.mark.parametrize("spend", [ApproxDP(1, "1e-6"), ZCDP(1, "1e-6")])
def test_currencies_that_cannot_be_spent_are_refused(spend: Budget) -> None:
    with pytest.raises(UsageError, match="count spends PureDP, GDP or ZCDP"):
        noise_for(spend, ADD_REMOVE, contribution=1)


def test_each_marginal_carries_its_own_stated_noise() -> None:
    schema = schema_of(cells("a", 2), cells("b", 3))
    rows = [*universe(2, 3), ("1", "2"), ("1", "2")]
    budget = PureDP(4)
    purse = purse_for(schema, budget)
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=KeyedNoise())
    domain = domain_of(schema)
    answers = table.count(domain, [("b", "a"), ("a",)], spend=budget, weights=[3, 1])
    exact = [np.array([[1, 1], [1, 1], [1, 3]]), np.array([3, 5])]
    for noisy, counts, epsilon in zip(answers, exact, (3, 1), strict=True):
        noise = noise_for(PureDP(epsilon), ADD_REMOVE, contribution=1)
        assert noisy.stddev == noise.stddev
        assert np.array_equal(noisy.values, KeyedNoise().laplace(counts, scale=noise.scale))
    assert [noisy.columns for noisy in answers] == [("b", "a"), ("a",)]
    (charge,) = purse.charges
    assert charge.verb == "count"
    assert charge.cost == budget
    assert charge.detail["shares"] == ["3/4", "1/4"]
    assert charge.detail["marginals"] == [["b", "a"], ["a"]]
