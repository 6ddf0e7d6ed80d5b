"""A run that is killed leaves no half file, stays spent, and goes on without asking twice."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.killing import PLACES, Killer, Place, Scene, kill_and_resume, killer, scene
from tests.cli.program import SCHEMA, run, snapshot, write_table
from understudy.privacy.ledger import Ledger

KILLS = 10


@pytest.fixture(scope="module")
def runs() -> Iterator[Killer]:
    with killer() as found:
        yield found


def test_random_moments(runs: Killer, tmp_path: Path) -> None:
    whole = runs.run(*scene(tmp_path / "whole", SCHEMA).request())
    assert whole.code == 0
    moments = random.Random(4)
    for number in range(KILLS):
        made = scene(tmp_path / str(number), SCHEMA)
        kill_and_resume(runs, made, after=moments.uniform(0, whole.seconds))


@pytest.mark.parametrize("place", PLACES[4:], ids=lambda place: "-".join(map(str, place[1:3])))
def test_at_a_place(runs: Killer, tmp_path: Path, place: Place) -> None:
    made = scene(tmp_path / "scene", SCHEMA)
    ended = kill_and_resume(runs, made, place=place)
    assert ended.code == -signal.SIGKILL, "the place was never reached"


def test_between_the_noise_and_the_journal_nothing_had_left(runs: Killer, tmp_path: Path) -> None:
    made = scene(tmp_path / "scene", SCHEMA)
    place = ("understudy.gate.noise", "SystemNoise.laplace", "after", 2)
    runs.run(*made.request("--method", "independent"), place=place)
    assert made.examine() == "run-0001"
    assert made.answers() == []
    assert {name.split("/")[0] for name in snapshot(made.folder)} == {
        "schema.ledger",
        "schema.toml",
        "table.csv",
    }
    (killed,) = Ledger.open(made.book).state().runs
    assert len(killed.charges) == 1, "paid for before the rows were asked"


@pytest.mark.parametrize("place", PLACES[:4], ids=lambda place: "-".join(map(str, place[1:3])))
def test_while_the_first_ledger_is_made(runs: Killer, tmp_path: Path, place: Place) -> None:
    write_table(tmp_path / "table.csv")
    (tmp_path / "schema.toml").write_text(SCHEMA)
    made = Scene(tmp_path, tmp_path / "schema.toml")
    request = [part for part in made.request() if part not in ("--ledger", made.book)]
    assert runs.run(*request, place=place).code == -signal.SIGKILL
    if made.book.exists():
        assert Ledger.open(made.book).state().runs == ()
    assert runs.run(*request).code == 0
    (only,) = Ledger.open(made.book).state().runs
    assert only.status == "closed"


def test_the_same_run_resumed_twice_gives_the_same_bytes(runs: Killer, tmp_path: Path) -> None:
    made = scene(tmp_path / "scene", SCHEMA)
    kill_and_resume(
        runs, made, place=("understudy.privacy.reservation", "Reservation.journal", "after", 1)
    )
    first = (made.folder / "s.csv").read_bytes()
    again = run(*made.request("--resume", "run-0001", "--force"))
    assert again.code == 0, again.err
    assert (made.folder / "s.csv").read_bytes() == first
