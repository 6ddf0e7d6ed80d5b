"""What a person asks for becomes what a run works with, and never more than was asked."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.errors import UsageError
from understudy.privacy.accountant import compose
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, PureDP
from understudy.privacy.convert import gdp_to_approx, zcdp_to_approx
from understudy.privacy.request import DOMAIN_SHARE, allot, granted, requested
from understudy.schema.columns import Boolean, Category, Real
from understudy.schema.schema import Schema


def schema(*columns):
    return Schema(name="toy", columns={column.name: column for column in columns})


CLOSED = schema(Boolean(name="b"))
OPEN_BOUNDS = schema(Boolean(name="b"), Real(name="cost"))
OPEN_LEVELS = schema(Boolean(name="b"), Category(name="city", levels="discover"))
ALL = (PureDP, ZCDP, GDP)
SCHEMAS = st.sampled_from([CLOSED, OPEN_BOUNDS, OPEN_LEVELS])


@pytest.mark.parametrize(
    ("arguments", "budget"),
    [
        ({"epsilon": 0.1}, PureDP("1/10")),
        ({"epsilon": "1/3", "delta": 1e-6}, ApproxDP("1/3", "1e-6")),
        ({"rho": 0.5}, ZCDP(0.5)),
        ({"rho": 0.5, "delta": 1e-6}, ZCDP(0.5, 1e-6)),
    ],
)
def test_what_was_named_is_what_is_asked(arguments, budget):
    assert requested(**arguments) == budget


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "there is no default"),
        ({"delta": 1e-6}, "there is no default"),
        ({"epsilon": 1, "rho": 1}, "either epsilon"),
        ({"epsilon": 0}, "epsilon must be above 0, not 0"),
        ({"epsilon": -1}, "epsilon must be above 0, not -1"),
        ({"rho": 0}, "rho must be above 0"),
        ({"epsilon": True}, "epsilon must be a number"),
        ({"epsilon": float("nan")}, "epsilon must be a finite number"),
        ({"epsilon": 1, "delta": 0}, "strictly between 0 and 0.1"),
        ({"epsilon": 1, "delta": 0.1}, "strictly between 0 and 0.1, not be 0.1,"),
        ({"epsilon": 1, "delta": "1e1000"}, "not be 1e1000"),
        ({"rho": 1, "delta": -1}, "leave it out"),
        ({"epsilon": 1, "delta": "x"}, "delta must be a finite number"),
    ],
)
def test_requests_that_promise_nothing_are_refused(arguments, says):
    with pytest.raises(UsageError, match=says):
        requested(**arguments)


@settings(max_examples=30)
@given(
    st.fractions(Fraction(1, 100), 10, max_denominator=1000),
    st.sampled_from([None, "1e-9", "1e-6", "0.01"]),
    st.booleans(),
    SCHEMAS,
)
def test_an_allotment_never_spends_more_than_was_asked(amount, delta, in_rho, public):
    asked = requested(**{"rho" if in_rho else "epsilon": amount}, delta=delta)
    if public is OPEN_LEVELS and delta is None:
        with pytest.raises(UsageError, match=r"needs a delta.*Give delta"):
            allot(asked, public, accepts=ALL)
        return
    allotment = allot(asked, public, accepts=ALL)
    parts = [part for part in (allotment.for_domain, allotment.for_fit) if part is not None]
    spent = compose(parts, type(allotment.working))
    assert allotment.working.covers(spent)
    assert (spent.parts[0], allotment.asked) == (allotment.working.parts[0], asked)
    if isinstance(asked, ApproxDP):
        back = gdp_to_approx if isinstance(spent, GDP) else zcdp_to_approx
        spent = back(spent, delta=asked.delta)
    assert asked.covers(spent)


@pytest.mark.parametrize("asked", [PureDP(1), ZCDP(1), ZCDP(1, 1e-6), ApproxDP(1, 1e-6)], ids=repr)
def test_a_closed_schema_buys_no_domain_and_no_delta(asked):
    allotment = allot(asked, CLOSED, accepts=ALL)
    assert allotment.for_domain is None
    assert allotment.for_fit == allotment.working
    assert getattr(allotment.for_fit, "delta", 0) == 0


def test_open_bounds_cost_a_share_and_no_delta():
    allotment = allot(PureDP(1), OPEN_BOUNDS, accepts=ALL)
    assert allotment.for_domain == PureDP(1) * DOMAIN_SHARE
    assert allotment.for_domain + allotment.for_fit == PureDP(1)
    assert allot(ZCDP(1, 1e-6), OPEN_BOUNDS, accepts=ALL).for_domain == ZCDP(DOMAIN_SHARE)


def test_only_discovering_spends_the_reserved_delta():
    allotment = allot(ApproxDP(1, 1e-6), OPEN_LEVELS, accepts=ALL)
    assert allotment.for_domain.delta == Fraction(1, 2 * 10**6)
    assert allotment.for_fit.delta == 0
    assert allotment.working.rho < allot(ApproxDP(1, 1e-6), OPEN_BOUNDS, accepts=ALL).working.rho
    assert allot(ZCDP(1, 1e-6), OPEN_LEVELS, accepts=ALL).working == ZCDP(1, 1e-6)


def test_the_conversion_is_told_when_there_was_one():
    assert allot(PureDP(1), CLOSED, accepts=ALL).conversion == ""
    told = allot(ApproxDP(1, 1e-9), CLOSED, accepts=(PureDP, ZCDP)).conversion
    assert told.startswith("epsilon = 1, delta = 1e-09 worked as rho = 0.0149731 by the tight")
    told = allot(ApproxDP(1, 1e-9), CLOSED, accepts=ALL).conversion
    assert told.startswith("epsilon = 1, delta = 1e-09 worked as mu^2 = 0.0331148 by the exact")


@pytest.mark.parametrize("public", [OPEN_BOUNDS, OPEN_LEVELS])
def test_what_buys_its_domain_is_worked_in_zcdp(public):
    assert isinstance(allot(ApproxDP(1, 1e-6), public, accepts=ALL).working, ZCDP)


def test_other_requests_stay_in_their_own_currency():
    for asked in (PureDP(1), ZCDP(1), GDP(1)):
        assert allot(asked, CLOSED, accepts=ALL).working == asked


def test_a_choice_that_is_added_to_other_costs_can_be_worked_in_theirs():
    spend = ApproxDP(1, "1e-6")
    found = granted(spend, gaussian=True).working
    assert isinstance(found, GDP)
    assert spend.covers(gdp_to_approx(found, delta=spend.delta))
    assert granted(PureDP(1), gaussian=True).working == PureDP(1)


@pytest.mark.parametrize(
    "spend", [PureDP("1/10"), ZCDP("1/3"), GDP("1/5"), ApproxDP(1, "1e-6")], ids=str
)
def test_a_named_budget_is_granted_whole(spend):
    found = granted(spend)
    assert found.asked == spend
    assert found.for_domain is None
    assert found.for_fit == found.working
    if isinstance(spend, ApproxDP):
        assert spend.covers(zcdp_to_approx(found.working, delta=spend.delta))
        assert "Renyi" in found.conversion
    else:
        assert found.working == spend


@pytest.mark.parametrize("spend", [1, "1", None, PureDP(0), ZCDP(0, "1e-6"), ApproxDP(0, "1e-6")])
def test_what_is_no_budget_or_none_at_all_is_not_granted(spend):
    with pytest.raises(UsageError, match="budget"):
        granted(spend)
