from __future__ import annotations

from datetime import date, datetime
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import columns, schemas
from understudy.errors import SchemaError, UsageError
from understudy.schema.axes import axis_of, day_number, domain_of, second_number
from understudy.schema.columns import (
    Boolean,
    Category,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.domain import BinAxis, Domain, LevelAxis
from understudy.schema.schema import Schema

LEARNED = ("category", "ordinal", "boolean", "integer", "real", "date", "datetime")


def test_days_and_seconds_count_from_1970():
    assert day_number(date(1970, 1, 2)) == 1
    assert day_number(date(1969, 12, 31)) == -1
    assert second_number(datetime(1970, 1, 1, 0, 1)) == 60
    assert second_number(datetime(1969, 12, 31, 23, 59, 59)) == -1


def test_levels_and_where_other_text_goes():
    assert axis_of(Category(name="c", levels=["ab"])) == LevelAxis(
        nullable=False, levels=("ab",), fallback=0
    )
    assert axis_of(Category(name="c", levels=("a", "b"), missing=[""])).fallback == 2
    with_other = axis_of(Category(name="c", levels=("a", "b"), other="z", missing=[""]))
    assert (with_other.levels, with_other.fallback, with_other.size) == (("a", "b", "z"), 2, 4)
    assert with_other.missing_code == 3
    assert axis_of(Ordinal(name="o", levels=("b", "a"), missing=["?"])).fallback == 2
    assert axis_of(Boolean(name="b")).levels == ("false", "true")
    assert axis_of(Boolean(name="b")).missing_code is None


def test_discovered_levels_leave_out_what_they_cannot_be():
    column = Category(name="c", levels="discover", missing=["", "?"])
    axis = axis_of(column, levels=["b", "?", "a", "OTHER", "b", ""])
    assert axis.levels == ("b", "a", "OTHER")
    assert axis.fallback == 2
    assert axis_of(column, levels=[]).levels == ("OTHER",)
    with pytest.raises(SchemaError, match="its levels are not public"):
        axis_of(column)


def test_whole_numbers_one_by_one_or_in_bins():
    assert axis_of(Integer(name="n", min=-1, max=2)).edges == (-1, 0, 1, 2, 3)
    assert axis_of(Integer(name="n", min=5, max=5, bins=9)).edges == (5, 6)
    assert axis_of(Integer(name="n", min=0, max=9, bins=3)).edges == (0, 4, 7, 10)
    assert len(axis_of(Integer(name="n", min=0, max=128)).edges) == 33
    assert len(axis_of(Integer(name="n", min=0, max=127)).edges) == 129
    log = axis_of(Integer(name="n", min=0, max=10**6, scale="log", bins=8)).edges
    assert (log[0], log[-1]) == (0, 10**6 + 1)
    assert all(b / a > 3 for a, b in pairwise(log[2:]))
    both = 2**53
    assert axis_of(Integer(name="n", min=-both, max=both, bins=1)).edges == (-both, both + 1)


def test_declared_edges_include_both_ends():
    whole = axis_of(Integer(name="n", bins=(0, 18, 65)))
    assert (whole.edges, whole.whole) == ((0, 18, 66), True)
    assert axis_of(Real(name="n", bins=(0, 18, 65))).edges == (0.0, 18.0, 65.0)
    days = [date(1970, 1, 1), date(1970, 1, 5), date(1970, 1, 9)]
    assert axis_of(Date(name="d", min=days[0], max=days[2], bins=days)).edges == (0, 4, 9)
    ends = [datetime(1970, 1, 1), datetime(1970, 1, 1, 0, 0, 9)]
    assert axis_of(Datetime(name="d", min=ends[0], max=ends[1], bins=ends)).edges == (0, 10)


def test_real_bins():
    axis = axis_of(Real(name="r", min=0, max=1, bins=4))
    assert axis == BinAxis(nullable=False, edges=(0.0, 0.25, 0.5, 0.75, 1.0), whole=False)
    assert axis_of(Real(name="r", min=0, max=1)).proper == 32
    single = axis_of(Real(name="r", min=3, max=3)).edges
    assert single == (3.0, np.nextafter(3.0, 4.0))
    assert axis_of(Real(name="r", min=-1e300, max=1e300, bins=2, scale="log")).edges[1] == 0
    assert axis_of(Real(name="r", min=0, max=1, missing=[""])).fallback == 32


def test_bought_bounds_yield_to_declared_ones():
    assert axis_of(Integer(name="n", max=5), bounds=(2.5, 99.0)).edges == (2, 3, 4, 5, 6)
    assert axis_of(Integer(name="n", min=5), bounds=(-9.0, 7.5)).edges == (5, 6, 7, 8, 9)
    assert axis_of(Integer(name="n", max=5), bounds=(7.0, 9.0)).edges == (5, 6)
    assert axis_of(Integer(name="n", min=5), bounds=(1.0, 2.0)).edges == (5, 6)
    assert axis_of(Integer(name="n", min=0, max=1), bounds=(5.0, 9.0)).edges == (0, 1, 2)
    assert axis_of(Integer(name="n"), bounds=(-1e30, 1e30)).edges[0] == -(2**53)
    assert axis_of(Real(name="n"), bounds=(3.0, 1.0)).edges[0] == 3.0
    for column in (Integer(name="n", min=0), Real(name="n")):
        with pytest.raises(SchemaError, match="its bounds are not public"):
            axis_of(column)


@pytest.mark.parametrize("column", [Drop(name="d"), Fake(name="d")])
def test_columns_that_are_never_read_have_no_cells(column):
    with pytest.raises(SchemaError, match="has no cells"):
        axis_of(column)


@given(columns(kinds=LEARNED), st.floats(-1e9, 1e9), st.floats(-1e9, 1e9))
def test_every_column_has_rising_cells_within_its_bounds(column, low, high):
    axis = axis_of(column, levels=["bought"], bounds=(low, high))
    assert axis.size == axis.proper + column.nullable >= 1
    if isinstance(axis, BinAxis):
        assert all(a < b for a, b in pairwise(axis.edges))
        if isinstance(column, Integer | Real) and not column.is_open and column.min < column.max:
            assert axis.edges[0] == column.min
            assert axis.edges[-1] == column.max + axis.whole
        if axis.whole:
            assert {type(edge) for edge in axis.edges} == {int}


@given(schemas(open_columns=False))
def test_a_closed_schema_is_a_domain(schema):
    domain = domain_of(schema)
    assert domain.columns == schema.modelled
    assert not schema.open_columns
    sizes = [axis_of(schema.columns[name]).size for name in domain.columns]
    assert domain.shape(domain.columns) == tuple(sizes)
    assert domain.size(domain.columns) == np.prod([1, *map(float, sizes)])


def test_domains_and_axes_check_themselves():
    schema = Schema(name="t", columns={"n": Integer(name="n", min=0, max=3), "d": Drop(name="d")})
    domain = domain_of(schema)
    assert domain.size(()) == 1
    with pytest.raises(UsageError, match=r"no modelled column is named 'd'; there are 'n'"):
        domain.shape(["n", "d"])
    assert Domain(schema, {}).columns == ()
    with pytest.raises(UsageError, match="modelled columns only"):
        Domain(schema, {"d": domain.axes["n"]})
    with pytest.raises(UsageError, match="levels that differ"):
        LevelAxis(nullable=False, levels=("a", "a"), fallback=0)
    with pytest.raises(UsageError, match="fallback"):
        LevelAxis(nullable=False, levels=("a",), fallback=1)
    with pytest.raises(UsageError, match="edges"):
        BinAxis(nullable=False, edges=(1, 1), whole=True)
