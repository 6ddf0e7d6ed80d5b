"""Run the examples of a documentation page as its reader would, from top to bottom.

Three kinds of fenced block count:

    toml      whose first line is ``# NAME.toml``: saved under that name
    python    executed; all blocks of a page share one namespace
    console   each ``$ command`` is run by a shell and must succeed

Everything else is for reading only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^```(\w+)?[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"\A# ([\w.-]+\.toml)\n")
RUNNABLE = ("toml", "python", "console")


@dataclass(frozen=True)
class Block:
    """One fenced block and the line of the page on which it starts."""

    language: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """The blocks of a page that can be run."""
    found = []
    for match in FENCE.finditer(page):
        language = match[1] or ""
        if language in RUNNABLE:
            found.append(Block(language, match[2], page[: match.start()].count("\n") + 2))
    return found


def commands(text: str) -> Iterator[str]:
    """The commands of a console block; a backslash at the end of a line continues it."""
    joined = text.replace("\\\n", " ")
    for line in joined.splitlines():
        if line.startswith("$ "):
            yield line.removeprefix("$ ")


def run(page: Path, folder: Path) -> int:
    """Run every block of the page inside ``folder``; the number of blocks that were run."""
    environment = shell_environment(folder.parent / f"{folder.name}-bin")
    namespace: dict[str, object] = {"__name__": "__main__"}
    done = 0
    for block in blocks(page.read_text(encoding="utf-8")):
        place = f"{page.name}:{block.line}"
        if block.language == "toml":
            done += save(block, folder)
        elif block.language == "python":
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), namespace)
            done += 1
        else:
            for command in commands(block.text):
                check(command, folder, environment, place)
            done += 1
    return done


def save(block: Block, folder: Path) -> int:
    """Save a block that names its file; blocks without a name are for reading."""
    name = FILE_NAME.match(block.text)
    if name is None:
        return 0
    (folder / name[1]).write_text(block.text, encoding="utf-8")
    return 1


def check(command: str, folder: Path, environment: dict[str, str], place: str) -> None:
    """Run one command; its exit code must be 0."""
    result = subprocess.run(
        ["/bin/sh", "-ec", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        said = result.stdout + result.stderr
        raise AssertionError(f"{place}: exit code {result.returncode} from\n{command}\n{said}")


def shell_environment(folder: Path) -> dict[str, str]:
    """An environment in which ``understudy`` is the code under test, installed or not."""
    folder.mkdir()
    script = folder / "understudy"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m understudy "$@"\n')
    script.chmod(0o755)
    source = Path(__file__).resolve().parent.parent / "src"
    return {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(source),
    }
