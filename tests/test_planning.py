"""A plan is what a run would spend, worked out without a row."""

from __future__ import annotations

import math

import pytest

import understudy as us
from understudy.errors import UsageError
from understudy.schema.columns import Category
from understudy.schema.schema import Schema

SCHEMA = Schema(
    name="t",
    columns={
        "a": Category(name="a", levels=("x", "y")),
        "b": Category(name="b", levels=tuple("pqrstuvw")),
    },
)


def test_a_plan_is_shown_in_one_line() -> None:
    plan = us.plan(SCHEMA, epsilon="1/2", method="independent", rows=400)
    assert repr(plan).startswith("Plan(epsilon = 0.5 on 400 rows: count; ")
    assert f"{plan.mean_tvd:.2%}" in repr(plan)


def test_the_error_is_that_of_laplace_noise_worked_out_by_hand() -> None:
    """Two columns at epsilon 1/2 each: scale 2, so the standard deviation is near 2 sqrt(2)."""
    plan = us.plan(SCHEMA, epsilon=1, method="independent", rows=1000)
    q = math.exp(-0.5)
    stddev = math.sqrt(2 * q) / (1 - q)
    for error, cells in zip(plan.errors, (2, 8), strict=True):
        assert error.cells == cells
        assert error.stddev == pytest.approx(stddev)
        assert error.tvd == pytest.approx(cells * stddev * math.sqrt(2 / math.pi) / 2000)


def test_a_wanted_error_is_reached_by_the_epsilon_found_and_by_none_much_smaller() -> None:
    wanted = 0.01
    plan = us.plan(SCHEMA, want_error=wanted, method="independent", rows=1000)
    found = float(plan.asked.epsilon)  # type: ignore[attr-defined]
    assert plan.mean_tvd <= wanted
    assert us.plan(SCHEMA, epsilon=found / 1.05, method="independent", rows=1000).mean_tvd > wanted


@pytest.mark.parametrize("wanted", [0, -1, 1, 2])
def test_an_error_out_of_reach_is_refused(wanted: float) -> None:
    with pytest.raises(UsageError, match="share of the rows"):
        us.plan(SCHEMA, want_error=wanted)
