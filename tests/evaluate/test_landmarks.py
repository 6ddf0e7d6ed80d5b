"""The constants of rules: where they are found and what cells they get."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.tables import schema
from understudy.evaluate.grid import FINE, Grid, Sample
from understudy.evaluate.landmarks import landmarks, place
from understudy.evaluate.rules import RELATIONS, broken_shares
from understudy.schema.axes import day_number, domain_of
from understudy.schema.columns import Real
from understudy.schema.domain import BinAxis
from understudy.schema.schema import Rule, Schema
from understudy.table.codec import encode

RULE = "age >= 18 and (income in (5, 7.5) or not joined < 2010-02-03) implies city == 'A'"


def test_every_constant_is_found_for_the_columns_of_its_rule():
    day = float(day_number(date(2010, 2, 3)))
    found = landmarks(schema([RULE, "income > 99"]))
    assert found["income"] == {18.0, 5.0, 7.5, day, 99.0}
    assert found["age"] == found["joined"] == {18.0, 5.0, 7.5, day}
    assert landmarks(schema()) == {}


def test_places_of_constants():
    assert place(3) == 3.0
    assert place(0.5) == 0.5
    assert place(date(1970, 1, 2)) == 1.0
    assert place("text") is None


def test_a_constant_has_a_cell_of_its_own():
    on = Grid.of(domain_of(schema(["income > 123.456"])))
    axis = on.fine.axes["income"]
    assert isinstance(axis, BinAxis)
    at = axis.edges.index(123.456)
    assert axis.edges[at + 1] == np.nextafter(123.456, np.inf)
    assert axis.proper <= FINE


def test_constants_outside_the_bounds_change_nothing():
    far = Grid.of(domain_of(schema(["income > -5 and income < 1e6"])))
    axis = far.fine.axes["income"]
    assert isinstance(axis, BinAxis)
    assert (axis.edges[0], axis.edges[-1]) == (0.0, 1000.0)


@given(
    constant=st.floats(0, 10, allow_subnormal=False).map(lambda x: round(x, 3)),
    values=st.lists(st.floats(0, 10, allow_subnormal=False), min_size=1, max_size=20),
    relation=st.sampled_from(sorted(RELATIONS)),
)
def test_rules_about_constants_are_exact_for_reals(constant, values, relation):
    text = f"x {relation} {constant:f}"
    column = Real(name="x", min=0, max=10)
    on = Grid.of(domain_of(Schema(name="t", columns={"x": column}, rules=(Rule(require=text),))))
    given_values = np.array([*values, constant])
    cells = encode(column, on.fine.axes["x"], given_values)
    table = Sample(on, {"x": cells}, len(given_values))
    holds = RELATIONS[relation](given_values, float(f"{constant:f}"))
    assert broken_shares(table)[text] == pytest.approx(1 - np.mean(holds))
