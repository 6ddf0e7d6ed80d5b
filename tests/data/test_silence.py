"""Nothing that the cellar says shows a cell, a row number or a count.

Each table holds a canary in one place, in a form made to upset whatever reads it. Opening and
counting must work, or fail in our own words; the canary must not be in the message, its causes,
its traceback's texts, the warnings, the logs or the output.
"""

from __future__ import annotations

import gzip
import io
import logging
import sqlite3
import traceback
import warnings
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.data.oracle import SCHEMA
from understudy.data.memory import MemoryBackend
from understudy.data.open import open_source
from understudy.data.quiet import quiet
from understudy.errors import SourceError, TableMismatch, UnderstudyError
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Date, Integer
from understudy.schema.schema import Dialect, Schema, Unit

CANARY = "Canary90210"
NUMBER = 9021042
GOOD = {
    "city": "Bath",
    "ward": "A",
    "grade": "low",
    "again": "yes",
    "age": "3",
    "cost": "0.5",
    "day": "2020-01-02",
    "at": "01.01.2020 07",
    "secret": "s",
    "mail": "m",
}
FORMS = (
    CANARY,
    f'"{CANARY}',
    f'"{CANARY}"x',
    f"{CANARY},{CANARY},{CANARY},{CANARY},{CANARY}",
    f"\xff\0{CANARY}\r{CANARY}",
    f"{NUMBER}e999",
    f"2020-02-31T{CANARY}",
    CANARY * 100_000,
)


@pytest.fixture(autouse=True, params=["0", "1TB"], ids=["in pieces", "in memory"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything here holds for both engines."""
    monkeypatch.setenv("UNDERSTUDY_MEMORY", request.param)
    return str(request.param)


class Heard:
    """Everything that was said while something ran."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __contains__(self, secret: str) -> bool:
        return any(secret in text for text in self.texts)


def error_of(action: Callable[[], Any]) -> UnderstudyError | None:
    """What of ours the action raises; anything else is a failure of the test."""
    try:
        action()
    except UnderstudyError as error:
        return error
    return None


@pytest.fixture
def listen(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> Callable[[Callable[[], Any]], Heard]:
    """Runs something and gathers what it says, by whatever way."""
    caplog.set_level(logging.DEBUG)

    def run(action: Callable[[], Any]) -> Heard:
        heard = Heard()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            failed = error_of(action)
        if failed is not None:
            heard.texts += [str(failed), repr(failed), *traceback.format_exception(failed)]
            assert failed.__cause__ is None
            assert failed.__context__ is None or failed.__suppress_context__
        heard.texts += [str(each.message) for each in caught]
        heard.texts += [*capfd.readouterr(), caplog.text]
        return heard

    return run


def ask_everything(source: Any, schema: Schema = SCHEMA) -> None:
    backend = open_source(source, schema)
    repr(backend)
    backend.count(domain_of(schema), [(name,) for name in schema.modelled])
    for name, column in schema.columns.items():
        if isinstance(column, Category):
            backend.levels(name)
    backend.fits_declared_size()


def hostile_tables() -> Iterator[tuple[str, bytes]]:
    header = ",".join(GOOD)
    good = ",".join(GOOD.values())
    for number, form in enumerate(FORMS):
        for place, name in enumerate(GOOD):
            cells = [*GOOD.values()]
            cells[place] = form
            content = f"{header}\n{good}\n{','.join(cells)}\n{good}\n"
            yield f"{name}-{number}", content.encode("latin-1")
        yield f"line-{number}", f"{header}\n{form}\n".encode("latin-1")
        yield f"instead of the header-{number}", f"{form}\n{good}\n".encode("latin-1")
        yield f"in the header-{number}", f"{header},{form}\n{good}\n".encode("latin-1")


def test_csv_files(tmp_path: Path, listen: Callable[[Callable[[], Any]], Heard]) -> None:
    for number, (label, content) in enumerate(hostile_tables()):
        for suffix, packed in ((".csv", content), (".csv.gz", gzip.compress(content, 1))):
            path = tmp_path / f"t{number}{suffix}"
            path.write_bytes(packed)
            heard = listen(lambda path=path: ask_everything(path))
            assert CANARY not in heard, label
            assert str(NUMBER) not in heard, label
            path.unlink()


@pytest.mark.parametrize("encoding", ["ascii", "utf-16", "utf-32", "cp932", "utf-7"])
def test_csv_files_in_another_encoding_than_declared(
    tmp_path: Path, encoding: str, listen: Callable[[Callable[[], Any]], Heard]
) -> None:
    schema = Schema(name="t", columns=SCHEMA.columns, csv=Dialect(encoding=encoding))
    for _, content in hostile_tables():
        (tmp_path / "t.csv").write_bytes(content)
        assert CANARY not in listen(lambda: ask_everything(tmp_path / "t.csv", schema))


def test_jsonl(tmp_path: Path, listen: Callable[[Callable[[], Any]], Heard]) -> None:
    for line in (CANARY, f'{{"city": "{CANARY}"', f'{{"age": {CANARY}}}', f'{{"age": {NUMBER}1}}'):
        (tmp_path / "t.jsonl").write_text(line)
        heard = listen(lambda: ask_everything(tmp_path / "t.jsonl"))
        assert CANARY not in heard
        assert str(NUMBER) not in heard


class Loud:
    """An object that shouts whatever is done with it."""

    def __str__(self) -> str:
        raise ValueError(CANARY)

    __eq__ = __hash__ = __bool__ = __float__ = __int__ = __repr__ = __str__  # type: ignore[assignment]


def frames() -> Iterator[Any]:
    columns = {name: [value, value] for name, value in GOOD.items()}
    for name, good in GOOD.items():
        for value in (
            CANARY,
            NUMBER,
            Loud(),
            f"{CANARY}\ud800",
            [CANARY],
            b"\xff",
            np.datetime64("NaT"),
        ):
            cells = pd.Series([good, value], dtype=object)
            yield pd.DataFrame({**columns, name: cells})
        yield pl.DataFrame({**columns, name: [CANARY, None]})
        yield pa.table({**columns, name: [CANARY, None]}).to_reader()
        invalid = pa.array([CANARY.encode() + b"\xff", b""]).view(pa.string())
        yield pa.table({**columns, name: invalid})
        yield pa.table({**columns, name: invalid}).to_reader()
    yield pd.DataFrame({**columns, CANARY: [1, 2]})
    yield pl.DataFrame({**columns, CANARY: [1, 2]})
    yield pd.DataFrame([[CANARY]])
    yield pd.Series([CANARY])
    yield [CANARY]
    yield {CANARY: [CANARY]}


def test_dataframes(listen: Callable[[Callable[[], Any]], Heard]) -> None:
    for frame in frames():
        heard = listen(lambda frame=frame: ask_everything(frame))
        assert CANARY not in heard
        assert str(NUMBER) not in heard


def test_parquet_and_duckdb(tmp_path: Path, listen: Callable[[Callable[[], Any]], Heard]) -> None:
    path = tmp_path / "t.parquet"
    for name in GOOD:
        for value in (CANARY, f"{CANARY}\0"):
            parquet.write_table(
                pa.table({**{k: [v] for k, v in GOOD.items()}, name: [value]}), path
            )
            assert CANARY not in listen(lambda: ask_everything(path))
        invalid = pa.array([CANARY.encode() + b"\xff"]).view(pa.string())
        parquet.write_table(pa.table({**{k: [v] for k, v in GOOD.items()}, name: invalid}), path)
        assert CANARY not in listen(lambda: ask_everything(path))
    path.write_bytes(path.read_bytes()[:50] + CANARY.encode() * 99)
    assert CANARY not in listen(lambda: ask_everything(path))
    (tmp_path / "t.db").write_bytes(CANARY.encode() * 999)
    assert CANARY not in listen(lambda: ask_everything(f"duckdb:{tmp_path / 't.db'}?table=t"))
    with sqlite3.connect(tmp_path / "s.db") as other:
        other.execute("CREATE TABLE t (x)")
        other.execute("INSERT INTO t VALUES (?)", [CANARY])
    other.close()
    assert CANARY not in listen(lambda: ask_everything(f"duckdb:{tmp_path / 's.db'}?table=t"))


def test_a_full_memory_does_not_say_how_many_rows_there_were(
    monkeypatch: pytest.MonkeyPatch, listen: Callable[[Callable[[], Any]], Heard]
) -> None:
    def fail(*_: Any) -> None:
        raise MemoryError(f"Unable to allocate an array with shape ({NUMBER},)")

    frame = pd.DataFrame({name: [value] for name, value in GOOD.items()})
    backend = open_source(frame, SCHEMA)
    monkeypatch.setattr("understudy.data.memory.count_marginals", fail)
    heard = listen(lambda: backend.count(domain_of(SCHEMA), [("city",)]))
    assert "the rows could not be counted" in heard
    assert str(NUMBER) not in heard
    monkeypatch.setattr("understudy.data.memory.bounded", fail)
    assert str(NUMBER) not in listen(lambda: ask_everything(frame))


def test_bounding_says_nothing(listen: Callable[[Callable[[], Any]], Heard]) -> None:
    columns = {
        "who": Category(name="who", levels=("a",), other="b"),
        "n": Integer(name="n", min=0, max=1),
        "day": Date(name="day", min=date(2020, 1, 1), max=date(2020, 1, 2)),
    }
    schema = Schema(name="t", columns=columns, unit=Unit(column="who", max_rows=1, persons=7))
    people = [CANARY, CANARY, f"{CANARY}\ud800\0", Loud(), None, [CANARY]]
    frame = pd.DataFrame(
        {
            "who": pd.Series(people, dtype=object),
            "n": NUMBER,
            "day": pd.Series(people, dtype=object),
        }
    )
    assert CANARY not in listen(lambda: ask_everything(frame, schema))


def test_quiet_lets_our_own_errors_and_interrupts_through() -> None:
    for error in (TableMismatch("public"), KeyboardInterrupt()):
        with pytest.raises(type(error)), quiet(SourceError("other")):
            raise error
    with pytest.raises(SourceError, match="other"), quiet(SourceError("other")):
        raise ValueError(CANARY)


def test_an_engine_shows_nothing_of_its_rows() -> None:
    frame = pd.DataFrame({name: [CANARY] for name in GOOD})
    backend = open_source(frame, SCHEMA)
    assert isinstance(backend, MemoryBackend)
    assert CANARY not in f"{backend!r}{backend}{backend._rows!r}{backend._rows.columns!r}"


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, listen: Callable[[Callable[[], Any]], Heard]
) -> None:
    class Broken(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise OSError(CANARY)

    class Stdin:
        buffer = Broken()

    monkeypatch.setattr("sys.stdin", Stdin())
    heard = listen(lambda: ask_everything("-"))
    assert "cannot read standard input" in heard
    assert CANARY not in heard
