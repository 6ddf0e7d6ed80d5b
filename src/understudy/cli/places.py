"""Outputs are checked before anything is read: they must be writable, new, and no input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from understudy.errors import UsageError


def check_files(outputs: Sequence[Path], *, inputs: Sequence[str | Path], force: bool) -> None:
    """Refuse files that clash, are inputs, cannot be written or exist (unless ``force``)."""
    check_apart(outputs, inputs=inputs)
    for output in outputs:
        check_file(output, force=force)


def check_apart(outputs: Iterable[Path], *, inputs: Sequence[str | Path]) -> None:
    """Refuse an output that is named twice or that the command reads, ``force`` or not."""
    taken: set[Path] = set()
    read = {Path(name).absolute() for name in inputs}
    for output in outputs:
        place = output.absolute()
        if place in taken:
            raise UsageError(f"{output} is named for two outputs; give each its own name")
        if place in read or any(_same_file(place, name) for name in read):
            raise UsageError(f"{output} is an input of this command and will not be overwritten")
        taken.add(place)


def check_file(output: Path, *, force: bool) -> None:
    """Refuse a file that exists (unless ``force``) or cannot be written."""
    _check_parent(output)
    if output.is_dir():
        raise UsageError(f"{output} is a folder; name a file")
    if os.path.lexists(output) and not force:
        raise UsageError(f"{output} exists; name another file or pass --force to replace it")


def check_folder(output: Path, *, force: bool) -> None:
    """Refuse a release folder that exists (unless ``force``) or cannot be made."""
    from understudy.release.folder import check_target

    check_target(output, force=force)
    _check_parent(output)


def numbered(path: Path, count: int) -> list[Path]:
    """The file names of several copies: table.csv, table-2.csv, table-3.csv ..."""
    stem, dot, ending = path.name.partition(".")
    names = [path.name, *(f"{stem}-{number}{dot}{ending}" for number in range(2, count + 1))]
    return [path.with_name(name) for name in names]


def _same_file(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _check_parent(output: Path) -> None:
    parent = output.absolute().parent
    if not parent.is_dir():
        raise UsageError(f"cannot write {output}: the folder {output.parent} does not exist")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write {output}: no permission to write in {output.parent}")
