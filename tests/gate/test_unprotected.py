"""``OpenTable`` answers exactly, says so, and needs a reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.tables import TinyBackend
from understudy.data.open import open_source
from understudy.errors import UsageError
from understudy.gate.unprotected import NOTICE, OpenTable
from understudy.schema.columns import Category, Integer, Real
from understudy.schema.domain import BinAxis, LevelAxis
from understudy.schema.schema import Schema

COLUMNS = (
    Category(name="city", levels="discover"),
    Integer(name="age", min=0, max=4),
    Real(name="cost", missing=("",)),
)
SCHEMA = Schema(name="t", columns={column.name: column for column in COLUMNS})
ROWS = [("a", "1", "12.5"), ("b", "4", "-3"), ("a", "9", ""), ("c", "x", "700")]


@pytest.fixture
def table(tmp_path: Path) -> OpenTable:
    lines = ["city,age,cost", *(",".join(row) for row in ROWS)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return OpenTable(open_source(tmp_path / "t.csv", SCHEMA), reason="a test")


def test_a_reason_is_needed(table: OpenTable) -> None:
    with pytest.raises(UsageError, match="reason"):
        OpenTable(table._backend, reason="  ")
    assert table.notice == f"{NOTICE} (a test)"
    assert table.schema is SCHEMA


def test_the_domain_is_what_occurs(table: OpenTable) -> None:
    axes = table.domain().axes
    city, cost = axes["city"], axes["cost"]
    assert isinstance(city, LevelAxis)
    assert city.levels == ("a", "b", "c", "OTHER")
    assert isinstance(cost, BinAxis)
    assert -4 < cost.edges[0] <= -3
    assert 700 < cost.edges[-1] < 1000


def test_an_empty_table_has_the_whole_range(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("city,age,cost\n")
    table = OpenTable(open_source(tmp_path / "t.csv", SCHEMA), reason="a test")
    cost = table.domain().axes["cost"]
    assert isinstance(cost, BinAxis)
    assert (cost.edges[0], cost.edges[-1]) == (-1e9, 1e9)


def test_cells_are_the_counted_ones(table: OpenTable) -> None:
    domain = table.domain()
    cells = table.cells(domain)
    assert cells["city"].tolist() == [0, 1, 0, 2]
    assert cells["age"].tolist() == [1, 4, 4, 0]
    for name in domain.columns:
        (counts,) = table.count(domain, [(name,)])
        np.testing.assert_array_equal(
            np.bincount(cells[name], minlength=domain.size((name,))), counts
        )
    assert table.levels("city") == {"a": 2, "b": 1, "c": 1}


def test_an_engine_may_keep_its_rows() -> None:
    table = OpenTable(TinyBackend(SCHEMA, []), reason="a test")
    with pytest.raises(UsageError, match="does not hand out rows"):
        table.cells(table.domain())
