"""``methods``, ``plan``, ``ledger``, ``draft``, ``demo``, ``--version`` and ``--help``."""

from __future__ import annotations

import csv
import json
from itertools import combinations
from math import sqrt
from typing import Any

import pytest

from tests.cli.conftest import Home
from tests.cli.program import SECRET, run, untouched
from tests.tables import numbers
from understudy.cli.forecast import forecast
from understudy.cli.output import columns, phase
from understudy.planning import Plan
from understudy.privacy.budget import ZCDP
from understudy.privacy.state import Charge
from understudy.release import load
from understudy.schema.schema import Schema

COMMANDS = (
    *("demo", "draft", "check", "plan", "synthesize", "sample", "compare", "methods"),
    *("ledger", "ledger init", "ledger show", "ledger spend"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example(command: str) -> None:
    shown = run(*command.split(), "--help")
    assert shown.code == 0
    assert f"Example: understudy {command.split(maxsplit=1)[0]}" in " ".join(shown.out.split())


def test_the_version() -> None:
    import understudy

    assert run("--version").out == f"understudy {understudy.__version__}\n"


def test_no_command_shows_the_help() -> None:
    shown = run()
    assert shown.code == 2
    assert all(command in shown.out + shown.err for command in ("demo", "synthesize", "ledger"))


def test_methods_as_json_and_as_text(home: Home) -> None:
    import understudy as us

    listed = json.loads(run("methods", "--json").out)
    assert listed == us.methods()
    assert [facts["name"] for facts in listed] == list(us.methods.names())
    keys = {"name", "summary", "guarantee", "neighbours", "status", "needs", "paper", "settings"}
    assert all(set(facts) == keys for facts in listed)
    text = run("methods", "--for", home.schema).out
    assert all(facts["name"] in text and facts["paper"] in text for facts in listed)
    assert run("methods", "--for", home / "none.toml").code != 0


def test_methods_that_refuse_a_schema_say_why(home: Home) -> None:
    wide = home / "wide.toml"
    column = '[columns.c{}]\nkind = "integer"\nmin = 0\nmax = 99\n'
    columns = "".join(column.format(number) for number in range(12))
    wide.write_text(f'version = 1\n[table]\nname = "wide"\n{columns}')
    listed = [facts["name"] for facts in json.loads(run("methods", "--for", wide, "--json").out)]
    assert "independent" in listed
    assert "marginal" not in listed
    text = run("methods", "--for", wide).out
    assert "marginal is left out: the joint table of 12 columns" in text


def test_a_plan_states_the_noise_of_every_column(home: Home) -> None:
    """Laplace noise of scale columns / epsilon: standard deviation sqrt(2) times that."""
    budget = ("--epsilon", "0.5", "--method", "independent")
    asked = ("plan", "--schema", home.schema, *budget, "--n", 1000)
    told = json.loads(run(*asked, "--json").out)
    assert told["rows"] == 1000
    assert [error["column"] for error in told["errors"]] == ["age", "sex", "income"]
    for error in told["errors"]:
        assert error["stddev"] == pytest.approx(sqrt(2) * 3 / 0.5, rel=0.02)
    assert sum(error["tvd"] for error in told["errors"]) == pytest.approx(3 * told["mean_tvd"])
    text = run(*asked).out
    assert "epsilon = 0.5" in text
    assert "Rough effort" in text
    assert "  1 count      epsilon = 0.5" in text


def test_a_plan_of_relations_says_what_would_run_and_how_its_errors_are_known(home: Home) -> None:
    asked = ("plan", "--schema", home.schema, "--epsilon", 3, "--delta", "1e-6", "--n", 9000)
    text = run(*asked).out
    assert "Method: aim, chosen by auto: " in text
    assert "3 relations of columns: " in text
    assert "(simulated, of noise alone)" in text
    assert "leaves out of their relations comes on top" in " ".join(text.split())
    exact = " ".join(run(*asked, "--method", "planned").out.split())
    assert "(from the noise alone, exactly)" in exact
    assert "the errors of the answers themselves" in exact
    assert "comes on top" not in exact
    told = json.loads(run(*asked, "--json").out)
    assert told["method"] == "aim"
    assert len(told["relations"]) == 3


@pytest.mark.parametrize("method", ["planned", "mst", "independent"])
def test_a_plan_says_that_only_single_columns_would_be_bought(home: Home, method: str) -> None:
    asked = ("plan", "--schema", home.schema, "--delta", "1e-6", "--n", 9000, "--method", method)
    for epsilon, alone in (("0.0001", True), ("3", method == "independent")):
        text = " ".join(run(*asked, "--epsilon", epsilon).out.split())
        assert ("the columns of the synthetic rows would be independent" in text) is alone
        told = json.loads(run(*asked, "--epsilon", epsilon, "--json").out)
        assert told["single_columns"] is alone


def test_a_plan_for_an_error(home: Home) -> None:
    asked = ("plan", "--schema", home.schema, "--n", 1000, "--method", "independent", "--json")
    told = json.loads(run(*asked, "--want-error", "0.05").out)
    assert told["mean_tvd"] <= 0.05
    epsilon = float(told["asked"].removeprefix("epsilon = "))
    tighter = json.loads(run(*asked, "--epsilon", epsilon * 0.97).out)
    assert tighter["mean_tvd"] > 0.05


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--epsilon", "0"],
        ["--epsilon", "1", "--rho", "1"],
        ["--epsilon", "1", "--want-error", "0.1"],
        ["--want-error", "0"],
        ["--want-error", "nan"],
        ["--want-error", "2"],
        ["--epsilon", "1", "--n", "0"],
        ["--epsilon", "1", "--method", "best"],
        ["--epsilon", "1", "--set", "x=1"],
    ],
)
def test_wrong_plans(home: Home, arguments: list[str]) -> None:
    made = run("plan", "--schema", home.schema, *arguments)
    assert made.code == 2, made.out + made.err
    assert made.out == ""


PEAKS = {
    ("adult14", "independent"): (14, 39_073, [], 14, 172),
    ("adult14", "mst"): (14, 39_073, [45] * 13, 27, 194),
    ("adult14", "planned"): (14, 39_073, [], 105, 312),
    ("adult14", "aim"): (14, 39_073, [91] * 17, 32, 371),
    ("adult14", "aim on a stand-in"): (14, 39_073, [91] * 17, 15, 371),
    ("wide", "independent"): (60, 10_000, [], 60, 168),
    ("wide", "mst"): (60, 10_000, [1_400] * 59, 119, 345),
    ("wide", "planned"): (60, 10_000, [], 1_830, 321),
    ("wider", "mst"): (150, 10_000, [9_460] * 149, 299, 862),
    ("wider", "planned"): (180, 10_000, [], 16_290, 459),
    ("small", "planned"): (3, 500, [], 6, 142),
    ("small", "mst"): (3, 500, [3, 2], 5, 164),
}
"""Columns, rows, candidates of each choice, tables bought, and the megabytes that a run took."""


@pytest.mark.parametrize("case", PEAKS)
def test_a_forecast_of_memory_is_enough_and_not_far_too_much(case: tuple[str, str]) -> None:
    width, rows, choices, tables, peak = PEAKS[case]
    names = [f"c{place}" for place in range(width)]
    pairs = [list(pair) for pair in combinations(names, 2)]
    bought = ([[name] for name in names] + pairs)[:tables]
    charges = [bill("count", marginals=bought)]
    charges += [bill("select", candidates=(pairs * 2)[:many]) for many in choices]
    schema = Schema(name="t", columns={name: numbers(name, 0, 7) for name in names})
    told = forecast(schema, plan_of(charges, rows=rows)).megabytes
    assert peak <= told <= 2 * peak


def bill(verb: str, **detail: Any) -> Charge:
    return Charge("run-0001", 0, verb, detail, ZCDP(1), "now")


def plan_of(charges: list[Charge], *, rows: int) -> Plan:
    budget = ZCDP(1)
    return Plan(budget, budget, rows, "m", "", tuple(charges), (), (), exact=True, seconds=0.0)


def test_more_rows_take_longer(home: Home) -> None:
    from understudy.api import plan

    schema = Schema.load(home.schema)
    small, large = (
        forecast(schema, plan(schema, epsilon=1, rows=rows)) for rows in (1000, 10_000_000)
    )
    assert 0 < small.seconds < 10 < large.seconds
    assert small.megabytes < large.megabytes


def test_a_ledger_from_init_to_show(home: Home) -> None:
    book = home / "x.ledger"
    assert run("ledger", "init", book, "--schema", home.schema, "--epsilon", 2).code == 0
    assert book.stat().st_mode & 0o777 == 0o600
    assert "No run yet" in run("ledger", "show", book).out
    spent = run("ledger", "spend", book, "--epsilon", "0.5", "--purpose", "a mean\x1b[2J")
    assert spent.code in (0, 2)  # a purpose with control characters may be refused
    assert run("ledger", "spend", book, "--epsilon", "0.5", "--purpose", "a mean").code == 0
    state = json.loads(run("ledger", "show", book, "--json").out)
    assert state["table"] == "people"
    assert state["runs"][-1]["purpose"] == "a mean"
    shown = run("ledger", "show", book).out
    assert "\x1b" not in shown
    assert "add-remove" in json.dumps(state)
    assert "left" in shown


def test_a_ledger_refuses(home: Home) -> None:
    book = home / "x.ledger"
    run("ledger", "init", book, "--schema", home.schema, "--epsilon", 1)
    with untouched(home.folder):
        again = run("ledger", "init", book, "--schema", home.schema, "--epsilon", 5)
        assert again.code == 4
        assert "a ledger is never overwritten" in again.err
        assert "--force" not in again.err
        over = run("ledger", "spend", book, "--epsilon", 2, "--purpose", "too much")
        assert over.code == 4
        assert run("ledger", "spend", book, "--epsilon", 0, "--purpose", "x").code == 2
        assert run("ledger", "spend", book, "--epsilon", 1).code == 2
        assert run("ledger", "show", home / "none").code == 4
        assert run("ledger", "init", home / "y", "--schema", home.schema).code == 2
    noted = run("ledger", "spend", book, "--epsilon", 2, "--purpose", "done", "--already")
    assert noted.code == 0


def test_drafts(home: Home) -> None:
    shown = run("draft", "--from", home.table)
    assert shown.code == 0
    assert "[columns.age]" in shown.out
    assert SECRET not in shown.out + shown.err
    (home / "d.toml").write_text(shown.out)
    assert tuple(Schema.load(home / "d.toml").columns) == ("person", "age", "sex", "income")
    assert run("draft").code == 0
    made = run("draft", "--from", home.table, "--out", home / "e.toml")
    assert made.code == 0
    assert (home / "e.toml").read_text().rstrip() == shown.out.rstrip()


def test_a_draft_of_a_public_sample(home: Home) -> None:
    (home / "public.csv").write_text("age,sex\n3,F\n4,M\n5,F\n")
    shown = run("draft", "--public-sample", home / "public.csv")
    assert shown.code == 0
    assert "age" in shown.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["--from", "table.xlsx"],
        ["--from", "table.csv", "--public-sample", "table.csv"],
        ["--from", "table.csv", "--out", "schema.toml"],
        ["--from", "table.csv", "--out", "table.csv", "--force"],
        ["--from", "table.csv", "--out", "no/schema.toml"],
    ],
)
def test_wrong_drafts(home: Home, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home.folder)
    with untouched(home.folder):
        assert run("draft", *arguments).code == 2


def test_the_demo_makes_everything(home: Home) -> None:
    folder = home / "demo"
    made = run("demo", "--out", folder, "--rows", 400)
    assert made.code == 0, made.err
    release = load(folder / "release")
    assert release.card.to_text() in made.out
    names = ("confidential.csv", "schema.toml", "synthetic.csv", "release/report.html")
    for name in names:
        assert (folder / name).is_file()
        assert str(folder / name) in made.out
    with (folder / "confidential.csv").open() as real, (folder / "synthetic.csv").open() as made_up:
        people, others = list(csv.DictReader(real)), list(csv.DictReader(made_up))
    assert len(people) == 400
    assert list(people[0]) == list(others[0])
    for column in ("patient_id", "name", "email"):
        assert not {row[column] for row in people} & {row[column] for row in others}


def test_the_demo_never_overwrites(home: Home) -> None:
    folder = home / "demo"
    asked = ("demo", "--out", folder, "--rows", 50, "--quiet")
    assert run(*asked).code == 0
    with untouched(folder):
        assert run(*asked).code == 2
    told = run(*asked, "--force", "--json")
    assert told.code == 0
    assert set(json.loads(told.out)) == {"card", "files"}
    (home / "file").write_text("x")
    assert run("demo", "--out", home / "file").code == 2


def test_columns_are_aligned() -> None:
    assert columns([("a", "bb"), ("ccc", "d")]) == "a    bb\nccc  d"


def test_a_phase_off_a_terminal_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    with phase("Reading"):
        pass
    assert capfd.readouterr() == ("", "")
