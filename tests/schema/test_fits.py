from __future__ import annotations

import pytest

from understudy.errors import TableMismatch
from understudy.schema.columns import Drop, Fake, Integer
from understudy.schema.fits import fits
from understudy.schema.schema import Schema, Unit

COLUMNS = {
    "person": Drop(name="person"),
    "mail": Fake(name="mail", style="email"),
    "age": Integer(name="age", min=0, max=9),
    "income": Integer(name="income", min=0, max=9),
}
SCHEMA = Schema(name="t", columns=COLUMNS)
BY_PERSON = Schema(name="t", columns=COLUMNS, unit=Unit(column="person"))


@pytest.mark.parametrize(
    "header",
    [
        ["person", "mail", "age", "income"],
        ["income", "age", "mail", "person"],
        ["age", "income"],
        ("mail", "age", "income"),
    ],
)
def test_headers_that_fit(header):
    fits(SCHEMA, header)


@pytest.mark.parametrize(
    ("schema", "header", "said"),
    [
        (SCHEMA, [], "the table has no column 'age', 'income'"),
        (SCHEMA, ["age"], "no column 'income'"),
        (SCHEMA, ["age", "income", "age"], "more than one column named 'age'"),
        (SCHEMA, ["age", "income", "sex"], "the schema has no column 'sex'. "),
        (SCHEMA, ["age", "Income"], "no column 'Income'; did you mean 'income'?"),
        (SCHEMA, ["age", "income", "e-mail"], "did you mean 'mail'?"),
        (SCHEMA, ["age", "income", ""], "the schema has no column ''"),
        (SCHEMA, ["age", "income", *map(str, range(9))], "and 1 more"),
        (BY_PERSON, ["mail", "age", "income"], "no column 'person'"),
    ],
)
def test_headers_that_do_not_fit(schema, header, said):
    with pytest.raises(TableMismatch) as raised:
        fits(schema, header)
    assert said in str(raised.value)
    assert "Change the schema or the table's header" in str(raised.value)


def test_hostile_headers_stay_short():
    with pytest.raises(TableMismatch) as raised:
        fits(SCHEMA, ["\u202e" * 20_000, *(f"c{number}" for number in range(10_000))])
    assert len(str(raised.value)) < 1000
    assert "\u202e" not in str(raised.value)
