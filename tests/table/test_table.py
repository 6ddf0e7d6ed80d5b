"""Tables check themselves and are shown short."""

from __future__ import annotations

import numpy as np
import pytest

from tests.table.examples import SCHEMA, example
from understudy.errors import UsageError
from understudy.schema.columns import Category
from understudy.schema.schema import Schema
from understudy.table.table import Table, Values


def test_uneven_columns_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'b' has 2 values, the table 3 rows"):
        Table(SCHEMA, {"a": Values(np.zeros(3)), "b": Values(np.zeros(2))}, 3)


def test_the_columns_cannot_be_swapped_afterwards() -> None:
    with pytest.raises(TypeError):
        example().columns["age"] = Values(np.zeros(300))  # type: ignore[index]


def test_a_table_says_how_large_it_is() -> None:
    table = example(1200)
    assert len(table) == 1200
    assert repr(table).startswith("Table('every kind': 1,200 rows, id, age,")
    assert "Values" not in repr(table)


def test_the_page_of_a_notebook_shows_ten_rows_and_no_markup_from_levels() -> None:
    schema = Schema(
        name="<b>", columns={"<i>": Category(name="<i>", levels=("<script>",), missing=("",))}
    )
    missing = np.arange(30) == 1
    table = Table(schema, {"<i>": Values(np.zeros(30, np.uint8), ("<script>",), missing)}, 30)
    page = table._repr_html_()
    assert page.count("<tr>") == 11
    assert page.count("<td>&lt;script&gt;</td>") == 9
    assert page.count("<td></td>") == 1
    assert "<script>" not in page
    assert "<i>" not in page
    assert "<b>" not in page
    assert "<tbody></tbody>" in example(0)._repr_html_()
