"""The program as a real process: exit codes, streams, signals, and what it loads."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Home
from tests.cli.program import SECRET, SOURCE, command, environment, process, snapshot

HEAVY = (
    *("numba", "scipy", "opendp", "duckdb", "altair", "pandas", "polars", "pyarrow", "sklearn"),
    *("jinja2", "nanoarrow", "narwhals", "statsmodels", "sqlite3"),
)


def test_exit_codes(home: Home) -> None:
    asked = ("synthesize", home.table, "--schema", home.schema)
    assert process("--version").code == 0
    assert process("methods").code == 0
    assert process(*asked, "--epsilon", 1, "--out", home / "s.csv").code == 0
    assert process(*asked, "--epsilon", 1, "--out", home / "s.csv").code == 2
    assert process("nonsense").code == 2
    home.table.write_text("a,b\n")
    assert process(*asked, "--epsilon", 1, "--out", home / "t.csv").code == 3


def test_rows_from_standard_input(home: Home) -> None:
    made = process(
        *("synthesize", "-", "--schema", home.schema, "--epsilon", 1, "--out", "-", "--rows", 3),
        stdin=home.table.read_text(),
    )
    assert made.code == 0, made.err
    assert len(made.out.splitlines()) == 4
    assert made.err == ""


def test_nothing_is_shown_of_progress_where_nobody_watches(home: Home) -> None:
    made = process("demo", "--out", home / "demo", "--rows", 200)
    assert made.code == 0
    assert made.err == ""


def test_interrupted_within_a_second(home: Home) -> None:
    """The table never arrives, so the program waits for it until it is stopped."""
    book = home / "x.ledger"
    assert process("ledger", "init", book, "--schema", home.schema, "--epsilon", 2).code == 0
    running = subprocess.Popen(
        command(
            *("synthesize", "-", "--schema", home.schema, "--epsilon", "1"),
            *("--out", home / "s.csv", "--release", home / "r", "--ledger", book),
        ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment({}),
    )
    assert running.stdin is not None
    running.stdin.write("person,age,sex,income\n")
    running.stdin.flush()
    wait_for_reservation(home, book)
    sent = time.monotonic()
    running.send_signal(signal.SIGINT)
    code = running.wait(timeout=30)
    took = time.monotonic() - sent
    out, err = running.stdout.read(), running.stderr.read()  # type: ignore[union-attr]
    for stream in (running.stdin, running.stdout, running.stderr):
        stream.close()  # type: ignore[union-attr]
    assert code == 130
    assert took < 5  # the goal is one second; a busy machine gets some patience
    assert "interrupted" in err
    assert "Traceback" not in out + err
    assert not [name for name in snapshot(home.folder) if name.startswith(("s.csv", "r/"))]
    assert "epsilon = 1" in process("ledger", "show", book).out


STOP = """
import atexit, sys, types
def stop(*_, **__):
    raise KeyboardInterrupt
atexit.register(print, "cleaned up")
{place}
from understudy.cli import main
main()
"""
PLACES = {
    "while loading": "sys.modules['understudy.cli.app'] = types.SimpleNamespace(app=stop)",
    "while reading": "import understudy.api; understudy.api.open_source = stop",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_an_interrupt_is_told_by_the_exit_code_wherever_it_comes(home: Home, place: str) -> None:
    asked = ("--epsilon", "1", "--no-ledger", "--out", home / "s.csv")
    arguments = map(str, ("synthesize", home.table, "--schema", home.schema, *asked))
    result = subprocess.run(
        [sys.executable, "-c", STOP.format(place=place), *arguments],
        capture_output=True,
        text=True,
        env=environment({}),
        check=False,
    )
    assert result.returncode == 130
    assert "Traceback" not in result.stderr
    assert "cleaned up" in result.stdout


def wait_for_reservation(home: Home, book: Path) -> None:
    for _ in range(100):
        if "run-0001" in process("ledger", "show", book).out:
            time.sleep(0.5)
            return
        time.sleep(0.1)
    pytest.fail("the run never began")


def test_a_closed_pipe_is_no_crash(home: Home) -> None:
    pipe = subprocess.run(
        ["/bin/sh", "-c", '"$@" | head -1', "sh", *command("methods", "--json")],
        capture_output=True,
        text=True,
        env=environment({}),
        check=False,
    )
    assert pipe.stdout == "[\n"
    assert "Traceback" not in pipe.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import understudy; understudy.__version__; dir(understudy)",
        "import understudy as us; us.Schema; us.PureDP; us.UsageError; us.Card",
        "import sys; sys.argv = ['understudy', '--help']\n"
        "from understudy.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass",
        "import sys; sys.argv = ['understudy', 'synthesize', '--help']\n"
        "from understudy.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass",
    ],
    ids=["import", "light names", "help", "help of a command"],
)
def test_heavy_libraries_wait_until_they_are_needed(code: str) -> None:
    check = f"{code}\nimport sys\nfound = [m for m in {HEAVY!r} if m in sys.modules]\n"
    result = subprocess.run(
        [sys.executable, "-c", f"{check}sys.exit(' '.join(found) or 0)"],
        capture_output=True,
        text=True,
        env=environment({}),
        check=False,
    )
    assert result.stderr.strip().splitlines()[-1:] in ([], [""]), result.stderr
    assert result.returncode == 0


BREAK = f"""
import sys
import understudy.table.codec as codec
def encode(*_, **__):
    raise RuntimeError({SECRET!r})
import understudy.api
understudy.api.open_source = encode
from understudy.cli import main
main()
"""


def broken(home: Home, **extra: str) -> subprocess.CompletedProcess[str]:
    arguments = ["synthesize", str(home.table), "--schema", str(home.schema)]
    return subprocess.run(
        [sys.executable, "-c", BREAK, *arguments, "--epsilon", "1", "--out", str(home / "s.csv")],
        capture_output=True,
        text=True,
        env=environment(extra),
        check=False,
    )


def test_an_unexpected_failure_shows_its_type_and_nothing_else(home: Home) -> None:
    result = broken(home)
    assert result.returncode == 1
    assert "RuntimeError" in result.stderr
    assert SECRET not in result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert not (home / "s.csv").exists()


def test_the_traceback_is_there_for_who_asks(home: Home) -> None:
    result = broken(home, UNDERSTUDY_TRACEBACK="1")
    assert result.returncode == 1
    assert SECRET in result.stderr
    assert "Traceback" in result.stderr


def test_the_source_of_these_tests_is_this_checkout() -> None:
    assert (SOURCE / "understudy" / "cli").is_dir()
