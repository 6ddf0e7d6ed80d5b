"""Hypothesis strategies for schemas: every kind, hostile names and texts, all keys.

``schemas()`` and ``columns()`` make valid values only. ``tame=True`` keeps names to identifiers and
texts to short printable ones, for rooms that write files in formats with less room for names;
``open_columns=False`` leaves nothing to be bought.
"""

from __future__ import annotations

from datetime import date, datetime

from hypothesis import strategies as st

from understudy.schema.columns import (
    FAKE_STYLES,
    SCALES,
    Boolean,
    Category,
    Column,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.schema import Dialect, Rule, Schema, Unit

HOSTILE = (
    "a.b", 'quo"te', "apo's", "back`tick", "new\nline", "tab\t", "emoji 🦆", "\u202eright to left",
    "[columns.x]", "# no comment", "a = 1", "''' \"\"\"", "\\", "\x7f", "\x01", "NO", "true", "1",
    "1e5", "2010-01-31", "discover", "OTHER", "é", "e\u0301", " ", "understudy", "x" * 10_000,
    "missing", "in",
)  # fmt: skip
FORMATS = ("%Y-%m-%d", "%d/%m/%Y", "%Y%m%d", "%d %b %Y", "%Y-%m", "%j of %Y", "'%Y' \"%m\" 🦆 %d")
CLOCKS = ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M:%SZ", "%Y-%m-%d")
_LETTERS = st.characters(exclude_categories=("Cs",), exclude_characters="\x00")
_PLAIN = st.text("abcdefghijklmnopqrstuvwxyz_0123456789", min_size=1, max_size=8)


def texts(*, tame: bool = False) -> st.SearchStrategy[str]:
    """Texts such as levels and codes, not empty."""
    wild = st.text(_LETTERS, min_size=1, max_size=12) | st.sampled_from(HOSTILE)
    return _PLAIN if tame else wild


def names(*, tame: bool = False) -> st.SearchStrategy[str]:
    """Names of columns."""
    return _PLAIN.map(lambda text: f"c{text}") if tame else texts()


def days() -> st.SearchStrategy[date]:
    return st.dates(date(1000, 1, 1), date(9998, 12, 31))


def moments() -> st.SearchStrategy[datetime]:
    whole = st.datetimes(datetime(1000, 1, 1), datetime(9998, 12, 31))
    return whole.map(lambda moment: moment.replace(microsecond=0))


@st.composite
def columns(
    draw: st.DrawFn,
    *,
    name: str | None = None,
    kinds: tuple[str, ...] = (
        "category",
        "ordinal",
        "boolean",
        "integer",
        "real",
        "date",
        "datetime",
        "drop",
        "fake",
    ),
    tame: bool = False,
    open_columns: bool = True,
) -> Column:
    """A column of one of the kinds."""
    kind = draw(st.sampled_from(kinds))
    described = {
        "name": draw(names(tame=tame)) if name is None else name,
        "description": draw(st.just("") | texts(tame=tame)),
    }
    if kind == "drop":
        return Drop(**described)
    if kind == "fake":
        return Fake(**described, style=draw(st.sampled_from(FAKE_STYLES)))
    pool = draw(st.lists(texts(tame=tame) | st.just(""), unique=True, min_size=3, max_size=9))
    described["missing"] = draw(st.just(()) | st.just((pool[0],)) | st.just(tuple(pool[:2])))
    pool = pool[2:] if len(pool) > 3 else [f"{pool[2]}~", *pool[2:]]
    if kind in ("category", "ordinal", "boolean"):
        return draw(_of_levels(kind, described, pool, open_columns))
    if kind in ("integer", "real"):
        return draw(_of_numbers(kind, described, open_columns))
    return draw(_of_times(kind, described))


@st.composite
def _of_levels(draw, kind, described, pool, open_columns) -> Column:
    if kind == "ordinal":
        return Ordinal(**described, levels=tuple(pool))
    if kind == "boolean":
        return Boolean(**described, true=pool[0], false=pool[1])
    if open_columns and draw(st.booleans()):
        other = next(text for text in (pool[0], "OTHER") if text not in described["missing"])
        return Category(**described, levels="discover", other=other)
    if draw(st.booleans()):
        return Category(**described, levels=tuple(pool[1:]), other=pool[0])
    return Category(**described, levels=tuple(pool))


@st.composite
def _of_numbers(draw, kind, described, open_columns) -> Column:
    whole = st.integers(-(2**53), 2**53) | st.integers(-20, 200)
    number = st.floats(-1e300, 1e300) | st.floats(-5, 5) | st.integers(-5, 5).map(float)
    bound = whole if kind == "integer" else number
    edges = sorted(draw(st.lists(bound, min_size=2, max_size=6, unique=True)))
    keys = {"min": edges[0], "max": edges[-1], "scale": draw(st.sampled_from(SCALES))}
    keys["bins"] = draw(st.none() | st.integers(1, 200) | st.just(tuple(edges)))
    if open_columns and not isinstance(keys["bins"], tuple):
        keys |= dict.fromkeys(draw(st.sets(st.sampled_from(["min", "max"]))))
    if kind == "integer":
        return Integer(**described, **keys)
    return Real(**described, **keys, decimals=draw(st.none() | st.integers(0, 15)))


@st.composite
def _of_times(draw, kind, described) -> Column:
    moment, forms, make = {
        "date": (days(), FORMATS, Date),
        "datetime": (moments(), CLOCKS, Datetime),
    }[kind]
    edges = sorted(draw(st.lists(moment, min_size=1, max_size=5, unique=True)))
    form = draw(st.sampled_from(forms))
    bins = draw(st.none() | st.integers(1, 400))
    if len(edges) > 1:
        bins = draw(st.just(bins) | st.just(tuple(edges)))
    return make(**described, min=edges[0], max=edges[-1], format=form, bins=bins)


@st.composite
def schemas(
    draw: st.DrawFn,
    *,
    max_columns: int = 5,
    tame: bool = False,
    open_columns: bool = True,
    kinds: tuple[str, ...] | None = None,
) -> Schema:
    """A schema of one or more columns, with unit, dialect and rules."""
    unique = st.lists(names(tame=tame), unique=True, min_size=1, max_size=max_columns)
    chosen = {"kinds": kinds} if kinds else {}
    made = [
        draw(columns(name=name, tame=tame, open_columns=open_columns, **chosen))
        for name in draw(unique)
    ]
    unit, rows = draw(_units(made))
    return Schema(
        name=draw(names(tame=tame)),
        description=draw(st.just("") | texts(tame=tame)),
        columns={column.name: column for column in made},
        unit=unit,
        rows=rows,
        csv=Dialect() if tame else draw(_dialects()),
        rules=draw(_rules(made)),
    )


@st.composite
def _units(draw, made: list[Column]) -> tuple[Unit, int | None]:
    count = st.none() | st.integers(0, 10**9)
    if draw(st.booleans()):
        return Unit(), draw(count)
    column = draw(st.sampled_from(made)).name
    return Unit(column=column, max_rows=draw(st.integers(1, 99)), persons=draw(count)), None


def _dialects() -> st.SearchStrategy[Dialect]:
    return st.builds(
        Dialect,
        delimiter=st.sampled_from([",", ";", "\t", "|", " ", "'"]),
        encoding=st.sampled_from(["utf-8", "latin-1", "cp1252"]),
        header=st.booleans(),
        strip=st.booleans(),
    )


@st.composite
def _rules(draw, made: list[Column]) -> tuple[Rule, ...]:
    """Rules that type-check: a column equals itself, perhaps unless it is missing."""
    usable = [column for column in made if column.modelled and len(column.name) < 1000]
    chosen = draw(st.lists(st.sampled_from(usable), max_size=2)) if usable else []
    return tuple(draw(_about(column)) for column in chosen)


@st.composite
def _about(draw, column: Column) -> Rule:
    name = "`" + column.name.replace("`", "``") + "`"
    text = f"{name} == {name}"
    if column.nullable and draw(st.booleans()):
        text = f"{name} is not missing implies {text}"
    return Rule(require=text, description=draw(st.just("") | texts()))
