"""Which rows of a person stay: a secret, fair choice by content alone."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.data.cells import Cells, Rows
from understudy.data.contribution import bounded, count_persons
from understudy.schema.columns import Category, Integer, Real
from understudy.schema.schema import Schema, Unit

COLUMNS = {
    "id": Category(name="id", levels="discover", missing=("?",)),
    "word": Category(name="word", levels=("a",), other="o"),
    "x": Real(name="x", min=0, max=9),
}


def schema(most: int = 1) -> Schema:
    return Schema(name="t", columns=COLUMNS, unit=Unit(column="id", max_rows=most))


def rows(table: list[tuple[Any, Any, Any]]) -> Rows:
    columns = {
        name: Cells.of_objects(COLUMNS[name], [row[place] for row in table])
        for place, name in enumerate(COLUMNS)
    }
    return Rows(columns, len(table))


def listed(found: Rows) -> Counter[tuple[Any, ...]]:
    columns = [cells.values[cells.index] for cells in found.columns.values()]
    assert all(len(column) == found.number for column in columns)
    return Counter(zip(*columns, strict=True))


table_rows = st.lists(
    st.tuples(
        st.sampled_from(["p", "q", None, ""]), st.sampled_from(["a", "b", None]), st.integers(0, 3)
    ),
    max_size=12,
)


@given(table_rows, st.integers(1, 3), st.binary(min_size=32, max_size=32), st.randoms())
def test_the_choice_is_blind_to_order_and_to_other_people(
    table: list[Any], most: int, key: bytes, random: Any
) -> None:
    kept = listed(bounded(rows(table), schema(most), key=key))
    shuffled = [*table]
    random.shuffle(shuffled)
    assert listed(bounded(rows(shuffled), schema(most), key=key)) == kept
    only_p = [row for row in table if row[0] == "p"]
    alone = listed(bounded(rows(only_p), schema(most), key=key))
    assert alone == Counter({row: n for row, n in kept.items() if row[0] == "p"})
    assert alone.total() == min(most, len(only_p))


def test_the_choice_does_not_depend_on_how_a_value_is_carried() -> None:
    keys = [bytes([number]) * 32 for number in range(64)]
    texts = [("p", "a", str(n)) for n in range(8)]
    floats = rows([("p", "a", "0")] * 8)
    numbers = Cells.of_numbers(COLUMNS["x"], np.arange(8.0), np.zeros(8, dtype=bool))
    typed = Rows({**floats.columns, "x": numbers}, 8)
    for key in keys:
        (by_text,) = listed(bounded(rows(texts), schema(), key=key))
        (by_type,) = listed(bounded(typed, schema(), key=key))
        assert float(by_text[2]) == by_type[2]


def test_every_pair_of_rows_is_kept_about_as_often_as_any_other() -> None:
    """6 of 20 pairs-of-6 counts, 600 keys: chi-square with 14 degrees is above 70 with 1e-9."""
    table = [("p", word, n) for word in ("a", "b") for n in range(3)]
    kept = Counter(
        frozenset(listed(bounded(rows(table), schema(2), key=number.to_bytes(32, "big"))))
        for number in range(600)
    )
    assert len(kept) == 15
    expected = 600 / 15
    assert sum((times - expected) ** 2 / expected for times in kept.values()) < 70


def test_without_a_key_the_choice_changes_from_time_to_time() -> None:
    """40 equal choices among 32 rows have a probability of 32**-39."""
    table = rows([("p", str(n), 0) for n in range(32)])
    assert len({tuple(listed(bounded(table, schema()))) for _ in range(40)}) > 1


def test_ids_are_compared_by_their_text_form() -> None:
    table = rows([(3, "a", 0), (3.0, "b", 0), ("3", "c", 0), ("3 ", "d", 0), ("03", "e", 0)])
    assert count_persons(table, schema()) == 3
    assert bounded(table, schema()).number == 3


def test_rows_without_id_are_left_out() -> None:
    table = rows(
        [(None, "a", 0), ("", "b", 0), ("?", "c", 0), (float("nan"), "d", 0), (" ", "e", 0)]
    )
    assert count_persons(table, schema()) == 1
    assert listed(bounded(table, schema(2))) == {(" ", "e", "0"): 1}


def test_an_id_that_may_stand_for_several_persons_names_nobody() -> None:
    table = rows([("M\ufffdller", "a", 0), ("a\0", "a", 0), ("b", "a", 0)])
    assert count_persons(table, schema()) == bounded(table, schema()).number == 1
    numbers = Integer(name="id", min=0, max=9)
    known = Schema(name="t", columns={"id": numbers}, unit=Unit(column="id"))
    ids = np.array([2**53 + 1, 2**53 + 2, -(2**60), 2**53 - 1, 5])
    typed = Rows({"id": Cells.of_numbers(numbers, ids, np.zeros(5, dtype=bool))}, 5)
    assert count_persons(typed, known) == bounded(typed, known).number == 2


@given(table_rows, table_rows, st.integers(1, 3), st.binary(min_size=32, max_size=32))
def test_somebody_changes_no_more_rows_than_are_kept_of_one(
    table: list[Any], somebodys: list[Any], most: int, key: bytes
) -> None:
    """Also somebody without an id, who would share the rows of everybody without one."""
    for name in ("z", None, "", "?"):
        others = [row for row in table if row[0] != "z"]
        mine = [(name, *cells) for _, *cells in somebodys]
        before = listed(bounded(rows(others), schema(most), key=key))
        after = listed(bounded(rows([*mine, *others]), schema(most), key=key))
        assert sum(((after - before) + (before - after)).values()) <= most


@pytest.mark.parametrize("most", [1, 5])
def test_nothing_changes_where_nobody_has_too_many(most: int) -> None:
    table = rows([("p", "a", 0), ("q", "a", 0)])
    assert bounded(table, schema(most)) is table
    assert bounded(rows([]), schema(most)).number == 0


def test_a_table_of_single_rows_is_left_alone() -> None:
    plain = Schema(name="t", columns={"x": Integer(name="x", min=0, max=1)})
    table = Rows({"x": Cells.of_texts(["1"] * 9)}, 9)
    assert bounded(table, plain) is table
