"""The folder gives back what was saved, and nothing that was tampered with."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.release.releases import a_release, assert_same_table
from understudy.errors import ReleaseError, SourceError, UsageError
from understudy.release import load
from understudy.release.files import digest
from understudy.release.folder import FORMAT_VERSION


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_release().save(tmp_path_factory.mktemp("saved") / "release")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "release"))


@pytest.mark.parametrize("fits", [1, 3])
@pytest.mark.parametrize("rows", [0, 1, 50])
def test_everything_comes_back(tmp_path: Path, fits: int, rows: int) -> None:
    release = a_release(fits=fits, rows=rows, kind="pandas")
    found = load(release.save(tmp_path / "r"))
    assert found.card == release.card
    assert found.kind == "pandas"
    for one, two in zip(release.synthetic, found.synthetic, strict=True):
        assert_same_table(one, two)
    for before, after in zip(release.models, found.models, strict=True):
        assert after.domain == before.domain
        assert after.total == before.total
        rng = [np.random.default_rng(9) for _ in range(2)]
        assert_same_table(before.sample(30, rng[0]), after.sample(30, rng[1]))
    for noisy, again in zip(release.measurements, found.measurements, strict=True):
        assert noisy.columns == again.columns
        assert noisy.stddev == again.stddev
        np.testing.assert_array_equal(noisy.values, again.values)


def test_no_measurement_is_no_measurement(tmp_path: Path) -> None:
    assert load(a_release(measurements=[]).save(tmp_path / "r")).measurements == []


def test_the_same_release_has_the_same_bytes(tmp_path: Path) -> None:
    release = a_release(fits=2)
    one, two = release.save(tmp_path / "one"), release.save(tmp_path / "two")
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert len(files) > 10
    for file in files:
        assert (one / file).read_bytes() == (two / file).read_bytes(), file


def test_the_listed_files_are_the_files(saved: Path) -> None:
    listed = json.loads((saved / "release.json").read_text())["files"]
    there = {path.relative_to(saved).as_posix() for path in saved.rglob("*") if path.is_file()}
    assert set(listed) == there - {"release.json"}
    for name, facts in listed.items():
        assert facts == {"bytes": (saved / name).stat().st_size, "sha256": digest(saved / name)}


def test_nothing_is_left_beside_the_folder(saved: Path) -> None:
    assert [path.name for path in saved.parent.iterdir()] == ["release"]


def test_a_strange_name_is_only_a_name(tmp_path: Path) -> None:
    place = tmp_path / "a=1 [x]*?" / "day=2026"
    assert load(a_release().save(place)).card == a_release().card


def test_an_existing_release_needs_force(folder: Path) -> None:
    before = (folder / "release.json").read_bytes()
    with pytest.raises(UsageError, match="exists"):
        a_release().save(folder)
    assert (folder / "release.json").read_bytes() == before
    (folder / "stray.txt").write_text("x")
    load(a_release(fits=2).save(folder, force=True))
    assert not (folder / "stray.txt").exists()
    assert (folder / "model-2").is_dir()


@pytest.mark.parametrize("what", ["folder", "file", "link"])
def test_force_never_replaces_what_is_no_release(tmp_path: Path, what: str) -> None:
    target = tmp_path / "precious"
    if what == "folder":
        target.mkdir()
        (target / "thesis.txt").write_text("years")
    elif what == "file":
        target.write_text("years")
    else:
        a_release().save(tmp_path / "real")
        target.symlink_to(tmp_path / "real")
    with pytest.raises(UsageError, match="not a release"):
        a_release().save(target, force=True)
    assert target.exists()


def test_force_fills_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    assert load(a_release().save(tmp_path / "r", force=True))


def test_a_failed_save_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "release.json").read_bytes()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("understudy.release.folder.write_measurements", full)
    with pytest.raises(SourceError, match="No space left"):
        a_release().save(folder, force=True)
    assert (folder / "release.json").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == ["release"]


def test_a_failed_rename_puts_the_old_release_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def only_away(self: Path, target: Path) -> Path:
        if Path(target) == folder and self.suffix == ".partial":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", only_away)
    with pytest.raises(SourceError):
        a_release().save(folder, force=True)
    monkeypatch.undo()
    assert load(folder).card == a_release().card
    assert [path.name for path in folder.parent.iterdir()] == ["release"]


def reseal(folder: Path) -> None:
    """Make the checksums right again, as whoever forges a release would."""
    manifest = json.loads((folder / "release.json").read_text())
    for name in manifest["files"]:
        path = folder / name
        if path.is_file():
            manifest["files"][name] = {"bytes": path.stat().st_size, "sha256": digest(path)}
    (folder / "release.json").write_text(json.dumps(manifest))


def edit(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


class Bomb:
    """Unpickling this would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def test_a_pickle_is_never_opened(folder: Path, tmp_path: Path) -> None:
    bomb = Bomb(tmp_path / "exploded")
    payloads = {
        "plain": pickle.dumps(bomb),
        "object array": None,
    }
    for payload in payloads.values():
        if payload is None:
            np.save(folder / "model/0000.npy", np.array([bomb], dtype=object), allow_pickle=True)
        else:
            (folder / "model/0000.npy").write_bytes(payload)
        reseal(folder)
        with pytest.raises(ReleaseError, match=r"0000\.npy"):
            load(folder)
    assert not (tmp_path / "exploded").exists()


DAMAGE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a file is gone": (lambda f: (f / "measurements.parquet").unlink(), "incomplete"),
    "the card is gone": (lambda f: (f / "card.json").unlink(), "incomplete"),
    "the manifest is gone": (lambda f: (f / "release.json").unlink(), "incomplete"),
    "the model is gone": (lambda f: shutil.rmtree(f / "model"), "incomplete"),
    "a byte is changed": (lambda f: (f / "report.html").write_text("hello"), "damaged"),
    "rows are cut off": (
        lambda f: (f / "synthetic.parquet").write_bytes(
            (f / "synthetic.parquet").read_bytes()[:-9]
        ),
        "damaged",
    ),
    "a link stands for a file": (
        lambda f: (
            (f / "card.json").rename(f / "other.json"),
            (f / "card.json").symlink_to(f / "other.json"),
        ),
        "has no file card.json of its own",
    ),
    "a link stands for a folder": (
        lambda f: (
            (f / "model").rename(f.parent / "elsewhere"),
            (f / "model").symlink_to(f.parent / "elsewhere"),
        ),
        "has no folder model of its own",
    ),
    "a folder stands for a file": (
        lambda f: ((f / "card.json").unlink(), (f / "card.json").mkdir()),
        "has no file card.json of its own",
    ),
    "a pipe stands for a file": (
        lambda f: ((f / "card.json").unlink(), os.mkfifo(f / "card.json")),
        "has no file card.json of its own",
    ),
    "the manifest is no JSON": (lambda f: (f / "release.json").write_text("{"), "not JSON"),
    "the manifest is a list": (lambda f: (f / "release.json").write_text("[]"), "no object"),
    "the manifest is binary": (lambda f: (f / "release.json").write_bytes(b"\xff"), "UTF-8"),
    "another format": (
        lambda f: edit(f / "release.json", lambda m: m.update(format="x")),
        "not an",
    ),
    "no version": (lambda f: edit(f / "release.json", lambda m: m.pop("version")), "not an"),
    "the version before the first": (
        lambda f: edit(f / "release.json", lambda m: m.update(version=0)),
        "not an",
    ),
    "true as version": (
        lambda f: edit(f / "release.json", lambda m: m.update(version=True)),
        "not an",
    ),
    "an earlier version": (
        lambda f: edit(f / "release.json", lambda m: m.update(version=1)),
        "damaged",
    ),
    "a later version": (
        lambda f: edit(f / "release.json", lambda m: m.update(version=FORMAT_VERSION + 1)),
        "install a newer understudy",
    ),
    "a wrong kind": (lambda f: edit(f / "release.json", lambda m: m.update(kind="x")), "damaged"),
    "no table": (lambda f: edit(f / "release.json", lambda m: m.update(tables=0)), "damaged"),
    "too many tables": (
        lambda f: edit(f / "release.json", lambda m: m.update(tables=10**9)),
        "damaged",
    ),
    "tables as text": (
        lambda f: edit(f / "release.json", lambda m: m.update(tables="1")),
        "damaged",
    ),
    "a path to elsewhere": (
        lambda f: edit(f / "release.json", lambda m: m["files"].update({"../../etc/passwd": {}})),
        "list of files",
    ),
    "an absolute path": (
        lambda f: edit(
            f / "release.json",
            lambda m: m["files"].update({"/etc/passwd": m["files"].pop("card.json")}),
        ),
        "list of files",
    ),
    "files as a list": (lambda f: edit(f / "release.json", lambda m: m.update(files=[])), "files"),
}


@pytest.mark.parametrize(("damage", "message"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_noticed(folder: Path, damage: Callable[[Path], Any], message: str) -> None:
    damage(folder)
    with pytest.raises(ReleaseError, match=message):
        load(folder)


MODEL = "model/model.json"
FORGERY: dict[str, Callable[[Path], Any]] = {
    "unknown kind": lambda f: edit(f / MODEL, lambda m: m.update(kind="evil")),
    "a module as kind": lambda f: edit(f / MODEL, lambda m: m.update(kind="../os")),
    "base as kind": lambda f: edit(f / MODEL, lambda m: m.update(kind="base")),
    "kind is a number": lambda f: edit(f / MODEL, lambda m: m.update(kind=3)),
    "newer model": lambda f: edit(f / MODEL, lambda m: m.update(format=2)),
    "an axis too many": lambda f: edit(f / MODEL, lambda m: m["axes"].update(x=m["axes"]["age"])),
    "an axis missing": lambda f: edit(f / MODEL, lambda m: m["axes"].pop("age")),
    "axes swapped": lambda f: edit(f / MODEL, lambda m: m["axes"].update(age=m["axes"].pop("age"))),
    "falling edges": lambda f: edit(f / MODEL, lambda m: m["axes"]["age"].update(edges=[3, 2, 1])),
    "one edge": lambda f: edit(f / MODEL, lambda m: m["axes"]["age"].update(edges=[3])),
    "edges as text": lambda f: edit(f / MODEL, lambda m: m["axes"]["age"].update(edges="abc")),
    "true edges": lambda f: edit(f / MODEL, lambda m: m["axes"]["age"].update(edges=[False, True])),
    "levels as numbers": lambda f: edit(
        f / MODEL, lambda m: m["axes"]["city"].update(levels=[1, 2, 3, 4])
    ),
    "fallback outside": lambda f: edit(f / MODEL, lambda m: m["axes"]["city"].update(fallback=99)),
    "nullable as number": lambda f: edit(f / MODEL, lambda m: m["axes"]["city"].update(nullable=1)),
    "not a number": lambda f: (f / MODEL).write_text(
        (f / MODEL).read_text().replace("123.5", "NaN")
    ),
    "infinite": lambda f: edit(f / MODEL, lambda m: m["model"].update(size=1e999)),
    "negative size": lambda f: edit(f / MODEL, lambda m: m["model"].update(size=-1)),
    "an array too few": lambda f: np.save(f / "model/0000.npy", np.ones(3)),
    "whole numbers": lambda f: np.save(f / "model/0000.npy", np.ones(101, dtype=np.int64)),
    "no distribution": lambda f: np.save(f / "model/0000.npy", np.ones(101)),
    "not finite": lambda f: np.save(f / "model/0000.npy", np.full(101, np.nan)),
    "texts": lambda f: np.save(f / "model/0000.npy", np.array(["a"] * 101)),
    "cut off": lambda f: (f / "model/0000.npy").write_bytes(
        (f / "model/0000.npy").read_bytes()[:-8]
    ),
    "empty": lambda f: (f / "model/0000.npy").write_bytes(b""),
    "a vast shape": lambda f: (f / "model/0000.npy").write_bytes(
        (f / "model/0000.npy").read_bytes().replace(b"(101,)", b"(10**9,)"[:6].ljust(6))
    ),
    "another schema": lambda f: (f / "model/schema.toml").write_text(
        (f / "model/schema.toml").read_text().replace("[columns.age]", "[columns.old]")
    ),
    "no schema": lambda f: (f / "model/schema.toml").write_text("x = 1"),
    "rows of another table": lambda f: shutil.copy(
        f / "measurements.parquet", f / "synthetic.parquet"
    ),
    "measurements of another": lambda f: shutil.copy(
        f / "synthetic.parquet", f / "measurements.parquet"
    ),
    "no Parquet": lambda f: (f / "synthetic.parquet").write_text("a,b\n1,2\n"),
    "another card": lambda f: edit(f / "card.json", lambda c: c.update(output="x")),
}


@pytest.mark.parametrize("forge", FORGERY.values(), ids=FORGERY)
def test_a_forged_part_is_refused_even_with_right_checksums(
    folder: Path, forge: Callable[[Path], Any]
) -> None:
    forge(folder)
    reseal(folder)
    with pytest.raises(ReleaseError):
        load(folder)


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="not a folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match="incomplete"):
        load(tmp_path)


def test_an_untouched_copy_loads(folder: Path) -> None:
    reseal(folder)
    assert load(str(folder)).card == a_release().card
