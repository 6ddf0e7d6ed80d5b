"""The grid: fine cells lie inside the schema's cells, views agree, order does not matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluate.tables import code, grid, people, sample
from understudy.errors import TableMismatch, UsageError
from understudy.evaluate.grid import COARSE, FINE, Grid, Sample
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Column, Integer, Real
from understudy.schema.schema import Schema
from understudy.table.codec import encode


def one_column(column: Column) -> Grid:
    return Grid.of(domain_of(Schema(name="t", columns={"x": column})))


@given(
    low=st.integers(-(10**6), 10**6),
    span=st.integers(0, 10**7),
    scale=st.sampled_from(["linear", "log"]),
    values=st.lists(st.floats(0, 1), min_size=1, max_size=20),
    whole=st.booleans(),
)
def test_a_fine_cell_lies_in_the_cell_that_the_schema_gives(low, span, scale, values, whole):
    kind = Integer if whole else Real
    on = one_column(kind(name="x", min=low, max=low + span, scale=scale, missing=("",)))
    drawn = low + np.array(values) * span
    drawn = np.floor(drawn) if whole else drawn
    column = on.domain.schema.columns["x"]
    fine = encode(column, on.fine.axes["x"], drawn)
    assert on.fine.axes["x"].proper <= FINE
    expected = encode(column, on.domain.axes["x"], drawn)
    np.testing.assert_array_equal(on.parents("x")[fine], expected)


@given(st.integers(-500, 60_000), st.integers(1, 5000))
def test_places_of_whole_numbers_are_the_numbers(low, span):
    on = one_column(Integer(name="x", min=low, max=low + span))
    np.testing.assert_array_equal(on.places("x"), np.arange(low, low + span + 1))


def test_places_of_reals_are_within_a_fine_cell():
    on = one_column(Real(name="x", min=-3, max=5))
    values = np.random.default_rng(0).uniform(-3, 5, 1000)
    cells = encode(on.domain.schema.columns["x"], on.fine.axes["x"], values)
    assert np.abs(on.places("x")[cells] - values).max() <= 8 / 65_000


def test_coarse_cells_are_runs_of_code_times_32_over_size():
    on = one_column(Integer(name="x", min=0, max=98, missing=("",)))
    runs, size = on.coarse("x")
    np.testing.assert_array_equal(runs[:-1], np.arange(99) * COARSE // 99)
    assert (runs[-1], size) == (32, 33)


def test_missing_keeps_a_cell_of_its_own():
    on = grid()
    table = sample(on, {**people(3), "income": ["5", None, "1000"]})
    np.testing.assert_array_equal(table.missing("income"), [False, True, False])
    assert table.coarse("income")[1] == on.coarse("income")[1] - 1
    assert not table.missing("age").any()
    assert np.isnan(on.places("income")[-1])


def test_counts_equal_counting_by_hand():
    on = grid()
    table = sample(on, people(200))
    counts = table.counts(("city", "grade"))
    assert counts.shape == (5, 3)
    for cell in np.ndindex(counts.shape):
        both = (table.coarse("city") == cell[0]) & (table.coarse("grade") == cell[1])
        assert counts[cell] == both.sum()


def test_rows_are_put_in_an_order_of_their_own():
    on, values = grid(), people(500)
    order = np.random.default_rng(4).permutation(500)
    shuffled = {name: [column[i] for i in order] for name, column in values.items()}
    one, two = (Sample.of(on, code(on, each)) for each in (values, shuffled))
    for name in on.columns:
        np.testing.assert_array_equal(one.codes[name], two.codes[name])


def test_keys_tell_rows_apart_and_ignore_the_order_of_columns():
    on = grid()
    table = sample(on, people(2000))
    keys = table.keys(fine=True)
    rows = np.stack([table.codes[name] for name in on.columns], axis=1)
    assert len(np.unique(keys)) == len(np.unique(rows, axis=0))
    backwards = dict(reversed(on.domain.schema.columns.items()))
    other = Grid.of(domain_of(Schema(name="people", columns=backwards)))
    np.testing.assert_array_equal(Sample(other, table.codes, 2000).keys(fine=True), keys)


def test_tables_on_other_grids_and_without_rows_are_refused():
    on = grid()
    with pytest.raises(TableMismatch, match="same grid"):
        Sample.of(Grid.of(on.domain, cells=1), code(on, people(5)))
    with pytest.raises(UsageError, match="without rows"):
        Sample.of(on, code(on, people(0)))


def test_ten_thousand_levels():
    levels = tuple(f"level {i}" for i in range(10_000))
    on = one_column(Category(name="x", levels=levels))
    assert on.coarse("x")[1] == COARSE
    assert on.fine.axes["x"].proper == 10_000
