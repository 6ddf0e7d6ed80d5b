"""A schema or a domain of some of its columns: what stays, what goes, and what is said of it."""

from __future__ import annotations

import pytest

from understudy.errors import SchemaError, UsageError
from understudy.schema.axes import axis_of, domain_of, least_cells
from understudy.schema.columns import Boolean, Category, Column, Drop, Fake, Integer, Real
from understudy.schema.schema import Rule, Schema, Unit

COLUMNS: dict[str, Column] = {
    "person": Fake(name="person"),
    "age": Integer(name="age", min=0, max=99),
    "works": Boolean(name="works", missing=("?",)),
    "hours": Integer(name="hours", min=0, max=80),
    "secret": Drop(name="secret"),
}
RULES = (Rule(require="age < 15 implies hours == 0"), Rule(require="age <= 99"))


def schema() -> Schema:
    return Schema(
        name="t",
        columns=COLUMNS,
        unit=Unit(column="person", max_rows=2),
        rules=RULES,
        description="A toy.",
    )


def test_the_others_are_dropped_in_their_place() -> None:
    part = schema().only(["works", "age"])
    assert tuple(part.columns) == tuple(COLUMNS)
    assert part.modelled == ("age", "works")
    assert part.released == ("person", "age", "works")
    assert part.columns["hours"] == Drop(name="hours")
    assert (part.unit, part.contribution, part.neighbours) == (
        schema().unit,
        2,
        schema().neighbours,
    )


def test_rules_about_dropped_columns_go_and_it_is_said() -> None:
    part = schema().only({"age", "works"})
    assert part.rules == RULES[1:]
    assert part.description == (
        "A toy. (Columns left out: 'hours'; rules left out: 'age < 15 implies hours == 0'.)"
    )
    bare = schema().only(["age", "hours"])
    assert bare.rules == RULES
    assert bare.description == "A toy. (Columns left out: 'works'.)"


def test_all_columns_are_the_schema_itself() -> None:
    whole = schema()
    assert whole.only(whole.modelled) is whole
    assert whole.only(["hours", "works", "age"]) is whole


@pytest.mark.parametrize("name", ["person", "secret", "agee", ""])
def test_only_learned_columns_can_be_chosen(name: str) -> None:
    with pytest.raises(SchemaError, match="no column that can be chosen") as caught:
        schema().only(["age", name])
    assert caught.value.column == name
    assert ("Did you mean 'age'?" in str(caught.value)) == (name == "agee")


def test_a_domain_keeps_its_axes() -> None:
    domain = domain_of(schema())
    part = domain.only(["hours", "age"])
    assert part.columns == ("age", "hours")
    assert part.schema == schema().only(["age", "hours"])
    assert all(part.axes[name] is domain.axes[name] for name in part.columns)
    assert domain.only(["age", "works", "hours"]) is domain
    with pytest.raises(UsageError, match="no modelled column is named 'person'"):
        domain.only(["person"])


def test_a_part_of_a_part_is_the_part() -> None:
    domain = domain_of(schema())
    assert domain.only(["age", "hours"]).only(["age"]).axes == domain.only(["age"]).axes


@pytest.mark.parametrize(
    ("column", "least"),
    [
        (COLUMNS["age"], 100),
        (COLUMNS["works"], 3),
        (Real(name="x", min=0, max=1), 32),
        (Real(name="x", min=0), 1),
        (Integer(name="x", missing=("",)), 2),
        (Category(name="x", levels="discover", missing=("",)), 2),
    ],
)
def test_the_least_number_of_cells(column: Column, least: int) -> None:
    assert least_cells(column) == least
    if column.is_open:
        bought = axis_of(column, levels=(), bounds=(0.0, 0.0))
        assert bought.size >= least
