"""A plan is what a run would spend, worked out without a row."""

from __future__ import annotations

import math

import pytest

import understudy as us
from tests.tables import numbers
from understudy.errors import UsageError
from understudy.schema.axes import domain_of
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
    assert repr(plan).startswith("Plan(epsilon = 0.5 on 400 rows: 1 count; ")
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


RELATED = Schema(
    name="r",
    columns={name: Category(name=name, levels=tuple("pqrstuvw")) for name in "abc"},
)


def test_a_planned_workload_is_foretold_to_the_digit() -> None:
    """Its relations' errors are those of the variances that the method itself states."""
    plan = us.plan(RELATED, rho="1/50", method="planned", rows=2000)
    told = us.Planned().foretell(domain_of(RELATED), us.ZCDP("1/50"))
    pairs = {one.columns: one for one in told or () if len(one.columns) == 2}
    assert plan.exact
    assert {error.columns for error in plan.relations} == set(pairs)
    for error in plan.relations:
        noise = pairs[error.columns].stddev * math.sqrt(2 / math.pi)
        assert error.tvd == pytest.approx(64 * noise / 2 / 2000)


@pytest.mark.parametrize("method", ["mst", "aim"])
def test_relations_that_are_chosen_on_the_way_are_simulated(method: str) -> None:
    """With more budget they come out better, in the end as even as the stand-in."""
    plans = [us.plan(RELATED, rho=rho, method=method, rows=5000) for rho in ("1/100", "1", "10000")]
    assert not any(plan.exact for plan in plans)
    errors = [plan.mean_relation_tvd for plan in plans]
    assert errors[0] > 2 * errors[1]
    assert errors[2] < errors[1] * 1.05  # both show little but the drawing of rows
    assert errors[-1] < 0.01
    assert [len(plan.relations) for plan in plans] == [3, 3, 3]


def test_a_wanted_error_of_relations_is_reached_by_the_epsilon_found() -> None:
    asked = {"delta": "1e-6", "method": "planned", "rows": 5000}
    plan = us.plan(RELATED, want_error=0.03, **asked)
    found = float(plan.asked.epsilon)  # type: ignore[attr-defined]
    assert plan.mean_relation_tvd <= 0.03
    less = us.plan(RELATED, epsilon=found / 1.1, **asked).mean_relation_tvd
    assert less is None or less > 0.03


def test_a_plan_says_which_method_auto_would_take() -> None:
    rich = us.plan(RELATED, epsilon=2, delta="1e-6", rows=5000)
    poor = us.plan(RELATED, epsilon="1/100", delta="1e-6", rows=5000)
    assert (rich.method, poor.method) == ("aim", "independent")
    assert "150" in rich.reason
    assert poor.relations == ()
    assert [error.column for error in rich.errors] == ["a", "b", "c"]


def test_no_error_is_told_of_groups_for_the_column_itself() -> None:
    """aim counts relations of a wide column in groups; the column's own error is of its cells."""
    wide = Schema(
        name="w", columns={"x": numbers("x", 0, 99), "b": Category(name="b", levels=("x", "y"))}
    )
    plan = us.plan(wide, epsilon=1, delta="1e-6", method="aim", rows=1000)
    assert {error.column: error.cells for error in plan.errors} == {"x": 100, "b": 2}
