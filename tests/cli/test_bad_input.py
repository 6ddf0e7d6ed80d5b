"""Everything that can be wrong with a table or a request: said clearly, or taken as declared.

Only public facts refuse (the file, its header, the schema, the arguments); what cells hold goes to
a declared level, a bound or "missing". No output ever shows a cell, and nothing is a traceback.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Home
from tests.cli.program import HEADER, SCHEMA, SECRET, Outcome, run, snapshot, untouched
from understudy.release import load
from understudy.table.formulas import harmless

OK = ("--epsilon", "1")
HEAD = ",".join(HEADER)


@pytest.fixture(autouse=True, params=["0", "1TB"], ids=["in pieces", "in memory"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both engines answer alike."""
    monkeypatch.setenv("UNDERSTUDY_MEMORY", request.param)
    return str(request.param)


def ask(home: Home, *arguments: object, out: str = "s.csv") -> Outcome:
    made = run(
        *("synthesize", home.table, "--schema", home.schema, "--rows", 9, "--out", home / out),
        *(arguments or OK),
    )
    assert "Traceback" not in made.err
    assert "unexpected" not in made.err
    assert SECRET not in made.out + made.err
    return made


def columns(folder: Path) -> list[tuple[str, object]]:
    (table,) = load(folder).synthetic
    assert table.rows == 9
    return [
        (name, (values.levels, values.data.dtype, values.missing is None))
        for name, values in table.columns.items()
    ]


@dataclass(frozen=True)
class Bad:
    """A file, and what is said of it; without words it is a table like any other."""

    content: bytes
    code: int = 0
    words: tuple[str, ...] = ()


def lines(*rows: str) -> bytes:
    return "\n".join([HEAD, *rows, ""]).encode()


TABLES = {
    "empty file": Bad(b"", 3, ("empty", "header")),
    "header only": Bad(lines()),
    "header only, no line end": Bad(HEAD.encode()),
    "only line ends": Bad(lines("", "", "\r", "")),
    "short and long rows": Bad(lines(SECRET, "p,1,F,5,6,7,8", "p,1", ",,,,,,,,", ",")),
    "a column missing": Bad(b"person,age,sex\np,1,F\n", 3, ("lacks 'income'",)),
    "a column twice": Bad(b"person,age,sex,income,age\np,1,F,2,3\n", 3, ("more than one", "'age'")),
    "a column more": Bad(f"{HEAD},{SECRET}\np,1,F,2,3\n".encode(), 3, ("not in the schema",)),
    "no header": Bad(f"{SECRET},3,F,12\n".encode(), 3, ("lacks", "'age'")),
    "wrong delimiter": Bad(lines(f"{SECRET};1;F;5").replace(b",", b";"), 3, ("lacks",)),
    "wrong delimiter in the rows": Bad(lines(f"{SECRET};1;F;5", "p\t1\tF\t5")),
    "UTF-16 read as UTF-8": Bad(lines(SECRET).decode().encode("utf-16"), 3, ("lacks",)),
    "latin-1 read as UTF-8": Bad(lines(f"{SECRET}é,1,ü,5").decode().encode("latin-1")),
    "an open quote": Bad(lines(f'"{SECRET},1,F,5', 'p,"1,F,5', 'p,1,F,"5', '"""', '"')),
    "quotes in the middle": Bad(lines('p"q,1"2,F"",5', f'"{SECRET}"x,1,F,5')),
    "binary junk": Bad(bytes(range(256)) * 50, 3, ("lacks",)),
    "binary rows": Bad(lines() + bytes(range(256)) * 50),
    "NaN and infinities": Bad(lines("p,nan,F,NaN", "p,inf,F,-inf", "p,1e999,M,-1e999", "p,,,")),
    "numbers in disguise": Bad(lines("p,٣,F,1_000", "p,0x10,M,1.2.3", "p,--1,F,1e", "p,+1,F,½")),
    "dates where numbers should be": Bad(lines("p,2020-01-01,F,01/02/2020 10:00+02:00")),
    "formulas": Bad(lines(f'=cmd|"{SECRET}"!A1,=1+1,+F,@SUM(1)', "-p,-1,-F,-5")),
    "right to left, emoji, zero width": Bad(lines("\u202e,1,\U0001f600,5", "\u200b,1,\ufeffF,5")),
    "old Mac line ends": Bad(lines(SECRET).replace(b"\n", b"\r"), 3, ("lacks",)),
    "a hundred thousand columns": Bad(
        ",".join(f"c{i}" for i in range(100_000)).encode() + b"\n", 3, ("not in the schema",)
    ),
    "a hundred thousand cells in a row": Bad(lines("p,1,F,5" + ",x" * 100_000)),
    "ten thousand different texts": Bad(lines(*(f"p{i},{i},F{i},{i}" for i in range(10_000)))),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table(home: Home, name: str) -> None:
    bad = TABLES[name]
    home.table.write_bytes(bad.content)
    made = ask(home)
    assert made.code == bad.code, made.err
    for word in bad.words:
        assert word in made.err
    assert (home / "s.csv").exists() == (bad.code == 0)
    left = {name: content for name, content in snapshot(home.folder).items() if name != "table.csv"}
    assert not any(SECRET.encode() in content for content in left.values())


def test_a_line_of_many_megabytes(home: Home) -> None:
    """It is one row; what is on it beyond the longest line that is read is as if not there."""
    with home.table.open("wb") as file:
        file.write(lines("p,1,F,5"))
        for _ in range(40):
            file.write(SECRET.encode() * (1_000_000 // len(SECRET)))
        file.write(b"\np,1,F,5\n")
    made = ask(home)
    assert made.code == 0, made.err


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv.gz", "jsonl"])
@pytest.mark.parametrize("content", [b"", b"junk" * 999, SECRET.encode()], ids=["no", "junk", "x"])
def test_files_that_are_not_what_they_are_called(home: Home, suffix: str, content: bytes) -> None:
    path = home / f"t.{suffix}"
    path.write_bytes(content)
    made = run("synthesize", path, "--schema", home.schema, *OK, "--out", home / "s.csv")
    assert made.code == {"jsonl": 0}.get(suffix, made.code or 1)
    assert "Traceback" not in made.err
    assert SECRET not in made.err
    assert suffix == "jsonl" or str(path) in made.err


BUDGETS = {
    "epsilon 0": ("--epsilon", "0"),
    "epsilon below 0": ("--epsilon", "-1"),
    "epsilon NaN": ("--epsilon", "nan"),
    "epsilon infinite": ("--epsilon", "inf"),
    "epsilon true": ("--epsilon", "True"),
    "epsilon a word": ("--epsilon", "some"),
    "epsilon empty": ("--epsilon", ""),
    "epsilon huge": ("--epsilon", "1e999999999"),
    "epsilon a fraction of nothing": ("--epsilon", "1/0"),
    "delta 0": ("--epsilon", "1", "--delta", "0"),
    "delta below 0": ("--epsilon", "1", "--delta", "-1e-6"),
    "delta 0.1": ("--epsilon", "1", "--delta", "0.1"),
    "delta NaN": ("--epsilon", "1", "--delta", "nan"),
    "delta a word": ("--epsilon", "1", "--delta", "tiny"),
    "rho 0": ("--rho", "0"),
    "epsilon and rho": ("--epsilon", "1", "--rho", "1"),
    "nothing": ("--quiet",),
}


@pytest.mark.parametrize("name", BUDGETS)
def test_a_budget_that_is_none(home: Home, name: str) -> None:
    home.table.unlink()  # nobody needs it to see that
    with untouched(home.folder):
        made = ask(home, *BUDGETS[name])
    assert made.code == 2
    assert any(word in made.err for word in ("epsilon", "delta", "rho"))


def test_discovery_needs_a_delta(home: Home) -> None:
    asked = ("--schema", home.open_schema, "--out", home / "s.csv")
    made = run("synthesize", home.table, *asked, *OK)
    assert made.code == 2
    assert "Give delta, or declare the levels" in made.err


@pytest.mark.parametrize("rows", [0, 4, 6, 2**40])
def test_a_false_number_of_rows_is_refused_without_the_true_one(home: Home, rows: int) -> None:
    home.schema.write_text(SCHEMA.replace('"people"', f'"people"\nrows = {rows}'))
    home.table.write_bytes(lines(*[f"{SECRET},1,F,5"] * 5))
    made = ask(home)
    assert made.code == 3
    assert "public size" in made.err
    assert "5" not in made.err.replace(str(rows), "").replace(str(home.folder), "")


def test_levels_and_names_that_are_strange(home: Home) -> None:
    strange = ['=cmd|" /C calc"!A0', "+1", "@x", "\u202eabc", "\U0001f600", 'a"b', "a,b", " ", "'"]
    quoted = ", ".join(
        '"' + level.replace("\\", "\\\\").replace('"', '\\"') + '"' for level in strange
    )
    home.schema.write_text(
        'version = 1\n[table]\nname = "t"\n'
        f'[columns."=1+1, \\"x\\""]\nkind = "category"\nlevels = [{quoted}]\n'
        '[columns.n]\nkind = "integer"\nmin = 0\nmax = 1\n'
    )
    cells = ['"' + level.replace('"', '""') + '",1' for level in strange]
    home.table.write_text("\n".join(['"=1+1, ""x""",n', *cells, ""]), encoding="utf-8")
    made = ask(home, "--epsilon", "9", "--release", home / "r")
    assert made.code == 0, made.err
    (table,) = load(home / "r").synthetic
    values = table.columns['=1+1, "x"']
    assert values.levels == tuple(strange)
    drawn = ("sample", home / "r", "--rows", 200, "--seed", 1, "--out")
    assert run(*drawn, home / "plain.csv").code == 0
    assert run(*drawn, home / "safe.csv", "--spreadsheet").code == 0
    plain, safe = (
        list(csv.reader((home / name).read_text("utf-8").splitlines(keepends=True)))
        for name in ("plain.csv", "safe.csv")
    )
    assert [[harmless(cell) for cell in row] for row in plain] == safe
    assert {plain[0][0], strange[0], "@x"} <= {row[0] for row in plain}
    assert not any(row[0].startswith(("=", "@")) for row in safe)


def test_formulas_are_made_harmless_in_csv_only(home: Home) -> None:
    assert ask(home, *OK, "--spreadsheet", out="s.csv.gz").code == 0
    for output, word in (("s.parquet", ".csv"), ("s.jsonl", ".csv")):
        refused = ask(home, *OK, "--spreadsheet", out=output)
        assert refused.code == 2
        assert word in refused.err
    asked = ("--schema", home.schema, *OK, "--release", home / "r", "--spreadsheet")
    refused = run("synthesize", home.table, *asked)
    assert refused.code == 2
    assert "--out" in refused.err
    assert not (home / "r").exists()


MOMENTS = """
[columns.day]
kind = "date"
min = 2020-01-01
max = 2020-12-31
[columns.at]
kind = "datetime"
min = 2020-01-01T00:00:00
max = 2020-12-31T23:59:59
missing = ["never"]
"""
WRITTEN = (
    *(
        "2020-02-30",
        "01/02/2020",
        "2020-1-1",
        "20200101",
        "0000-00-00",
        "99999-01-01",
        "1e3",
        SECRET,
    ),
    *(
        "2020-01-01T10:00:00+02:00",
        "2020-01-01 10:00",
        "2020-06-01T00:00:00Z",
        "2020-W01-1",
        "never",
    ),
    *(
        "-2020-01-01",
        "\u0662\u0660\u0662\u0660-01-01",
        "2020-01-01\0",
        "1577836800",
        "now()",
        "inf",
    ),
)


def test_dates_in_every_format_and_zone(home: Home) -> None:
    """Each is read as declared or goes where the schema sends what it cannot read."""
    home.schema.write_text(SCHEMA + MOMENTS)
    rows = [f"p,1,F,5,{text},{text}" for text in WRITTEN]
    home.table.write_text("\n".join([f"{HEAD},day,at", *rows, ""]), encoding="utf-8")
    made = ask(home, *OK, "--release", home / "r")
    assert made.code == 0, made.err
    (table,) = load(home / "r").synthetic
    for name in ("day", "at"):
        cells = table.columns[name]
        moments = cells.data if cells.missing is None else cells.data[~cells.missing]
        assert ((moments >= np.datetime64("2020-01-01")) & (moments < np.datetime64("2021"))).all()


def test_ten_thousand_levels(home: Home) -> None:
    levels = ", ".join(f'"L{number}"' for number in range(10_000))
    home.schema.write_text(SCHEMA.replace('["F", "M"]', f"[{levels}]"))
    home.table.write_bytes(lines(*[f"p,1,L{number},5" for number in range(0, 10_000, 7)], SECRET))
    made = ask(home)
    assert made.code == 0, made.err


NEIGHBOURS = {
    "a blank": "p,1,F,",
    "a bad value": f"{SECRET},{SECRET},{SECRET},{SECRET}",
    "a ragged row": "p",
    "an open quote": '"p,1,F,5',
    "an infinity": "p,inf,F,nan",
    "bad bytes": "\udcff,\udcfe,\udcff,1",
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_neighbours_show_in_the_noisy_numbers_alone(home: Home, name: str) -> None:
    """Everything but the noisy counts and what was drawn from them is the same, to the byte.

    The rows differ too, for they are drawn from noisy counts; their types, columns, levels and
    number, the card, and what is said are compared. The method is named: why it was chosen would be
    told with the noisy size.
    """
    asked = (*OK, "--method", "independent")
    ordinary = lines(*["p,1,F,5"] * 6)
    odd = ordinary + NEIGHBOURS[name].encode(errors="surrogateescape") + b"\n"
    said = []
    for folder, content in (("first-folder", ordinary), ("other-folder", odd)):
        home.table.write_bytes(content)
        os.environ["SOURCE_DATE_EPOCH"] = "1"
        try:
            made = ask(home, *asked, "--no-ledger", "--force", "--release", home / folder, "--json")
        finally:
            del os.environ["SOURCE_DATE_EPOCH"]
        assert made.code == 0, made.err
        files = snapshot(home / folder)
        said.append(
            (
                made.out.replace(folder, ""),
                made.err,
                sorted(files),
                files["card.json"],
                files["model/schema.toml"],
                columns(home / folder),
            )
        )
    assert said[0] == said[1]
