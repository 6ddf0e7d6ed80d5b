"""Writing aside: a file appears under its name whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from understudy.errors import SourceError, UsageError


@contextmanager
def replacing(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """A name in the same folder to write to; after the block the file moves to ``path``.

    An existing ``path`` is refused without ``force``, before anything is written. When the block
    fails, whatever it wrote is removed and ``path`` is as it was. A kill at any moment leaves
    ``path`` either as it was or complete. System errors become ``SourceError``.
    """
    path = Path(path)
    refuse_existing(path, force=force)
    aside = path.with_name(f".{path.name}.{uuid4().hex[:12]}.part")
    try:
        yield aside
        _flush(aside)
        aside.replace(path)
        _flush(path.parent)
    except SourceError:
        raise
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            aside.unlink()


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise if something is at ``path`` and may not be replaced."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise UsageError(f"{path} exists; choose another name, or replace it with --force")


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
