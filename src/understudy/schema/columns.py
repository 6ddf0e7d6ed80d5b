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
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import ClassVar, Final, Literal

from understudy.errors import SchemaError

DISCOVER: Final = "discover"
FAKE_STYLES: Final = ("id", "name", "email", "uuid", "phone")
DEFAULT_BINS: Final = 32
ONE_BIN_PER_VALUE_UP_TO: Final = 128

Bins = int | tuple[float, ...] | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """What every kind has: a name, missing codes (empty: never missing) and a description."""

    kind: ClassVar[str]
    name: str
    missing: tuple[str, ...] = ()
    description: str = ""

    @property
    def modelled(self) -> bool:
        """Whether rows carry a learned value for this column."""
        return True

    @property
    def nullable(self) -> bool:
        return bool(self.missing)

    @property
    def is_open(self) -> bool:
        """Whether something public is still to be bought before the column has a finite domain."""
        return False

    def _refuse(self, problem: str, *, key: str) -> SchemaError:
        return SchemaError(problem, column=self.name, place=f"key {key!r}")


@dataclass(frozen=True, kw_only=True)
class Category(Column):
    """Unordered levels, declared or to be discovered; ``other`` collects undeclared text."""

    kind = "category"
    levels: tuple[str, ...] | Literal["discover"]
    other: str | None = None

    def __post_init__(self) -> None:
        if self.levels == DISCOVER:
            object.__setattr__(self, "other", "OTHER" if self.other is None else self.other)
        else:
            _check_levels(self, self.levels)
            if self.other in self.levels:
                raise self._refuse("'other' must not be one of the levels", key="other")
        if self.other is not None and self.other in self.missing:
            raise self._refuse("'other' must not be one of the missing codes", key="other")

    @property
    def is_open(self) -> bool:
        return self.levels == DISCOVER


@dataclass(frozen=True, kw_only=True)
class Ordinal(Column):
    """Declared levels in ascending order."""

    kind = "ordinal"
    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        _check_levels(self, self.levels)


@dataclass(frozen=True, kw_only=True)
class Boolean(Column):
    """Two levels, written ``true`` and ``false`` in the file (any two texts by choice)."""

    kind = "boolean"
    true: str = "true"
    false: str = "false"

    def __post_init__(self) -> None:
        _check_levels(self, self.levels)

    @property
    def levels(self) -> tuple[str, ...]:
        return (self.false, self.true)


@dataclass(frozen=True, kw_only=True)
class Number(Column):
    """What integers and reals share: bounds (absent: bought), bins and their spacing.

    ``scale = "log"`` spaces the bins evenly in asinh(x), for quantities known to be skewed.
    """

    min: float | None = None
    max: float | None = None
    bins: Bins = None
    scale: Literal["linear", "log"] = "linear"

    def __post_init__(self) -> None:
        _check_bounds(self, self.min, self.max)
        _check_bins(self, self.bins)
        if self.scale not in ("linear", "log"):
            raise self._refuse("must be 'linear' or 'log'", key="scale")

    @property
    def is_open(self) -> bool:
        return isinstance(self.bins, int | None) and (self.min is None or self.max is None)


@dataclass(frozen=True, kw_only=True)
class Integer(Number):
    kind = "integer"

    def __post_init__(self) -> None:
        super().__post_init__()
        for key in ("min", "max"):
            bound = getattr(self, key)
            if bound is not None and bound != int(bound):
                raise self._refuse("must be a whole number", key=key)


@dataclass(frozen=True, kw_only=True)
class Real(Number):
    """``decimals`` is how many decimals released values carry (absent: full precision)."""

    kind = "real"
    decimals: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.decimals is not None and not 0 <= self.decimals <= 15:
            raise self._refuse("must be between 0 and 15", key="decimals")


@dataclass(frozen=True, kw_only=True)
class Date(Column):
    """A calendar day between two public days, written in ``format`` (strftime)."""

    kind = "date"
    min: date
    max: date
    format: str = "%Y-%m-%d"
    bins: Bins = None

    def __post_init__(self) -> None:
        _check_bounds(self, self.min, self.max)
        _check_bins(self, self.bins)


@dataclass(frozen=True, kw_only=True)
class Datetime(Column):
    """A moment, to the second, without time zone, between two public moments."""

    kind = "datetime"
    min: datetime
    max: datetime
    format: str = "%Y-%m-%dT%H:%M:%S"
    bins: Bins = None

    def __post_init__(self) -> None:
        _check_bounds(self, self.min, self.max)
        _check_bins(self, self.bins)


@dataclass(frozen=True, kw_only=True)
class Drop(Column):
    """In the file, never read, never released."""

    kind = "drop"

    @property
    def modelled(self) -> bool:
        return False


@dataclass(frozen=True, kw_only=True)
class Fake(Column):
    """In the file, never read; released values are invented, unique within a release."""

    kind = "fake"
    style: str = "id"

    def __post_init__(self) -> None:
        if self.style not in FAKE_STYLES:
            raise self._refuse(f"must be one of {', '.join(FAKE_STYLES)}", key="style")

    @property
    def modelled(self) -> bool:
        return False


KINDS: Final[dict[str, type[Column]]] = {
    kind.kind: kind
    for kind in (Category, Ordinal, Boolean, Integer, Real, Date, Datetime, Drop, Fake)
}


def options(kind: str) -> tuple[str, ...]:
    """The keys that a column of this kind may carry in a schema file."""
    return tuple(field.name for field in fields(KINDS[kind]) if field.name != "name")


def _check_levels(column: Column, levels: tuple[str, ...]) -> None:
    if not levels:
        raise column._refuse("at least one level is needed", key="levels")
    if len(set(levels)) != len(levels):
        raise column._refuse("levels must differ from each other", key="levels")
    if set(levels) & set(column.missing):
        raise column._refuse("a level must not also be a missing code", key="levels")


def _check_bounds(column: Column, low: object, high: object) -> None:
    for key, bound in (("min", low), ("max", high)):
        if isinstance(bound, float) and not abs(bound) < float("inf"):
            raise column._refuse("must be a finite number", key=key)
    if low is not None and high is not None and not low <= high:  # type: ignore[operator]
        raise column._refuse("'min' must not be above 'max'", key="min")


def _check_bins(column: Column, bins: Bins) -> None:
    if isinstance(bins, int) and bins < 1:
        raise column._refuse("the number of bins must be at least 1", key="bins")
    if isinstance(bins, tuple):
        rising = all(a < b for a, b in zip(bins, bins[1:], strict=False))
        if len(bins) < 2 or not rising:
            raise column._refuse("bin edges must be at least two rising numbers", key="bins")
