"""Files that are cut off, or that a few bytes make vast: refused before they fill the memory."""

from __future__ import annotations

import shutil
import tracemalloc
from pathlib import Path

import duckdb
import numpy as np
import pytest

from tests.release.releases import a_release
from tests.release.test_folder import reseal
from understudy.errors import ReleaseError
from understudy.release import folder as folder_module
from understudy.release import load
from understudy.table import read

MOST = 10**8
BLOCK = 64 * 1024 * 1024


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_release(rows=7).save(tmp_path_factory.mktemp("saved") / "release")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "release"))


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (read, folder_module):
        monkeypatch.setattr(module, "LARGEST", MOST)


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_no_file_may_be_cut(folder: Path) -> None:
    for path in files_of(folder):
        whole = path.read_bytes()
        for length in (0, 1, len(whole) // 2, len(whole) - 2):
            path.write_bytes(whole[:length])
            with pytest.raises(ReleaseError):
                load(folder)
        path.write_bytes(whole)
    load(folder)


def test_what_is_cut_is_refused_with_right_checksums_too(folder: Path) -> None:
    manifest = (folder / "release.json").read_bytes()
    for path in files_of(folder):
        if path.name in ("release.json", "report.html"):  # the page is for people, and never read
            continue
        whole = path.read_bytes()
        for length in (0, len(whole) // 2, len(whole) - 9):
            path.write_bytes(whole[:length])
            reseal(folder)
            with pytest.raises(ReleaseError, match="damaged"):
                load(folder)
        path.write_bytes(whole)
        (folder / "release.json").write_bytes(manifest)
    load(folder)


ROWS = 300_000
BOMBS = {
    "rows": f"SELECT 'a' AS x FROM range({ROWS * 6})",
    "columns": f"SELECT {', '.join(f'1 AS c{i}' for i in range(9))} FROM range({ROWS})",
    "a long text": f"SELECT repeat('a', 2000) AS x FROM range({ROWS})",
}


@pytest.mark.usefixtures("small_machine")
@pytest.mark.parametrize("name", ["synthetic.parquet", "measurements.parquet"])
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_parquet_file_that_swells(folder: Path, name: str, bomb: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({bomb}) TO '{folder / name}' (FORMAT parquet, COMPRESSION zstd)")
    assert (folder / name).stat().st_size < MOST / 100
    reseal(folder)
    with pytest.raises(ReleaseError, match=f"{name} is too large"):
        load(folder)


@pytest.mark.parametrize("shape", ["(1000000000000000,)", "(0, -1)", "(10**15,)", "(2, 3, 1e9)"])
def test_an_array_that_claims_to_be_vast(folder: Path, shape: str) -> None:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117)
    path = folder / "model/0000.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + head + b"\n" + np.ones(3).tobytes())
    reseal(folder)
    tracemalloc.start()
    with pytest.raises(ReleaseError, match="not a whole array"):
        load(folder)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < BLOCK


@pytest.mark.usefixtures("small_machine")
@pytest.mark.parametrize("name", ["model/0000.npy", "synthetic.parquet", "card.json"])
def test_a_file_with_holes_is_measured_before_it_is_read(folder: Path, name: str) -> None:
    with (folder / name).open("r+b") as file:
        file.truncate(2**43)  # takes no room on the disk, and an hour to read
    with pytest.raises(ReleaseError, match="too large"):
        load(folder)
