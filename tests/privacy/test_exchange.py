"""Entering a ledger in another currency, and what a clean end gives back."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import UsageError
from understudy.privacy.budget import CURRENCIES, GDP, ZCDP, ApproxDP, PureDP
from understudy.privacy.convert import approx_to_gdp, approx_to_zcdp, pure_to_zcdp
from understudy.privacy.exchange import Entry, enter, kept

parts = st.lists(st.fractions(0, 1, max_denominator=60), min_size=1, max_size=6)


@pytest.mark.parametrize("kind", CURRENCIES.values())
def test_the_same_currency_enters_as_it_is(kind):
    budget = kind(*([Fraction(1, 3)] * len(kind.zero().parts)))
    assert enter(budget, kind) == Entry(budget, budget, None)
    more = budget + budget
    assert enter(budget, kind, entered=more) == Entry(budget, more, None)
    with pytest.raises(UsageError, match="cannot enter as"):
        enter(more, kind, entered=budget)


@given(parts)
def test_what_is_kept_never_exceeds_what_entered(costs):
    charged = [PureDP(cost) for cost in costs]
    working = sum(charged)
    for currency in (PureDP, ZCDP, ApproxDP):
        entry = enter(working, currency)
        assert kept(entry, charged) == entry.entered
        assert kept(entry, []) == currency.zero()
        for count in range(1, len(charged)):
            some = kept(entry, charged[:count])
            assert entry.entered.covers(some)
            assert kept(entry, charged).covers(some)


@given(parts)
def test_pure_charges_are_kept_at_no_less_than_their_own_zcdp_sum(costs):
    charged = [PureDP(cost) for cost in costs]
    entry = enter(sum(charged), ZCDP)
    assert kept(entry, charged).covers(sum(pure_to_zcdp(charge) for charge in charged))


def test_mu_enters_a_ledger_in_rho_and_comes_back_charge_by_charge():
    entry = enter(GDP("1/5"), ZCDP)
    assert (entry.entered, entry.conversion) == (ZCDP("1/10"), "gdp-to-zcdp")
    assert kept(entry, [GDP("1/50"), GDP("1/25")]) == ZCDP("3/100")
    assert kept(entry, []) == ZCDP(0)


def test_mu_charged_along_the_way_gives_no_epsilon_back():
    asked = ApproxDP(1, 1e-6)
    working = approx_to_gdp(asked)
    entry = enter(working, ApproxDP, entered=asked)
    assert entry.conversion == "gdp-to-approx"
    assert kept(entry, []) == ApproxDP(0, 0)
    assert kept(entry, [working * Fraction(1, 100)]) == asked


def test_rho_charged_along_the_way_gives_no_epsilon_back():
    asked = ApproxDP(1, 1e-6)
    working = approx_to_zcdp(asked)
    entry = enter(working, ApproxDP, entered=asked)
    assert kept(entry, []) == ApproxDP(0, 0)
    assert kept(entry, [ZCDP(0)]) == kept(entry, [working * Fraction(1, 100)]) == asked


@pytest.mark.parametrize(
    ("working", "currency", "entered", "says"),
    [
        (ZCDP(0.1), ApproxDP, None, "ask for epsilon and delta"),
        (ZCDP(0.1), ApproxDP, ZCDP(0.1), "this ledger counts in approx"),
        (ZCDP(0.1), ApproxDP, ApproxDP(9, 0), "without a delta"),
        (ZCDP(0.1), ApproxDP, ApproxDP(0.1, 1e-6), "cannot enter as epsilon = 0.1"),
        (GDP(0.1), ApproxDP, None, "ask for epsilon and delta"),
        (GDP(0.1), ApproxDP, ApproxDP(0.1, 1e-6), "cannot enter as epsilon = 0.1"),
        (GDP(0.1), PureDP, PureDP(100), "nothing in gdp can be promised in pure"),
        (PureDP(1), GDP, GDP(100), "nothing in pure can be promised in gdp"),
        (ZCDP(0.1), PureDP, PureDP(100), "nothing in zcdp can be promised in pure"),
        (ApproxDP(1, 0), ZCDP, None, "nothing in approx can be promised in zcdp"),
        (PureDP(1), ZCDP, ZCDP(0.49), "a run of epsilon = 1 costs rho = 0.5"),
    ],
)
def test_what_cannot_enter_is_refused(working, currency, entered, says):
    with pytest.raises(UsageError, match=says):
        enter(working, currency, entered=entered)
