"""Where outputs may go."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.program import untouched
from understudy.cli.places import check_files, check_folder, numbered
from understudy.errors import UsageError


@pytest.mark.parametrize(
    ("name", "count", "expected"),
    [
        ("t.csv", 1, ["t.csv"]),
        ("t.csv", 3, ["t.csv", "t-2.csv", "t-3.csv"]),
        ("t.csv.gz", 2, ["t.csv.gz", "t-2.csv.gz"]),
        ("t", 2, ["t", "t-2"]),
    ],
)
def test_copies_get_numbers(name: str, count: int, expected: list[str]) -> None:
    places = numbered(Path("a.b") / name, count)
    assert places == [Path("a.b") / each for each in expected]


def test_a_new_file_is_welcome(tmp_path: Path) -> None:
    check_files([tmp_path / "a", tmp_path / "b"], inputs=[tmp_path / "c", "-"], force=False)


def test_relative_and_absolute_names_clash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="two outputs"):
        check_files([Path("a"), tmp_path / "a"], inputs=[], force=True)


def test_hard_links_to_an_input_are_seen(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("x")
    os.link(tmp_path / "in", tmp_path / "out")
    with pytest.raises(UsageError, match="is an input"):
        check_files([tmp_path / "out"], inputs=[tmp_path / "in"], force=True)


def test_a_dangling_link_exists(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="exists"):
        check_files([tmp_path / "out"], inputs=[], force=False)


def test_a_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(UsageError, match="no permission"):
        check_files([tmp_path / "a"], inputs=[], force=False)
    with pytest.raises(UsageError, match="no permission"):
        check_folder(tmp_path / "r", force=False)


def test_folders_for_releases(tmp_path: Path) -> None:
    check_folder(tmp_path / "new", force=False)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x").write_text("x")
    with untouched(tmp_path):
        for force, message in ((False, "exists"), (True, "not a release")):
            with pytest.raises(UsageError, match=message):
                check_folder(tmp_path / "other", force=force)
        with pytest.raises(UsageError, match="does not exist"):
            check_folder(tmp_path / "no" / "r", force=False)
