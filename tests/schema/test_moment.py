"""Features and moments: what they refuse, and which of them can count less than nothing."""

from __future__ import annotations

import pytest

from tests.tables import cells, numbers, schema_of
from understudy.errors import UsageError
from understudy.schema.axes import domain_of
from understudy.schema.moment import Feature, Moment

AGE, COST = Feature("age"), Feature("cost")
IN_A, IN_B = Feature("ward", cell=0), Feature("ward", cell=1)


def test_the_order_of_factors_is_nothing() -> None:
    assert Moment((AGE, COST)) == Moment((COST, AGE))
    assert len({Moment((IN_A, AGE)), Moment((AGE, IN_A)), Moment((AGE,))}) == 2


@pytest.mark.parametrize(
    ("features", "signed"),
    [
        ((), False),
        ((AGE,), True),
        ((AGE, AGE), False),
        ((AGE, COST), True),
        ((IN_A,), False),
        ((IN_A, Feature("sex", cell=0)), False),
        ((IN_A, AGE), True),
        ((AGE, Feature("age", missing=1.0)), True),  # a missing age may count 0 * 1, an age x * x
    ],
)
def test_counts_and_squares_are_never_negative(features: tuple[Feature, ...], signed: bool) -> None:
    assert Moment(features).is_signed is signed


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(UsageError, match="at most two"):
        Moment((AGE, AGE, AGE))
    with pytest.raises(UsageError, match="one cell"):
        Moment((IN_A, IN_B))
    with pytest.raises(UsageError, match="one cell"):
        Moment((IN_A, IN_A))
    for missing in (1.5, -2.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="between -1 and 1"):
            Feature("age", missing=missing)
    with pytest.raises(UsageError, match="only numbers"):
        Feature("ward", cell=0, missing=1.0)


def test_features_are_checked_against_the_domain() -> None:
    domain = domain_of(schema_of(numbers("age", 0, 9), cells("ward", 2, missing=("?",))))
    AGE.check(domain)
    Feature("ward", cell=2).check(domain)  # the missing ones are a cell of their own
    Feature("age", cell=9).check(domain)
    for feature in (COST, Feature("ward"), Feature("ward", cell=3), Feature("ward", cell=-1)):
        with pytest.raises(UsageError):
            feature.check(domain)
