"""The select verb: laws of both mechanisms on every neighbour, and the grid lemma itself."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.noise_sources import ForbiddenNoise, exponential_law, gaussian_mu, permute_and_flip_law
from understudy.errors import UsageError
from understudy.gate.select import LARGEST, SLACK, UNITS, Choice, choice_for, on_grid
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP


def law_of(choice: Choice, scores: list[int]) -> list[float]:
    """The exact law of the index that a choice makes."""
    return (permute_and_flip_law if choice.law == "permute-and-flip" else exponential_law)(
        scores, choice.scale
    )


def flipped_by_hand(scores: list[int], scale: float) -> list[float]:
    """Permute-and-flip from its definition: over all orders of the candidates."""
    heads = [math.exp((score - max(scores)) / scale) for score in scores]
    chance = [0.0] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        reached = 1.0
        for index in order:
            chance[index] += reached * heads[index] / len(orders)
            reached *= 1.0 - heads[index]
    return chance


@pytest.mark.parametrize("scores", [[0], [0, 0], [3, 1, 0], [-5, 7, 6, 6], [0, -9, 4, 4, 1]])
def test_the_law_of_permute_and_flip_is_right(scores: list[int]) -> None:
    law = permute_and_flip_law(scores, 2.5)
    assert law == pytest.approx(flipped_by_hand(scores, 2.5), rel=1e-12)
    assert sum(law) == pytest.approx(1.0)


def test_the_law_stays_right_for_many_candidates() -> None:
    law = permute_and_flip_law([*range(0, -300, -1)], 40.0)
    assert sum(law) == pytest.approx(1.0, rel=1e-12)
    assert all(a >= b for a, b in pairwise(law))


SHIFTS = {
    # how much scores of sensitivity 2 may move between neighbours
    False: list(product((-2, 0, 2), repeat=3)),
    True: list(product((0, 1, 2), repeat=3)),
}
BASES = [[0, 0, 0], [0, 4, 9], [5, 5, -20], [0, 1, 2]]


@pytest.mark.parametrize("monotone", [False, True])
def test_pure_selection_costs_what_it_says(monotone: bool) -> None:
    choice = choice_for(PureDP("1/2"), sensitivity=2, monotone=monotone)
    assert (choice.law, choice.scale) == ("permute-and-flip", 4.0 if monotone else 8.0)
    worst = 0.0
    for base, shift in product(BASES, SHIFTS[monotone]):
        p = law_of(choice, base)
        q = law_of(choice, [b + s for b, s in zip(base, shift, strict=True)])
        worst = max(worst, *(abs(math.log(a / b)) for a, b in zip(p, q, strict=True)))
    assert 0.9 * 0.5 <= worst <= 0.5 + 1e-12


@pytest.mark.parametrize("monotone", [False, True])
def test_concentrated_selection_costs_what_it_says(monotone: bool) -> None:
    choice = choice_for(ZCDP("1/2"), sensitivity=2, monotone=monotone)
    assert (choice.law, choice.scale) == ("gumbel", 1.0 if monotone else 2.0)
    worst = 0.0
    for base, shift, alpha in product(BASES, SHIFTS[monotone], (1.05, 2.0, 10.0)):
        p = law_of(choice, base)
        q = law_of(choice, [b + s for b, s in zip(base, shift, strict=True)])
        for one, two in ((p, q), (q, p)):
            moment = sum(a**alpha * b ** (1 - alpha) for a, b in zip(one, two, strict=True))
            worst = max(worst, math.log(moment) / (alpha - 1) / (0.5 * alpha))
    assert 0.7 <= worst <= 1.0 + 1e-9


@pytest.mark.parametrize("monotone", [False, True])
def test_gaussian_selection_costs_what_it_says(monotone: bool) -> None:
    choice = choice_for(GDP("1/2"), sensitivity=2, monotone=monotone)
    scale = math.sqrt(math.pi / 8 / 0.5) * (2 if monotone else 4)
    assert choice.law == "gumbel"
    assert choice.scale == pytest.approx(scale, rel=1e-12)
    assert choice.scale >= scale * (1 - 1e-15)
    worst = 0.0
    for base, shift in product(BASES, SHIFTS[monotone]):
        p = law_of(choice, base)
        q = law_of(choice, [b + s for b, s in zip(base, shift, strict=True)])
        worst = max(worst, gaussian_mu(dict(enumerate(p)), dict(enumerate(q))) ** 2)
    assert 0.7 * 0.5 <= worst <= 0.5 + 1e-9


def test_permute_and_flip_would_not_do_for_concentrated_budgets() -> None:
    """The reason for two laws: at the scale of Gumbel noise it breaks the promise."""
    rho = 0.01
    scale = choice_for(ZCDP("1/100"), sensitivity=2, monotone=False).scale
    worst = 0.0
    for base, shift in product(BASES, SHIFTS[False]):
        p = permute_and_flip_law(base, scale)
        q = permute_and_flip_law([b + s for b, s in zip(base, shift, strict=True)], scale)
        worst = max(worst, math.log(sum(a**2 / b for a, b in zip(p, q, strict=True))))
    assert worst > 1.5 * rho * 2


@pytest.mark.parametrize("spend", [ApproxDP(1, "1e-6"), ZCDP(1, "1e-6")])
def test_other_currencies_are_refused(spend: Budget) -> None:
    with pytest.raises(UsageError, match="a selection spends PureDP, GDP or ZCDP"):
        choice_for(spend, sensitivity=1, monotone=False)


def test_a_choice_draws_by_its_own_law() -> None:
    class Names(ForbiddenNoise):
        def permute_and_flip(self, scores: np.ndarray, *, scale: float) -> int:
            return 1

        def gumbel_max(self, scores: np.ndarray, *, scale: float) -> int:
            return 2

    scores = np.zeros(3, dtype=np.int64)
    assert choice_for(PureDP(1), sensitivity=1, monotone=True).index(scores, Names()) == 1
    assert choice_for(ZCDP(1), sensitivity=1, monotone=True).index(scores, Names()) == 2


real_scores = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)


@given(real_scores, st.fractions(-1, 1), st.sampled_from([-0.5, -0.25, 0.0, 0.25, 0.5]))
def test_grid_lemma(score: Fraction, move: Fraction, error: float) -> None:
    """Scores that differ by at most D, each computed with an error up to half a step."""
    d = Fraction(7, 3)
    step = d / UNITS
    one = on_grid(np.array([float(score + Fraction(error) * step)]), d)
    two = on_grid(np.array([float(score + move * d - Fraction(error) * step)]), d)
    difference = int(two[0]) - int(one[0])
    assert abs(difference) <= UNITS + SLACK - 1
    if move >= 0:
        assert difference >= -1
        assert difference - (-1) <= UNITS + SLACK


def test_rounding_is_not_to_even() -> None:
    d = Fraction(UNITS)
    assert on_grid(np.array([0.5, 1.5, 2.5, -0.5, -1.5]), d).tolist() == [1, 2, 3, 0, -1]


def test_what_is_no_number_is_the_worst_candidate() -> None:
    steps = on_grid(np.array([np.nan, np.inf, -np.inf, 1e300, 0.0]), Fraction(1))
    assert steps.tolist() == [-LARGEST, LARGEST, -LARGEST, LARGEST, 0]
