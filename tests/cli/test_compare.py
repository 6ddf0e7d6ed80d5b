"""``compare``: marked in red, written where asked, and a gate that can close."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Home
from tests.cli.program import SECRET, run, untouched, write_table
from tests.report.test_page import Reader
from understudy.report.comparison import comparison_page

PEOPLE = [(f"p{n}", str(n % 10), "FM"[n % 2], str(n % 100)) for n in range(300)]


@pytest.fixture
def pair(home: Home) -> Home:
    write_table(home.table, PEOPLE)
    write_table(home / "same.csv", PEOPLE)
    write_table(home / "other.csv", [(p, "0", "F", "") for p, *_ in PEOPLE])
    return home


def scores(path: Path) -> dict[str, float | None]:
    figures = json.loads(path.read_text())["figures"]
    return {name: figure["mean"] for name, figure in figures.items()}


def test_figures_on_screen_and_in_json(pair: Home) -> None:
    found = {}
    for name in ("same", "other"):
        made = run(
            *("compare", pair.table, pair / f"{name}.csv", "--schema", pair.schema),
            *("--json", pair / f"{name}.json"),
        )
        assert made.code == 0, made.err
        assert "UNPROTECTED" in made.err
        assert "UNPROTECTED" in made.out
        found[name] = scores(pair / f"{name}.json")
    distances = [name for name in found["same"] if name.startswith("tvd.1")]
    assert distances
    for name in distances:
        assert found["same"][name] == 0
        assert (found["other"][name] or 0) > 0.3


def test_the_page_is_red_and_offline(pair: Home) -> None:
    made = run(
        *("compare", pair.table, pair / "other.csv", pair / "same.csv"),
        *("--schema", pair.schema, "--report", pair / "c.html", "--quiet"),
    )
    assert made.code == 0, made.err
    page = (pair / "c.html").read_text()
    reader = Reader(page)
    assert reader.open == []
    assert reader.loaded == []
    assert reader.shown.split()[2].startswith("UNPROTECTED") or "UNPROTECTED" in reader.shown
    assert page.index("alarm") < page.index("<h1>")
    assert "300, 300" in reader.shown


def test_hostile_names_on_the_page() -> None:
    hostile = "<script>alert(1)</script>\u202e"
    figure = {"values": [1.0], "mean": 1.0, "spread": None, "ceiling": 0.0, "floor": 2.0}
    figure |= {"ceiling_spread": None, "floor_spread": 0.25}
    group = {"column": hostile, "level": hostile, "tvd": 0.1, "ceiling": 0.1, "real_share": 0.5}
    page = comparison_page(
        {
            "notice": "UNPROTECTED",
            "table": hostile,
            "target": hostile,
            "rows": {"real": 3, "synthetic": [3]},
            "figures": {
                hostile: {**figure, "better": "low"},
                "none": {**figure, "mean": None, "better": "low"},
                "flat": {**figure, "floor": 0.0, "better": "low"},
                "best at the floor": {**figure, "floor": 0.0, "ceiling": 0.5, "better": "low"},
                "neither": {**figure, "better": "neither"},
            },
            "details": {"subgroups": [[group]]},
            "notes": [hostile],
        }
    )
    assert "<script" not in page
    assert "\u202e" not in page
    assert page.count("percent of the way") == 1
    assert "50 percent of the way" in page
    assert "2 ± 0.25" in page


def test_the_gate_closes(pair: Home) -> None:
    (pair / "gate.toml").write_text('version = 1\n[limits]\n"tvd.1.mean" = { max = 0.1 }\n')
    asked = ("--schema", pair.schema, "--gate", pair / "gate.toml", "--quiet")
    assert run("compare", pair.table, pair / "same.csv", *asked).code == 0
    made = run("compare", pair.table, pair / "other.csv", *asked, "--json", pair / "s.json")
    assert made.code == 5
    assert "tvd.1.mean" in made.err
    assert (pair / "s.json").is_file()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["same.csv", "--report", "c.pdf"], 2),
        (["same.csv", "--json", "same.csv", "--force"], 2),
        (["same.csv", "--json", "old.json"], 2),
        (["same.csv", "--gate", "none.toml"], 1),
        (["same.csv", "--gate", "same.csv"], 2),
        (["same.csv", "--target", "colour"], 2),
        (["none.csv"], 1),
        (["bad.csv"], 3),
        ([], 2),
    ],
)
def test_wrong_questions(
    pair: Home, arguments: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair.folder)
    (pair / "old.json").write_text("precious")
    (pair / "bad.csv").write_text("a,b\n")
    with untouched(pair.folder):
        made = run("compare", pair.table, *arguments, "--schema", pair.schema)
    assert made.code == code, made.err
    assert SECRET not in made.out + made.err
