"""``cell_of`` case by case; ``encode`` equals it; ``decode`` goes back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.table.strategies import columns, texts
from understudy.errors import UsageError
from understudy.schema.axes import axis_of, domain_of
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.domain import Axis, Domain
from understudy.schema.schema import Schema
from understudy.table import codec
from understudy.table.codec import cell_of, decode, encode, encode_table
from understudy.table.table import Codes, Table, Values

AGE = Integer(name="age", min=17, max=90)
AGE_OR_NONE = Integer(name="age", min=17, max=90, missing=("", "-9"))
COST = Real(name="cost", min=0, max=100, bins=10)
CITY = Category(name="city", levels=("Rome", "Oslo"), missing=("?", ""))
ADMITTED = Date(name="d", min=date(2020, 1, 1), max=date(2020, 1, 31), missing=("",))
SEEN = Datetime(name="s", min=datetime(2020, 1, 1), max=datetime(2020, 1, 1, 0, 1))


def objects(values: Sequence[Any]) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        array[position] = value
    return array


def cells(column: Column, values: Any) -> list[int]:
    array = values if isinstance(values, np.ndarray) else objects(values)
    return list(encode(column, axis_of(column), array).tolist())


@pytest.mark.parametrize(
    ("column", "text", "cell"),
    [
        (AGE, "17", 0), (AGE, "18", 1), (AGE, "90", 73), (AGE, "91", 73), (AGE, "-5", 0),
        (AGE, "18.999", 1), (AGE, "89.99", 72), (AGE, "90.5", 73), (AGE, "inf", 73),
        (AGE, "-inf", 0), (AGE, "1e999", 73), (AGE, "nan", 0), (AGE, "", 0), (AGE, None, 0),
        (AGE, "old", 0), (AGE_OR_NONE, "", 74), (AGE_OR_NONE, "-9", 74), (AGE_OR_NONE, "-9.0", 74),
        (AGE_OR_NONE, "-8", 0), (AGE_OR_NONE, None, 74), (AGE_OR_NONE, "old", 74),
        (COST, "0", 0), (COST, "9.99", 0), (COST, "10", 1), (COST, "100", 9), (COST, "1e5", 9),
        (CITY, "Rome", 0), (CITY, "Oslo", 1), (CITY, "?", 2), (CITY, "", 2), (CITY, None, 2),
        (CITY, "rome", 2), (CITY, " Rome", 2),
        (Category(name="c", levels=("a", "b")), "z", 0),
        (Category(name="c", levels=("a", "b")), None, 0),
        (Category(name="c", levels=("a",), other="O"), "z", 1),
        (Category(name="c", levels=("a",), other="O"), None, 1),
        (Category(name="c", levels=("a",), other="O", missing=("",)), "z", 1),
        (Category(name="c", levels=("a",), other="O", missing=("",)), None, 2),
        (Ordinal(name="o", levels=("lo", "hi")), "hi", 1),
        (Ordinal(name="o", levels=("lo", "hi")), "mid", 0),
        (Boolean(name="b", true="yes", false="no"), "yes", 1),
        (Boolean(name="b", true="yes", false="no"), "true", 0),
        (Boolean(name="b", missing=("",)), "True", 2),
        (ADMITTED, "2020-01-01", 0), (ADMITTED, "2019-12-31", 0), (ADMITTED, "2020-01-31", 30),
        (ADMITTED, "2021-06-01", 30), (ADMITTED, "01/02/2020", 31), (ADMITTED, "", 31),
        (SEEN, "2020-01-01T00:00:59", 59), (SEEN, "2020-01-01T00:01:00", 60),
        (SEEN, "2020-01-01T00:00:59Z", 0),
    ],
)  # fmt: skip
def test_the_cell_of_a_text(column: Column, text: str | None, cell: int) -> None:
    assert cell_of(column, axis_of(column), text) == cell


def test_declared_edges_include_the_last() -> None:
    whole = Integer(name="x", bins=(0, 10, 20))
    assert [cell_of(whole, axis_of(whole), str(x)) for x in (-1, 9, 10, 20, 21)] == [0, 0, 1, 1, 1]
    real = Real(name="x", bins=(0.0, 0.5, 1.0))
    assert [cell_of(real, axis_of(real), str(x)) for x in (0.49, 0.5, 1.0, 2.0)] == [0, 1, 1, 1]
    largest = Integer(name="x", min=2**53 - 2, max=2**53)
    texts = [str(2**53 - 2), str(2**53 - 1), str(2**53), str(2**53 + 1)]
    assert [cell_of(largest, axis_of(largest), text) for text in texts] == [0, 1, 2, 2]


@given(columns(), texts)
def test_every_text_has_a_cell(pair: tuple[Column, Axis], text: str) -> None:
    column, axis = pair
    assert 0 <= cell_of(column, axis, text) < axis.size


@given(columns(), st.lists(st.one_of(st.none(), texts), max_size=8))
def test_encode_equals_cell_of(pair: tuple[Column, Axis], values: list[str | None]) -> None:
    column, axis = pair
    coded = encode(column, axis, objects(values))
    assert coded.tolist() == [cell_of(column, axis, text) for text in values]
    assert coded.dtype == np.min_scalar_type(axis.size - 1)


@given(columns(), st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-99, 99), max_size=8))
def test_integers_count_as_their_digits(pair: tuple[Column, Axis], values: list[int]) -> None:
    column, axis = pair
    expected = [cell_of(column, axis, str(value)) for value in values]
    assert encode(column, axis, np.array(values, dtype=np.int64)).tolist() == expected
    assert encode(column, axis, objects(values)).tolist() == expected


@given(columns(), st.lists(st.floats() | st.sampled_from((7.0, -9.0, 99.5, 0.0)), max_size=8))
def test_floats_count_as_their_text(pair: tuple[Column, Axis], values: list[float]) -> None:
    column, axis = pair

    def text(value: float) -> str | None:
        if np.isnan(value):
            return None
        return str(int(value)) if np.isfinite(value) and value == int(value) else repr(value)

    expected = [cell_of(column, axis, text(value)) for value in values]
    assert encode(column, axis, np.array(values, dtype=np.float64)).tolist() == expected
    assert encode(column, axis, objects(values)).tolist() == expected


@given(columns(), st.lists(st.booleans(), max_size=4))
def test_booleans_count_as_the_columns_texts(pair: tuple[Column, Axis], values: list[bool]) -> None:
    column, axis = pair
    words = column.levels if isinstance(column, Boolean) else ("false", "true")
    expected = [cell_of(column, axis, words[value]) for value in values]
    assert encode(column, axis, np.array(values, dtype=bool)).tolist() == expected
    assert encode(column, axis, objects(values)).tolist() == expected


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
def test_typed_moments_count_as_themselves(unit: str) -> None:
    days = ["2019-12-31", "2020-01-01", "2020-01-17", "2020-02-01", "NaT"]
    typed = np.array(days, dtype=f"datetime64[{unit}]")
    assert cells(ADMITTED, typed) == [0, 0, 16, 30, 31]
    assert cells(AGE_OR_NONE, typed) == [74] * 5  # days in a column of ages cannot be read


def test_seconds_are_cut_off_not_rounded_also_before_1970() -> None:
    column = Datetime(name="s", min=datetime(1969, 12, 31, 23, 59, 58), max=datetime(1970, 1, 1))
    typed = np.array(["1969-12-31T23:59:58.900", "1969-12-31T23:59:59.900"], "datetime64[ms]")
    assert cells(column, typed) == [0, 1]
    assert cells(column, [value.item() for value in typed]) == [0, 1]


def test_objects_of_many_kinds_have_the_cell_of_their_text() -> None:
    values = [None, np.nan, pd.NA, pd.NaT, 18, 18.0, np.int8(18), Decimal("18.5"), "18", True,
              Decimal("sNaN"), [1], {"a": 1}, b"18", 10**400, -(10**400)]  # fmt: skip
    found = cells(AGE_OR_NONE, values)
    assert found[:9] == [74] * 4 + [1] * 5
    assert found[9:14] == [74] * 5
    assert set(found[14:]) <= {0, 73, 74}


def test_dates_and_moments_as_objects() -> None:
    values = [date(2020, 1, 17), datetime(2020, 1, 17, 23), pd.Timestamp("2020-01-17 23:59:59.9"),
              datetime(2020, 1, 17, tzinfo=UTC), np.datetime64("NaT")]  # fmt: skip
    assert cells(ADMITTED, values) == [16, 16, 16, 31, 31]
    assert cells(Category(name="c", levels=("2020-01-17",), missing=("",)), values[:1]) == [0]


def test_an_object_that_refuses_to_be_written_is_unreadable() -> None:
    class Secretive:
        def __str__(self) -> str:
            raise RuntimeError("no")

    assert cells(CITY, [Secretive(), "Oslo"]) == [2, 1]
    with_other = Category(name="c", levels=("a",), other="O", missing=("?",))
    assert cells(with_other, [Secretive(), "b"]) == [2, 1]


def test_a_cell_does_not_depend_on_the_other_rows() -> None:
    column = Category(name="c", levels=("1", "true"), missing=("",))
    assert cells(column, [True, 1, 1.0, "1"]) == [1, 0, 0, 0]
    assert cells(column, ["1", 1.0, 1, True]) == [0, 0, 0, 1]


def test_what_a_mask_hides_is_missing() -> None:
    values = np.array([18, 19, 20])
    masked = np.ma.array(values, mask=[False, True, False])
    assert encode(AGE_OR_NONE, axis_of(AGE_OR_NONE), masked).tolist() == [1, 74, 3]
    coded = encode(
        AGE_OR_NONE, axis_of(AGE_OR_NONE), masked, missing=np.array([True, False, False])
    )
    assert coded.tolist() == [74, 74, 3]
    assert encode(AGE, axis_of(AGE), masked).tolist() == [1, 0, 3]


def test_fixed_width_texts_are_texts() -> None:
    assert cells(CITY, np.array(["Oslo", "Rome", "x"])) == [1, 0, 2]


def test_more_distinct_texts_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "REMEMBERED", 2)
    texts = [str(number) for number in range(17, 60)] * 2
    assert cells(AGE, texts) == [int(text) - 17 for text in texts]


def test_an_unknown_kind_of_axis_is_refused() -> None:
    class Odd(Axis):
        proper = 1

    with pytest.raises(UsageError, match="LevelAxis or a BinAxis"):
        cell_of(AGE, Odd(nullable=False), "1")
    odd = Domain(Schema(name="t", columns={"age": AGE}), {"age": Odd(nullable=False)})
    with pytest.raises(UsageError, match="LevelAxis or a BinAxis"):
        decode(Codes(odd, {"age": np.zeros(1, np.uint8)}, 1), rng=np.random.default_rng(0))


@given(columns(), st.integers(0, 2**32))
def test_every_value_goes_back_to_its_cell(pair: tuple[Column, Axis], seed: int) -> None:
    column, axis = pair
    domain = domain_of(Schema(name="t", columns={"x": column}))
    # Cells that only a missing code could mean are reached by no value at all.
    every = np.repeat(np.arange(axis.size), 3).astype(np.min_scalar_type(axis.size - 1))
    table = decode(Codes(domain, {"x": every}, len(every)), rng=np.random.default_rng(seed))
    back = encode_table(domain, table).columns["x"]
    reachable = [cell for cell in range(axis.size) if not _only_a_code(column, axis, cell)]
    kept = np.isin(every, reachable)
    assert (back[kept] == every[kept]).all()
    assert (table.columns["x"].missing is not None) == column.nullable
    _check_inside(column, table.columns["x"])


def _only_a_code(column: Column, axis: Axis, cell: int) -> bool:
    """Whether a bin holds one value and this value means missing."""
    if not column.nullable or cell >= axis.proper or not hasattr(axis, "edges"):
        return False
    if isinstance(column, Real):
        return bool(column.min == column.max)
    return bool(axis.edges[cell + 1] - axis.edges[cell] == 1)


def _check_inside(column: Column, values: Values) -> None:
    present = values.data if values.missing is None else values.data[~values.missing]
    if values.levels is not None:
        declared = {*getattr(column, "levels", ()), getattr(column, "other", None)}
        assert set(values.levels) <= declared
        assert (values.data < len(values.levels)).all()
    elif isinstance(column, Date | Datetime):
        unit = "D" if isinstance(column, Date) else "s"
        assert values.data.dtype == np.dtype(f"datetime64[{unit}]")
        low, high = np.datetime64(column.min, unit), np.datetime64(column.max, unit)
        assert ((present >= low) & (present <= high)).all()
    else:
        assert values.data.dtype == (np.float64 if isinstance(column, Real) else np.int64)
        assert ((present >= column.min) & (present <= column.max)).all()


def test_a_table_carries_the_released_columns_in_the_schemas_order() -> None:
    schema = Schema(
        name="t",
        columns={"id": Fake(name="id"), "age": AGE, "secret": Drop(name="secret"), "city": CITY},
    )
    domain = domain_of(schema)
    codes = Codes(domain, {"city": np.array([2], "u1"), "age": np.array([3], "u1")}, 1)
    table = decode(codes, rng=np.random.default_rng(1))
    assert list(table.columns) == ["id", "age", "city"]
    assert table.columns["age"].data.tolist() == [20]
    assert table.columns["city"].missing.tolist() == [True]  # type: ignore[union-attr]


def test_the_same_seed_draws_the_same_table() -> None:
    domain = domain_of(Schema(name="t", columns={"cost": COST, "id": Fake(name="id")}))
    codes = Codes(domain, {"cost": np.arange(10, dtype=np.uint8)}, 10)
    one, two, other = (decode(codes, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    for name in ("cost", "id"):
        assert (one.columns[name].data == two.columns[name].data).all()
        assert (one.columns[name].data != other.columns[name].data).any()


def test_encoding_a_table_needs_its_columns() -> None:
    domain = domain_of(Schema(name="t", columns={"age": AGE, "cost": COST}))
    table = Table(domain.schema, {"age": Values(np.array([20]))}, 1)
    with pytest.raises(UsageError, match="'cost'"):
        encode_table(domain, table)
