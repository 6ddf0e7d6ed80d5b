"""Composition is a plain sum; disjoint blocks cost what the relation between neighbours says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import UsageError
from understudy.privacy.accountant import compose, parallel
from understudy.privacy.budget import CURRENCIES, ZCDP, ApproxDP, PureDP
from understudy.privacy.convert import add_remove_to_replace_one
from understudy.privacy.events import ExponentialMechanism, Gaussian, Laplace, Threshold
from understudy.schema.neighbours import Neighbours

AR, R1 = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
pure = st.lists(st.builds(PureDP, st.fractions(0, 5, max_denominator=99)), min_size=1, max_size=6)


def test_a_run_is_the_sum_of_its_parts():
    run = [Gaussian("1/10"), ExponentialMechanism(1), Threshold(Laplace(1), 1e-6), ZCDP("1/7")]
    expected = Fraction(1, 10) + Fraction(1, 8) + Fraction(1, 2) + Fraction(1, 7)
    assert compose(run, ZCDP) == ZCDP(expected, 1e-6)
    assert compose(reversed(run), ZCDP) == compose(run, ZCDP)


@pytest.mark.parametrize("currency", CURRENCIES.values())
def test_nothing_costs_nothing(currency):
    assert compose([], currency) == currency.zero()


@given(pure)
def test_budgets_and_events_add_alike(parts):
    events = [Laplace(part.epsilon) for part in parts]
    assert compose(events, PureDP) == compose(parts, PureDP) == sum(parts)


@pytest.mark.parametrize(
    ("items", "currency", "says"),
    [
        ([Laplace(1), ZCDP(1)], PureDP, "cannot combine pure with zcdp"),
        ([Gaussian(1)], PureDP, "no cost in PureDP"),
        ([1], PureDP, "cannot combine pure with int"),
        (["laplace"], ZCDP, "cannot combine zcdp with str"),
        ([], "pure", "a currency is one of"),
        ([Threshold(Laplace(1), 0.5)] * 2, ApproxDP, "nothing is promised"),
    ],
)
def test_what_cannot_be_added_is_refused(items, currency, says):
    with pytest.raises(UsageError, match=says):
        compose(items, currency)


@given(pure)
def test_blocks_under_add_remove_cost_the_dearest(blocks):
    assert parallel(blocks, neighbours=AR) == max(blocks, key=lambda b: b.epsilon)


@given(pure)
def test_blocks_under_replace_one_cost_two_steps(blocks):
    dearest = max(block.epsilon for block in blocks)
    assert parallel(blocks, neighbours=R1) == PureDP(2 * dearest)
    # A mechanism that does not see what changes inside a block pays for two blocks only.
    free = [PureDP(0)] * len(blocks)
    two = sum(sorted(block.epsilon for block in blocks)[-2:])
    assert parallel(blocks, neighbours=R1, within=free) == PureDP(two)
    assert parallel(blocks, neighbours=R1, within=blocks).epsilon == max(two, dearest)


def test_blocks_in_other_currencies_take_each_part_at_its_worst():
    blocks = [ApproxDP(1, 1e-9), ApproxDP(0.5, 1e-6), ApproxDP(0.25, 0)]
    assert parallel(blocks, neighbours=AR) == ApproxDP(1, 1e-6)
    assert parallel(blocks, neighbours=R1, within=blocks) == ApproxDP(1.5, Fraction(1001, 10**9))
    assert parallel([ZCDP(1), ZCDP(3)], neighbours=R1) == add_remove_to_replace_one(ZCDP(3))
    assert parallel([ZCDP(1), ZCDP(3)], neighbours=R1, within=[ZCDP(0)] * 2) == ZCDP(4)


def test_a_histogram_of_disjoint_cells_really_costs_this():
    # Discrete Laplace on each of three cells; all answers, exactly, on neighbouring tables.
    epsilon = 0.7
    values = np.arange(-60, 61)
    law = {c: np.exp(-epsilon * np.abs(values - c)) for c in range(3)}
    law = {c: p / p.sum() for c, p in law.items()}

    def worst(one, other):
        return sum(
            max(abs(np.log(law[a] / law[b]))[20:-20]) for a, b in zip(one, other, strict=True)
        )

    tables = list(product(range(3), repeat=3))
    removed = [(s, t) for s in tables for t in tables if _moved(s, t) in ((0, 0, 1), (-1, 0, 0))]
    replaced = [(s, t) for s in tables for t in tables if _moved(s, t) == (-1, 0, 1)]
    cells = [PureDP(epsilon)] * 3
    found = max(worst(s, t) for s, t in removed)
    assert found == pytest.approx(float(parallel(cells, neighbours=AR).epsilon), rel=1e-3)
    found = max(worst(s, t) for s, t in replaced)
    price = parallel(cells, neighbours=R1, within=[PureDP(0)] * 3)
    assert found == pytest.approx(float(price.epsilon), rel=1e-3)
    assert log(exp(found)) > epsilon * 1.5


def _moved(one, other):
    return tuple(sorted(b - a for a, b in zip(one, other, strict=True)))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: parallel([], neighbours=AR), "at least one block"),
        (lambda: parallel([PureDP(1), ZCDP(1)], neighbours=AR), "cannot combine"),
        (lambda: parallel([PureDP(1)] * 2, neighbours=R1, within=[PureDP(1)]), "1 costs .* 2"),
        (lambda: parallel([PureDP(1)], neighbours=R1, within=[ZCDP(1)]), "cannot combine"),
        (lambda: parallel([ZCDP(1, 1e-6)], neighbours=R1), "no price is proven"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(call, says):
    with pytest.raises(UsageError, match=says):
        call()
