"""Parquet files written by us come back equal; others are refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

from tests.release.releases import a_model, assert_same_table
from understudy.errors import ReleaseError
from understudy.table.read import read_columns, read_table
from understudy.table.write import write_table


@pytest.mark.parametrize("rows", [0, 1, 300])
def test_a_table_comes_back(tmp_path: Path, rows: int) -> None:
    model = a_model()
    table = model.sample(rows, np.random.default_rng(1))
    write_table(table, tmp_path / "t.parquet")
    assert_same_table(table, read_table(tmp_path / "t.parquet", model.domain))


def rewritten(tmp_path: Path, select: str) -> Path:
    table = a_model().sample(20, np.random.default_rng(1))
    source, target = tmp_path / "a.parquet", tmp_path / "b.parquet"
    write_table(table, source)
    duckdb.execute(f"COPY (SELECT {select} FROM '{source}') TO '{target}' (FORMAT parquet)")
    return target


@pytest.mark.parametrize(
    ("select", "message"),
    [
        ("* EXCLUDE (age)", "columns"),
        ("*, 1 AS more", "columns"),
        ("* REPLACE ('x' AS city)", "'city' holds"),
        ("* REPLACE (1.5 AS age)", "'age' holds"),
        ("* REPLACE ('7' AS age)", "'age' holds"),
        ("* REPLACE (NULL::BIGINT AS age)", "without a value"),
        ("* REPLACE (3 AS person)", "'person' holds"),
        ("* REPLACE ('2020-01-01' AS admitted)", "'admitted' holds"),
        ("* REPLACE ('maybe' AS smoker)", "'smoker' holds"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, select: str, message: str) -> None:
    with pytest.raises(ReleaseError, match=message):
        read_table(rewritten(tmp_path, select), a_model().domain)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" * 100, b"a,b\n1,2\n"])
def test_what_is_no_parquet_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(ReleaseError, match="not a Parquet file"):
        read_columns(tmp_path / "x.parquet")


def test_a_name_is_no_pattern(tmp_path: Path) -> None:
    model = a_model()
    for name, seed in (("a*.parquet", 1), ("ab.parquet", 2), ("[ab]?.parquet", 3)):
        write_table(model.sample(9, np.random.default_rng(seed)), tmp_path / name)
    for name, seed in (("a*.parquet", 1), ("[ab]?.parquet", 3)):
        expected = model.sample(9, np.random.default_rng(seed))
        assert_same_table(expected, read_table(tmp_path / name, model.domain))


def test_a_few_bytes_that_stand_for_more_than_memory_holds_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many rows, or rows of one long text: Parquet stores what repeats itself only once."""
    monkeypatch.setattr("understudy.table.read.LARGEST", 2_000_000)
    path = tmp_path / "t.parquet"
    for select in ("repeat('x', 3000) AS x FROM range(1000)", "1 AS x FROM range(40000)"):
        duckdb.execute(f"COPY (SELECT {select}) TO '{path}' (FORMAT parquet)")
        with pytest.raises(ReleaseError, match=r"would take about .* GB of memory"):
            read_columns(path)
    duckdb.execute(f"COPY (SELECT 1 AS x FROM range(30000)) TO '{path}' (FORMAT parquet)")
    assert len(read_columns(path)["x"]) == 30_000
