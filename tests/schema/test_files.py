from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given

from tests.strategies import HOSTILE, schemas
from understudy.errors import SchemaError, SourceError, UsageError
from understudy.schema import files, frictionless
from understudy.schema.columns import Category, Integer
from understudy.schema.schema import Schema
from understudy.schema.upgrade import upgrade

EXAMPLE = """\
version = 1
[table]
name = "adult"
rows = 48842
[table.csv]
delimiter = ";"

[columns.age]
kind = "integer"
min = 17
max = 90
[columns."work.class"]
kind = "category"
levels = ["Private", "Self-emp-inc"]
missing = ["", "?"]
[columns.admitted]
kind = "date"
min = 2010-01-01
max = "2020-12-31"
[[rules]]
require = 'age < 18 implies `work.class` != "Private"'
description = "no child labour"
"""


def same(one: Schema, other: Schema) -> bool:
    """Equal, in the same order of columns, and with the same types of numbers."""
    return (
        one == other
        and list(one.columns) == list(other.columns)
        and repr(dict(one.columns)) == repr(dict(other.columns))
    )


@given(schemas())
def test_toml_gives_back_exactly_what_was_written(schema):
    assert same(files.loads(files.dumps(schema)), schema)


@given(schemas())
def test_frictionless_gives_back_exactly_what_was_written(schema):
    imported = frictionless.loads(frictionless.dumps(schema), name="another")
    assert same(imported.schema, schema)
    assert not imported.notes


def test_the_documented_example():
    schema = files.loads(EXAMPLE)
    assert schema.rows == 48842
    assert schema.csv.delimiter == ";"
    assert list(schema.columns) == ["age", "work.class", "admitted"]
    assert schema.columns["work.class"].missing == ("", "?")
    assert schema.columns["admitted"].max == date(2020, 12, 31)
    assert schema.rules[0].description == "no child labour"
    assert same(files.loads(files.dumps(schema)), schema)


def test_the_written_file_is_pleasant():
    levels = tuple(f"level {number}" for number in range(40))
    schema = files.loads(EXAMPLE)
    columns = {**schema.columns, "city": Category(name="city", levels=levels, other="elsewhere")}
    text = files.dumps(Schema(name="t", columns=columns, rules=schema.rules))
    assert "require = 'age < 18 implies `work.class` != \"Private\"'\n" in text
    assert 'kind = "integer"\nmin = 17\nmax = 90\n\n[columns."work.class"]\n' in text
    assert max(map(len, text.splitlines())) <= 100
    assert "null" not in text


def test_ten_thousand_levels_with_traps_survive():
    levels = (*HOSTILE, *(str(number) for number in range(2, 10_000)))
    schema = Schema(name="t", columns={"c": Category(name="c", levels=levels)})
    assert same(files.loads(files.dumps(schema)), schema)
    assert same(frictionless.loads(frictionless.dumps(schema)).schema, schema)


def test_whole_numbers_in_levels_stand_for_their_text():
    text = 'version = 1\n[table]\nname = "t"\n[columns.a]\nkind = "ordinal"\n'
    text += "levels = [1, 2, 30]\nmissing = [-9]\n"
    column = files.loads(text).columns["a"]
    assert (column.levels, column.missing) == (("1", "2", "30"), ("-9",))


BAD = [
    # what is replaced, by what, and what the message must say
    ("version = 1", "version = 2", ["version 2", "up to 1", "line 1"]),
    ("version = 1", "version = 0", ["no version 0"]),
    ("version = 1", "", ["version = 1"]),
    ("version = 1", "version = true", ["version = 1"]),
    ("version = 1", "versoin = 1\nversion = 1", ["'versoin'", "Did you mean 'version'?", "line 1"]),
    ('name = "adult"', "", ["[table]", "'name'", "line 2"]),
    ('name = "adult"', "name = 5", ["must be text", "a number", "line 3"]),
    ('name = "adult"', 'name = ""', ["must not be empty"]),
    ("rows = 48842", "rows = -1", ["'rows'", "between 0", "line 4"]),
    ("rows = 48842", "rows = true", ["must be a number", "true or false"]),
    ("rows = 48842", "row = 5", ["Did you mean 'rows'?", "line 4"]),
    ("rows = 48842", "units = 5", ["needs a unit column"]),
    ("rows = 48842", 'unit = "person"', ['must be "row"', "line 4"]),
    ("rows = 48842", 'unit = { column = "aeg", max_rows = 2 }', ["'aeg'", "Did you mean 'age'?"]),
    ("rows = 48842", 'unit = { column = "age" }', ["needs this key", "'max_rows'", "line 4"]),
    ("rows = 48842", 'unit = { column = "age", max_rows = 0 }', ["between 1"]),
    ("rows = 48842", 'unit = { column = 7, max_rows = 1 }', ["must be text", "line 4"]),
    ("rows", 'unit = { column = "age", max_rows = 2 }\nrows', ["'units'", "line 5"]),
    ('delimiter = ";"', 'delimiter = ";;"', ["[table.csv]", "one character", "line 6"]),
    ('delimiter = ";"', "delimiter = '\"'", ["one character"]),
    ('delimiter = ";"', 'encoding = "utf8x"', ["text encoding"]),
    ('delimiter = ";"', 'encoding = "hex"', ["text encoding"]),
    ('delimiter = ";"', 'header = "yes"', ["true or false, without quotes"]),
    ('delimiter = ";"', 'quote = "x"', ["no such key", "'delimiter'"]),
    ("[table.csv]", "[table.cvs]", ["Did you mean 'csv'?", "line 5"]),
    ("min = 17", 'min = "17"', ["column 'age'", "'min'", "without quotes", "line 10"]),
    ("min = 17", "min = 17.5", ["must be a whole number"]),
    ("min = 17", "min = nan", ["finite"]),
    ("min = 17", "min = -inf", ["finite"]),
    ("min = 17", "min = 91", ["must not be above 'max', 90", "line 10"]),
    ("min = 17", "min = false", ["not true or false"]),
    ("min = 17", "min = 2010-01-01", ["not a date"]),
    ("min = 17", "min = 1" + "0" * 5000, ["not TOML"]),
    ("min = 17", "min = 1" + "0" * 400, ["finite"]),
    ("min = 17", "min = 99999999999999999", ["between"]),
    ("min = 17", "bins = true", ["'bins'", "must be a number"]),
    ("min = 17", "bins = 0", ["between 1"]),
    ("min = 17", "bins = [17]", ["2 to"]),
    ("min = 17", "bins = [17, 17]", ["each above"]),
    ("min = 17", "bins = [17, 91]", ["'max'", "last bin edge, 91"]),
    ("min = 17", "bins = [17, 20.5, 90]", ["whole number"]),
    ("min = 17", 'scale = "logs"', ["'linear', 'log'", "Did you mean 'log'?"]),
    ("min = 17", "scale = 1", ["'linear', 'log'"]),
    ("min = 17", "mim = 17", ["a column of kind integer", "Did you mean 'min'?", "line 10"]),
    ("min = 17", "levels = ['a']", ["no such key"]),
    ("min = 17", "missing = ''", ["must be a list"]),
    ("min = 17", "missing = [1.5]", ["text in quotes", "a number"]),
    ("min = 17", "missing = [['']]", ["text in quotes", "a list"]),
    ("min = 17", "missing = ['', '']", ["'' is listed more than once"]),
    ("min = 17", "description = 5", ["must be text"]),
    ('kind = "integer"', 'kind = "Integer"', ["Did you mean 'integer'?", "line 9"]),
    ('kind = "integer"', "", ["needs a kind", "'datetime'", "line 8"]),
    ('kind = "integer"', "kind = ['integer']", ["must be one of"]),
    ('kind = "integer"', 'kind = "fake"', ["no such key", "'style'"]),
    ('kind = "integer"', 'kind = "date"', ["must be a date", "a number"]),
    ("[columns.age]", "[columns.\"\"]\nkind = 'drop'\n[columns.age]", ["must not be empty"]),
    ("[columns.age]", "[columns]\nage = 5\n[columns.agee]", ["column 'age'", "a number", "line 9"]),
    ('["Private", "Self-emp-inc"]', "[]", ["column 'work.class'", "at least one level", "line 14"]),
    ('["Private", "Self-emp-inc"]', '"discovr"', ['"discover"']),
    ('["Private", "Self-emp-inc"]', '["a", "a"]', ["'a' is listed more than once"]),
    ('["Private", "Self-emp-inc"]', '["a", "?"]', ["a level and a missing code"]),
    ('["Private", "Self-emp-inc"]', '[true, "NO"]', ["text in quotes", "true or false"]),
    ('["Private", "Self-emp-inc"]', "[2010-01-01]", ["text in quotes", "a date"]),
    ('["Private", "Self-emp-inc"]', '["a\\u0000"]', ["NUL"]),
    ('["Private", "Self-emp-inc"]', '["a"]\nother = "a"', ["a level of its own"]),
    ('["Private", "Self-emp-inc"]', '["a"]\nother = "?"', ["missing codes"]),
    ('["Private", "Self-emp-inc"]', '["a"]\nother = 1.5', ["text in quotes"]),
    ("min = 2010-01-01", "", ["column 'admitted'", "kind date needs this key", "'min'"]),
    ("min = 2010-01-01", "min = 2010-01-01T00:00:00", ["must be a date", "a moment"]),
    ("min = 2010-01-01", "min = 10:00:00", ["must be a date", "a time"]),
    ("min = 2010-01-01", "min = '01/02/2010'", ["must be a date", "text"]),
    ("min = 2010-01-01", "min = 2021-01-01", ["must not be above"]),
    ("min = 2010-01-01", "min = 2010-01-01\nformat = '%d/%m'", ["years"]),
    ("min = 2010-01-01", "min = 2010-01-01\nformat = '%Q'", ["years"]),
    ("min = 2010-01-01", "min = 2010-01-01\nformat = '%Y%z'", ["time zones"]),
    ("min = 2010-01-01", "min = 2010-01-01\nformat = ''", ["years"]),
    ("min = 2010-01-01", "min = 1910-01-01\nformat = '%d/%m/%y'", ["years"]),
    ("min = 2010-01-01", "min = 2010-01-01\nbins = [1, 2]", ["must be a date"]),
    ("age < 18", "aeg < 18", ["[[rules]] 1", "Did you mean 'age'?", "position 1", "line 21"]),
    ("'age < 18 implies `work.class` != \"Private\"'", "5", ["must be text", "[[rules]] 1"]),
    ('description = "no child labour"', "reason = 'x'", ["[[rules]] 1", "no such key", "line 22"]),
    ("[[rules]]\nrequire", "[[rules]]\nrequires", ["Did you mean 'require'?", "line 21"]),
    ("[[rules]]", "[rules]", ["[[rules]]"]),
    ("[table]\n", "[tabel]\n", ["no such key", "Did you mean 'table'?", "line 2"]),
    ("version = 1", "version = 1\nrules = [5]", ["not TOML"]),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said"), BAD, ids=[f"{b[1][:40]!r}" for b in BAD])
def test_every_mistake_has_a_column_and_a_place(old, new, said):
    assert old in EXAMPLE
    with pytest.raises(SchemaError) as raised:
        files.loads(EXAMPLE.replace(old, new, 1))
    message = str(raised.value)
    assert [part for part in said if part not in message] == [], message


WHOLE_FILES = [
    ("", ["version = 1"]),
    ("version = 1", ["'table'", "needs this key"]),
    ("version = 1\ntable = 5\ncolumns = 5", ["[table]", "must be a table"]),
    ("version = 1\ncolumns = 5\n[table]\nname='t'", ["[columns]", "must be a table", "line 2"]),
    ("version = 1\n[columns]\n[table]\nname='t'", ["at least one column", "line 2"]),
    ("version = 1\n[table]\nname='t'\nname='t'", ["not TOML", "overwrite"]),
    ("version = 1\nrules = [5]\n[table]\nname='t'\n[columns.a]\nkind='drop'", ["[[rules]] 1"]),
    ("a = " + "[" * 5000, ["nested too deep"]),
    ('version = 1\n[table]\nname="t"\n[columns.a]\nkind="drop"\nmissing=[""]', ["no such key"]),
]


@pytest.mark.parametrize(("text", "said"), WHOLE_FILES)
def test_wrong_files(text, said):
    with pytest.raises(SchemaError) as raised:
        files.loads(text)
    assert [part for part in said if part not in str(raised.value)] == [], str(raised.value)


def test_a_hostile_column_name_is_found_and_shown_short():
    name = 'a = [b]"\u202e' + "x" * 10_000
    schema = Schema(name="t", columns={name: Integer(name=name)})
    text = files.dumps(schema).replace('"integer"', '"intger"')
    with pytest.raises(SchemaError, match="Did you mean 'integer'") as raised:
        files.loads(text)
    assert raised.value.column == name
    assert len(str(raised.value)) < 400
    assert "\u202e" not in str(raised.value)
    assert "line 7" in str(raised.value)


def test_files_are_written_whole_and_read_back(tmp_path):
    schema = files.loads(EXAMPLE)
    for name in ("s.toml", "S.JSON"):
        path = tmp_path / name
        path.write_text("old")
        schema.save(path)
        assert same(Schema.load(str(path)), schema)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["S.JSON", "s.toml"]


def test_a_failed_save_leaves_nothing(tmp_path):
    (tmp_path / "s.toml").mkdir()
    with pytest.raises(SourceError, match=r"s\.toml cannot be written"):
        files.loads(EXAMPLE).save(tmp_path / "s.toml")
    assert [found.name for found in tmp_path.iterdir()] == ["s.toml"]


def test_loading_names_file_and_line(tmp_path):
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xef\xbb\xbf" + EXAMPLE.replace("min = 17", "min = 99").encode())
    with pytest.raises(SchemaError, match=r"column 'age', key 'min', s\.toml, line 10: must not"):
        Schema.load(path)
    path.write_bytes(b"\xff")
    with pytest.raises(SchemaError, match="not text in UTF-8"):
        Schema.load(path)
    with pytest.raises(SourceError, match="cannot be read"):
        Schema.load(tmp_path / "nowhere.toml")
    for call in (Schema.load, files.loads(EXAMPLE).save):
        with pytest.raises(UsageError, match=r"ends in \.toml or \.json"):
            call(tmp_path / "s.yaml")
    assert [found.name for found in tmp_path.iterdir()] == ["s.toml"]


def test_older_files_go_through_every_named_step():
    def one_to_two(document):
        return document | {"said": [*document.get("said", ()), "1 to 2"]}

    def two_to_three(document):
        return document | {"said": [*document["said"], "2 to 3"]}

    steps = {1: one_to_two, 2: two_to_three}
    assert upgrade({"version": 1}, steps=steps, current=3) == {
        "version": 3,
        "said": ["1 to 2", "2 to 3"],
    }
    assert upgrade({"version": 3}, steps=steps, current=3) == {"version": 3}
    with pytest.raises(SchemaError, match="the first is 1"):
        upgrade({"version": 0}, steps=steps, current=3)
    with pytest.raises(SchemaError, match="up to 3"):
        upgrade({"version": 4}, steps=steps, current=3)
