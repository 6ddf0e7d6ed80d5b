"""JSON lines: whatever is on a line, it is one row."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.test_frames import NUMBER, WHOLE, WORD, YES, cells, expected
from understudy.data.open import open_source
from understudy.schema.columns import Category, Column, Drop
from understudy.schema.schema import Schema


def of_lines(folder: Path, lines: list[str], column: Column) -> list[int]:
    path = folder / "t.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
    return cells(path, column)


@pytest.mark.parametrize(
    ("lines", "column", "texts"),
    [
        (['{"x": "a"}', '{"x": null}', '{"y": "a"}'], WORD, ["a", None, None]),
        (['{"x": 1}', '{"x": 1.0}', '{"x": 1e0}', '{"x": "1"}'], WORD, ["1"] * 4),
        (['{"x": true}', '{"x": [1]}', '{"x": {}}'], WORD, ["true", "[1]", "{}"]),
        (['{"x": true}', '{"x": "no"}', '{"x": 1}'], YES, ["yes", "no", "1"]),
        (['{"x": 3}', '{"x": -1e999}', '{"x": NaN}'], WHOLE, ["3", "-inf", None]),
        (['{"x": 0.1}', '{"x": Infinity}'], NUMBER, ["0.1", "inf"]),
        (['{"x": ' + "9" * 9999 + "}"], WHOLE, ["inf"]),
        (['{"x": "a", "x": "b"}'], WORD, ["b"]),
        (["", '{"x": "a"}', "\r"], WORD, ["a"]),
        (["{", "[]", "3", '"a"', "nul", "[" * 100_000, '{"x": "a"} extra'], WORD, [None] * 7),
        (['\ufeff{"x": "a"}'], WORD, ["a"]),
    ],
)
def test_lines_are_rows(
    tmp_path: Path, lines: list[str], column: Column, texts: list[str | None]
) -> None:
    assert of_lines(tmp_path, lines, column) == expected(texts, column)


def test_letters_that_no_file_can_hold_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"x": "\\u0000"}\n{"x": "\\ud800"}\n{"x": "\\ud83d\\ude00"}\n')
    schema = Schema(name="t", columns={"x": Category(name="x", levels="discover")})
    assert open_source(path, schema).levels("x") == {"\ufffd": 2, "\U0001f600": 1}


@given(line=st.text(st.characters(exclude_characters="\n\r", codec="utf-8"), min_size=1))
def test_any_line_but_a_blank_one_is_one_row(
    tmp_path_factory: pytest.TempPathFactory, line: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    assert sum(of_lines(folder, ['{"x": "a"}', line], WORD)) == 1 + bool(line.strip("\ufeff"))


def test_columns_that_are_not_learned_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"d": 1}\n{"d": 2}\n')
    schema = Schema(name="t", columns={"d": Drop(name="d")}, rows=2)
    assert open_source(path, schema).fits_declared_size()
