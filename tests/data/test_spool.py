"""Where rows lie for a while: in private, and not for long."""

from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from understudy.data.spool import _folder_of, private_folder, spooled
from understudy.errors import SourceError


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    _folder_of.cache_clear()
    yield tmp_path / f"understudy-{os.getuid()}"
    _folder_of.cache_clear()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_the_folder_is_private_and_the_same_for_the_process(home: Path) -> None:
    old = os.umask(0)
    try:
        folder = private_folder()
    finally:
        os.umask(old)
    assert folder.parent == home
    assert mode(folder) == mode(home) == 0o700
    assert [mode(path) for path in folder.iterdir()] == [0o600]
    assert private_folder() == folder


def test_a_spooled_stream_has_no_name_and_can_be_read_again(home: Path) -> None:
    content = os.urandom(3_000_000)
    with spooled(io.BytesIO(content)) as copy:
        assert stat.S_IMODE(os.fstat(copy.fileno()).st_mode) == 0o600
        assert copy.read() == content
        copy.seek(0)
        assert copy.read() == content
        assert [path.name for path in private_folder().iterdir()] == ["lock"]
    assert home.is_dir()


def test_what_a_dead_process_left_is_removed_and_a_living_one_kept(home: Path) -> None:
    script = (
        "import sys, tempfile, time; tempfile.tempdir = sys.argv[1]\n"
        "from understudy.data.spool import private_folder\n"
        "folder = private_folder(); (folder / 'spill').write_text('rows')\n"
        "print(folder, flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", script, str(home.parent)]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dead,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as living,
    ):
        try:
            assert dead.stdout is not None
            assert living.stdout is not None
            left = Path(dead.stdout.readline().strip())
            used = Path(living.stdout.readline().strip())
            dead.kill()
            dead.wait()
            assert (left / "spill").exists()
            private_folder()
            assert not left.exists()
            assert (used / "spill").exists()
        finally:
            dead.kill()
            living.kill()


def test_a_folder_without_lock_is_removed_when_it_is_old(home: Path) -> None:
    home.mkdir(mode=0o700)
    for name, age in (("young", 0), ("old", 3600)):
        (home / name).mkdir()
        os.utime(home / name, (time.time() - age,) * 2)
    folder = private_folder()
    assert {path.name for path in home.iterdir()} == {"young", folder.name}


@pytest.mark.parametrize("kind", ["open to others", "a link"])
def test_a_folder_that_others_can_open_is_refused(home: Path, kind: str) -> None:
    if kind == "a link":
        (home.parent / "elsewhere").mkdir(mode=0o700)
        home.symlink_to(home.parent / "elsewhere")
    else:
        home.mkdir()
        home.chmod(0o755)
    with pytest.raises(SourceError, match="only you can open"):
        private_folder()


def test_the_folder_goes_with_the_process(home: Path) -> None:
    script = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[1]\n"
        "from understudy.data.spool import private_folder; print(private_folder())"
    )
    command = [sys.executable, "-c", script, str(home.parent)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert Path(told).parent == home
    assert not Path(told).exists()
