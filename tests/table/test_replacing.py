"""A file appears whole under its name, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from understudy.errors import SourceError, UsageError
from understudy.table.replacing import replacing


def write_into(place: Path) -> None:
    with replacing(place) as aside:
        aside.write_text("x")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    place = tmp_path / "rows.csv"
    with replacing(place) as aside:
        aside.write_text("whole")
        assert aside.parent == tmp_path
        assert not place.exists()
    assert place.read_text() == "whole"
    assert names(tmp_path) == ["rows.csv"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_nothing_behind(tmp_path: Path, failure: type[BaseException]) -> None:
    place = tmp_path / "rows.csv"
    place.write_text("old")

    def fail() -> None:
        with replacing(place, force=True) as aside:
            aside.write_text("half")
            raise failure

    with pytest.raises(failure):
        fail()
    assert names(tmp_path) == ["rows.csv"]
    assert place.read_text() == "old"


def test_an_existing_file_is_kept_without_force(tmp_path: Path) -> None:
    place = tmp_path / "rows.csv"
    place.write_text("old")
    with pytest.raises(UsageError, match=r"exists.*--force"), replacing(place):
        pytest.fail("the block must not run")
    assert place.read_text() == "old"
    with replacing(place, force=True) as aside:
        aside.write_text("new")
    assert place.read_text() == "new"


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"), replacing(tmp_path, force=True):
        pytest.fail("the block must not run")


def test_system_errors_say_which_file(tmp_path: Path) -> None:
    place = tmp_path / "nowhere" / "rows.csv"
    with pytest.raises(SourceError, match=r"cannot write .*rows\.csv.*No such file"):
        write_into(place)


def test_a_block_that_writes_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError), replacing(tmp_path / "rows.csv"):
        pass
    assert names(tmp_path) == []


def test_the_file_is_as_open_as_the_user_wants_it(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with replacing(tmp_path / "rows.csv") as aside:
            aside.write_text("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "rows.csv").stat().st_mode) == 0o640
