"""Opening a source: every form of file gives the same table; only public facts refuse."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.data.oracle import SCHEMA, headed, reference_count, rows_of
from understudy.data.backend import Capability
from understudy.data.open import open_source
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category
from understudy.schema.schema import Schema

LINES = [
    "Bath,A,low,yes,1,0.5,2020-01-01,01.01.2020 07,s,m@x",
    '"Ely, Cambs",?,high,NA,-1,-9,1066-10-14,x,s,m@x',
    "x,,,no,3.0,1e400,,31.12.2019 00,s,m@x",
    "x,B,mid,maybe,7,nan,2020-01-05,01.01.2020 23,s,m@x",
]
ROWS = rows_of(LINES, SCHEMA)


def frame() -> pl.DataFrame:
    return pl.DataFrame(ROWS, schema=dict.fromkeys(SCHEMA.columns, pl.String), orient="row")


def write_csv(path: Path) -> None:
    path.write_bytes(headed(SCHEMA, LINES))


def write_gz(path: Path) -> None:
    path.write_bytes(gzip.compress(headed(SCHEMA, LINES)))


WRITERS: dict[str, Callable[[Path], Any]] = {
    "t.csv": write_csv,
    "t.CSV.gz": write_gz,
    "t.parquet": lambda path: frame().write_parquet(path),
    "t.arrow": lambda path: frame().write_ipc(path),
    "t.jsonl": lambda path: frame().write_ndjson(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_form_of_file_is_the_same_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    domain = domain_of(SCHEMA)
    marginals = [(column,) for column in domain.columns] + list(combinations(domain.columns, 2))
    backend = open_source(str(path), SCHEMA)
    assert backend.schema is SCHEMA
    assert backend.capabilities == {Capability.COUNT, Capability.SUMS}
    expected = reference_count(ROWS, domain, marginals)
    for found, table in zip(backend.count(domain, marginals), expected, strict=True):
        assert found.tolist() == table.tolist()


def test_standard_input_is_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(headed(SCHEMA, LINES)))
    monkeypatch.setattr(sys, "stdin", stdin)
    domain = domain_of(SCHEMA)
    (table,) = open_source("-", SCHEMA).count(domain, [("city",)])
    assert table.tolist() == reference_count(ROWS, domain, [("city",)])[0].tolist()


def test_a_column_that_does_not_exist(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv")
    backend = open_source(tmp_path / "t.csv", SCHEMA)
    with pytest.raises(UsageError, match="no modelled column is named 'secret'"):
        backend.count(domain_of(SCHEMA), [("secret",)])


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".feather", ".jsonl"])
def test_what_cannot_be_opened(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    with pytest.raises(SourceError, match=f"cannot read {path} as .*: there is no such file"):
        open_source(path, SCHEMA)
    path.mkdir()
    with pytest.raises(SourceError, match="it is a folder"):
        open_source(path, SCHEMA)


def test_a_file_that_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError("secret")

    write_csv(tmp_path / "t.csv")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SourceError, match="this user may not open it"):
        open_source(tmp_path / "t.csv", SCHEMA)


@pytest.mark.parametrize("suffix", [".csv.gz", ".parquet", ".feather"])
@pytest.mark.parametrize("damage", ["junk", "empty", "cut"])
def test_damaged_files(tmp_path: Path, suffix: str, damage: str) -> None:
    path = tmp_path / f"t{suffix}"
    WRITERS[{".csv.gz": "t.CSV.gz", ".feather": "t.arrow"}.get(suffix, "t.parquet")](path)
    whole = path.read_bytes()
    path.write_bytes({"junk": b"\x8fjunk" * 99, "empty": b"", "cut": whole[:-20]}[damage])
    empty_gzip = suffix == ".csv.gz" and damage == "empty"
    with pytest.raises(TableMismatch if empty_gzip else SourceError):
        open_source(path, SCHEMA)


def test_binary_junk_is_a_csv_file_without_the_right_header(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(bytes(range(256)) * 99)
    with pytest.raises(TableMismatch):
        open_source(tmp_path / "t.csv", SCHEMA)


def test_a_hundred_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(100_000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + ",".join("x" * 100_000) + "\n")
    schema = Schema(name="t", columns={"c7": Category(name="c7", levels=("x",))})
    with pytest.raises(TableMismatch, match="99999 of its columns are not in the schema"):
        open_source(tmp_path / "t.csv", schema)


def test_reading_csv_loads_no_other_reader(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv")
    script = (
        "import sys; from tests.data.test_open import SCHEMA; import understudy.data.open as o\n"
        "heavy = {'duckdb', 'narwhals', 'nanoarrow'}\n"
        "before = heavy & set(sys.modules); o.open_source(sys.argv[1], SCHEMA)\n"
        "assert not (heavy & set(sys.modules)) - before, 'loaded'"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "t.csv")]
    subprocess.run(command, check=True, cwd=Path(__file__).parents[2])
