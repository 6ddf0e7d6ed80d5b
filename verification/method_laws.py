"""The noise that the textbook's methods leave in a release, against the law that the budget says.

Each method runs as a user runs it, from a dataframe to a release, and its noisy cells minus the
true ones are judged by chi-square. What the law must be is worked out here from the guarantee
alone: the scale of Laplace noise is the sensitivity over epsilon, the square of the Gaussian's is
the squared sensitivity over 2 rho, that of rounded normal noise is it over mu^2, where mu is what
epsilon and delta allow a normal variable. The smoothed histogram adds no noise: its rows are
judged. A test fails if its p-value is below 1e-9; there are fewer than 100.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import expm1, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

import understudy as us
from understudy.models.paid_rows import PaidRows
from understudy.schema.columns import Drop, Integer
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Unit
from verification.noise_laws import LEAST_P, _merged, p_of_sample, p_value

ROWS = 3_000
MOST = 3  # rows of a person
EPSILON, RHO, DELTA = Fraction(3, 4), Fraction(1, 50), Fraction(1, 10**6)
ADD, REPLACE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE

CASES: dict[str, tuple[dict[str, Any], tuple[int, int], Fraction]] = {
    # settings, sizes of the two columns, the share of the budget of one noisy table
    "independent": ({}, (2000, 2000), Fraction(1, 2)),
    "marginal": ({"columns": ("x", "y")}, (60, 70), Fraction(1)),
    "perturbed-histogram": ({"columns": ("x", "y")}, (60, 70), Fraction(1)),
    "perturbed-histogram, bins": ({"bins": 50, "columns": ("x", "y")}, (100, 150), Fraction(1)),
}
SETTINGS = [
    pytest.param("pure", ADD, 1, id="pure"),
    pytest.param("zcdp", REPLACE, MOST, id="zcdp, replace, units"),
    pytest.param("pure", REPLACE, MOST, id="pure, replace, units", marks=pytest.mark.slow),
    pytest.param("pure", ADD, MOST, id="pure, units", marks=pytest.mark.slow),
    pytest.param("zcdp", ADD, 1, id="zcdp", marks=pytest.mark.slow),
]


def table(sizes: tuple[int, int], relation: Neighbours, most: int) -> tuple[Any, us.Schema]:
    """Rows with more of some cells than of others, and their schema."""
    import pandas

    rng = np.random.default_rng(17)
    columns: dict[str, Any] = {
        name: Integer(name=name, min=0, max=size - 1, bins=size)
        for name, size in zip("xy", sizes, strict=True)
    }
    values = {
        n: np.minimum(*rng.integers(0, s, (2, ROWS))) for n, s in zip("xy", sizes, strict=True)
    }
    unit = Unit()
    if most > 1:
        columns = {"who": Drop(name="who"), **columns}
        values = {"who": np.arange(ROWS) // most, **values}
        unit = Unit(column="who", max_rows=most)
    if relation is REPLACE:
        known = {"rows": ROWS} if most == 1 else {"unit": replace(unit, persons=ROWS // most)}
    else:
        known = {}
    return pandas.DataFrame(values), us.Schema(name="t", columns=columns, **{"unit": unit, **known})


def noise_of(name: str, relation: Neighbours, most: int, **budget: Any) -> NDArray[np.int64]:
    """The noise in all cells of a release, and its stated deviation is right."""
    settings, sizes, _ = CASES[name]
    frame, schema = table(sizes, relation, most)
    assert schema.neighbours is relation
    release = us.synthesize(
        frame, schema, method=name.partition(",")[0], options=settings, **budget
    )
    found = []
    for noisy in release.measurements:
        shape = noisy.values.shape
        cells = [
            frame[column] * cells // sizes["xy".index(column)]
            for column, cells in zip(noisy.columns, shape, strict=True)
        ]
        exact = np.zeros(shape, dtype=np.int64)
        np.add.at(exact, tuple(cells), 1)
        found.append((noisy.values - exact).ravel())
        assert noisy.stddev == pytest.approx(found[-1].std(), rel=0.2)
    return np.concatenate(found)


def largest_mu() -> float:
    """The mu at which epsilon costs delta (Balle and Wang 2018), by SciPy."""
    epsilon, delta = float(EPSILON), float(DELTA)

    def excess(mu: float) -> float:
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        return float(stats.norm.sf(a) - np.exp(epsilon) * stats.norm.sf(b) - delta)

    return float(optimize.brentq(excess, 0.01, 2.0, xtol=1e-14))


def p_of_noise(name: str, currency: str, relation: Neighbours, most: int, *, off: float) -> float:
    """How well the noise fits a law whose scale is ``off`` times the right one."""
    share = CASES[name][2]
    appears_and_vanishes = 2 if relation is REPLACE else 1
    if currency == "pure":
        noise = noise_of(name, relation, most, epsilon=EPSILON)
        scale = most * appears_and_vanishes / float(EPSILON * share)
        return p_of_sample(noise, "laplace", scale * off)
    if currency == "gdp":
        noise = noise_of(name, relation, most, epsilon=EPSILON, delta=DELTA)
        scale = most * sqrt(appears_and_vanishes / float(share)) / largest_mu()
        return p_of_sample(noise, "rounded_gaussian", scale * off)
    noise = noise_of(name, relation, most, rho=RHO)
    scale = most * sqrt(appears_and_vanishes / float(2 * RHO * share))
    return p_of_sample(noise, "gaussian", scale * off)


@pytest.mark.parametrize(("currency", "relation", "most"), SETTINGS)
@pytest.mark.parametrize("name", CASES)
def test_noise_has_the_law_of_the_budget(
    name: str, currency: str, relation: Neighbours, most: int
) -> None:
    assert p_of_noise(name, currency, relation, most, off=1) > LEAST_P


@pytest.mark.parametrize(("relation", "most"), [(ADD, 1), (REPLACE, MOST)])
@pytest.mark.parametrize("name", ["independent", "marginal"])
def test_epsilon_and_delta_buy_the_noise_of_mu(name: str, relation: Neighbours, most: int) -> None:
    assert p_of_noise(name, "gdp", relation, most, off=1) > LEAST_P


@pytest.mark.parametrize("currency", ["pure", "zcdp", "gdp"])
def test_the_check_notices_a_scale_that_is_wrong_by_a_fifth(currency: str) -> None:
    for off in (0.8, 1.25):
        assert p_of_noise("marginal", currency, ADD, 1, off=off) < LEAST_P


# ---- the smoothed histogram --------------------------------------------------------------------

PAID = 20_000


def p_of_rows(currency: str, relation: Neighbours, most: int, *, off: float) -> float:
    """How well paid rows fit the table smoothed ``off`` times as much as the budget says."""
    amount = Fraction(600) if currency == "pure" else Fraction(15)
    budget = {"epsilon" if currency == "pure" else "rho": amount}
    frame, schema = table((6, 4), relation, most)
    settings = {"columns": ("x", "y"), "rows": PAID}
    release = us.synthesize(frame, schema, method="smoothed-histogram", options=settings, **budget)
    model = release.models[0]
    assert isinstance(model, PaidRows)
    gain = 8 if relation is ADD else 2
    loss = float(amount) / PAID if currency == "pure" else sqrt(gain * float(amount) / PAID)
    exact = np.zeros((6, 4))
    np.add.at(exact, (frame["x"], frame["y"]), 1)
    weights = exact.ravel() + off * most / expm1(loss)
    drawn = np.ravel_multi_index(tuple(model.rows), (6, 4))
    observed = np.bincount(drawn, minlength=24)
    return p_value(*_merged(observed, weights / weights.sum() * PAID))


@pytest.mark.parametrize(("currency", "relation", "most"), SETTINGS)
def test_paid_rows_have_the_law_of_the_smoothed_table(
    currency: str, relation: Neighbours, most: int
) -> None:
    assert p_of_rows(currency, relation, most, off=1) > LEAST_P


def test_the_check_notices_smoothing_that_is_far_off() -> None:
    for off in (0.4, 3.0):
        assert p_of_rows("pure", ADD, 1, off=off) < LEAST_P
