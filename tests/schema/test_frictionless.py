from __future__ import annotations

import json
from datetime import date, datetime

import pytest

from understudy.errors import SchemaError
from understudy.schema import frictionless
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
from understudy.schema.schema import Rule, Schema, Unit


def foreign(field: dict, **schema) -> tuple[Column, str]:
    """The column that a single field becomes, and its notes as one text."""
    text = json.dumps({"fields": [{"name": "c", **field}], **schema})
    found = frictionless.loads(text)
    return found.schema.columns["c"], " | ".join(found.notes["c"])


FOREIGN = [
    ({}, Category(name="c", levels="discover", missing=[""]), "to be discovered"),
    (
        {"type": "string", "constraints": {"required": True}},
        Category(name="c", levels="discover"),
        "discovered",
    ),
    ({"type": "string", "missingValues": []}, Category(name="c", levels="discover"), "discovered"),
    (
        {"type": "string", "constraints": {"enum": ["a", "b", "a", ""]}},
        Category(name="c", levels=["a", "b"], missing=[""]),
        "listed levels",
    ),
    (
        {"type": "string", "categories": ["lo", "hi"], "categoriesOrdered": True},
        Ordinal(name="c", levels=["lo", "hi"], missing=[""]),
        "",
    ),
    (
        {"type": "integer", "categories": [{"value": 1, "label": "x"}, {"value": 2}]},
        Category(name="c", levels=["1", "2"], missing=[""]),
        "ordinal if",
    ),
    ({"type": "string", "constraints": {"unique": True}}, Fake(name="c"), "fake id"),
    ({"type": "integer", "constraints": {"unique": True}}, Fake(name="c"), "fake id"),
    ({"type": "string", "format": "email"}, Fake(name="c", style="email"), "fake email"),
    ({"type": "string", "format": "uuid"}, Fake(name="c", style="uuid"), "fake uuid"),
    ({"type": "string", "format": "binary"}, Drop(name="c"), "'binary'"),
    ({"type": "string", "format": "uri"}, Drop(name="c"), "'uri'"),
    ({"type": "integer"}, Integer(name="c", missing=[""]), "bounds to be bought"),
    ({"type": "year"}, Integer(name="c", missing=[""]), "bounds to be bought"),
    (
        {"type": "integer", "constraints": {"minimum": "1.5", "maximum": 9.7}, "title": "T"},
        Integer(name="c", min=2, max=9, missing=[""], description="T"),
        "",
    ),
    (
        {"type": "integer", "constraints": {"exclusiveMinimum": 5, "exclusiveMaximum": 9.5}},
        Integer(name="c", min=6, max=9, missing=[""]),
        "",
    ),
    (
        {"type": "number", "constraints": {"exclusiveMinimum": 0, "minimum": -1, "maximum": 1}},
        Real(name="c", min=0, max=1, missing=[""]),
        "",
    ),
    (
        {"type": "number", "constraints": {"minimum": "a lot", "maximum": 1e308}},
        Real(name="c", missing=[""]),
        "bought",
    ),
    ({"type": "number", "constraints": {"unique": True}}, Real(name="c", missing=[""]), "bought"),
    ({"type": "number", "decimalChar": ","}, Drop(name="c"), "not written plainly"),
    ({"type": "number", "groupChar": " "}, Drop(name="c"), "not written plainly"),
    ({"type": "integer", "bareNumber": False}, Drop(name="c"), "not written plainly"),
    ({"type": "boolean"}, Boolean(name="c", missing=[""]), ""),
    (
        {"type": "boolean", "trueValues": ["Y", "y"], "falseValues": ["N"]},
        Boolean(name="c", true="Y", false="N", missing=[""]),
        "only 'Y' is read as true",
    ),
    (
        {"type": "boolean", "trueValues": ["x"], "falseValues": ["x"]},
        Drop(name="c"),
        "dropped, because its 'true' must differ from 'false'",
    ),
    (
        {"type": "date"},
        Date(name="c", min=date(1900, 1, 1), max=date(2100, 12, 31), missing=[""]),
        "narrow",
    ),
    (
        {
            "type": "date",
            "format": "%d/%m/%Y",
            "constraints": {"minimum": "2010-01-02", "maximum": "2011-01-01"},
        },
        Date(name="c", min=date(2010, 1, 2), max=date(2011, 1, 1), format="%d/%m/%Y", missing=[""]),
        "",
    ),
    (
        {"type": "date", "format": "fmt:%d.%m.%Y"},
        Date(
            name="c", min=date(1900, 1, 1), max=date(2100, 12, 31), format="%d.%m.%Y", missing=[""]
        ),
        "narrow",
    ),
    ({"type": "date", "format": "%d"}, Drop(name="c"), "dropped, because its 'format'"),
    (
        {"type": "yearmonth", "constraints": {"minimum": "2010-03", "maximum": "2010-05"}},
        Date(name="c", min=date(2010, 3, 1), max=date(2010, 5, 1), format="%Y-%m", missing=[""]),
        "",
    ),
    (
        {"type": "datetime", "format": "any", "constraints": {"minimum": "2010-01-01T10:00:00Z"}},
        Datetime(
            name="c",
            min=datetime(2010, 1, 1, 10),
            max=datetime(2100, 12, 31, 23, 59, 59),
            missing=[""],
        ),
        "narrow",
    ),
    ({"type": "geopoint"}, Drop(name="c"), "type 'geopoint'"),
    ({"type": "object"}, Drop(name="c"), "type 'object'"),
    ({"type": "array"}, Drop(name="c"), "type 'array'"),
    ({"type": "any"}, Drop(name="c"), "type 'any'"),
    ({"type": ["string"]}, Drop(name="c"), "cannot be modelled"),
    (
        {"type": "string", "missingValues": [{"value": "?"}, True, -9]},
        Category(name="c", levels="discover", missing=["?", "true", "-9"]),
        "discovered",
    ),
    (
        {"type": "string", "description": 5},
        Category(name="c", levels="discover", missing=[""], description="5"),
        "discovered",
    ),
]


@pytest.mark.parametrize(("field", "column", "note"), FOREIGN)
def test_foreign_fields_become_sensible_columns(field, column, note):
    found, notes = foreign(field)
    assert found == column
    assert (note in notes) if note else notes == ""


def test_keys_of_the_table_make_fakes():
    for keys in ({"primaryKey": "c"}, {"primaryKey": ["c"]}, {"uniqueKeys": [["c"]]}):
        assert foreign({"type": "string"}, **keys)[0] == Fake(name="c")
    assert foreign({"type": "string"}, primaryKey=["c", "d"])[0].kind == "category"


def test_missing_codes_of_the_schema_hold_for_all_fields():
    column, _ = foreign({"type": "integer"}, missingValues=["NA", ""])
    assert column.missing == ("NA", "")


def test_packages_and_resources():
    schema = {"fields": [{"name": "a", "type": "integer"}]}
    resource = {"name": "people", "path": "people.csv", "schema": schema}
    for found in (resource, {"name": "package", "resources": [resource]}):
        assert frictionless.loads(json.dumps(found)).schema.name == "people"
    assert frictionless.loads(json.dumps(schema), name="file").schema.name == "file"
    with pytest.raises(SchemaError, match="one resource"):
        frictionless.loads(json.dumps({"resources": [resource, resource]}))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "a JSON object"),
        ("{}", "a list of fields"),
        ('{"fields": {}}', "a list of fields"),
        ('{"fields": []}', "at least one column"),
        ('{"fields": [5]}', "field 1: a field is an object"),
        ('{"fields": [{"name": 5}]}', "with a 'name'"),
        ('{"fields": [{"name": ""}]}', "must not be empty"),
        ('{"fields": [{"name": "a"}, {"name": "a"}]}', "two fields of this name"),
        ('{"fields": [{"name": "a", "constraints": 5}]}', "column 'a', key 'constraints'"),
        (
            '{"fields": [{"name": "a", "missingValues": "x"}]}',
            "key 'missingValues': must be a list",
        ),
        ('{"fields": [{"name": "a", "constraints": {"enum": "x"}}]}', "key 'enum'"),
        ('{"fields": [{"name": "a", "understudy": 5}]}', "key 'understudy'"),
        ('{"fields": [{"name": "a", "understudy": {}}]}', "needs a kind"),
        ('{"fields": [{"name": "a"}], "understudy": {"version": 9}}', "version 9"),
        ('{"fields": [{"name": "a"}], "understudy": {"table": 9}}', "a JSON object"),
        ('{"fields": [{"name": "a", "understudy": {"kind": "date"}}]}', "needs this key"),
        (
            '{"fields": [{"name": "a", "constraints": {"minimum": "soon", "maximum": 5},'
            ' "understudy": {"kind": "date"}}]}',
            "must be a date",
        ),
        ('{"resources": [5]}', "a JSON object"),
    ],
)
def test_wrong_files_are_schema_errors(text, said):
    with pytest.raises(SchemaError) as raised:
        frictionless.loads(text)
    assert said in str(raised.value)


def test_other_tools_read_what_they_know():
    schema = Schema(
        name="t",
        description="people",
        columns={
            "age": Integer(name="age", min=0, max=9, description="in years"),
            "sex": Category(name="sex", levels=["F", "M"], other="X", missing=["", "?"]),
            "level": Ordinal(name="level", levels=["lo", "hi"]),
            "dead": Boolean(name="dead", true="Y", false="N"),
            "born": Date(name="born", min="2010-02-01", max="2010-12-31", format="%d/%m/%Y"),
            "month": Date(name="month", min="2010-02-01", max="2010-12-31", format="%Y-%m"),
            "mail": Fake(name="mail", style="email"),
            "note": Drop(name="note"),
        },
        unit=Unit(column="mail", max_rows=3),
        rules=(Rule(require="age > 1"),),
    )
    written = json.loads(frictionless.dumps(schema))
    fields = {field["name"]: field for field in written["fields"]}
    extensions = {name: field.pop("understudy") for name, field in fields.items()}
    assert written["description"] == "people"
    assert fields["age"] == {
        "name": "age",
        "type": "integer",
        "description": "in years",
        "constraints": {"required": True, "minimum": 0, "maximum": 9},
    }
    assert fields["sex"]["constraints"] == {"enum": ["F", "M", "X"]}
    assert fields["sex"]["missingValues"] == ["", "?"]
    assert (fields["level"]["categories"], fields["level"]["categoriesOrdered"]) == (
        ["lo", "hi"],
        True,
    )
    assert (fields["dead"]["trueValues"], fields["dead"]["falseValues"]) == (["Y"], ["N"])
    assert fields["born"]["constraints"]["minimum"] == "01/02/2010"
    assert fields["month"]["constraints"] == {"required": True, "minimum": "2010-02"}
    assert extensions["month"] == {"kind": "date", "max": "2010-12-31"}
    assert extensions["age"] == {"kind": "integer"}
    assert fields["mail"]["format"] == "email"
    assert fields["note"] == {"name": "note", "type": "any"}


def test_what_other_tools_change_counts():
    schema = Schema(name="t", columns={"age": Integer(name="age", min=0, max=9)})
    edited = json.loads(frictionless.dumps(schema))
    edited["fields"][0]["constraints"] = {"minimum": 5}
    edited["fields"][0]["missingValues"] = ["NA"]
    edited["fields"].append({"name": "new", "type": "boolean"})
    found = frictionless.loads(json.dumps(edited)).schema
    assert found.columns["age"] == Integer(name="age", min=5, missing=["NA"])
    assert found.columns["new"].kind == "boolean"
