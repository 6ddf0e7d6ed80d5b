"""Budgets are exact: whatever is split adds up, and nothing strange passes for a number."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import UsageError
from understudy.privacy.budget import (
    CURRENCIES,
    ZCDP,
    ApproxDP,
    Budget,
    PureDP,
    budget_from_json,
    exact,
    known_currency,
)

amounts = st.fractions(0, 50, max_denominator=10**6)
tails = st.fractions(0, Fraction(1, 2), max_denominator=10**9).filter(lambda d: d < 1)
budgets = st.one_of(
    st.builds(PureDP, amounts),
    st.builds(ZCDP, amounts, tails),
    st.builds(ApproxDP, amounts, tails),
)
weights = st.lists(
    st.one_of(
        st.fractions(0, 100, max_denominator=997),
        st.integers(0, 100),
        st.floats(0, 100).map(lambda x: round(x, 6)),
    ),
    min_size=1,
    max_size=9,
).filter(any)


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        (0.1, Fraction(1, 10)),
        (1e-9, Fraction(1, 10**9)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.int64(3), Fraction(3)),
        (np.uint8(255), Fraction(255)),
        (7, Fraction(7)),
        ("1/3", Fraction(1, 3)),
        (" 0.25 ", Fraction(1, 4)),
        ("1e-6", Fraction(1, 10**6)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(2, 6), Fraction(1, 3)),
        (-0.0, Fraction(0)),
    ],
)
def test_numbers_mean_what_a_person_wrote(value, meant):
    found = exact(value, name="epsilon")
    assert found == meant
    assert type(found) is Fraction
    assert type(found.numerator) is int
    assert type(found.denominator) is int


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        np.True_,
        None,
        1j,
        b"1",
        [1],
        nan,
        inf,
        -inf,
        np.float32("nan"),
        Decimal("NaN"),
        Decimal("Infinity"),
        "",
        "nan",
        "inf",
        "1/0",
        "one",
        "e",
        "1e999999999",
        Decimal("1e999999"),
        "1e-99999",
        10**4000,
        Fraction(1, 10**4000),
    ],
    ids=lambda value: f"{value!r:.20}",
)
def test_anything_else_is_refused_by_name(value):
    with pytest.raises(UsageError, match="epsilon"):
        PureDP(value)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: PureDP(-1), "epsilon must not be negative"),
        (lambda: ZCDP("-1/9"), "rho must not be negative"),
        (lambda: ApproxDP(1, 1), "delta must be below 1"),
        (lambda: ZCDP(1, 1.5), "delta must be below 1"),
        (lambda: ApproxDP(1, -1e-9), "delta must not be negative"),
        (lambda: PureDP(1) - PureDP(2), "cannot take epsilon = 2 from epsilon = 1"),
        (lambda: PureDP(1) * -1, "epsilon must not be negative"),
        (lambda: PureDP(1) * nan, "share"),
        (lambda: PureDP(1) + ZCDP(1), "cannot combine pure with zcdp"),
        (lambda: ZCDP(1).covers(PureDP(1)), "cannot combine zcdp with pure"),
        (lambda: ApproxDP(1, 0) - PureDP(1), "cannot combine approx with pure"),
        (lambda: PureDP(1) + 1, "cannot combine pure with int"),
        (lambda: 1 + PureDP(1), "cannot combine pure with int"),
        (lambda: False + PureDP(1), "cannot combine pure with bool"),
        (lambda: ZCDP(1).beyond(PureDP(0)), "cannot combine"),
        (lambda: ApproxDP(1, 0.6) + ApproxDP(1, 0.6), "nothing is promised"),
        (lambda: PureDP(1).split(), "positive"),
        (lambda: PureDP(1).split(a=0, b=0), "positive"),
        (lambda: PureDP(1).split(a=2, b=-1), "negative"),
        (lambda: PureDP(1).split(a=True), "a must be a number"),
        (lambda: PureDP(1).shares(0), "at least one"),
        (lambda: PureDP(1).shares(1.5), "whole number"),
        (lambda: PureDP(1).shares(True), "shares must be a number"),
        (lambda: known_currency(Budget), "PureDP, ZCDP, GDP, ApproxDP"),
        (lambda: known_currency("zcdp"), "not 'zcdp'"),
        (lambda: budget_from_json({}), "not a budget"),
        (lambda: budget_from_json({"currency": "zcdp", "rho": "1"}), "not a budget"),
        (lambda: budget_from_json({"currency": "pure", "epsilon": "1", "delta": "0"}), "not"),
        (lambda: budget_from_json({"currency": "pure", "epsilon": "x"}), "epsilon"),
    ],
)
def test_refusals_say_why(build, says):
    with pytest.raises(UsageError, match=says):
        build()


@given(budgets, st.integers(1, 60))
def test_n_shares_are_the_budget(budget, count):
    shares = budget.shares(count)
    assert len(shares) == count
    assert sum(shares) == budget
    assert budget.covers(sum(shares))


@given(budgets, weights)
def test_a_split_recomposes_to_the_whole(budget, parts):
    split = budget.split(**{f"w{i}": weight for i, weight in enumerate(parts)})
    assert sum(split.values()) == budget
    total = sum(exact(weight, name="w") for weight in parts)
    for share, weight in zip(split.values(), parts, strict=True):
        owed = tuple(part * exact(weight, name="w") for part in budget.parts)
        assert tuple(part * total for part in share.parts) == owed


@given(budgets)
def test_a_split_may_name_a_share_self(budget):
    assert sum(budget.split(self=1, other=2).values()) == budget


@given(budgets, st.integers(1, 20))
def test_multiples_are_sums(budget, count):
    if budget.parts[-1] * count < 1 or isinstance(budget, PureDP):
        whole = budget * count
        assert whole == count * budget == sum([budget] * count)
        assert whole - budget * (count - 1) == budget


@given(budgets, budgets)
def test_covers_and_beyond_agree(one, other):
    if type(one) is type(other):
        assert one.covers(other) == other.beyond(one).is_zero
        assert (one.covers(other) and other.covers(one)) == (one == other)
        if one.covers(other):
            assert (one - other) + other == one
    else:
        assert one != other


@given(budgets)
def test_budgets_survive_being_written_and_copied(budget):
    for twin in (
        pickle.loads(pickle.dumps(budget)),
        copy.deepcopy(budget),
        replace(budget),
        budget_from_json(budget.to_json()),
        eval(repr(budget), {"Fraction": Fraction, **{k.__name__: k for k in CURRENCIES.values()}}),
    ):
        assert twin == budget
        assert type(twin) is type(budget)
        assert hash(twin) == hash(budget)
    assert all(type(text) is str for text in budget.to_json().values())


@pytest.mark.parametrize("kind", CURRENCIES.values())
def test_zero_is_covered_by_everything(kind):
    zero = kind.zero()
    assert zero.is_zero
    assert zero.covers(zero)
    one = kind(*(Fraction(1, 2) for _ in fields(kind)))
    assert one.covers(zero)
    assert not zero.covers(one)
    assert one.zero() == zero
    assert sum([]) == 0


def test_a_budget_is_only_partly_ordered():
    more_epsilon, more_delta = ApproxDP(2, 0), ApproxDP(1, 0.1)
    assert not more_epsilon.covers(more_delta)
    assert not more_delta.covers(more_epsilon)
    assert more_epsilon.beyond(more_delta) == ApproxDP(1, 0)
    with pytest.raises(TypeError):
        assert more_epsilon < more_delta


def test_a_budget_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        PureDP(1).epsilon = Fraction(2)


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        (PureDP(0.5), "epsilon = 0.5"),
        (PureDP("1/3"), "epsilon = 0.333333"),
        (ZCDP(0.02), "rho = 0.02"),
        (ZCDP(0.02, 1e-6), "rho = 0.02, delta = 1e-06"),
        (ApproxDP(1, 1e-9), "epsilon = 1, delta = 1e-09"),
        (ApproxDP(1, 0), "epsilon = 1, delta = 0"),
        (PureDP(10**400), "epsilon = 1.00000e+400"),
        (PureDP(Fraction(1, 10**400)), "epsilon = 1e-400"),
        (PureDP(0), "epsilon = 0"),
    ],
)
def test_text_for_people(budget, text):
    assert str(budget) == text
