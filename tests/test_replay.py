"""The replay test: with the gate's answers fixed, nothing else of the table can show anywhere.

The noisy answers of a run stand in its ledger. The private table is then swapped for others that
differ in everything private (values, order, number of rows, what is missing, how cells are written,
how columns are typed) and the run is replayed. Release folder, rows, report, stdout, stderr and
exit code must be the same to the byte.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import understudy as us
from tests.cli.program import command, environment, snapshot
from understudy import api

EPOCH = "1700000000"
SCHEMA = """
version = 1
[table]
name = "visits"
[columns.id]
kind = "fake"
[columns.note]
kind = "drop"
[columns.age]
kind = "integer"
min = 0
max = 99
missing = ["", "?"]
[columns.cost]
kind = "real"
min = 0
[columns.grade]
kind = "ordinal"
levels = ["low", "middle", "high"]
[columns.city]
kind = "category"
levels = "discover"
missing = [""]
[columns.day]
kind = "date"
min = 2020-01-01
max = 2020-12-31
"""
HEADER = "id,note,age,cost,grade,city,day"
BUDGET = ("--epsilon", "2", "--delta", "1e-3")
FILES = ("--release", "release", "--out", "rows.csv", "--report", "card.html")
SECRET = "Zaphod-4711"


def line(rng: np.random.Generator) -> str:
    day = np.datetime64("2020-01-01") + int(rng.integers(0, 366))
    return (
        f"i{rng.integers(10**6)},n,{rng.integers(0, 99)},{rng.gamma(2.0, 30.0):.2f},"
        f"{rng.choice(['low', 'middle', 'high'])},{rng.choice(['Ulm', 'Bonn', 'Hof'])},{day}"
    )


def original() -> str:
    rng = np.random.default_rng(1)
    return "\n".join([HEADER, *(line(rng) for _ in range(150))]) + "\n"


def other_tables() -> dict[str, str]:
    """Other private contents of the same public shape."""
    rng = np.random.default_rng(2)
    one = f"{SECRET},{SECRET},{SECRET},{SECRET},{SECRET},{SECRET},{SECRET}"
    lines = original().splitlines()
    return {
        "no rows": HEADER + "\n",
        "one unreadable row": f"{HEADER}\n{one}\n",
        "many more rows": "\n".join([HEADER, *(line(rng) for _ in range(3000))]) + "\n",
        "one row less": "\n".join(lines[:-1]) + "\n",
        "another order": "\n".join([HEADER, *reversed(lines[1:])]) + "\n",
        "nothing but missing": f"{HEADER}\n" + ",,,,,,\n" * 150,
        "ragged and quoted": f'{HEADER}\n"a,b","",7\n\n1,2,3,4,5,6,7,8,9\n"{SECRET}"\n',
        "extreme numbers": f"{HEADER}\n" + "x,x,1e400,-1e308,high,Ulm,9999-99-99\n" * 9,
    }


def synthesize(folder: Path, table: str, *extra: str) -> tuple[int, str, str, dict[str, bytes]]:
    """Run the program in a folder; everything that it shows and leaves but the ledger."""
    (folder / "table.csv").write_text(table)
    (folder / "schema.toml").write_text(SCHEMA)
    asked = ("synthesize", "table.csv", "--schema", "schema.toml", *BUDGET, *FILES)
    done = subprocess.run(
        command(*asked, "--seed", "3", "--ledger", "visits.ledger", *extra),
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env=environment({"SOURCE_DATE_EPOCH": EPOCH}),
        check=False,
    )
    inputs = ("table.csv", "schema.toml", "visits.ledger")
    left = {name: data for name, data in snapshot(folder).items() if name not in inputs}
    return done.returncode, done.stdout, done.stderr, left


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, Any]:
    """A finished run of the program: its ledger, its name and everything it left."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "schema.toml").write_text(SCHEMA)
    schema = us.Schema.load(folder / "schema.toml")
    us.Ledger.init(
        folder / "visits.ledger",
        table=schema.name,
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=us.ApproxDP(9, "1e-2"),
    )
    left = synthesize(folder, original())
    assert left[0] == 0, left[2]
    (run,) = us.Ledger.open(folder / "visits.ledger").entries()
    return folder / "visits.ledger", run.run_id, left


@pytest.mark.parametrize("name", other_tables())
def test_a_swapped_table_changes_not_one_byte(
    name: str, recorded: tuple[Path, str, Any], tmp_path: Path
) -> None:
    ledger, run_id, left = recorded
    shutil.copy(ledger, tmp_path / "visits.ledger")
    replayed = synthesize(tmp_path, other_tables()[name], "--resume", run_id)
    assert replayed[:3] == left[:3]
    assert sorted(replayed[3]) == sorted(left[3])
    for file, content in left[3].items():
        assert replayed[3][file] == content, file


def test_without_the_journal_the_bytes_differ(
    recorded: tuple[Path, str, Any], tmp_path: Path
) -> None:
    """The test above can fail: the same command without ``--resume`` draws new noise."""
    ledger, _, left = recorded
    shutil.copy(ledger, tmp_path / "visits.ledger")
    fresh = synthesize(tmp_path, original())
    assert fresh[0] == 0
    assert fresh[3]["rows.csv"] != left[3]["rows.csv"]
    assert fresh[3].keys() == left[3].keys()


# ---- dataframes and killed runs ----------------------------------------------------------------


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "id": range(80),
            "note": "n",
            "age": rng.integers(0, 99, 80),
            "cost": rng.gamma(2.0, 30.0, 80),
            "grade": rng.choice(["low", "middle", "high"], 80),
            "city": rng.choice(["Ulm", "Bonn"], 80),
            "day": pd.Timestamp("2020-02-03"),
        }
    )


def other_frames() -> dict[str, pd.DataFrame]:
    """The same columns, typed and filled in every other way."""
    plain = frame()
    return {
        "no rows": plain.iloc[:0],
        "integers became floats": plain.assign(
            age=plain["age"].astype(float).where(lambda x: x > 50)
        ),
        "nullable types": plain.convert_dtypes(),
        "everything text": plain.astype(str),
        "everything objects": plain.astype(object),
        "categories": plain.assign(
            grade=plain["grade"].astype("category"), city=plain["city"].astype("category")
        ),
        "nothing there": plain.assign(age=None, cost=None, grade=None, city=None, day=pd.NaT),
        "booleans and infinities": plain.assign(age=True, cost=np.inf, city=False),
        "another index": plain.set_axis([SECRET] * 80),
        "small numbers": plain.assign(age=plain["age"].astype("int8"), cost=np.float32(1.5)),
        "dates": plain.assign(day=plain["day"].dt.date),
    }


class KilledError(Exception):
    """Stands for a kill between the last answer and the first output."""


@pytest.fixture
def killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """The ledger and the name of a run that was cut off after its last answer."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", EPOCH)
    (tmp_path / "schema.toml").write_text(SCHEMA)
    schema = us.Schema.load(tmp_path / "schema.toml")
    ledger = us.Ledger.init(
        tmp_path / "visits.ledger",
        table=schema.name,
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=us.ApproxDP(9, "1e-2"),
    )
    with monkeypatch.context() as patched:

        def die(*_: Any, **__: Any) -> None:
            raise KilledError

        patched.setattr(api, "sample", die)
        with pytest.raises(KilledError):
            release(tmp_path, frame(), None)
    (run,) = ledger.entries()
    assert run.status == "open"
    return tmp_path, run.run_id


def release(folder: Path, table: Any, resume: str | None) -> us.Release:
    return us.synthesize(
        table,
        us.Schema.load(folder / "schema.toml"),
        epsilon=2,
        delta=1e-3,
        ledger=folder / "visits.ledger",
        seed=3,
        resume=resume,
    )


def test_a_killed_run_ends_the_same_whatever_the_frame_holds(
    killed: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, run_id = killed
    saved, frames = {}, {}
    for name, table in {"the same": frame(), **other_frames()}.items():
        apart = tmp_path_factory.mktemp("replay")
        for file in ("visits.ledger", "schema.toml"):
            shutil.copy(folder / file, apart / file)
        with pytest.MonkeyPatch.context() as patched:
            patched.chdir(apart)
            made = release(Path(), table, run_id)
            made.save(Path("release"))
        saved[name] = snapshot(apart / "release")
        frames[name] = made.table
        assert us.Ledger.open(apart / "visits.ledger").entries()[0].status == "closed"
    for name, files in saved.items():
        assert files.keys() == saved["the same"].keys()
        for file, content in files.items():
            assert content == saved["the same"][file], (name, file)
        pd.testing.assert_frame_equal(frames[name], frames["the same"])


def test_the_kind_of_frame_is_all_that_follows_from_the_source(killed: tuple[Path, str]) -> None:
    folder, run_id = killed
    shutil.copy(folder / "visits.ledger", folder / "copy.ledger")
    one = release(folder, frame(), run_id)
    shutil.copy(folder / "copy.ledger", folder / "visits.ledger")
    two = release(folder, pl.from_pandas(frame().assign(age=7)), run_id)
    assert isinstance(two.table, pl.DataFrame)
    assert isinstance(one.table, pd.DataFrame)
    for name in two.table.columns:
        first, second = one.synthetic[0].columns[name], two.synthetic[0].columns[name]
        assert np.array_equal(first.data, second.data)
