"""What a line says: equal to the letter-by-letter definition, total, and fast where it can be."""

from __future__ import annotations

import io
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.data.oracle import LETTERS, hostile_line, reference_fields
from understudy.data.lines import blocks, fields
from understudy.errors import SchemaError

any_line = st.one_of(
    hostile_line,
    st.text('", a', max_size=14),
    st.text(LETTERS, max_size=20),
).map(lambda line: line.replace("\n", ""))


@given(any_line, st.sampled_from([",", ";", "a", " "]), st.booleans())
@example('"a","b"', ",", False)
@example('"a"",","b"', ",", False)
@example('""', ",", False)
@example('"', ",", False)
@example("", ",", True)
@example(' "a , ""b" , c ', ",", True)
def test_cells_equal_the_definition(line: str, delimiter: str, strip: bool) -> None:
    found = fields(line, delimiter=delimiter, strip=strip)
    assert found == reference_fields(line, delimiter=delimiter, strip=strip)


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a,b", ["a", "b"]),
        ("", [""]),
        (",", ["", ""]),
        ('"a,b",c', ["a,b", "c"]),
        ('"a ""b""",c', ['a "b"', "c"]),
        ('"","a"', ["", "a"]),
        ('"a,b', ['"a', "b"]),
        ('"a"x,b', ['"a"x', "b"]),
        ('a"b,c"', ['a"b', 'c"']),
        ('"""",b', ['"', "b"]),
        (' "a,b"', [' "a', 'b"']),
        ('"a",', ["a", ""]),
        ('"a","b', ["a", '"b']),
        ('"a""', ['"a""']),
    ],
)
def test_what_people_write(line: str, cells: list[str]) -> None:
    assert fields(line, delimiter=",", strip=False) == cells


@given(st.lists(st.text(LETTERS.replace("\r", ""), max_size=8)))
def test_well_quoted_cells_come_back(cells: list[str]) -> None:
    line = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    assert fields(line, delimiter=",", strip=False) == (cells or [""])


@pytest.mark.parametrize("unit", ['"', '""', '",', '"x,', '"x""', "a,", '"""y,'])
def test_no_line_takes_quadratic_time(unit: str) -> None:
    """A hundred times the line may take a few hundred times the time, not ten thousand."""

    def seconds(times: int) -> float:
        started = time.process_time()
        fields(unit * times, delimiter=",", strip=False)
        return time.process_time() - started

    assert seconds(200_000) < 1000 * max(seconds(2_000), 1e-3)


def lines_of(content: bytes, encoding: str = "utf-8") -> list[str]:
    return [line for block in blocks(io.BytesIO(content), encoding=encoding) for line in block]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\n\n", ["a", ""]),
        (b"a\r\nb\r\r\nc\r", ["a", "b", "c"]),
        (b"a\rb", ["a\rb"]),
        (b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n\xef\xbb\xbf", ["a", "b", ""]),
        ("a\x0bb\x0cc\x1cd\x85e\u2028f".encode(), ["a\x0bb\x0cc\x1cd\x85e\u2028f"]),
        (b"\xff\n\xe2\n\x82", ["\ufffd", "\ufffd", "\ufffd"]),
    ],
)
def test_lines_of_a_file(content: bytes, lines: list[str]) -> None:
    assert lines_of(content) == lines


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig", "cp037"])
def test_other_encodings(encoding: str) -> None:
    text = "name\r\nM\xfcller\n\x85\n"
    expected = ["name", "M\xfcller", "\x85"]
    assert lines_of(text.encode(encoding), encoding) == expected


def test_a_letter_whose_bytes_hold_a_line_feed_is_no_line_end() -> None:
    assert lines_of("\u0a0d\u010a\n".encode("utf-16-le"), "utf-16-le") == ["\u0a0d\u010a"]


@pytest.mark.parametrize("encoding", ["rot13", "hex", "idna", "unicode_escape", "undefined", "no"])
def test_what_is_no_text_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(SchemaError, match="no text encoding is named"):
        lines_of(b"a", encoding)


def test_a_line_longer_than_a_block() -> None:
    long = "x" * (1 << 24)
    assert [len(line) for line in lines_of(f"a\n{long}\nb".encode())] == [1, 1 << 24, 1]
