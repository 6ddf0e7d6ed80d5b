from __future__ import annotations

from datetime import UTC, date, datetime
from fractions import Fraction

import numpy as np
import pytest

from understudy.errors import SchemaError
from understudy.schema.columns import (
    KINDS,
    Boolean,
    Category,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
    options,
    required,
)
from understudy.schema.json_schema import json_schema


def test_values_come_to_their_declared_type():
    column = Integer(name="n", min=np.int64(3), max=9.0, bins=np.int32(2), missing=["", -9])
    assert (column.min, column.max, column.bins, column.missing) == (3, 9, 2, ("", "-9"))
    assert {type(column.min), type(column.max), type(column.bins)} == {int}
    real = Real(name="r", min=0, max=Fraction(1, 2), bins=[0, 0.25, 0.5])
    assert real.bins == (0.0, 0.25, 0.5)
    assert {type(real.min), type(real.max), *map(type, real.bins)} == {float}
    assert Date(name="d", min="2010-01-01", max="2010-01-02").min == date(2010, 1, 1)
    moment = datetime(2010, 1, 1, 3, fold=1)
    assert repr(Datetime(name="d", min=moment, max=moment).min) == repr(moment.replace(fold=0))
    assert hash(Category(name="c", levels=["a"])) == hash(Category(name="c", levels=("a",)))


def test_edges_settle_the_bounds():
    column = Integer(name="n", bins=(0, 18, 65))
    assert (column.min, column.max, column.is_open) == (0, 65, False)
    assert column == Integer(name="n", min=0, max=65, bins=[0, 18, 65])
    days = [date(2010, 1, 1), "2015-01-01", date(2020, 1, 1)]
    assert Date(name="d", min=days[0], max=days[2], bins=days).bins[1] == date(2015, 1, 1)
    with pytest.raises(SchemaError, match="'min': must be the first bin edge, 0"):
        Integer(name="n", min=1, bins=(0, 18))
    with pytest.raises(SchemaError, match="'max': must be the last bin edge"):
        Date(name="d", min=days[0], max="2020-01-02", bins=days)


def test_what_is_open():
    assert Integer(name="n").is_open
    assert Integer(name="n", min=0).is_open
    assert Real(name="n", max=0).is_open
    assert not Real(name="n", min=0, max=0).is_open
    assert Category(name="c", levels="discover").is_open
    assert not Category(name="c", levels=["discover"]).is_open
    assert not Ordinal(name="c", levels=["a"]).is_open


def test_discovered_levels_always_have_an_other():
    assert Category(name="c", levels="discover").other == "OTHER"
    assert Category(name="c", levels="discover", other="rest").other == "rest"
    with pytest.raises(SchemaError, match="must not be one of the missing codes"):
        Category(name="c", levels="discover", missing=("OTHER",))


def test_what_is_learned_and_what_may_be_missing():
    assert not Drop(name="d").modelled
    assert not Fake(name="f").modelled
    assert Boolean(name="b").modelled
    assert Boolean(name="b", true="Y", false="N").levels == ("N", "Y")
    assert Boolean(name="b", missing=[""]).nullable
    assert not Boolean(name="b").nullable


WRONG = [
    (lambda: Integer(name=""), "must not be empty"),
    (lambda: Integer(name=5), "must be text"),
    (lambda: Integer(name=None), "nothing"),
    (lambda: Integer(name="a\ud800"), "Unicode"),
    (lambda: Integer(name="n", missing="NA"), "must be a list"),
    (lambda: Integer(name="n", min=True), "true or false"),
    (lambda: Integer(name="n", min=2**53 + 1), "between"),
    (lambda: Integer(name="n", min=b"1"), "a bytes"),
    (lambda: Real(name="n", min=1.5e300), "finite"),
    (lambda: Real(name="n", decimals=16), "between 0 and 15"),
    (lambda: Real(name="n", decimals=True), "true or false"),
    (lambda: Real(name="n", bins=65_537), "between 1 and 65536"),
    (lambda: Boolean(name="b", true="x", false="x"), "must differ"),
    (lambda: Boolean(name="b", true=True), "text in quotes"),
    (lambda: Boolean(name="b", missing=["false"]), "key 'false'"),
    (lambda: Ordinal(name="o", levels="discover"), "ascending order"),
    (lambda: Ordinal(name="o", levels="abc"), "must be a list"),
    (lambda: Ordinal(name="o", levels={"a": 1}), "a table"),
    (lambda: Category(name="c", levels=()), "at least one"),
    (lambda: Drop(name="d", missing=("",)), "never read"),
    (lambda: Fake(name="f", missing=("",)), "never read"),
    (lambda: Fake(name="f", style="mail"), "Did you mean 'email'"),
    (lambda: Fake(name="f", style=["id"]), "must be one of"),
    (lambda: Date(name="d", min=None, max=None), "must be a date"),
    (lambda: Datetime(name="d", min=date(2010, 1, 1), max=None), "a moment such as"),
    (lambda: Datetime(name="d", min="2010-01-01", max=None), "a moment such as"),
    (lambda: Datetime(name="d", min=datetime(2010, 1, 1, tzinfo=UTC), max=None), "time zone"),
    (lambda: Datetime(name="d", min="2010-01-01T00:00:00Z", max=None), "time zone"),
    (lambda: Datetime(name="d", min=datetime(2010, 1, 1, microsecond=5), max=None), "whole second"),
    (lambda: Date(name="d", min=date(999, 1, 1), max=date(999, 1, 1)), "years"),
    (lambda: Date(name="d", min="2010-01-01", max="2010-01-01", format=5), "must be text"),
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_what_cannot_be_meant_is_refused(make, said):
    with pytest.raises(SchemaError, match=said):
        make()


def test_errors_know_column_and_key():
    with pytest.raises(SchemaError) as raised:
        Integer(name="age", min="17")
    assert (raised.value.column, raised.value.key) == ("age", "min")
    assert str(raised.value) == (
        "column 'age', key 'min': must be a number, not text; write it without quotes"
    )


def test_keys_of_each_kind():
    assert options("fake") == ("description", "style")
    assert options("drop") == ("description",)
    assert required("integer") == ()
    assert required("category") == ("levels",)
    assert required("datetime") == ("min", "max")
    shapes = json_schema()["properties"]["columns"]["additionalProperties"]["oneOf"]
    for kind, shape in zip(KINDS, shapes, strict=True):
        assert set(shape["properties"]) == {"kind", *options(kind)}
