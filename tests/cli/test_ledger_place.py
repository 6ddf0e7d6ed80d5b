"""Where the program books a run, and how it refuses a ledger that cannot be used."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import Home
from tests.cli.program import Outcome, run
from understudy.privacy import ledger_file
from understudy.privacy.budget import PureDP
from understudy.privacy.ledger import Ledger
from understudy.schema.schema import Schema

OK = ("--epsilon", "1")


def ask(home: Home, *arguments: object) -> Outcome:
    return run("synthesize", home.table, "--schema", home.schema, *arguments)


@pytest.fixture
def book(home: Home) -> Path:
    return home / "schema.ledger"


def test_without_a_word_the_run_is_booked_beside_the_schema(home: Home, book: Path) -> None:
    for number in (1, 2):
        made = ask(home, *OK, "--out", home / f"{number}.csv")
        assert made.code == 0, made.err
        assert f"Entered in the ledger schema.ledger as run run-000{number}" in made.out
    state = json.loads(run("ledger", "show", book, "--json").out)
    assert state["total"] is None
    assert len(state["runs"]) == 2
    shown = run("ledger", "show", book).out
    assert "run-0002" in shown
    assert "not limited" in shown


def test_a_total_set_there_is_kept(home: Home, book: Path) -> None:
    assert run("ledger", "init", book, "--schema", home.schema, "--epsilon", "1.5").code == 0
    assert ask(home, *OK, "--out", home / "1.csv").code == 0
    refused = ask(home, *OK, "--out", home / "2.csv")
    assert refused.code == 4
    assert "nothing was read" in refused.err


def test_no_ledger_is_said_on_the_card(home: Home, book: Path) -> None:
    made = ask(home, *OK, "--no-ledger", "--out", home / "s.csv")
    assert made.code == 0
    assert "No ledger was kept" in made.out
    assert not book.exists()


@pytest.mark.parametrize("more", [("--ledger", "x.ledger"), ("--resume", "run-0001")])
def test_no_ledger_goes_with_none(home: Home, more: tuple[str, str]) -> None:
    refused = ask(home, *OK, "--no-ledger", *more, "--out", home / "s.csv")
    assert refused.code == 2
    assert "--no-ledger" in refused.err


def test_a_wrong_request_makes_no_ledger(home: Home, book: Path) -> None:
    assert ask(home, "--epsilon", "-1", "--out", home / "s.csv").code == 2
    assert ask(home, "--rho", "1", "--delta", "1", "--out", home / "s.csv").code == 2
    assert not book.exists()


def test_a_run_of_the_default_ledger_is_resumed(home: Home, book: Path) -> None:
    refused = ask(home, *OK, "--resume", "run-0001", "--out", home / "s.csv")
    assert refused.code == 2
    assert "schema.ledger" in refused.err
    asked = (*OK, "--seed", 3)
    assert ask(home, *asked, "--out", home / "1.csv").code == 0
    again = ask(home, *asked, "--resume", "run-0001", "--out", home / "2.csv")
    assert again.code == 0, again.err
    assert (home / "1.csv").read_bytes() == (home / "2.csv").read_bytes()
    assert len(Ledger.open(book).state().runs) == 1


def init(home: Home, book: Path) -> None:
    public = Schema.load(home.schema)
    Ledger.init(
        book,
        table=public.name,
        unit=public.unit.name,
        neighbours=public.neighbours,
        total=PureDP(5),
    )


def corrupt(home: Home, book: Path) -> None:
    init(home, book)
    content = bytearray(book.read_bytes())
    content[4096:] = b"\xaa" * (len(content) - 4096)
    book.write_bytes(content)


def cut(home: Home, book: Path) -> None:
    init(home, book)
    book.write_bytes(book.read_bytes()[:3000])


def empty(home: Home, book: Path) -> None:
    book.touch(0o600)


def text(home: Home, book: Path) -> None:
    book.write_text("hello")
    book.chmod(0o600)


def another_database(home: Home, book: Path) -> None:
    with sqlite3.connect(book) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    book.chmod(0o600)


def open_to_others(home: Home, book: Path) -> None:
    init(home, book)
    book.chmod(0o644)


def a_folder(home: Home, book: Path) -> None:
    book.mkdir()


def another_table(home: Home, book: Path) -> None:
    init(home, book)
    home.schema.write_text(home.schema.read_text().replace('"people"', '"other people"'))


def a_link(home: Home, book: Path) -> None:
    init(home, home / "real.ledger")
    book.symlink_to(home / "real.ledger")


def another_unit(home: Home, book: Path) -> None:
    init(home, book)
    persons = 'unit = { column = "sex", max_rows = 2 }'
    home.schema.write_text(home.schema.read_text().replace('"people"', f'"people"\n{persons}'))


BROKEN: dict[Callable[[Home, Path], None], str] = {
    corrupt: "damaged",
    cut: "damaged",
    empty: "not an Understudy ledger",
    text: "not an Understudy ledger",
    another_database: "not an Understudy ledger",
    open_to_others: "chmod 600",
    a_folder: "not a file",
    a_link: "is a link",
    another_unit: "use the ledger of that table",
    another_table: "use the ledger of that table",
}


@pytest.mark.parametrize("breaks", BROKEN, ids=lambda breaks: breaks.__name__)
def test_a_ledger_that_cannot_be_used(
    home: Home, book: Path, breaks: Callable[[Home, Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks(home, book)
    opened = forbid_reading(monkeypatch)
    refused = ask(home, *OK, "--out", home / "s.csv")
    assert refused.code in (2, 4), refused.err
    assert BROKEN[breaks] in refused.err
    assert "Traceback" not in refused.err
    assert not (home / "s.csv").exists()
    assert not opened, "the table was opened before the ledger was known to be good"


def test_another_currency(home: Home, book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    init(home, book)
    opened = forbid_reading(monkeypatch)
    refused = ask(home, "--rho", "1", "--out", home / "s.csv")
    assert refused.code == 2
    assert "currency" in refused.err
    assert not opened


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    from understudy import api

    opened: list[str] = []

    def note(*_: object, **__: object) -> None:
        opened.append("opened")
        raise AssertionError("rows were read")

    monkeypatch.setattr(api, "open_source", note)
    return opened


def test_a_ledger_that_another_process_holds(
    home: Home, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init(home, book)
    monkeypatch.setattr(ledger_file, "BUSY_SECONDS", 0.1)
    opened = forbid_reading(monkeypatch)
    connection = sqlite3.connect(book, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        refused = ask(home, *OK, "--out", home / "s.csv")
    finally:
        connection.close()
    assert refused.code == 4
    assert "another process is using it" in refused.err
    assert not opened


@contextmanager
def tiny_disk(place: Path) -> Iterator[Path]:
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, check=False, capture_output=True).returncode
    ):
        pytest.skip("needs the right to mount a small disk: run as root, outside a container")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(disk: Path) -> None:
    with (disk / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return


def test_a_full_disk(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with tiny_disk(home / "disk") as disk:
        book = disk / "x.ledger"
        init(home, book)
        fill(disk)
        opened = forbid_reading(monkeypatch)
        refused = ask(home, *OK, "--ledger", book, "--out", home / "s.csv")
        assert refused.code == 4
        assert "disk is full" in refused.err or "disk i/o" in refused.err.lower()
        assert not opened
        made = run("ledger", "init", disk / "y.ledger", "--schema", home.schema, *OK)
        assert made.code == 4
        assert sorted(path.name for path in disk.iterdir()) == ["ballast", "x.ledger"]
        (disk / "ballast").unlink()
        assert Ledger.open(book).state().runs == ()


@pytest.mark.skipif(
    os.geteuid() == 0, reason="needs a user for whom file modes count: do not run as root"
)
def test_a_ledger_that_may_only_be_read(home: Home, book: Path) -> None:
    init(home, book)
    book.chmod(0o400)
    refused = ask(home, *OK, "--out", home / "s.csv")
    assert refused.code == 4
    assert "permission" in refused.err
