from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import SchemaError
from understudy.schema import files
from understudy.schema.columns import (
    Boolean,
    Category,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Real,
)
from understudy.schema.draft import from_sql

WIDE_DAYS = {"min": date(1900, 1, 1), "max": date(2100, 12, 31)}
WIDE_MOMENTS = {"min": datetime(1900, 1, 1), "max": datetime(2100, 12, 31, 23, 59, 59)}
OPEN = {"levels": "discover"}

COLUMNS = [
    ("c int NOT NULL", Integer(name="c")),
    ("c INTEGER", Integer(name="c", missing=[""])),
    ("c integer NULL", Integer(name="c", missing=[""])),
    ("c bigint PRIMARY KEY", Fake(name="c")),
    ("c serial", Fake(name="c")),
    ("c text UNIQUE NOT NULL", Fake(name="c")),
    ("c uuid NOT NULL", Fake(name="c", style="uuid")),
    ("c varchar(20) NOT NULL DEFAULT 'a,b)'", Category(name="c", **OPEN)),
    ("c character varying(20) NOT NULL", Category(name="c", **OPEN)),
    ("c numeric(10, 2) NOT NULL", Real(name="c", decimals=2)),
    ("c numeric(10, 0) NOT NULL", Integer(name="c")),
    ("c decimal(8) NOT NULL", Integer(name="c")),
    ("c numeric NOT NULL", Real(name="c")),
    ("c numeric(30,20) NOT NULL", Real(name="c", decimals=15)),
    ("c double precision NOT NULL", Real(name="c")),
    ("c date NOT NULL", Date(name="c", **WIDE_DAYS)),
    ("c timestamp without time zone NOT NULL", Datetime(name="c", **WIDE_MOMENTS)),
    ("c timestamptz(3) NOT NULL", Datetime(name="c", **WIDE_MOMENTS)),
    ("c boolean NOT NULL DEFAULT false", Boolean(name="c")),
    ("c bit NOT NULL", Boolean(name="c", true="1", false="0")),
    ("c jsonb", Drop(name="c")),
    ("c text[]", Drop(name="c")),
    ("c integer ARRAY", Drop(name="c")),
    ("c", Category(name="c", missing=[""], **OPEN)),
    ("c enum('a','b') NOT NULL", Category(name="c", levels=["a", "b"])),
    ("c enum('', 'b')", Category(name="c", levels=["b"], missing=[""])),
    ("c mood NOT NULL", Category(name="c", levels=["sad", "it's ok"])),
    ("c public.mood NOT NULL", Category(name="c", levels=["sad", "it's ok"])),
    ("c char(1) NOT NULL CHECK (c IN ('M', 'F'))", Category(name="c", levels=["M", "F"])),
    ("c int NOT NULL CHECK (c IN (1, 2))", Category(name="c", levels=["1", "2"])),
    (
        "c text NOT NULL, CONSTRAINT k CHECK (((c)::text = ANY ((ARRAY['M'::character varying, "
        "'F'::character varying(3)])::text[])))",
        Category(name="c", levels=["M", "F"]),
    ),
    ("c int NOT NULL CHECK (c BETWEEN -5 AND 90)", Integer(name="c", min=-5, max=90)),
    ("c int NOT NULL CHECK (c >= 0 AND c < 90)", Integer(name="c", min=0, max=89)),
    ("c int NOT NULL CHECK (0 < c) CHECK (90 >= c)", Integer(name="c", min=1, max=90)),
    ("c real NOT NULL CHECK (c > 0.5 and c<=1)", Real(name="c", min=0.5, max=1)),
    ("c int NOT NULL CHECK (((c >= 0) AND (c <= 9)))", Integer(name="c", min=0, max=9)),
    (
        "c date NOT NULL CHECK (c BETWEEN '2010-01-01' AND DATE '2010-12-31')",
        Date(name="c", min="2010-01-01", max="2010-12-31"),
    ),
    (
        "c timestamp NOT NULL CHECK (c >= '2010-01-01'::timestamp without time zone AND "
        "c <= '2010-12-31 10:00:00')",
        Datetime(name="c", min="2010-01-01T00:00:00", max="2010-12-31T10:00:00"),
    ),
    ("c int NOT NULL, PRIMARY KEY (c)", Fake(name="c")),
    ("c int, d int, PRIMARY KEY (c, d)", Integer(name="c", missing=[""])),
    ("c text, UNIQUE (c)", Fake(name="c")),
    ("c int NOT NULL, KEY `k` (`c`)", Integer(name="c")),
    ("c int NOT NULL, FOREIGN KEY (c) REFERENCES x (y)", Integer(name="c")),
    ("c int NOT NULL -- a, comment\n /* and, (another */", Integer(name="c")),
    ("\"c\" int NOT NULL COMMENT 'check (c > 5)'", Integer(name="c")),
    ("[c] int NOT NULL", Integer(name="c")),
    ("c int NOT NULL CHECK (c > 5 AND c < 2)", Drop(name="c")),
]  # fmt: skip


def column(declared: str):
    text = (
        "SET x = 1; CREATE TYPE public.mood AS ENUM ('sad', 'it''s ok');\n"
        f"CREATE TABLE IF NOT EXISTS public.people ({declared});"
    )
    return from_sql(text)


@pytest.mark.parametrize(("declared", "expected"), COLUMNS)
def test_declarations_become_columns(declared, expected):
    made = column(declared)
    assert made.schema.name == "people"
    assert made.schema.columns["c"] == expected
    assert files.loads(made.to_toml()) == made.schema


@pytest.mark.parametrize(
    "check",
    [
        "c > 5 OR c < 2", "NOT (c > 5)", "c > d", "f(c) > 5", "c LIKE 'a%'", "c > -'a'", "",
        "c IS NULL", "c IN (d)", "5 > 3", "c BETWEEN 5", "length(c) < 3", "c > 'x' || 'y'",
        "c + 1 = c",
    ],
)  # fmt: skip
def test_checks_that_are_not_understood_are_noted(check):
    made = column(f"c int NOT NULL CHECK ({check})")
    assert made.schema.columns["c"] == Integer(name="c")
    assert "not understood" in made.to_toml()


def test_names_are_kept_as_written():
    made = from_sql('create table "My.Table" ("a ""b"" c" int, `d` int, key int, Größe int)')
    assert made.schema.name == "My.Table"
    assert list(made.schema.columns) == ['a "b" c', "d", "key", "Größe"]


def test_one_of_several_tables():
    text = "create table a (x int); create temp table b (y int)"
    assert list(from_sql(text, table="b").schema.columns) == ["y"]
    with pytest.raises(SchemaError, match=r"say which table is meant; .* 'a', 'b'"):
        from_sql(text)
    with pytest.raises(SchemaError, match=r"no table is named 'c'; .* 'a', 'b'"):
        from_sql(text, table="c")
    with pytest.raises(SchemaError, match="no CREATE TABLE"):
        from_sql("", table="c")
    for empty in ("create table a ()", "create table a", "create table a (,)"):
        with pytest.raises(SchemaError, match="declares no columns"):
            from_sql(empty)


WORDS = (
    "create table type as enum t c int text ( ) , ; check in between and 'a' 1 - :: [ ] \" ` ' "
    "primary key unique not null numeric date constraint references default -- /* array any = ."
)


@given(
    st.lists(
        st.sampled_from(WORDS.split()),
        max_size=25,
    )
)
def test_any_text_is_a_draft_or_a_schema_error(words):
    text = "create table t (" + " ".join(words)
    try:
        made = from_sql(text)
    except SchemaError:
        return
    assert files.loads(made.to_toml()) == made.schema
