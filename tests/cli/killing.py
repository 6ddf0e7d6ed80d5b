"""Runs of the program that are killed, by the hundred: children forked from one warm process.

``python -m tests.cli.killing`` loads everything once, then forks a child for each request and kills
it, after a time or at a place in the code. ``Killer`` is the other end of its pipes.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.cli.program import SOURCE, write_table
from understudy.privacy.answer import decode_answer
from understudy.privacy.ledger import Ledger
from understudy.release import load

ROOT = Path(__file__).resolve().parents[2]
Place = tuple[str, str, str, int]
"""Module, name in it, "before" or "after", and at which call: where a run kills itself."""

PLACES: list[Place] = [
    (module, name, when, 1)
    for module, name in (
        ("understudy.privacy.ledger", "create_file"),
        ("understudy.privacy.ledger_file", "_create_tables"),
        ("understudy.privacy.ledger", "Ledger.reserve"),
        ("understudy.privacy.reservation", "Reservation.charge"),
        ("understudy.privacy.reservation", "Reservation.journal"),
        ("understudy.gate.noise", "SystemNoise.laplace"),
        ("understudy.privacy.reservation", "Reservation.close"),
        ("understudy.release.folder", "_put_in_place"),
        ("understudy.table.write", "write_csv_to"),
        ("understudy.cli.files", "write_rows"),
    )
    for when in ("before", "after")
]


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code, or minus the signal; and after how long."""

    code: int
    seconds: float


class Killer:
    """Forks runs and ends them."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server = server

    def run(
        self, *arguments: object, after: float | None = None, place: Place | None = None
    ) -> Ended:
        """One run of the program, killed ``after`` seconds or at ``place``, or left alone."""
        request = {"arguments": list(map(str, arguments)), "after": after, "place": place}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        return Ended(*json.loads(self._server.stdout.readline()))


@contextmanager
def killer() -> Iterator[Killer]:
    """A warm process, for as long as the block."""
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    environment = {**os.environ, **single, "PYTHONPATH": f"{SOURCE}:{ROOT}"}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.cli.killing"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
    ) as server:
        try:
            yield Killer(server)
        finally:
            server.kill()


@dataclass(frozen=True)
class Scene:
    """A folder in which one run is killed, examined and resumed."""

    folder: Path
    schema: Path

    @property
    def book(self) -> Path:
        return self.folder / "schema.ledger"

    def request(self, *more: object) -> list[object]:
        outputs = ("--out", self.folder / "s.csv", "--release", self.folder / "r")
        asked = ("--epsilon", "1", "--rows", "20", "--seed", "1", "--ledger", self.book)
        return [
            *("synthesize", self.folder / "table.csv", "--schema", self.schema),
            *outputs,
            *asked,
            *more,
        ]

    def examine(self) -> str | None:
        """What must hold after a kill; the run that can be resumed, if one was opened."""
        rows = self.folder / "s.csv"
        if rows.exists():
            assert len(rows.read_text().splitlines()) == 21, "half a file under its final name"
        if (self.folder / "r").exists():
            load(self.folder / "r")
        state = Ledger.open(self.book).state()
        assert state.left is not None
        if not state.runs:
            return None
        (run,) = state.runs
        assert state.spent + state.reserved == run.counted
        assert run.status == "closed" or str(run.counted) == "epsilon = 1"
        assert state.total == state.left + run.counted
        return run.run_id

    def answers(self) -> list[str]:
        """The journal as it is on the disk."""
        with sqlite3.connect(self.book) as connection:
            rows = connection.execute("SELECT answer FROM charge ORDER BY position").fetchall()
        connection.close()
        return [answer for (answer,) in rows if answer is not None]

    def check_resumed(self, before: Sequence[str]) -> None:
        """The run went on from its journal, and released what is in it."""
        after = self.answers()
        assert after[: len(before)] == list(before), "an answered question was noised again"
        journalled = [table for text in after for table in decode_answer(text).get("tables", [])]
        released = load(self.folder / "r").measurements
        assert len(released) == len(journalled) > 0
        for noisy, table in zip(released, journalled, strict=True):
            assert np.array_equal(noisy.values.ravel(), np.ravel(table))
        state = Ledger.open(self.book).state()
        assert [run.status for run in state.runs] == ["closed"]


def scene(folder: Path, schema: str) -> Scene:
    """A table and a ledger for one run."""
    folder.mkdir()
    path = folder / "schema.toml"
    path.write_text(schema)
    write_table(folder / "table.csv")
    made = Scene(folder, path)
    from understudy.privacy.budget import PureDP
    from understudy.schema.schema import Schema

    public = Schema.load(path)
    Ledger.init(
        made.book,
        table=public.name,
        unit=public.unit.name,
        neighbours=public.neighbours,
        total=PureDP(2),
    )
    return made


def kill_and_resume(
    runs: Killer, made: Scene, *, after: float | None = None, place: Place | None = None
) -> Ended:
    """Kill a run, examine what it left, finish it, and examine that."""
    ended = runs.run(*made.request(), after=after, place=place)
    assert ended.code in (0, -signal.SIGKILL)
    run_id = made.examine()
    before = made.answers()
    if run_id is None:
        assert not before
        assert runs.run(*made.request()).code == 0
        return ended
    finished = runs.run(*made.request("--resume", run_id, "--force"))
    assert finished.code == 0
    made.check_resumed(before)
    return ended


def _serve() -> None:
    for module in (
        *("understudy.api", "understudy.cli.app", "understudy.release", "understudy.table.read"),
        *("understudy.data.memory", "understudy.gate.noise", "opendp.measurements", "duckdb"),
        *("sqlite3", "pydantic", "jinja2"),
    ):
        importlib.import_module(module)
    for line in sys.stdin:
        request = json.loads(line)
        began = time.monotonic()
        child = os.fork()
        if not child:
            _child(request["arguments"], request["place"])
        code = _ended(child, request["after"])
        sys.stdout.write(json.dumps([code, time.monotonic() - began]) + "\n")
        sys.stdout.flush()


def _ended(child: int, after: float | None) -> int:
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _child(arguments: list[str], place: Place | None) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if place is not None:
        _mine(*place)
    from understudy.cli import main

    sys.argv = ["understudy", *arguments]
    try:
        main()
    except SystemExit as ended:
        os._exit(int(ended.code or 0))
    os._exit(0)


def _mine(module: str, name: str, when: str, call: int) -> None:
    """Make this process kill itself before or after a function's n-th call."""
    owner: Any = importlib.import_module(module)
    *path, last = name.split(".")
    for part in path:
        owner = getattr(owner, part)
    whole: Callable[..., Any] = getattr(owner, last)
    calls = 0

    def mined(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if when == "before" and calls == call:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*arguments, **named)
        if calls == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, last, mined)


if __name__ == "__main__":
    _serve()
