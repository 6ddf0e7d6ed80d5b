"""The fast way to split many lines says what the definition says of each."""

from __future__ import annotations

import io
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.oracle import hostile_line, reference_fields
from understudy.data.delimited import read_csv, row_after_row
from understudy.errors import TableMismatch
from understudy.schema.columns import Category, Drop, Fake
from understudy.schema.schema import Dialect, Schema

COLUMNS = {
    "a": Category(name="a", levels=("1",), other="x"),
    "b": Drop(name="b"),
    "c": Category(name="c", levels=("1",), other="x"),
    "d": Fake(name="d"),
}


@given(st.lists(hostile_line, max_size=30), st.integers(1, 5), st.booleans())
def test_many_lines_at_once_equal_each_line_alone(
    lines: list[str], width: int, strip: bool
) -> None:
    dialect = Dialect(strip=strip)
    cells = row_after_row(lines, width, dialect)
    rows = [tuple(cells[start : start + width]) for start in range(0, len(cells), width)]
    stripped = [tuple(c.strip(" ") if strip and c is not None else c for c in row) for row in rows]
    expected = []
    for line in lines:
        found = reference_fields(line, delimiter=",", strip=strip)
        expected.append(tuple([*found, *[None] * width][:width]))
    assert Counter(stripped) == Counter(expected)


def read(content: str, **dialect: object) -> tuple[dict[str, list[object]], int]:
    schema = Schema(name="t", columns=COLUMNS, csv=Dialect(**dialect))  # type: ignore[arg-type]
    rows = read_csv(io.BytesIO(content.encode()), schema, found_in="the file")
    return {
        name: [cells.values[place] for place in cells.index] for name, cells in rows.columns.items()
    }, rows.number


def test_only_learned_columns_are_kept() -> None:
    columns, number = read("a,b,c,d\n1,s3cret,2,m@il\n")
    assert columns == {"a": ["1"], "c": ["2"]}
    assert number == 1


def test_columns_are_found_by_name_and_may_leave_out_what_is_never_read() -> None:
    assert read("c,a\n2,1\n")[0] == {"a": ["1"], "c": ["2"]}
    assert read("d,c,a\n0,2,1\n")[0] == {"a": ["1"], "c": ["2"]}


def test_without_a_header_the_order_of_the_schema_counts() -> None:
    assert read("1,s,2,m\n3\n", header=False)[0] == {"a": ["3", "1"], "c": [None, "2"]}


def test_spaces_are_stripped_only_if_the_dialect_says_so() -> None:
    text = 'a,b,c,d\n 1 ,, " 2 " ,\n'
    assert read(text)[0] == {"a": [" 1 "], "c": [' " 2 " ']}
    assert read(text, strip=True)[0] == {"a": ["1"], "c": ["2"]}
    assert read(" a ,b, c\n1,,2\n", strip=True)[0] == {"a": ["1"], "c": ["2"]}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is empty; by the schema its first line is a header"),
        ("\na,b,c,d\n", "lacks 'a', 'c'"),
        ("a,b\n1,2\n", "lacks 'c'"),
        ("a,a,c\n", "more than one column named 'a'"),
        ("a,c,e\n", "1 of its columns is not in the schema"),
        ("a,c,e,f,e\n", "3 of its columns are not in the schema"),
        ("a;b;c;d\n", r"lacks 'a', 'c'.* single column: .* delimiter under \[table.csv\]"),
    ],
)
def test_a_header_that_does_not_fit(content: str, complaint: str) -> None:
    with pytest.raises(TableMismatch, match=complaint):
        read(content)


def test_a_missing_header_never_shows_the_first_row() -> None:
    with pytest.raises(TableMismatch) as caught:
        read("Zoe,zoe@x.org,7,positive\n")
    assert not any(word in str(caught.value) for word in ("Zoe", "zoe", "positive", "7"))
