"""The release folder: written aside, renamed when complete, believed only after checks.

    card.json              the card
    model/                 model.json, schema.toml, 0000.npy ... (model-2/ ... for further fits)
    measurements.parquet   one row per noisy cell: marginal, columns, cell, value, stddev
    synthetic.parquet      the rows (synthetic-2.parquet ... for further copies)
    report.html            the card as one offline page
    release.json           format, how many tables and models, size and SHA-256 of every file

``load`` follows no path that the folder names and runs no code from it. Checksums find damage, not
forgery: whoever can change a file can change its checksum.

Format 2 says in ``measurements.parquet`` which cells were counted as groups; in format 1 there were
no groups. Every format is read.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, get_args
from uuid import uuid4

from understudy.errors import ReleaseError, SourceError, UsageError
from understudy.release.files import (
    digest,
    plain_file,
    plain_folder,
    read_json,
    read_text,
    write_json,
)
from understudy.release.measurements import read_measurements, write_measurements
from understudy.release.model_files import array_count, model_files, read_model, write_model
from understudy.release.release import Release
from understudy.report.card import Card
from understudy.table.kinds import TableKind
from understudy.table.read import LARGEST, read_table
from understudy.table.write import write_table

FORMAT_NAME: Final = "understudy-release"
FORMAT_VERSION: Final = 2
WITH_GROUPS: Final = 2
MANIFEST: Final = "release.json"
MOST_PARTS: Final = 10_000


def write_release(release: Release, directory: Path, *, force: bool = False) -> Path:
    """Write the folder of a release; returns its path."""
    check_target(directory, force=force)
    aside = directory.parent / f".{directory.name}.{uuid4().hex}.partial"
    try:
        aside.mkdir(parents=True)
        _fill(release, aside)
        _put_in_place(aside, directory)
    except SourceError:
        raise
    except OSError as problem:
        raise SourceError(f"cannot write {directory}: {problem.strerror}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return directory


def check_target(directory: Path, *, force: bool) -> None:
    """Refuse a place that holds something else; ``force`` may replace a release, nothing more."""
    if not directory.exists() and not directory.is_symlink():
        return
    if not force:
        raise UsageError(f"{directory} exists; name another folder or pass force to replace it")
    empty = directory.is_dir() and not any(directory.iterdir())
    if directory.is_symlink() or not (empty or (directory / MANIFEST).is_file()):
        raise UsageError(f"{directory} is not a release folder and will not be replaced")


def read_release(directory: Path) -> Release:
    """The release in a folder; ``ReleaseError`` if anything is missing, damaged or newer."""
    if not directory.is_dir():
        raise ReleaseError(f"{directory} is not a folder; name the folder of a release")
    manifest = _manifest(directory)
    _check_files(directory, manifest)
    models = tuple(read_model(directory / name) for name in _numbered("model", manifest["models"]))
    tables = tuple(
        read_table(directory / f"{name}.parquet", models[0].domain)
        for name in _numbered("synthetic", manifest["tables"])
    )
    return Release(
        synthetic=tables,
        models=models,
        measurements=read_measurements(
            directory / "measurements.parquet",
            models[0].domain,
            with_groups=manifest["version"] >= WITH_GROUPS,
        ),
        card=Card.from_json(read_text(directory / "card.json")),
        kind=manifest["kind"],
    )


def _fill(release: Release, folder: Path) -> None:
    for name, table in zip(
        _numbered("synthetic", len(release.synthetic)), release.synthetic, strict=True
    ):
        write_table(table, folder / f"{name}.parquet", force=False)
    parts = [
        write_model(model, folder / name)
        for name, model in zip(_numbered("model", len(release.models)), release.models, strict=True)
    ]
    write_measurements(release.measurements, folder / "measurements.parquet")
    write_json(folder / "card.json", release.card.to_dict())
    (folder / "report.html").write_text(release.card.to_html(), encoding="utf-8")
    names = _expected(len(release.synthetic), parts)
    write_json(folder / MANIFEST, _describe(release, folder, names))


def _describe(release: Release, folder: Path, names: list[str]) -> dict[str, Any]:
    return {
        "format": FORMAT_NAME,
        "version": FORMAT_VERSION,
        "kind": release.kind,
        "tables": len(release.synthetic),
        "models": len(release.models),
        "files": {
            name: {"bytes": (folder / name).stat().st_size, "sha256": digest(folder / name)}
            for name in names
        },
    }


def _expected(tables: int, models: list[list[str]]) -> list[str]:
    """Every file of a release, by relative name; made from numbers, never from foreign text."""
    folders = zip(_numbered("model", len(models)), models, strict=True)
    return [
        "card.json",
        "measurements.parquet",
        "report.html",
        *(f"{name}.parquet" for name in _numbered("synthetic", tables)),
        *(f"{folder}/{name}" for folder, names in folders for name in names),
    ]


def _numbered(stem: str, count: int) -> list[str]:
    return [stem, *(f"{stem}-{number}" for number in range(2, count + 1))]


def _manifest(directory: Path) -> dict[str, Any]:
    manifest = read_json(directory / MANIFEST)
    version = manifest.get("version")
    if manifest.get("format") != FORMAT_NAME or type(version) is not int or version < 1:
        raise ReleaseError(f"{directory} is not an understudy release")
    if version > FORMAT_VERSION:
        raise ReleaseError(
            f"{directory} has format {version}, this version reads up to {FORMAT_VERSION}; "
            "install a newer understudy"
        )
    numbers = (manifest.get("tables"), manifest.get("models"))
    if not all(map(_counts, numbers)) or manifest.get("kind") not in get_args(TableKind):
        raise ReleaseError(f"{MANIFEST} is damaged: it does not say what the release holds")
    return manifest


def _counts(value: Any) -> bool:
    return type(value) is int and 1 <= value <= MOST_PARTS


def _check_files(directory: Path, manifest: dict[str, Any]) -> None:
    models = [
        model_files(array_count(plain_folder(directory / name)))
        for name in _numbered("model", manifest["models"])
    ]
    expected = _expected(manifest["tables"], models)
    listed = manifest.get("files")
    if not isinstance(listed, dict) or set(listed) != set(expected):
        raise ReleaseError(f"{MANIFEST} is damaged: its list of files is not that of a release")
    for name in expected:
        path = plain_file(directory / name)
        if path.stat().st_size > LARGEST:  # before its checksum, which would take as long
            raise ReleaseError(f"{name} is too large: it does not fit in this machine's memory")
        if listed[name] != {"bytes": path.stat().st_size, "sha256": digest(path)}:
            raise ReleaseError(f"{name} is damaged: it is not the file that was written")


def _put_in_place(aside: Path, directory: Path) -> None:
    """Rename; an old release is moved out of the way first and removed last."""
    old = aside.with_suffix(".old")
    with suppress(FileNotFoundError):
        directory.rename(old)
    try:
        aside.rename(directory)
    except OSError:
        with suppress(FileNotFoundError):
            old.rename(directory)
        raise
    shutil.rmtree(old, ignore_errors=True)
