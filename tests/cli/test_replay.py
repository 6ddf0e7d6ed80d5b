"""A finished run replayed over another table: every byte that leaves must be the same.

The journal of a ledger holds the noisy answers. ``--resume`` hands them out again without asking
anything, so whatever still depends on the rows would show as a difference.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.cli.conftest import Home
from tests.cli.program import OPEN_SCHEMA, SECRET, Outcome, process, snapshot

OPEN = OPEN_SCHEMA.replace("min = 0\nmax = 100\n", "").replace('"people"', '"replayed"')
CLOSED = """
version = 1
[table]
name = "replayed"
rows = 60
[columns.person]
kind = "fake"
[columns.age]
kind = "integer"
min = 0
max = 9
[columns.sex]
kind = "category"
levels = ["F", "M"]
[columns.income]
kind = "real"
min = 0
max = 100
missing = [""]
[columns.city]
kind = "drop"
"""
HEADER = "person,age,sex,income,city"


def lines(seed: int, rows: int) -> list[str]:
    rng = random.Random(seed)
    return [
        f"p{number},{rng.randrange(10)},{rng.choice('FM')},{rng.randrange(101)},{rng.choice('XYZ')}"
        for number in range(rows)
    ]


def other_tables(rows: int | None) -> dict[str, list[str]]:
    """Tables that differ from the first in everything a schema leaves to the rows."""
    number = 60 if rows is None else rows
    return {
        "other values": lines(2, number),
        "all alike": ["p,3,F,5,X"] * number,
        "nonsense": [f"{SECRET},{SECRET},{SECRET},{SECRET},{SECRET}"] * number,
        "blank": [",,,,"] * number,
        "short": ["p"] * number,
    }


def synthesize(home: Home, *extra: object) -> Outcome:
    return process(
        *("synthesize", "table.csv", "--schema", "schema.toml", "--epsilon", 2),
        *("--out", "s.csv", "--release", "r", "--report", "c.html", "--ledger", "x.ledger"),
        *("--seed", 11, "--force", *extra),
        SOURCE_DATE_EPOCH="1700000000",
    )


def left_behind(home: Home) -> dict[str, bytes]:
    kept = snapshot(home.folder)
    return {name: kept[name] for name in kept if name.startswith(("s.csv", "r/", "c.html"))}


@pytest.mark.parametrize("delta", [None, "1e-2"], ids=["closed schema", "open schema"])
def test_nothing_but_the_journal_reaches_the_outputs(
    home: Home, delta: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.folder)
    home.schema.write_text(CLOSED if delta is None else OPEN)
    extra = [] if delta is None else ["--delta", delta]
    made = process(
        *("ledger", "init", "x.ledger", "--schema", "schema.toml", "--epsilon", 2, *extra)
    )
    assert made.code == 0, made.err
    home.table.write_text("\n".join([HEADER, *lines(1, 60)]) + "\n")
    first = synthesize(home, *extra)
    assert first.code == 0, first.err
    before = left_behind(home)
    assert {"s.csv", "c.html", "r/release.json", "r/model/0000.npy"} <= set(before)
    tables = other_tables(None if delta is None else 7)
    if delta is not None:
        tables["no row at all"] = []
    for name, rows in tables.items():
        home.table.write_text("\n".join([HEADER, *rows]) + "\n")
        again = synthesize(home, *extra, "--resume", "run-0001")
        assert again == first, name
        assert left_behind(home) == before, name


def test_a_fresh_run_is_not_a_replay(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above could not fail if runs were always equal."""
    monkeypatch.chdir(home.folder)
    home.schema.write_text(CLOSED)
    home.table.write_text("\n".join([HEADER, *lines(1, 60)]) + "\n")
    for book in ("x.ledger",):
        made = process("ledger", "init", book, "--schema", "schema.toml", "--epsilon", 4)
        assert made.code == 0
    synthesize(home)
    before = left_behind(home)
    synthesize(home)
    assert left_behind(home)["r/measurements.parquet"] != before["r/measurements.parquet"]


def test_resuming_an_unknown_run(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.folder)
    made = process("ledger", "init", "x.ledger", "--schema", "schema.toml", "--epsilon", 4)
    assert made.code == 0
    asked = synthesize(home, "--resume", "run-0009")
    assert asked.code == 4
    assert "run-0009" in asked.err
    assert not Path("s.csv").exists()
