"""``synthesize``: what it makes, and every way of asking wrongly."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Home
from tests.cli.program import HEADER, ROWS, SECRET, run, untouched, write_table
from understudy.release import load
from understudy.report.card import Card

OK = ("--epsilon", "1")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def ask(home: Home, *arguments: object, schema: Path | None = None) -> Any:
    return run("synthesize", home.table, "--schema", schema or home.schema, *arguments)


def test_rows_release_and_report(home: Home) -> None:
    made = ask(
        home,
        *OK,
        *("--out", home / "s.csv", "--release", home / "r", "--report", home / "c.html"),
        *("--rows", 40),
    )
    assert made.code == 0, made.err
    rows = rows_of(home / "s.csv")
    assert len(rows) == 40
    assert tuple(rows[0]) == HEADER
    assert {row["sex"] for row in rows} <= {"F", "M"}
    assert {int(row["age"]) for row in rows} <= set(range(10))
    assert all(row["income"] == "" or 0 <= float(row["income"]) <= 100 for row in rows)
    assert len({row["person"] for row in rows}) == 40
    assert not {row["person"] for row in rows} & {row[0] for row in ROWS}
    release = load(home / "r")
    assert release.synthetic[0].rows == 40
    assert release.card.to_html() == (home / "c.html").read_text()
    assert release.card.to_text() in made.out
    assert str(home / "s.csv") in made.out
    assert made.err == ""


def test_the_card_accounts_for_the_whole_budget(home: Home) -> None:
    made = ask(home, *OK, "--release", home / "r", "--json")
    told = json.loads(made.out)
    card = Card.from_json(json.dumps(told["card"]))
    assert card == load(home / "r").card
    assert sum(charge.cost.main for charge in card.charges) == 1
    assert card.guarantee.asked.parts == {"epsilon": "1"}
    assert told["files"] == {"release": str(home / "r")}


def test_quiet_is_quiet(home: Home) -> None:
    made = ask(home, *OK, "--out", home / "s.csv", "--quiet")
    assert (made.code, made.out, made.err) == (0, "", "")


@pytest.mark.parametrize("refit", [False, True])
def test_copies_are_numbered(home: Home, refit: bool) -> None:
    extra = ["--refit"] if refit else []
    made = ask(
        home, *OK, "--copies", 3, "--out", home / "s.csv.gz", "--release", home / "r", *extra
    )
    assert made.code == 0, made.err
    assert all((home / name).is_file() for name in ("s.csv.gz", "s-2.csv.gz", "s-3.csv.gz"))
    release = load(home / "r")
    assert len(release.synthetic) == 3
    assert len(release.models) == (3 if refit else 1)
    assert release.card.output.refit is refit


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "jsonl", "parquet", "feather"])
def test_every_ending_is_written(home: Home, ending: str) -> None:
    made = ask(home, *OK, "--rows", 3, "--out", home / f"s.{ending}", "--quiet")
    assert made.code == 0, made.err
    assert (home / f"s.{ending}").stat().st_size > 0


def test_rows_to_standard_output(home: Home) -> None:
    made = ask(home, *OK, "--out", "-", "--rows", 7)
    rows = list(csv.DictReader(io.StringIO(made.out)))
    assert len(rows) == 7
    assert tuple(rows[0]) == HEADER


def test_a_seed_fixes_the_drawing_and_not_the_noise(home: Home) -> None:
    cards = []
    for name in ("one", "two"):
        made = ask(home, *OK, "--seed", 5, "--release", home / name)
        assert "The seed." in made.out
        cards.append(load(home / name))
    values = [[noisy.values.tolist() for noisy in card.measurements] for card in cards]
    assert values[0] != values[1]


def test_discovering_with_a_delta(home: Home) -> None:
    rows = [(*row, "Town") for row in ROWS]
    lines = [",".join(line) for line in ((*HEADER, "city"), *rows)]
    home.table.write_text("\n".join(lines) + "\n")
    made = ask(home, *OK, "--delta", "1e-3", "--out", home / "s.csv", schema=home.open_schema)
    assert made.code == 0, made.err
    assert "discover" in made.out


MISTAKES: dict[str, tuple[list[object], str]] = {
    "no budget": ([], "there is no default"),
    "zero": (["--epsilon", "0"], "above 0"),
    "negative": (["--epsilon", "-1"], "above 0"),
    "not a number": (["--epsilon", "nan"], "number"),
    "infinite": (["--epsilon", "inf"], "number"),
    "text": (["--epsilon", "much"], "number"),
    "boolean": (["--epsilon", "True"], "number"),
    "division by zero": (["--epsilon", "1/0"], "number"),
    "huge": (["--epsilon", "1e999999999"], "huge"),
    "tiny": (["--epsilon", "1e-999999999"], "huge or tiny"),
    "long": (["--epsilon", "1" * 100], "huge"),
    "two budgets": (["--epsilon", "1", "--rho", "1"], "either epsilon"),
    "zero rho": (["--rho", "0"], "above 0"),
    "zero delta": (["--epsilon", "1", "--delta", "0"], "delta must lie"),
    "large delta": (["--epsilon", "1", "--delta", "0.1"], "delta must lie"),
    "delta alone": (["--delta", "1e-6"], "there is no default"),
    "delta as text": (["--epsilon", "1", "--delta", "small"], "number"),
    "unknown method": (["--method", "independant", *OK], "did you mean 'independent'"),
    "method as path": (["--method", "../base", *OK], "no method"),
    "unknown setting": (["--set", "rounds=3", *OK], "no setting 'rounds'"),
    "setting without value": (["--set", "rounds", *OK], "key=value"),
    "negative rows": (["--rows", "-1", *OK], "rows"),
    "rows as text": (["--rows", "many", *OK], "rows"),
    "no copies": (["--copies", "0", *OK], "copies"),
    "too many copies": (["--copies", "1001", *OK], "copies"),
    "seed as text": (["--seed", "x", *OK], "seed"),
    "negative seed": (["--seed", "-1", *OK], "seed"),
    "resume without ledger": (["--resume", "run-0001", *OK], "--ledger"),
    "unknown option": (["--epsilom", "1"], "epsilom"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_before_anything_is_read(
    home: Home, arguments: list[object], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("the table was opened")

    monkeypatch.setattr("understudy.api.open_source", never)
    with untouched(home.folder):
        made = ask(home, "--out", home / "s.csv", *arguments)
    assert made.code == 2, made.err
    flat = " ".join(made.err.replace("│", " ").split())
    assert message in flat
    assert made.out == ""
    assert "Traceback" not in made.err


def test_discovering_needs_a_delta(home: Home) -> None:
    made = ask(home, *OK, "--out", home / "s.csv", schema=home.open_schema)
    assert made.code == 2
    assert "needs a delta" in made.err


OUTPUTS: dict[str, tuple[list[str], str]] = {
    "none": ([], "nothing would be kept"),
    "exists": (["--out", "old.csv"], "exists"),
    "a numbered copy exists": (["--out", "new.csv", "--copies", "2"], "new-2.csv exists"),
    "release exists": (["--release", "old"], "exists"),
    "report exists": (["--report", "old.html"], "exists"),
    "no such folder": (["--out", "nowhere/s.csv"], "does not exist"),
    "release in no folder": (["--release", "nowhere/r"], "does not exist"),
    "in a file": (["--out", "old.csv/s.csv"], "does not exist"),
    "unknown ending": (["--out", "s.xlsx"], ".parquet"),
    "no ending": (["--out", "s"], ".parquet"),
    "report no page": (["--report", "card.pdf"], ".html"),
    "a folder": (["--out", "folder.csv"], "is a folder"),
    "twice the same": (["--release", "s.csv", "--out", "s.csv"], "two outputs"),
    "several to stdout": (["--out", "-", "--copies", "2"], "one table"),
    "the source": (["--out", "table.csv", "--force"], "is an input"),
    "the source by another name": (["--out", "link.csv", "--force"], "is an input"),
    "the schema": (["--report", "schema.html", "--force"], "is an input"),
    "force on a stranger": (["--release", "folder", "--force"], "not a release"),
}


@pytest.mark.parametrize(("outputs", "message"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs_are_refused_before_anything_is_read(
    home: Home, outputs: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("old.csv", "old.html", "new-2.csv"):
        (home / name).write_text("precious")
    for name in ("old", "folder", "folder.csv"):
        (home / name).mkdir()
        (home / name / "x").write_text("precious")
    (home / "link.csv").symlink_to(home.table)
    (home / "schema.html").symlink_to(home.schema)
    monkeypatch.chdir(home.folder)
    with untouched(home.folder):
        made = ask(home, *OK, *outputs)
    assert made.code == 2, made.out
    assert message in " ".join(made.err.split())


def test_force_replaces(home: Home) -> None:
    for _ in range(2):
        made = ask(
            home,
            *OK,
            *("--out", home / "s.csv", "--release", home / "r", "--report", home / "c.html"),
            "--force",
        )
        assert made.code == 0, made.err


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ("person,age,sex\np,1,F\n", 3, "income"),
        ("person,age,sex,income,extra\n", 3, "columns"),
        ("", 3, ""),
        (None, 1, "no such file"),
    ],
)
def test_a_table_that_does_not_fit(home: Home, change: str | None, code: int, message: str) -> None:
    home.table.unlink()
    if change is not None:
        home.table.write_text(change)
    made = ask(home, *OK, "--out", home / "s.csv")
    assert made.code == code, made.err
    assert message in made.err
    assert not (home / "s.csv").exists()


def test_a_schema_that_cannot_be_read(home: Home) -> None:
    assert ask(home, *OK, "--out", home / "s.csv", schema=home / "none.toml").code != 0
    home.schema.write_text(home.schema.read_text().replace("min = 0\nmax = 9", "min = 9\nmax = 0"))
    made = ask(home, *OK, "--out", home / "s.csv")
    assert made.code == 2
    assert "age" in made.err


def test_a_wrong_public_size_is_a_misfit(home: Home) -> None:
    home.schema.write_text(home.schema.read_text().replace('"people"', '"people"\nrows = 4'))
    made = ask(home, *OK, "--out", home / "s.csv")
    assert made.code == 3
    assert "size" in made.err


def test_the_ledger_refuses_what_does_not_fit(home: Home) -> None:
    book = home / "people.ledger"
    assert run("ledger", "init", book, "--schema", home.schema, "--epsilon", "1.5").code == 0
    first = ask(home, *OK, "--ledger", book, "--out", home / "one.csv")
    assert first.code == 0, first.err
    assert "people.ledger" in first.out
    second = ask(home, *OK, "--ledger", book, "--out", home / "two.csv")
    assert second.code == 4
    assert "nothing was read" in second.err
    assert not (home / "two.csv").exists()


def test_a_missing_or_foreign_ledger_is_refused(home: Home) -> None:
    made = ask(home, *OK, "--ledger", home / "none.ledger", "--out", home / "s.csv")
    assert made.code == 4
    (home / "x.ledger").write_text("hello")
    assert ask(home, *OK, "--ledger", home / "x.ledger", "--out", home / "s.csv").code == 4
    assert not (home / "s.csv").exists()


def test_no_cell_ever_stops_or_shows(home: Home) -> None:
    strange = [(SECRET, f'"{SECRET}"', "\x00", "1e999"), ("", "", "", ""), (SECRET,)]
    write_table(home.table, [*ROWS, *strange])
    made = ask(home, *OK, "--out", home / "s.csv", "--release", home / "r")
    assert made.code == 0, made.err
    assert SECRET not in made.out + made.err
    for path in [home / "s.csv", *(home / "r").rglob("*")]:
        assert path.is_dir() or SECRET.encode() not in path.read_bytes()


def test_an_empty_table_is_a_table(home: Home) -> None:
    write_table(home.table, [])
    assert ask(home, *OK, "--out", home / "s.csv").code == 0
