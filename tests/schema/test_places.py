from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import schemas
from understudy.errors import SchemaError
from understudy.schema import files
from understudy.schema.places import lines_of, place_of

TEXT = '''\
version = 1 # = 2
[table]
name = """
[columns.fake]
min = 3
"""
unit = { column = "a", max_rows = 2 }
[columns."a = b"] # here
kind = "integer"
"min" = 3
levels = [
  "x = 1",
  "[columns.b]",
]
[columns."]".more]
csv.header = true
[[rules]]
require = "a == 1"
[[rules]]
require = 'b'
this is = no key
[not a header
[a] = 5]
[columns.c]
'''

LINES = {
    ("version",): 1,
    ("table",): 2,
    ("table", "name"): 3,
    ("table", "unit"): 7,
    ("columns", "a = b"): 8,
    ("columns", "a = b", "kind"): 9,
    ("columns", "a = b", "min"): 10,
    ("columns", "a = b", "levels"): 11,
    ("columns", "]", "more"): 15,
    ("columns", "]", "more", "csv"): 16,
    ("columns", "]", "more", "csv", "header"): 16,
    ("rules", "1"): 17,
    ("rules", "1", "require"): 18,
    ("rules", "2"): 19,
    ("rules", "2", "require"): 20,
    ("columns", "c"): 24,
}


def test_every_table_and_key_has_its_line():
    assert lines_of(TEXT) == LINES


def test_windows_line_ends_count_the_same():
    assert lines_of(TEXT.replace("\n", "\r\n")) == LINES


def test_single_quoted_long_strings_are_no_keys():
    assert lines_of("a = '''\nb = 1\n'''\nc = 1") == {("a",): 1, ("c",): 4}


def test_endless_lines_are_not_looked_at():
    assert lines_of("a = [" + "1," * 20_000 + "]\nb = 1") == {("b",): 2}


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (SchemaError("", column="a = b", key="min"), "line 10"),
        (SchemaError("", column="a = b", key="bins"), "line 8"),
        (SchemaError("", column="a = b"), "line 8"),
        (SchemaError("", column="z", key="min"), None),
        (SchemaError("", place="[table]", key="rows"), "line 2"),
        (SchemaError("", place="[table] unit", key="column"), "line 7"),
        (SchemaError("", place="[[rules]] 2", key="require", column="a = b"), "line 20"),
        (SchemaError("", place="the file", key="version"), "line 1"),
        (SchemaError("", key="version"), "line 1"),
        (SchemaError(""), None),
    ],
)
def test_the_nearest_line_that_is_known(error, place):
    assert place_of(error, TEXT) == place


@given(schemas())
def test_all_columns_of_a_written_file_are_found(schema):
    found = lines_of(files.dumps(schema))
    for number, name in enumerate(schema.columns):
        assert ("columns", name) in found, number
        assert ("columns", name, "kind") in found, number


@given(st.text("[]=\"'.# a\n\\{}", max_size=60))
def test_any_text_has_lines(text):
    assert all(1 <= line <= text.count("\n") + 1 for line in lines_of(text).values())
