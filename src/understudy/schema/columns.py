"""The kinds of column, each a frozen value that has checked itself.

A column says what anyone may know about it: its kind, levels or bounds, the codes that mean
"missing", how its text is written. Nothing here was learned from private rows.

What a cell turns into when it does not fit is part of the kind (rule 3 of ARCHITECTURE.md) and
depends on that cell alone:

    kind                    undeclared or unreadable text          out of bounds
    category                ``other``, else missing, else the first level
    ordinal, boolean        missing, else the first level
    integer, real           missing, else the lower bound          clipped
    date, datetime          missing, else the lower bound          clipped

``drop`` columns are neither read nor released. ``fake`` columns are never read: their values are
made up from nothing.

Values given in another form that can mean one thing only are brought to the declared type: lists
become tuples, whole numbers in a list of levels become their text, ISO text becomes a date.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from datetime import date, datetime
from functools import partial
from typing import Any, ClassVar, Final, Literal

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.column_values import (
    DISCOVER,
    Check,
    bin_edges,
    date_format,
    distinct_texts,
    levels_in_order,
    levels_or_discover,
    one_of,
)

FAKE_STYLES: Final = ("id", "name", "email", "uuid", "phone")
SCALES: Final = ("linear", "log")
DEFAULT_BINS: Final = 32
ONE_BIN_PER_VALUE_UP_TO: Final = 128
MOST_DECIMALS: Final = 15

Bins = int | tuple[float, ...] | None
DateBins = int | tuple[date, ...] | None
MomentBins = int | tuple[datetime, ...] | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """What every kind has: a name, missing codes (empty: never missing) and a description."""

    kind: ClassVar[str]
    name: str
    missing: tuple[str, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        self._keep("name", values.name)
        self._keep("missing", distinct_texts)
        self._keep("description", values.words)
        self._check()

    def _check(self) -> None:
        """What a kind adds to the checks above."""

    @property
    def modelled(self) -> bool:
        """Whether rows carry a learned value for this column."""
        return True

    @property
    def nullable(self) -> bool:
        """Whether a cell may be missing."""
        return bool(self.missing)

    @property
    def is_open(self) -> bool:
        """Whether something public is still to be bought before the column has a finite domain."""
        return False

    def _refuse(self, problem: str, *, key: str) -> SchemaError:
        where = self.name if isinstance(self.name, str) else None
        return SchemaError(problem, column=where, key=key)

    def _keep(self, key: str, check: Check) -> None:
        kept = check(getattr(self, key), partial(self._refuse, key=key))
        object.__setattr__(self, key, kept)


@dataclass(frozen=True, kw_only=True)
class Category(Column):
    """Unordered levels, declared or to be discovered; ``other`` collects undeclared text."""

    kind = "category"
    levels: tuple[str, ...] | Literal["discover"]
    other: str | None = None

    def _check(self) -> None:
        self._keep("levels", levels_or_discover)
        if self.levels == DISCOVER and self.other is None:
            object.__setattr__(self, "other", "OTHER")
        if self.levels != DISCOVER:
            _check_levels(self, self.levels)
        if self.other is not None:
            self._keep("other", values.text)
            self._check_other(self.other)

    def _check_other(self, other: str) -> None:
        if self.levels != DISCOVER and other in self.levels:
            raise self._refuse(
                "'other' is a level of its own; take it out of the list of levels", key="other"
            )
        if other in self.missing:
            raise self._refuse("'other' must not be one of the missing codes", key="other")

    @property
    def is_open(self) -> bool:
        """Whether the levels are still to be bought."""
        return self.levels == DISCOVER


@dataclass(frozen=True, kw_only=True)
class Ordinal(Column):
    """Declared levels in ascending order."""

    kind = "ordinal"
    levels: tuple[str, ...]

    def _check(self) -> None:
        self._keep("levels", levels_in_order)
        _check_levels(self, self.levels)


@dataclass(frozen=True, kw_only=True)
class Boolean(Column):
    """Two levels, written ``true`` and ``false`` in the file (any two texts by choice)."""

    kind = "boolean"
    true: str = "true"
    false: str = "false"

    def _check(self) -> None:
        self._keep("true", values.text)
        self._keep("false", values.text)
        if self.true == self.false:
            raise self._refuse("must differ from 'false'", key="true")
        for key in ("true", "false"):
            if getattr(self, key) in self.missing:
                raise self._refuse("must not be one of the missing codes", key=key)

    @property
    def levels(self) -> tuple[str, ...]:
        """The two texts, false before true."""
        return (self.false, self.true)


@dataclass(frozen=True, kw_only=True)
class Number(Column):
    """What integers and reals share: bounds (absent: bought), bins and their spacing.

    ``bins`` is how many, or their edges: the first edge is the smallest value and the last the
    largest, both included, so edges also settle the bounds. ``scale = "log"`` spaces the bins
    evenly in asinh(x), for quantities known to be skewed.
    """

    min: float | None = None
    max: float | None = None
    bins: Bins = None
    scale: Literal["linear", "log"] = "linear"

    def _check_number(self, bound: Check) -> None:
        _settle_range(self, bound)
        if self.scale not in SCALES:
            raise self._refuse(one_of(self.scale, SCALES), key="scale")

    @property
    def is_open(self) -> bool:
        """Whether a bound is still to be bought."""
        return self.min is None or self.max is None


@dataclass(frozen=True, kw_only=True)
class Integer(Number):
    """Whole numbers, up to 2**53 in size."""

    kind = "integer"

    def _check(self) -> None:
        self._check_number(values.whole)


@dataclass(frozen=True, kw_only=True)
class Real(Number):
    """``decimals`` is how many decimals released values carry (absent: full precision)."""

    kind = "real"
    decimals: int | None = None

    def _check(self) -> None:
        self._check_number(values.number)
        if self.decimals is not None:
            self._keep("decimals", partial(values.whole, low=0, high=MOST_DECIMALS))


@dataclass(frozen=True, kw_only=True)
class Date(Column):
    """A calendar day between two public days, written in ``format`` (strftime)."""

    kind = "date"
    min: date
    max: date
    format: str = "%Y-%m-%d"
    bins: DateBins = None

    def _check(self) -> None:
        _settle_range(self, values.day)
        self._keep("format", partial(date_format, bounds=(self.min, self.max)))


@dataclass(frozen=True, kw_only=True)
class Datetime(Column):
    """A moment, to the second, without time zone, between two public moments."""

    kind = "datetime"
    min: datetime
    max: datetime
    format: str = "%Y-%m-%dT%H:%M:%S"
    bins: MomentBins = None

    def _check(self) -> None:
        _settle_range(self, values.moment)
        self._keep("format", partial(date_format, bounds=(self.min, self.max)))


@dataclass(frozen=True, kw_only=True)
class Drop(Column):
    """In the file, never read, never released."""

    kind = "drop"

    def _check(self) -> None:
        _check_unread(self)

    @property
    def modelled(self) -> bool:
        """Never."""
        return False


@dataclass(frozen=True, kw_only=True)
class Fake(Column):
    """In the file, never read; released values are invented, unique within a release."""

    kind = "fake"
    style: str = "id"

    def _check(self) -> None:
        _check_unread(self)
        if self.style not in FAKE_STYLES:
            raise self._refuse(one_of(self.style, FAKE_STYLES), key="style")

    @property
    def modelled(self) -> bool:
        """Never."""
        return False


KINDS: Final[dict[str, type[Column]]] = {
    kind.kind: kind
    for kind in (Category, Ordinal, Boolean, Integer, Real, Date, Datetime, Drop, Fake)
}


def options(kind: str) -> tuple[str, ...]:
    """The keys that a column of this kind may carry in a schema file, besides ``kind``."""
    unread = () if KINDS[kind] not in (Drop, Fake) else ("missing",)
    return tuple(f.name for f in fields(KINDS[kind]) if f.name not in ("name", *unread))


def required(kind: str) -> tuple[str, ...]:
    """The keys that a column of this kind must carry in a schema file, besides ``kind``."""
    every = fields(KINDS[kind])
    return tuple(f.name for f in every if f.default is MISSING and f.name != "name")


def _check_levels(column: Column, levels: tuple[str, ...] | str) -> None:
    if not levels:
        raise column._refuse("at least one level is needed", key="levels")
    both = [level for level in levels if level in set(column.missing)]
    if both:
        raise column._refuse(
            f"{values.shown(both[0])} is a level and a missing code; it can be only one of them",
            key="levels",
        )


def _check_unread(column: Column) -> None:
    if column.missing:
        raise column._refuse(
            f"a {column.kind} column is never read and has no missing codes", key="missing"
        )


def _settle_range(column: Number | Date | Datetime, bound: Check) -> None:
    """Bounds and bins in their declared type; edges, where given, settle the bounds."""
    for key in ("min", "max"):
        if getattr(column, key) is not None or not isinstance(column, Number):
            column._keep(key, bound)
    column._keep("bins", partial(bin_edges, bound=bound))
    if isinstance(column.bins, tuple):
        _match_edges(column, column.bins)
    if column.min is not None and column.max is not None and column.min > column.max:  # type: ignore[operator]
        raise column._refuse(f"must not be above 'max', {column.max}", key="min")


def _match_edges(column: Number | Date | Datetime, edges: tuple[Any, ...]) -> None:
    for key, edge, place in (("min", edges[0], "first"), ("max", edges[-1], "last")):
        if getattr(column, key) not in (None, edge):
            raise column._refuse(f"must be the {place} bin edge, {edge}, or be left out", key=key)
        object.__setattr__(column, key, edge)
