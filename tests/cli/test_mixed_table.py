"""The promise of the command line: a table of every kind, from draft to sample, without a crash."""

from __future__ import annotations

import csv
import re
import time
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from tests.cli.program import process
from understudy.release import load

ROWS = 2_000
METHODS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("auto", "independent", "mst", "aim"), ()),
    "pmse": ("--set", "candidates=50", "--set", "cells=8"),
}
"""The methods, and settings that make them quicker."""
SCHEMA = """
version = 1
[table]
name = "mixed"
[columns.id]
kind = "fake"
style = "id"
[columns.email]
kind = "fake"
style = "email"
[columns.age]
kind = "integer"
min = 0
max = 110
[columns.income]
kind = "real"
missing = [""]
scale = "log"
[columns.education]
kind = "ordinal"
levels = ["none", "school", "college", "university"]
[columns.city]
kind = "category"
levels = "discover"
[columns.member]
kind = "boolean"
[columns.joined]
kind = "date"
min = 2015-01-01
max = 2025-12-31
[columns.left]
kind = "date"
min = 2015-01-01
max = 2025-12-31
[columns.score]
kind = "real"
[columns.country]
kind = "category"
levels = ["only"]
"""


def people() -> list[dict[str, str]]:
    rng = np.random.default_rng(7)
    first = date(2015, 1, 1)
    found = []
    for number in range(ROWS):
        joined = first + timedelta(days=int(rng.integers(0, 3000)))
        income = "" if rng.random() < 0.1 else f"{np.exp(rng.normal(10, 1)):.2f}"
        found.append(
            {
                "id": f"REAL-{number:05d}",
                "email": f"person{number}@real.invalid",
                "age": str(int(rng.integers(0, 111))),
                "income": income,
                "education": ("none", "school", "college", "university")[int(rng.integers(4))],
                "city": f"Town {min(int(rng.pareto(0.8)), 249)}",
                "member": ("false", "true")[int(rng.integers(2))],
                "joined": joined.isoformat(),
                "left": (joined + timedelta(days=int(rng.integers(0, 900)))).isoformat(),
                "score": repr(float(rng.normal())),
                "country": "only",
            }
        )
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("mixed")
    (made / "schema.toml").write_text(SCHEMA)
    rows = people()
    with (made / "table.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return made


@dataclass(frozen=True)
class Made:
    """What a method made of the table."""

    rows: list[dict[str, str]]
    release: Path


@pytest.fixture(scope="module", params=METHODS)
def made(folder: Path, request: pytest.FixtureRequest) -> Made:
    out, release = folder / f"{request.param}.csv", folder / request.param
    started = time.monotonic()
    run = process(
        *("synthesize", folder / "table.csv", "--schema", folder / "schema.toml"),
        *("--epsilon", 1, "--delta", "1e-6", "--method", request.param),
        *METHODS[request.param],
        *("--out", out, "--release", release),
    )
    assert run.code == 0, run.err
    assert time.monotonic() - started < 60
    with out.open(newline="") as file:
        return Made(list(csv.DictReader(file)), release)


def test_columns_and_size_are_those_of_the_table(made: Made) -> None:
    assert list(made.rows[0]) == list(people()[0])
    assert 0.8 * ROWS < len(made.rows) < 1.2 * ROWS


def test_no_real_identity_is_left(made: Made) -> None:
    real = people()
    for column in ("id", "email"):
        assert not {row[column] for row in real} & {row[column] for row in made.rows}
        assert len({row[column] for row in made.rows}) == len(made.rows)
    for path in made.release.rglob("*"):
        assert path.is_dir() or not re.search(rb"real\.invalid|REAL-\d", path.read_bytes())


def test_every_value_is_valid(made: Made) -> None:
    low, high = date(2015, 1, 1), date(2025, 12, 31)
    for row in made.rows:
        assert 0 <= int(row["age"]) <= 110
        assert row["member"] in ("false", "true")
        assert row["education"] in ("none", "school", "college", "university")
        assert row["country"] == "only"
        assert low <= date.fromisoformat(row["joined"]) <= high
        assert low <= date.fromisoformat(row["left"]) <= high
        assert np.isfinite(float(row["score"]))
        assert row["income"] == "" or np.isfinite(float(row["income"]))


def test_missing_cells_stay_missing(made: Made) -> None:
    """The share is off by the noise of one cell: a few of its standard deviations, 6 here."""
    noisy = next(
        one
        for one in load(made.release).measurements
        if one.columns == ("income",) and one.values.size > 3  # not the size that was bought
    )
    real = sum(row["income"] == "" for row in people()) / ROWS
    share = sum(row["income"] == "" for row in made.rows) / len(made.rows)
    drawn = np.sqrt(real * (1 - real) / len(made.rows))
    assert abs(share - real) < 6 * (noisy.stddev / ROWS + drawn) + 0.02
    assert share > 0


def test_only_frequent_towns_are_named(made: Made) -> None:
    real = [row["city"] for row in people()]
    named = {row["city"] for row in made.rows} - {"OTHER"}
    assert named <= set(real)
    assert all(real.count(town) > 1 for town in named)
    assert len(named) < len(set(real))


def test_check_plan_and_compare_take_it_too(folder: Path) -> None:
    asked = ("--schema", folder / "schema.toml")
    real = folder / "table.csv"
    assert process("check", real, *asked).code == 0
    assert process("plan", *asked, "--epsilon", 1, "--delta", "1e-6", "--n", ROWS).code == 0
    run = process("compare", real, real, *asked)
    assert run.code == 0, run.err
    assert run.out.startswith("UNPROTECTED")
