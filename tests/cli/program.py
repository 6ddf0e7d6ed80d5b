"""The program as a person runs it: once in this process, once as a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from understudy.cli.app import app

SOURCE = Path(__file__).resolve().parents[2] / "src"
SECRET = "Zaphod-Secret-4711"

SCHEMA = """
version = 1
[table]
name = "people"
[columns.person]
kind = "fake"
[columns.age]
kind = "integer"
min = 0
max = 9
[columns.sex]
kind = "category"
levels = ["F", "M"]
[columns.income]
kind = "real"
min = 0
max = 100
missing = [""]
"""

OPEN_SCHEMA = (
    SCHEMA
    + """
[columns.city]
kind = "category"
levels = "discover"
"""
)

ROWS = [
    ("p1", "3", "F", "12.5"),
    ("p2", "4", "M", ""),
    ("p3", "99", "X", "250"),
    (SECRET, SECRET, SECRET, SECRET),
    ("p5", "", "F", "50"),
]
HEADER = ("person", "age", "sex", "income")


@dataclass(frozen=True)
class Outcome:
    """What a run left: exit code and both streams."""

    code: int
    out: str
    err: str


def run(*arguments: object) -> Outcome:
    """Run the program in this process."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return Outcome(result.exit_code, result.stdout, result.stderr)


def environment(extra: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "UNDERSTUDY_TRACEBACK"}
    return {**kept, "PYTHONPATH": str(SOURCE), "COLUMNS": "100", **extra}


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "understudy", *map(str, arguments)]


def process(*arguments: object, stdin: str = "", **extra: str) -> Outcome:
    """Run the program as a process of its own."""
    result = subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment(extra),
        check=False,
    )
    return Outcome(result.returncode, result.stdout, result.stderr)


def write_table(path: Path, rows: Sequence[Sequence[str]] = ROWS) -> Path:
    lines = [",".join(row) for row in (HEADER, *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@contextmanager
def untouched(folder: Path) -> Iterator[None]:
    """Inside the block nothing in the folder changes, appears or disappears."""
    before = snapshot(folder)
    yield
    assert snapshot(folder) == before
