"""The engine for large tables: it is chosen by size, reads one state, and gives up its rows."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data.contract import in_pieces, people, same_key
from tests.data.oracle import SCHEMA, headed
from understudy.data.duckdb import DuckDBBackend
from understudy.data.memory import MemoryBackend
from understudy.data.open import open_source
from understudy.data.spool import private_folder
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Category, Column, Integer, Real
from understudy.schema.schema import Schema

N = Schema(name="t", columns={"n": Integer(name="n", min=0, max=9)})
DOMAIN = domain_of(N)


def numbers(path: Path, values: list[Any], dtype: Any = pl.Int64) -> Path:
    pl.DataFrame({"n": pl.Series(values, dtype=dtype)}).write_parquet(path)
    return path


@pytest.mark.parametrize("bytes_on_disk", [1000, 100_000])
def test_form_and_size_choose_the_engine(tmp_path: Path, bytes_on_disk: int) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"n\n" + b"1\n" * ((bytes_on_disk - 2) // 2))
    for memory, kind in ((bytes_on_disk * 10, MemoryBackend), ("1KB", DuckDBBackend)):
        assert type(open_source(path, N, memory=memory)) is kind
    path.write_bytes(b"n\n" + b"zz" * ((bytes_on_disk - 2) // 2))
    assert type(open_source(path, N, memory=bytes_on_disk * 10)) is MemoryBackend


def test_the_environment_may_say_how_much_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = numbers(tmp_path / "t.parquet", [1])
    assert isinstance(open_source(path, N), MemoryBackend)
    monkeypatch.setenv("UNDERSTUDY_MEMORY", "1 kB")
    assert isinstance(open_source(path, N), DuckDBBackend)
    assert isinstance(open_source(path, N, memory="2GiB"), MemoryBackend)
    monkeypatch.setenv("UNDERSTUDY_MEMORY", "plenty")
    with pytest.raises(UsageError, match="a number of bytes such as 2GB, not 'plenty'"):
        open_source(path, N)


@pytest.mark.parametrize("memory", [-1, "-1", "", "1.5GB", True, "1 G B", 2.5])
def test_what_is_no_amount_of_memory(memory: Any) -> None:
    with pytest.raises(UsageError, match="memory limit"):
        open_source("t.csv", N, memory=memory)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (pl.UInt8, [0, 3, 255, None]),
        (pl.Int8, [-128, 127, -1, 5, None]),
        (pl.Int16, [-32768, 32767, 4, None]),
        (pl.UInt16, [0, 65535, 4, None]),
        (pl.Int32, [-(2**31), 2**31 - 1, 4, None]),
        (pl.Int32, [-3, 5, None]),
        (pl.UInt32, [2**32 - 1, 2**32 - 9, None]),
        (pl.Int64, [-(2**63), 2**63 - 1, 4]),
        (pl.Int64, [-(2**63), -(2**63) + 5]),
        (pl.UInt64, [2**64 - 1, 2**64 - 5, None]),
        (pl.Float32, [0.1, float("nan"), float("inf"), None]),
        (pl.Float64, [0.1, float("nan"), -float("inf"), None]),
        (pl.Boolean, [True, False, None]),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "column",
    [
        Integer(name="n", min=-3, max=9, missing=("-1", "5")),
        Real(name="n", min=-3, max=9, bins=5),
        Category(name="n", levels=("3", "-128", "255", "4294967295", "inf"), other="o"),
        Category(name="n", levels=("0.1", "true"), missing=("-1", "")),
        Boolean(name="n", true="5", false="4"),
    ],
    ids=lambda column: column.kind,
)
def test_every_type_of_number_has_the_cells_that_memory_gives(
    tmp_path: Path, dtype: Any, values: list[Any], column: Column
) -> None:
    path = numbers(tmp_path / "t.parquet", values * 3, dtype)
    schema = Schema(name="t", columns={"n": column})
    domain = domain_of(schema)
    found = in_pieces(path, schema).count(domain, [("n",)])[0]
    assert found.tolist() == open_source(path, schema).count(domain, [("n",)])[0].tolist()
    assert found.sum() == 3 * len(values)


@given(st.lists(st.integers(-(2**40), 2**40) | st.integers(-9, 9), min_size=1, max_size=8))
def test_ranges_that_widen_from_piece_to_piece(values: list[int]) -> None:
    from understudy.data.encoding import encoder_for

    column = Integer(name="n", min=-5, max=5, missing=("3",))
    schema = Schema(name="t", columns={"n": column})
    axis = domain_of(schema).axes["n"]
    encoder = encoder_for(column, axis, "BIGINT", named="n")
    fresh = [
        encoder_for(column, axis, "DOUBLE", named="n").codes((np.array([float(value)]), None))[0]
        for value in values
    ]
    assert [encoder.codes((np.array([value]), None))[0] for value in values] == fresh


def test_many_pieces_of_many_types(tmp_path: Path) -> None:
    """More rows than one piece of Arrow, and answers equal to those of the other engine."""
    rows = 300_000
    rng = np.random.default_rng(3)
    words = np.array(["Bath", "x", 'the "Wash"', None], dtype=object)
    pl.DataFrame(
        {
            "n": rng.integers(-2, 12, rows).astype(np.int32),
            "w": words[rng.integers(0, 4, rows)],
            "x": np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows)),
        }
    ).write_parquet(tmp_path / "t.parquet")
    columns = {
        "n": N.columns["n"],
        "w": Category(name="w", levels=("Bath", 'the "Wash"'), missing=("?",)),
        "x": Real(name="x", min=-2, max=2, bins=9),
    }
    schema = Schema(name="t", columns=columns, rows=rows)
    pairs = list(combinations(columns, 2))
    memory, pieces = (
        open_source(tmp_path / "t.parquet", schema),
        in_pieces(tmp_path / "t.parquet", schema),
    )
    domain = domain_of(schema)
    for one, other in zip(memory.count(domain, pairs), pieces.count(domain, pairs), strict=True):
        assert one.tolist() == other.tolist()
    assert isinstance(memory, MemoryBackend)
    assert isinstance(pieces, DuckDBBackend)
    theirs = pieces.cells(domain)
    for name, codes in memory.cells(domain).items():
        assert codes.tolist() == theirs[name].tolist()
    assert pieces.levels("w") == memory.levels("w")
    assert pieces.fits_declared_size()


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_both_engines_keep_the_same_rows_of_a_person(tmp_path: Path, form: str) -> None:
    schema, rng = people(2), np.random.default_rng(8)
    names = np.array(["ann", "bob", "cy", None], dtype=object)
    frame = pl.DataFrame(
        {"who": names[rng.integers(0, 4, 90)], "n": rng.integers(0, 9, 90), "noise": "x"}
    )
    path = tmp_path / f"t.{form}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[form](
        path
    )
    domain = domain_of(schema)
    for key in (b"a", b"b"):
        with same_key(key):
            memory, pieces = open_source(path, schema), in_pieces(path, schema)
        one, other = (engine.count(domain, [("who", "n")])[0] for engine in (memory, pieces))
        assert one.tolist() == other.tolist()
        assert memory.levels("who") == pieces.levels("who")


def test_a_file_that_changes_during_a_run_is_refused(tmp_path: Path) -> None:
    path = numbers(tmp_path / "t.parquet", [1, 2, 3])
    backend = in_pieces(path, N)
    assert backend.count(DOMAIN, [("n",)])[0].sum() == 3
    numbers(path, [4, 4, 4, 4])
    with pytest.raises(SourceError, match="was changed, moved or removed during the run"):
        backend.count(DOMAIN, [("n",)])
    backend = in_pieces(path, N)
    os.utime(path, ns=(1, 1))
    with pytest.raises(SourceError, match="was changed"):
        backend.count(DOMAIN, [("n",)])
    backend = in_pieces(path, N)
    path.unlink()
    with pytest.raises(SourceError, match="was changed"):
        backend.count(DOMAIN, [("n",)])


def test_text_files_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("n\n1\n2\n")
    backend = in_pieces(path, N)
    path.write_text("n\n" + "3\n" * 50)
    assert backend.count(DOMAIN, [("n",)])[0].sum() == 2


def test_a_database_is_read_in_one_state(tmp_path: Path) -> None:
    database = tmp_path / "t.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 3 AS n")
    backend = in_pieces(f"duckdb:{database}?table=t", N)
    writer = (
        "import duckdb, sys\n"
        "try:\n    duckdb.connect(sys.argv[1]).execute('INSERT INTO t VALUES (4)')\n"
        "except duckdb.IOException:\n    sys.exit(7)"
    )
    command = [sys.executable, "-c", writer, str(database)]
    assert subprocess.run(command, check=False).returncode == 7, "the engine holds the file"
    assert backend.count(DOMAIN, [("n",)])[0].sum() == 1
    del backend
    gc.collect()
    assert subprocess.run(command, check=False).returncode == 0


def test_the_private_copy_goes_with_the_engine(tmp_path: Path) -> None:
    before = set(private_folder().iterdir())
    path = tmp_path / "t.csv"
    path.write_bytes(headed(SCHEMA, ["Bath,A"]))
    backend = in_pieces(path, SCHEMA)
    (copy,) = set(private_folder().iterdir()) - before
    assert copy.stat().st_mode & 0o077 == 0
    del backend
    gc.collect()
    assert set(private_folder().iterdir()) == before


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    before = set(private_folder().iterdir())
    (tmp_path / "t.csv").write_bytes(b"wrong header\n1\n")
    with pytest.raises(TableMismatch):
        in_pieces(tmp_path / "t.csv", N)
    gc.collect()
    assert set(private_folder().iterdir()) == before


def test_arrow_streams_need_no_pyarrow(tmp_path: Path) -> None:
    path = numbers(tmp_path / "t.parquet", [1, None, 3])
    script = (
        "import sys; sys.modules['pyarrow'] = sys.modules['pandas'] = None\n"
        "from understudy.data.open import open_source\n"
        "from understudy.schema.axes import domain_of\n"
        "from understudy.schema.columns import Integer\n"
        "from understudy.schema.schema import Schema\n"
        "schema = Schema(name='t', columns={'n': Integer(name='n', min=0, max=9)})\n"
        "backend = open_source(sys.argv[1], schema, memory=0)\n"
        "assert backend.count(domain_of(schema), [('n',)])[0].sum() == 3"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True)
