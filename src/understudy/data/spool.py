"""The private folder: where a one-shot source and the spills of an engine lie while they are used.

Each process has its own folder (mode 0700) inside ``understudy-<user>`` in the system's temporary
folder, and holds a lock on it for as long as it lives. What a killed process left is removed by the
next one that asks for a folder.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import stat
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import BinaryIO, Final

from understudy.errors import SourceError

_LOCK: Final = "lock"
_NEW_LOCK: Final = "taking"
_SECONDS_TO_TAKE_THE_LOCK: Final = 60.0


def spooled(stream: BinaryIO) -> BinaryIO:
    """A private copy of a stream that can be read only once. It has no name, so nothing is left."""
    copy = tempfile.TemporaryFile(dir=private_folder(), prefix="spool-")  # noqa: SIM115
    try:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
    except BaseException:
        copy.close()
        raise
    return copy


def private_folder() -> Path:
    """This process's own folder, made on the first call and removed at exit."""
    return _folder_of(os.getpid())  # a fork gets its own


@cache
def _folder_of(process: int) -> Path:
    home = _home()
    _sweep(home)
    folder = Path(tempfile.mkdtemp(dir=home, prefix=f"{process}-"))
    # Never closed by us: the lock lasts exactly as long as the process, however that ends. It gets
    # its name when it is held, so that nobody ever sees it free while the process lives.
    lock = os.open(folder / _NEW_LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    (folder / _NEW_LOCK).rename(folder / _LOCK)
    atexit.register(_remove, folder, process)
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _home() -> Path:
    """The folder of this user's processes; refused if anybody else could look into it."""
    home = Path(tempfile.gettempdir()) / f"understudy-{os.getuid()}"
    home.mkdir(mode=0o700, exist_ok=True)
    state = home.lstat()
    private = stat.S_ISDIR(state.st_mode) and stat.S_IMODE(state.st_mode) == 0o700
    if not private or state.st_uid != os.getuid():
        raise SourceError(
            f"{home} must be a folder that only you can open (mode 0700), as rows are spooled "
            "there; remove it, or set TMPDIR to another place"
        )
    return home


def _sweep(home: Path) -> None:
    """Remove the folders of processes that are gone."""
    for folder in home.iterdir():
        if _is_left_over(folder):
            shutil.rmtree(folder, ignore_errors=True)


def _is_left_over(folder: Path) -> bool:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        # No lock yet: made this very moment by another process, unless it is old.
        return folder.is_dir() and time.time() - folder.stat().st_mtime > _SECONDS_TO_TAKE_THE_LOCK
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
