"""Columns as distinct values and an index."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.data.cells import Cells, GrowingCells
from understudy.schema.columns import Category, Date, Integer, Real

WORD = Category(name="w", levels="discover")
NUMBER = Real(name="n", min=0, max=9)
DAY = Date(name="d", min=date(2020, 1, 1), max=date(2020, 1, 2))


def spread(cells: Cells) -> list[object]:
    return list(cells.values[cells.index])


@given(st.lists(st.lists(st.one_of(st.none(), st.text("ab \0\ufffd", max_size=3)))), st.booleans())
def test_pieces_make_a_column_of_distinct_final_texts(
    pieces: list[list[str | None]], strip: bool
) -> None:
    growing = GrowingCells()
    for piece in pieces:
        growing.extend(piece)
    cells = growing.finished(strip=strip)
    texts = [text for piece in pieces for text in piece]
    final = [
        text if text is None else text.replace("\0", "\ufffd").strip(" " if strip else "")
        for text in texts
    ]
    assert spread(cells) == final
    assert len(set(cells.values)) == len(cells.values)
    assert cells.counts().tolist() == [final.count(value) for value in cells.values]


@given(st.lists(st.one_of(st.none(), st.floats(-1e9, 1e9), st.integers(-9, 9)), max_size=9))
def test_numbers_of_a_word_column_are_texts(numbers: list[float | None]) -> None:
    array = np.array([0 if number is None else number for number in numbers], dtype=np.float64)
    missing = np.array([number is None for number in numbers], dtype=bool)
    assert spread(Cells.of_numbers(WORD, array, missing)) == spread(Cells.of_objects(WORD, numbers))


def test_numbers_and_moments_stay_themselves_where_they_are_expected() -> None:
    numbers = Cells.of_numbers(NUMBER, np.array([2, 2, 5]), np.array([False, True, False]))
    assert numbers.values.dtype == np.float64
    assert np.isnan(numbers.values[numbers.index][1])
    assert numbers.texts(NUMBER) == ["2", "5", None]
    moments = np.array(["2020-01-01T12:00:00.5", "NaT"], dtype="datetime64[ms]")
    days = Cells.of_moments(DAY, moments)
    assert days.values.dtype == np.dtype("datetime64[s]")
    assert [str(text) for text in days.texts(DAY)] == ["2020-01-01 12:00:00", "None"]
    assert spread(Cells.of_moments(WORD, moments)) == ["2020-01-01T12:00:00", None]
    assert spread(Cells.of_moments(WORD, moments.astype("datetime64[D]"))) == ["2020-01-01", None]


@pytest.mark.parametrize("array", [np.array([2**63 + 1], np.uint64), np.array([2**62 + 1])])
def test_long_whole_numbers_of_a_word_column_stay_exact(array: np.ndarray) -> None:
    cells = Cells.of_numbers(WORD, array, np.array([False]))
    assert spread(cells) == [str(int(array[0]))]


def test_no_column_shows_its_values() -> None:
    assert "secret" not in repr(Cells.of_texts(["secret"]))


def test_a_selection_of_rows() -> None:
    cells = Cells.of_objects(Integer(name="i"), [1, None, 1.0, "x"])
    assert spread(cells) == ["1", None, "1", "x"]
    assert spread(cells.only(np.array([2, 3]))) == ["1", "x"]
    assert cells.only(np.array([3])).counts().tolist() == [0, 0, 1]
