from __future__ import annotations

import pytest

from understudy.errors import SchemaError
from understudy.schema.columns import Category, Drop, Fake, Integer
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Dialect, Rule, Schema, Unit

COLUMNS = {
    "p": Fake(name="p"),
    "age": Integer(name="age", min=0, max=99),
    "city": Category(name="city", levels="discover"),
    "x": Drop(name="x"),
}


def schema(**keys) -> Schema:
    return Schema(**{"name": "t", "columns": COLUMNS, **keys})


def test_which_columns_do_what():
    assert schema().modelled == ("age", "city")
    assert schema().released == ("p", "age", "city")
    assert schema().open_columns == ("city",)


def test_neighbours_follow_from_what_is_public():
    by_person = Unit(column="p", max_rows=5)
    assert schema().neighbours is Neighbours.ADD_REMOVE
    assert schema(rows=0).neighbours is Neighbours.REPLACE_ONE
    assert schema(unit=by_person).neighbours is Neighbours.ADD_REMOVE
    assert schema(unit=Unit(column="p", persons=9)).neighbours is Neighbours.REPLACE_ONE
    assert (schema().contribution, schema(unit=by_person).contribution) == (1, 5)
    assert "replaced" in Neighbours.REPLACE_ONE.sentence
    assert "with and without" in Neighbours.ADD_REMOVE.sentence


def test_units_in_words():
    assert Unit().name == "one row"
    assert Unit(column="p").name == "one person ('p', at most 1 row kept)"
    assert Unit(column="p", max_rows=5).name == "one person ('p', at most 5 rows kept)"


def test_columns_cannot_be_changed_afterwards():
    columns = dict(COLUMNS)
    made = Schema(name="t", columns=columns)
    columns.clear()
    assert len(made.columns) == 4
    with pytest.raises(TypeError):
        made.columns["y"] = Drop(name="y")


WRONG = [
    (lambda: schema(name=""), r"\[table\]: must not be empty"),
    (lambda: schema(columns={}), "at least one column"),
    (lambda: schema(columns=list(COLUMNS.values())), "a mapping"),
    (lambda: schema(columns={"y": Drop(name="z")}), "the same name"),
    (lambda: schema(columns={"y": "integer"}), "the same name"),
    (lambda: schema(rows=1.5), "whole number"),
    (lambda: schema(rows=5, unit=Unit(column="p")), "declare 'units'"),
    (lambda: schema(unit="row"), "must be a Unit"),
    (lambda: schema(csv=";"), "must be a Dialect"),
    (lambda: schema(unit=Unit(column="q")), "'q' is not among the columns"),
    (lambda: schema(rules=["age > 1"]), r"\[\[rules\]\] 1: must be a Rule"),
    (
        lambda: schema(rules=[Rule(require="age > 1"), Rule(require="x > 1")]),
        "rules.. 2.*never read",
    ),
    (lambda: Rule(require=""), "must not be empty"),
    (lambda: Unit(max_rows=2), "needs a unit column"),
    (lambda: Unit(persons=2), "declare 'rows'"),
    (lambda: Unit(column="p", max_rows=True), "must be a number"),
    (lambda: Unit(column="p", persons=-1), "key 'units'"),
    (lambda: Dialect(delimiter="\n"), "one character"),
    (lambda: Dialect(encoding="\x00"), "text encoding"),
    (lambda: Dialect(strip=1), "true or false"),
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_what_cannot_be_meant_is_refused(make, said):
    with pytest.raises(SchemaError, match=said):
        make()
