"""Targets for fuzzers: functions of bytes that raise where the program breaks a promise.

Hypothesis calls them in ``tests/test_fuzzing.py``; ``tests/fuzzing_with_atheris.py`` looks for
inputs that reach new code.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.release.releases import a_release
from understudy.data.cells import Rows
from understudy.data.delimited import csv_pieces, read_csv
from understudy.data.jsonl import jsonl_pieces, read_jsonl
from understudy.data.memory import MemoryBackend
from understudy.errors import ReleaseError, SchemaError
from understudy.release import load
from understudy.release.files import digest
from understudy.schema import files, frictionless
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Category, Datetime, Integer, Real
from understudy.schema.schema import Dialect, Schema

HEADER = b"word,yes,whole,real,when\n"
COLUMNS = (
    Category(name="word", levels=("a", "b", '"', "\ufffd"), missing=("", "?"), other="z"),
    Boolean(name="yes", true="a", false="0", missing=("",)),
    Integer(name="whole", min=-3, max=9, missing=("9",)),
    Real(name="real", min=-1, max=1, bins=4),
    Datetime(name="when", min=datetime(2020, 1, 1), max=datetime(2020, 1, 2), bins=3),
)
DELIMITERS = ",;\t|1a"
ENCODINGS = ("utf-8", "ascii", "latin-1", "shift_jis", "gb18030", "iso2022_jp", "utf-7")
LONGEST = 4000
Reader = Callable[..., Any]


@cache
def table_schema(choices: int) -> Schema:
    """A schema whose dialect is one of many."""
    dialect = Dialect(
        delimiter=DELIMITERS[choices % len(DELIMITERS)],
        encoding=ENCODINGS[choices // 8 % len(ENCODINGS)],
        strip=choices >= 128,
        header=False,
    )
    return Schema(name="t", columns={each.name: each for each in COLUMNS}, csv=dialect)


def counted(rows: Iterable[Rows], schema: Schema) -> Any:
    """The counts of every column, one after the other."""
    found = np.zeros(sum(domain_of(schema).shape(tuple(schema.columns))), dtype=np.int64)
    for some in rows:
        marginals = [(name,) for name in schema.columns]
        tables = MemoryBackend(some, schema).count(domain_of(schema), marginals)
        assert all(table.sum() == some.number for table in tables)
        found += np.concatenate(tables)
    return found


def lines_are_rows(data: bytes, whole: Reader, in_pieces: Reader) -> None:
    """No bytes stop a reader, and what one line says does not depend on the other lines."""
    schema = table_schema(data[0] if data else 0)
    body = data[1:LONGEST]

    def count(read: Reader, file: bytes) -> Any:
        rows = read(io.BytesIO(file), schema, found_in="t")
        return counted([rows] if isinstance(rows, Rows) else rows, schema)

    together = count(whole, body)
    assert np.array_equal(together, sum(count(whole, line) for line in body.split(b"\n")))
    assert np.array_equal(together, count(in_pieces, body))


def csv_rows(data: bytes) -> None:
    """CSV without header, in the dialect that the first byte chooses."""
    lines_are_rows(data, read_csv, csv_pieces)


def jsonl_rows(data: bytes) -> None:
    """JSON lines."""
    lines_are_rows(data, read_jsonl, jsonl_pieces)


def schema_text(data: bytes) -> None:
    """Text is a schema, which is written and read back the same, or is refused in our words."""
    text = data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")
    try:
        schema = files.loads(text)
    except SchemaError:
        schema = None
    if schema is not None:
        assert files.loads(files.dumps(schema)) == schema
    try:
        imported = frictionless.loads(text, name="t").schema
    except SchemaError:
        return
    assert files.loads(files.dumps(imported)) == imported


@cache
def release_folder() -> tuple[Path, dict[str, bytes]]:
    """A good release in a folder of this process, and its files."""
    folder = Path(tempfile.mkdtemp(prefix="fuzzed-release-")) / "release"
    a_release(rows=7).save(folder)
    names = sorted(path for path in folder.rglob("*") if path.is_file())
    return folder, {path.relative_to(folder).as_posix(): path.read_bytes() for path in names}


def release_parts(data: bytes) -> None:
    """A damaged release is refused in our words or as good as a whole one; it runs nothing.

    Two bytes choose a file and a place in it, one how much goes there; the rest comes instead.
    """
    folder, good = release_folder()
    choices, rest = (data[:4] + bytes(4))[:4], data[4:LONGEST]
    name = list(good)[choices[0] % len(good)]
    place = int.from_bytes(choices[1:3], "big") % (len(good[name]) + 1)
    damaged = good[name][:place] + rest + good[name][place + choices[3] :]
    try:
        (folder / name).write_bytes(damaged)
        reseal(folder, name)
        found = load(folder)
        assert found.model.sample(3, seed=0) is not None
        assert found.card.to_html()
    except ReleaseError:
        pass
    finally:
        for each in {name, "release.json"}:
            (folder / each).write_bytes(good[each])


def reseal(folder: Path, name: str) -> None:
    """Make the checksum of a file right, as whoever forges a release would."""
    if name == "release.json":
        return
    manifest = json.loads((folder / "release.json").read_bytes())
    path = folder / name
    manifest["files"][name] = {"bytes": path.stat().st_size, "sha256": digest(path)}
    (folder / "release.json").write_text(json.dumps(manifest))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "csv": csv_rows,
    "jsonl": jsonl_rows,
    "schema": schema_text,
    "release": release_parts,
}


def seeds(name: str) -> list[bytes]:
    """Inputs to start from: good ones."""
    if name == "schema":
        return [text.encode() for text in (files.dumps(table_schema(1)), SCHEMA_JSON)]
    if name == "release":
        _, good = release_folder()
        return [bytes([place, 0, 0, 0]) for place in range(len(good))]
    if name == "jsonl":
        return [b'\0{"word": "a", "whole": 3}\n{"real": 1e999}\n\n[1]', b'\0{"when": "2020-01-01"}']
    lines = b'a,a,3,0.5,2020-01-01\n"b","0",,nan,x\n"a""b",1\n,,,,,,,\n\n'
    return [bytes([choice]) + lines for choice in (0, 8, 16, 24, 32, 40, 48, 128)]


SCHEMA_JSON = frictionless.dumps(table_schema(0))
