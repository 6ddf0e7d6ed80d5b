"""The file: private, whole or refused, and never somebody else's."""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from contextlib import closing
from shlex import quote

import pytest

from tests.privacy.conftest import TOY
from understudy.errors import LedgerError
from understudy.privacy import ledger_file
from understudy.privacy.budget import PureDP
from understudy.privacy.ledger import Ledger

HALF = PureDP(0.5)


@pytest.fixture
def ledger(path):
    return Ledger.init(path, **TOY, total=PureDP(1))


def open_and_write(path):
    """Both ways in: a new look at the file, and a write to it."""
    Ledger.open(path).reserve(PureDP(0.1), purpose="x")


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_ledger_file_is_for_its_owner_alone(path, monkeypatch):
    before = os.umask(0)
    try:
        ledger = Ledger.init(path, **TOY, total=PureDP(1))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    ledger.reserve(HALF, purpose="x")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_side_files_are_private_and_gone_after_each_commit(ledger, path):
    store = ledger_file.FileStore(path)
    with store.transaction(write=True) as connection:
        connection.execute("UPDATE about SET unit = 'person'")
        beside = [file for file in path.parent.iterdir() if file != path]
        assert [file.name for file in beside] == [f"{path.name}-journal"]
        assert stat.S_IMODE(beside[0].stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_commits_are_synced_to_the_disk(ledger, path):
    with ledger_file.FileStore(path).transaction(write=False) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (3,)  # EXTRA


@pytest.mark.parametrize("existing", ["file", "folder", "link", "dangling link", "ledger"])
def test_init_never_overwrites_or_follows(path, tmp_path, existing):
    other = tmp_path / "other"
    match existing:
        case "file":
            path.write_text("precious")
        case "folder":
            path.mkdir()
        case "link":
            other.write_text("precious")
            path.symlink_to(other)
        case "dangling link":
            path.symlink_to(other)
        case "ledger":
            Ledger.init(path, **TOY, total=PureDP(1))
    with pytest.raises(LedgerError, match="exists already; a ledger is never overwritten"):
        Ledger.init(path, **TOY, total=PureDP(9))
    assert existing != "file" or path.read_text() == "precious"
    assert existing != "dangling link" or not other.exists()


@pytest.mark.parametrize("name", ["missing/ledger.db", "nul\0byte", "x" * 300])
def test_a_path_that_cannot_be_is_refused(tmp_path, name):
    with pytest.raises(LedgerError, match="cannot be made"):
        Ledger.init(tmp_path / name, **TOY, total=PureDP(1))
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger.open(tmp_path / name)


def test_an_init_that_fails_leaves_no_file(path, monkeypatch):
    monkeypatch.setattr(ledger_file, "_TABLES", "CREATE TABLE about (a);\nNONSENSE;\n")
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger.init(path, **TOY, total=PureDP(1))
    assert not path.exists()


def test_what_is_not_a_plain_private_file_is_refused(ledger, path, tmp_path):
    link, folder = tmp_path / "link", tmp_path / "folder"
    link.symlink_to(path)
    folder.mkdir()
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for place, says in (
        (link, "is a link"),
        (folder, "is not a file"),
        (fifo, "is not a file"),
        (tmp_path / "absent", "no such file"),
    ):
        with pytest.raises(LedgerError, match=says):
            Ledger.open(place)


def test_a_second_name_is_refused_under_both_names(ledger, path, tmp_path):
    twin = tmp_path / "twin"
    twin.hardlink_to(path)
    for name in (path, twin):
        with pytest.raises(LedgerError, match="is a link; name the ledger file itself"):
            Ledger.open(name)
    with pytest.raises(LedgerError, match="is a link"):
        ledger.reserve(HALF, purpose="x")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_file_that_others_can_use_is_refused(ledger, path, mode):
    path.chmod(mode)
    with pytest.raises(LedgerError, match=f"run: chmod 600 {re.escape(quote(str(path)))}$"):
        ledger.reserve(HALF, purpose="x")
    path.chmod(0o600)
    ledger.reserve(HALF, purpose="x")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is not an Understudy ledger"),
        (b"version = 1\n[table]\n" * 40, "is not an Understudy ledger"),
        (b"SQLite format 3\0" + b"\xff" * 4000, "is not an Understudy ledger"),
    ],
)
def test_a_file_that_is_no_ledger_is_refused(path, content, says):
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(LedgerError, match=says):
        Ledger.open(path)
    assert path.read_bytes() == content


def test_another_program_s_database_is_refused_untouched(path):
    change(path, "CREATE TABLE run (number INTEGER)")
    path.chmod(0o600)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="is not an Understudy ledger"):
        open_and_write(path)
    assert path.read_bytes() == before


def test_a_newer_ledger_is_refused(ledger, path):
    change(path, f"PRAGMA user_version = {ledger_file.VERSION + 1}")
    with pytest.raises(LedgerError, match="has version 2, and this Understudy knows 1"):
        Ledger.open(path)
    with pytest.raises(LedgerError, match="use the newer Understudy"):
        ledger.reserve(HALF, purpose="x")
    change(path, "PRAGMA user_version = 0")
    with pytest.raises(LedgerError, match="is not an Understudy ledger"):
        Ledger.open(path)


@pytest.mark.parametrize("damage", ["cut", "zeros", "noise", "swapped"])
def test_a_damaged_file_is_refused(ledger, path, damage):
    for _ in range(9):
        run = ledger.reserve(PureDP(0.01), purpose="x" * 900)
        run.journal(run.charge("count", detail={}, cost=PureDP(0.01)), {"a": "y" * 9000})
    content = bytearray(path.read_bytes())
    page = 4096
    assert len(content) > 8 * page
    match damage:
        case "cut":
            del content[len(content) // 2 :]
        case "zeros":
            content[page : 3 * page] = bytes(2 * page)
        case "noise":
            content[page : 6 * page] = bytes(i * 37 % 256 for i in range(5 * page))
        case "swapped":
            content[page : 2 * page], content[2 * page : 3 * page] = (
                content[2 * page : 3 * page],
                content[page : 2 * page],
            )
    path.write_bytes(content)
    with pytest.raises(LedgerError, match=r"damaged|cannot be used"):
        Ledger.open(path).state()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM about",
        "UPDATE about SET currency = 'euro'",
        "UPDATE about SET neighbours = 'far away'",
        "UPDATE about SET total = '{}'",
        "UPDATE about SET total = 'x'",
        "UPDATE about SET total = '[]'",
        """UPDATE about SET total = '{"currency": "pure", "epsilon": "-1"}'""",
        'UPDATE run SET working = \'{"currency": "pure"}\'',
        "UPDATE run SET entered = '3'",
        "UPDATE charge SET charged = NULL, detail = 'x'",
    ],
)
def test_records_that_make_no_sense_are_refused(ledger, path, statement):
    run = ledger.reserve(HALF, purpose="x")
    run.charge("count", detail={}, cost=HALF)
    change(path, "DROP TRIGGER cost_stays", "PRAGMA ignore_check_constraints = ON")
    try:
        change(path, statement)
    except sqlite3.IntegrityError:
        change(path, "UPDATE charge SET detail = '{', verb = 'x'")
    with pytest.raises(LedgerError, match="what it records cannot be read"):
        Ledger.open(path).state()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM run",
        "DELETE FROM charge",
        "UPDATE run SET kept = 'nothing' WHERE number = 1",
        "UPDATE run SET entered = 'nothing' WHERE number = 1",
        "UPDATE charge SET cost = 'nothing'",
        "UPDATE charge SET answer = 'another'",
        "UPDATE run SET kept = 'something' WHERE number = 2",
        "INSERT INTO charge VALUES (9, 0, 'count', '{}', '{}', 'now', NULL)",
    ],
)
def test_the_file_itself_refuses_to_forget(ledger, path, statement):
    run = ledger.reserve(PureDP(0.1), purpose="x")
    run.journal(run.charge("count", detail={}, cost=PureDP(0.1)), {"n": 1})
    run.close()
    ledger.reserve(PureDP(0.1), purpose="still open")
    with (
        pytest.raises(LedgerError, match="SQLITE_CONSTRAINT"),
        ledger_file.FileStore(path).transaction(write=True) as connection,
    ):
        connection.execute(statement)
    assert ledger.state().spent == PureDP(0.1)


def test_a_locked_ledger_says_so(ledger, path, monkeypatch):
    monkeypatch.setattr(ledger_file, "BUSY_SECONDS", 0.05)
    run = ledger.reserve(HALF, purpose="x")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for use in (
            ledger.state,
            lambda: Ledger.open(path),
            lambda: ledger.reserve(HALF, purpose="y"),
            lambda: run.charge("count", detail={}, cost=HALF),
        ):
            with pytest.raises(LedgerError, match=r"another process is using it.*Nothing more"):
                use()
    run.charge("count", detail={}, cost=HALF)


def test_a_reader_that_stays_delays_a_commit_and_undoes_it(ledger, path, monkeypatch):
    monkeypatch.setattr(ledger_file, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM run").fetchall()
        with pytest.raises(LedgerError, match="another process"):
            ledger.reserve(HALF, purpose="x")
    assert ledger.entries() == ()
    assert ledger.state().left == PureDP(1)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("PRAGMA query_only = ON;", "it cannot be written; check the permissions"),
        ("PRAGMA max_page_count = 1;", "the disk is full"),
    ],
)
def test_a_ledger_that_cannot_grow_says_so(ledger, path, monkeypatch, setting, says):
    monkeypatch.setattr(ledger_file, "_SETTINGS", f"{ledger_file._SETTINGS}\n{setting}")

    def fill():
        for _ in range(50):
            ledger.reserve(PureDP(0.001), purpose="x" * 900)

    with pytest.raises(LedgerError, match=says):
        fill()
    monkeypatch.undo()
    state = ledger.state()
    assert state.left + state.reserved == PureDP(1)


def test_an_error_inside_undoes_everything(ledger, path):
    store = ledger_file.FileStore(path)

    def interrupted():
        with store.transaction(write=True) as connection:
            connection.execute("UPDATE about SET unit = 'other'")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert Ledger.open(path).unit == "row"
    assert list(path.parent.iterdir()) == [path]


def test_memory_belongs_to_one_process(monkeypatch):
    ledger = Ledger.in_memory(**TOY, total=PureDP(1))
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(LedgerError, match="use a ledger file to spend from several processes"):
        ledger.reserve(HALF, purpose="x")
