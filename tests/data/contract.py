"""What every engine must pass. To add an engine, add a line to ``ENGINES``.

An engine is opened by a function of a source and a schema. Each check is a function ``check_*``
that gets such a function and an empty folder; ``test_contract.py`` runs all checks on all engines.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.oracle import (
    SCHEMA,
    headed,
    hostile_line,
    reference_count,
    rows_of,
    with_dialect,
)
from understudy.data.backend import Backend
from understudy.data.delimited import read_csv
from understudy.data.duckdb import DuckDBBackend
from understudy.data.memory import MemoryBackend
from understudy.data.open import open_source
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Drop, Integer
from understudy.schema.schema import Dialect, Schema, Unit

Engine = Callable[[Any, Schema], Backend]


def in_pieces(source: Any, schema: Schema) -> Backend:
    """Every table is too large for a memory of nothing, unless its file is empty."""
    backend = open_source(source, schema, memory=0)
    empty = isinstance(source, Path) and not source.stat().st_size
    assert isinstance(backend, MemoryBackend if empty else DuckDBBackend)
    return backend


def through_parquet(source: Path, schema: Schema) -> Backend:
    """The same rows from a Parquet file of text columns."""
    with source.open("rb") as file:
        rows = read_csv(file, whole(schema), found_in="t")
    texts = {
        name: [None if text is None else str(text) for text in cells.values[cells.index]]
        for name, cells in rows.columns.items()
    }
    path = source.with_suffix(".parquet")
    pl.DataFrame(texts, schema=dict.fromkeys(texts, pl.String)).write_parquet(path)
    return in_pieces(path, schema)


ENGINES: dict[str, Engine] = {
    "memory": open_source,
    "duckdb": in_pieces,
    "duckdb from parquet": through_parquet,
}


def whole(schema: Schema) -> Schema:
    """All columns as text."""
    columns = {name: Category(name=name, levels="discover") for name in schema.columns}
    return Schema(name=schema.name, columns=columns, csv=schema.csv)


MARGINALS = (
    *((name,) for name in SCHEMA.modelled),
    *combinations(SCHEMA.modelled, 2),
    ("cost", "city", "at"),
)


def checks() -> list[Callable[[Engine, Path], None]]:
    """Every check of this file."""
    return [check for name, check in globals().items() if name.startswith("check_")]


def opened(engine: Engine, folder: Path, content: bytes, schema: Schema) -> Backend:
    """An engine over a CSV file of these bytes."""
    path = folder / "table.csv"
    path.write_bytes(content)
    return engine(path, schema)


def assert_counts(backend: Backend, rows: Sequence[Sequence[str | None]], schema: Schema) -> None:
    domain = domain_of(schema)
    marginals = [m for m in MARGINALS if set(m) <= set(schema.modelled)]
    found = backend.count(domain, marginals)
    for marginal, table, exact in zip(
        marginals, found, reference_count(rows, domain, marginals), strict=True
    ):
        assert table.dtype == np.int64
        assert table.shape == domain.shape(marginal)
        np.testing.assert_array_equal(table, exact, err_msg=str(marginal))


def check_counts_equal_the_definition_cell_by_cell(engine: Engine, folder: Path) -> None:
    @settings(max_examples=60)
    @given(st.lists(hostile_line, max_size=12))
    def check(lines: list[str]) -> None:
        backend = opened(engine, folder, headed(SCHEMA, lines), SCHEMA)
        assert_counts(backend, rows_of(lines, SCHEMA), SCHEMA)

    check()


def check_every_dialect_counts_the_same_way(engine: Engine, folder: Path) -> None:
    encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"])
    dialects = st.builds(
        Dialect,
        delimiter=st.sampled_from(",;\t|1"),
        encoding=encodings,
        header=st.booleans(),
        strip=st.booleans(),
    )

    @settings(max_examples=40)
    @given(dialects, st.lists(hostile_line, max_size=6))
    def check(dialect: Dialect, lines: list[str]) -> None:
        schema = with_dialect(SCHEMA, dialect)
        lines = [line.replace(",", dialect.delimiter) for line in lines]
        header = [dialect.delimiter.join(SCHEMA.columns)] if dialect.header else []
        content = "\n".join([*header, *lines, ""]).encode(dialect.encoding)
        assert_counts(opened(engine, folder, content, schema), rows_of(lines, schema), schema)

    check()


def check_levels_are_the_texts_without_missing_ones(engine: Engine, folder: Path) -> None:
    column = Category(name="city", levels="discover", missing=("", "?"))
    schema = Schema(name="t", columns={"n": Integer(name="n", min=0, max=1), "city": column})

    @settings(max_examples=40)
    @given(st.lists(hostile_line, max_size=12))
    def check(lines: list[str]) -> None:
        backend = opened(engine, folder, headed(schema, lines), schema)
        texts = [row[1] for row in rows_of(lines, schema)]
        expected = Counter(text for text in texts if text is not None and text not in ("", "?"))
        found = backend.levels("city")
        assert dict(found) == dict(expected)
        assert list(found) == sorted(found), "the order of the levels must not be that of the rows"

    check()


def check_levels_and_cells_agree(engine: Engine, folder: Path) -> None:
    column = Category(name="city", levels="discover", missing=("?",))
    schema = Schema(name="t", columns={"city": column, "n": Integer(name="n", min=0, max=1)})
    lines = ["a,0", "a ,1", "A,1", "?,0", ",1", "\ufffd,0", "\0,0", '"a",0', "3,1", "3.0,1"]
    backend = opened(engine, folder, headed(schema, lines), schema)
    levels = backend.levels("city")
    assert levels == {"a": 2, "a ": 1, "A": 1, "": 1, "\ufffd": 2, "3": 1, "3.0": 1}
    domain = domain_of(schema, levels={"city": tuple(levels)})
    (table,) = backend.count(domain, [("city",)])
    assert dict(zip(domain.axes["city"].levels, table, strict=False)) == {**levels, "OTHER": 0}
    assert table[-1] == 1


def check_order_of_rows_and_columns_is_nothing(engine: Engine, folder: Path) -> None:
    lines = ["Bath,A,low,yes,1,0.5,2020-01-01,01.01.2020 07,x,y", "Bath,B,high", '"', "?,?,?,?,?"]
    domain = domain_of(SCHEMA)
    one = opened(engine, folder, headed(SCHEMA, lines), SCHEMA).count(domain, MARGINALS)
    names = list(SCHEMA.columns)
    turned = [",".join(names[::-1])]
    for row in rows_of(lines, SCHEMA)[::-1]:
        turned.append(",".join("" if cell is None else cell for cell in row[::-1]))
    full = [row for row in turned[1:] if row.count(",") == len(names) - 1]
    assert full == turned[1:]
    filled = [",".join(reversed(line.split(","))) for line in full]
    straight = opened(engine, folder, headed(SCHEMA, filled), SCHEMA).count(domain, MARGINALS)
    crossed = opened(engine, folder, "\n".join(turned).encode(), SCHEMA).count(domain, MARGINALS)
    assert all(map(np.array_equal, straight, crossed))
    shuffled = opened(engine, folder, headed(SCHEMA, lines[::-1]), SCHEMA).count(domain, MARGINALS)
    assert all(map(np.array_equal, one, shuffled))


def check_a_marginal_may_be_asked_in_any_order_and_again(engine: Engine, folder: Path) -> None:
    lines = ["Bath,A,low,yes,1", "Bath,B,high,no,2", "x,B,low,no,2"]
    backend = opened(engine, folder, headed(SCHEMA, lines), SCHEMA)
    domain = domain_of(SCHEMA)
    one, other = backend.count(domain, [("city", "ward"), ("ward", "city")])
    assert one.tolist() == other.T.tolist()
    assert backend.count(domain, [("ward", "city")])[0].tolist() == other.tolist()
    assert [int(table) for table in backend.count(domain, [()])] == [3]
    assert backend.count(domain, []) == []


def check_names_that_differ_in_case_alone_are_two(engine: Engine, folder: Path) -> None:
    columns = {name: Integer(name=name, min=0, max=9) for name in ("a", "A", "rowid", "c0")}
    schema = Schema(name="t", columns=columns)
    if engine is through_parquet:
        return  # DuckDB refuses such a file
    backend = opened(engine, folder, headed(schema, ["1,2,3,4"]), schema)
    found = backend.count(domain_of(schema), [(name,) for name in columns])
    assert [int(table.argmax()) for table in found] == [1, 2, 3, 4]


def check_another_domain_of_the_same_columns(engine: Engine, folder: Path) -> None:
    open_ended = Schema(
        name="t",
        columns={"n": Integer(name="n"), "u": Category(name="u", levels=("a",), other="b")},
    )
    backend = opened(engine, folder, headed(open_ended, ["1,a", "5,a", "9,z"]), open_ended)
    narrow = domain_of(open_ended, bounds={"n": (1, 2)})
    wide = domain_of(open_ended, bounds={"n": (0, 9)})
    assert backend.count(narrow, [("n",)])[0].tolist() == [1, 2]
    assert backend.count(wide, [("n",)])[0].tolist() == [0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert backend.count(narrow, [("n",)])[0].tolist() == [1, 2]


def check_a_table_without_rows(engine: Engine, folder: Path) -> None:
    bare = with_dialect(SCHEMA, Dialect(header=False))
    header = ",".join(SCHEMA.columns).encode()
    for schema, content in ((SCHEMA, header), (SCHEMA, header + b"\n\n\r\n"), (bare, b"")):
        backend = opened(engine, folder, content, schema)
        assert_counts(backend, [], schema)
        assert backend.levels("city") == {}
        assert backend.fits_declared_size()


def check_one_column_where_a_blank_line_is_a_blank_cell(engine: Engine, folder: Path) -> None:
    column = Category(name="c", levels=("a",), missing=("",), other="b")
    schema = Schema(name="t", columns={"c": column}, rows=4)
    backend = opened(engine, folder, b"c\na\n\n\r\nz", schema)
    assert backend.count(domain_of(schema), [("c",)])[0].tolist() == [1, 1, 2]
    assert backend.fits_declared_size()


def check_undecodable_bytes_touch_their_own_row_only(engine: Engine, folder: Path) -> None:
    for encoding in ("utf-8", "ascii", "shift_jis", "gb18030", "iso2022_jp", "utf-7"):
        schema = Schema(
            name="t",
            columns={
                "c": Category(name="c", levels=("a", "b"), other="x"),
                "n": Integer(name="n", min=0, max=1),
            },
            csv=Dialect(encoding=encoding),
        )
        for junk in (b"\xff", b"\xe2", b"\x81", b"\x1b$B", b"+AGE", b"\xf0\x9f", b"\x00"):
            backend = opened(engine, folder, b"c,n\na,0\nz" + junk + b"\nb,1\nb,1\n", schema)
            table = backend.count(domain_of(schema), [("c",)])[0].tolist()
            assert table == [1, 2, 1], (encoding, junk)


def check_an_unclosed_quote_swallows_no_other_row(engine: Engine, folder: Path) -> None:
    clean = ["Bath,A", "Bath,B", "x,A"]
    domain = domain_of(SCHEMA)
    for bad in ('"', '"Bath,"A', 'Bath,"', '""",A', '"a\r', "\\", '"' * 999):
        alone = opened(engine, folder, headed(SCHEMA, [bad]), SCHEMA).count(domain, MARGINALS)
        apart = opened(engine, folder, headed(SCHEMA, clean), SCHEMA).count(domain, MARGINALS)
        lines = [clean[0], bad, *clean[1:]]
        together = opened(engine, folder, headed(SCHEMA, lines), SCHEMA).count(domain, MARGINALS)
        for a, b, c in zip(alone, apart, together, strict=True):
            np.testing.assert_array_equal(a + b, c)


def check_declared_numbers_of_rows(engine: Engine, folder: Path) -> None:
    for rows, true in ((2, True), (1, False), (3, False), (0, False)):
        schema = Schema(name="t", columns=SCHEMA.columns, rows=rows)
        backend = opened(engine, folder, headed(schema, ["a", "b"]), schema)
        assert backend.fits_declared_size() is true


def people(most: int, *, persons: int | None = None, missing: tuple[str, ...] = ()) -> Schema:
    columns = {
        "who": Category(name="who", levels=("ann", "bob"), other="else", missing=missing),
        "n": Integer(name="n", min=0, max=9),
        "noise": Drop(name="noise"),
    }
    unit = Unit(column="who", max_rows=most, persons=persons)
    return Schema(name="t", columns=columns, unit=unit)


def same_key(key: bytes) -> Any:
    """Two tables opened under it choose rows in the same way, so that they can be compared."""
    return patch.object(os, "urandom", lambda count: key[:1] * count)


person_rows = st.lists(
    st.tuples(st.sampled_from(["ann", "bob", "cy", "dee"]), st.integers(0, 9)), max_size=14
)


def check_a_person_keeps_at_most_max_rows(engine: Engine, folder: Path) -> None:
    @settings(max_examples=60)
    @given(person_rows, st.integers(1, 4))
    def check(rows: list[tuple[str, int]], most: int) -> None:
        schema = people(most)
        lines = [f"{who},{n},{place}" for place, (who, n) in enumerate(rows)]
        backend = opened(engine, folder, headed(schema, lines), schema)
        had = Counter(who for who, _ in rows)
        assert backend.levels("who") == {who: min(most, times) for who, times in had.items()}
        (table,) = backend.count(domain_of(schema), [("who", "n")])
        for place, who in enumerate(("ann", "bob")):
            ceiling = np.bincount([n for name, n in rows if name == who], minlength=10)
            assert table[place].sum() == min(most, had[who])
            assert (table[place] <= ceiling).all()

    check()


def check_neighbours_differ_by_the_rows_of_one_person(engine: Engine, folder: Path) -> None:
    @settings(max_examples=60)
    @given(
        person_rows, person_rows, st.integers(1, 3), st.binary(min_size=1, max_size=1), st.randoms()
    )
    def check(rows: Any, more: Any, most: int, key: bytes, random: Any) -> None:
        schema, domain = people(most), domain_of(people(most))
        without = [(who, n) for who, n in rows if who != "zoe"]
        with_zoe = [*without, *(("zoe", n) for _, n in more)]
        random.shuffle(with_zoe)
        tables = []
        for table in (without, with_zoe):
            lines = [f"{who},{n},x" for who, n in table]
            with same_key(key):
                backend = opened(engine, folder, headed(schema, lines), schema)
            tables.append(backend.count(domain, [("who", "n")])[0])
        change = tables[1] - tables[0]
        assert (change >= 0).all(), "other people's rows changed"
        assert change.sum() == min(most, len(more))

    check()


def check_which_rows_stay_depends_on_the_key(engine: Engine, folder: Path) -> None:
    """Each of ten rows is kept for about a tenth of the keys: 200 keys miss one with 7e-9."""
    schema = people(1)
    lines = [f"ann,{n},x" for n in range(10)]
    kept = np.zeros(10, dtype=np.int64)
    for key in range(200):
        with same_key(bytes([key])):
            backend = opened(engine, folder, headed(schema, lines), schema)
        kept += backend.count(domain_of(schema), [("n",)])[0]
    assert kept.sum() == 200
    assert kept.min() > 0


def check_rows_without_an_id_are_left_out(engine: Engine, folder: Path) -> None:
    schema = people(2, persons=2, missing=("", "?"))
    lines = [",1,x", "?,2,x", '"",3,x', "ann,1,x", "bob,1,x", "bob,2,x", "bob,3,x"]
    backend = opened(engine, folder, headed(schema, lines), schema)
    assert backend.fits_declared_size()
    assert backend.count(domain_of(schema), [("who",)])[0].tolist() == [1, 2, 0, 0]
    for persons in (0, 1, 3, 7):
        assert not opened(
            engine, folder, headed(schema, lines), people(2, persons=persons, missing=("", "?"))
        ).fits_declared_size()


def check_identical_rows_are_still_bounded(engine: Engine, folder: Path) -> None:
    schema = people(3)
    backend = opened(engine, folder, headed(schema, ["ann,1,x"] * 50 + ["bob,1,x"]), schema)
    assert backend.count(domain_of(schema), [("who", "n")])[0].sum(axis=1).tolist() == [3, 1, 0]
