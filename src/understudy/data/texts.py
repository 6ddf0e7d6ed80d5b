"""The one text form of whatever a dataframe, Parquet file or JSON line holds in a cell.

What a cell means must not depend on other rows, but the type of a dataframe's column does: one
blank turns whole numbers into floats, one word turns them into objects. So equal values have equal
text, whichever type carries them: 3, 3.0 and Decimal("3.00") are all ``3``.

    None, NaN, NaT, pandas.NA     no text: missing
    booleans                      the texts of a boolean column; elsewhere ``true``, ``false``
    whole numbers                 digits, without exponent or decimals
    other numbers                 the shortest text that reads back as the same number
    complex numbers               their real part, if they have no other
    days, moments                 in date and datetime columns themselves; elsewhere ISO 8601 to the
                                  second. A moment with a time zone is taken in UTC; what lies
                                  outside the years 1 to 9999 is the first or last moment in them
    spans of time                 what Python writes for a ``timedelta``
    intervals of pandas           their ends in the text form
    anything else                 what ``str`` makes of it; nothing if that fails
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import isnan
from typing import Any, Final

import numpy as np

from understudy.schema.columns import Boolean, Column, Date, Datetime

Text = str | datetime | None
"""What the codec reads: text, no text, or (in date and datetime columns) a moment."""

REPLACEMENT: Final = "\ufffd"
LARGEST_ID: Final = 2.0**53
"""From here on several whole numbers have one float, so that a float tells nobody apart."""
_INVALID: Final = re.compile("[\0\ud800-\udfff]")
_TOO_LARGE: Final = 1e300  # beyond the bounds of any schema
_FIRST: Final = datetime.min
_LAST: Final = datetime.max.replace(microsecond=0)


def valid(text: str) -> str:
    """``text`` with what no schema, file or database can hold replaced by U+FFFD."""
    return _INVALID.sub(REPLACEMENT, text)


def text_of(column: Column, value: Any) -> Text:
    """The text form of one value in this column. Total: never raises, whatever the value is."""
    try:
        return _text_of(column, value)
    except Exception:  # noqa: BLE001  objects may refuse to be compared, converted or printed
        return None


def _text_of(column: Column, value: Any) -> Text:  # noqa: PLR0911 - one return per kind
    match value:
        case str():
            return str.__str__(value)
        case bool() | np.bool_():
            words = column.levels if isinstance(column, Boolean) else ("false", "true")
            return words[bool(value)]
        case timedelta() | np.timedelta64():  # first, for NumPy counts its own among the integers
            return _span(value)
        case int() | float() | Decimal() | np.integer() | np.floating():
            return _number(value)
        case complex() | np.complexfloating():  # one of them makes pandas store all others so
            return str(complex(value)) if value.imag else _number(value.real)
        case date():
            return _moment(column, value)
        case np.datetime64():
            # pandas keeps these by the second as soon as a column holds nothing else.
            return _text_of(column, in_calendar(value.astype("datetime64[s]")).item())
    return _odd(column, value)


def in_calendar(moments: Any) -> Any:
    """NumPy's days or seconds, those beyond Python's calendar as its first or last."""
    first, last = (np.datetime64(end, "s").astype(moments.dtype) for end in (_FIRST, _LAST))
    return np.clip(moments, first, last)


def _number(number: Any) -> str | None:
    try:
        real = float(number)
    except OverflowError:
        return "inf" if number > 0 else "-inf"
    except ValueError:  # a signalling NaN
        return None
    if isnan(real):
        return None
    if abs(real) >= _TOO_LARGE:
        return "inf" if real > 0 else "-inf"
    whole = int(number)
    if whole == number:
        return str(whole)
    return str(int(real)) if real.is_integer() else repr(real)


def _moment(column: Column, value: date) -> Text:
    if type(value).__name__ == "NaTType":
        return None
    moment = _naive(value) if isinstance(value, datetime) else datetime(*value.timetuple()[:3])
    if isinstance(column, Date | Datetime):
        return moment
    return moment.isoformat() if isinstance(value, datetime) else value.isoformat()


def _naive(moment: datetime) -> datetime:
    """A plain datetime to the second; pandas' reach further than Python's and are cut there."""
    try:
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC)
    except OverflowError:
        return _LAST if moment.year > 5000 else _FIRST
    if not 1 <= moment.year <= 9999:
        return _LAST if moment.year > 9999 else _FIRST
    parts = (moment.month, moment.day, moment.hour, moment.minute, moment.second)
    return datetime(moment.year, *parts)


def _span(span: Any) -> str | None:
    if isinstance(span, np.timedelta64):
        span = None if np.isnat(span) else span.astype("timedelta64[us]").item()
    if span is None:
        return None
    return str(timedelta(span.days, span.seconds, span.microseconds))  # pandas' write otherwise


def _odd(column: Column, value: Any) -> Text:
    match type(value).__name__:
        case "NoneType" | "NAType":
            return None
        case "Interval":  # pandas makes its ends floats when another cell is blank
            left, right = _text_of(column, value.left), _text_of(column, value.right)
            return f"{'(['[value.closed_left]}{left}, {right}{')]'[value.closed_right]}"
    return str(value)
