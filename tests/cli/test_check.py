"""``check``: exact counts of what does not fit, in red, compared with counting by hand."""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Home
from tests.cli.program import SECRET, run, write_table
from understudy.cli.misfits import ColumnFit, column_fit
from understudy.schema.columns import Boolean, Category, Column, Date, Datetime, Integer, Real


def test_the_counts_are_exact(home: Home) -> None:
    made = run("check", home.table, "--schema", home.schema, "--json")
    assert made.code == 0, made.err
    told = json.loads(made.out)
    found = {column.pop("name"): column for column in told["columns"]}
    assert told["rows"] == 5
    assert told["declared_size_is_true"] is None
    assert "keeper" in told["not_for_publication"]
    assert found == {
        "age": {
            **{"kind": "integer", "missing": 0, "undeclared": None},
            **{"unreadable": 2, "out_of_bounds": 1},
        },
        "sex": {
            **{"kind": "category", "missing": 0, "undeclared": 2},
            **{"unreadable": None, "out_of_bounds": None},
        },
        "income": {
            **{"kind": "real", "missing": 1, "undeclared": None},
            **{"unreadable": 1, "out_of_bounds": 1},
        },
    }


def test_the_warning_is_in_front_and_no_cell_is_shown(home: Home) -> None:
    made = run("check", home.table, "--schema", home.schema)
    assert "NOT FOR PUBLICATION" in made.err
    assert SECRET not in made.out + made.err
    assert "5 rows" in made.out


@pytest.mark.parametrize(("rows", "verdict"), [(5, "is true"), (6, "is NOT TRUE")])
def test_a_declared_size_is_checked(home: Home, rows: int, verdict: str) -> None:
    home.schema.write_text(home.schema.read_text().replace('"people"', f'"people"\nrows = {rows}'))
    made = run("check", home.table, "--schema", home.schema)
    assert made.code == 0
    assert verdict in made.out


def test_short_rows_lack_cells(home: Home) -> None:
    write_table(home.table, [("p1", "3"), ("p2",), ("p3", "1", "F", "")])
    told = json.loads(run("check", home.table, "--schema", home.schema, "--json").out)
    missing = {column["name"]: column["missing"] for column in told["columns"]}
    assert missing == {"age": 1, "sex": 2, "income": 3}


def test_misfits_of_header_and_file(home: Home, tmp_path: Path) -> None:
    home.table.write_text("a,b\n1,2\n")
    assert run("check", home.table, "--schema", home.schema).code == 3
    assert run("check", tmp_path / "none.csv", "--schema", home.schema).code == 1
    assert run("check", home.table).code == 2


CASES: list[tuple[Column, dict[str, int], tuple[int, int | None, int | None, int | None]]] = [
    (Integer(name="x", min=1, max=3), {"1": 2, "3": 1, "0": 4, "4": 1, "": 5}, (0, None, 5, 5)),
    (Real(name="x"), {"1e300": 1, "-5": 1, "nan": 2, "inf": 3}, (0, None, 2, 0)),
    (Real(name="x", max=2, missing=("?",)), {"?": 3, "2": 1, "2.1": 7}, (3, None, 0, 7)),
    (Category(name="x", levels=("a",), missing=("",)), {"a": 1, "": 2, "b": 3}, (2, 3, None, None)),
    (Category(name="x", levels="discover"), {"a": 1, "b": 3}, (0, 0, None, None)),
    (Boolean(name="x", true="yes", false="no"), {"yes": 1, "true": 2}, (0, 2, None, None)),
    (
        Date(name="x", min=date(2020, 1, 1), max=date(2020, 1, 31)),
        {"2020-01-31": 1, "2020-02-01": 2, "2020-02-30": 4, "2019-12-31": 8},
        (0, None, 4, 10),
    ),
    (
        Datetime(name="x", min=datetime(2020, 1, 1), max=datetime(2020, 1, 2)),
        {"2020-01-02T00:00:00": 1, "2020-01-02T00:00:01": 2, "2020-01-02": 4},
        (0, None, 4, 2),
    ),
]


@pytest.mark.parametrize(("column", "texts", "expected"), CASES)
def test_every_kind_is_judged_by_its_rules(
    column: Column,
    texts: dict[str, int],
    expected: tuple[int, int | None, int | None, int | None],
) -> None:
    rows = sum(texts.values()) + 3
    missing, undeclared, unreadable, outside = expected
    assert column_fit(column, texts, rows=rows) == ColumnFit(
        name="x",
        kind=column.kind,
        missing=missing + 3,
        undeclared=undeclared,
        unreadable=unreadable,
        out_of_bounds=outside,
    )
