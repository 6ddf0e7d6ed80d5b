"""How the text of one cell becomes a number, a day or a second. Public, total, nothing else.

Numbers follow one grammar, ``NUMBER``, and are read as the nearest double; too large a number is
an infinity, which the bounds then clip. ``nan`` is not in the grammar: it is unreadable.

Days and seconds are read by the column's ``format`` as ``datetime.strptime`` reads it, with two
restrictions: digits are ASCII digits, and what carries a time zone is unreadable. Fractions of a
second are cut off.

Both allow spaces and tabs around the text. No text whatsoever raises.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from understudy.schema.axes import day_number, second_number
from understudy.schema.columns import Column, Date, Datetime

NUMBER: Final = (
    r"[ \t]*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*"
    r"|[ \t]*[+-]?([iI][nN][fF]([iI][nN][iI][tT][yY])?)[ \t]*"
)
"""The grammar of numbers, the same in Python, DuckDB and RE2; the whole text must match."""

_NUMBER: Final = re.compile(NUMBER)
_FOREIGN_DIGIT: Final = re.compile(r"[^\D0-9]")
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ISO_SECOND: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}")
_ISO: Final = {"%Y-%m-%d": _ISO_DAY, "%Y-%m-%dT%H:%M:%S": _ISO_SECOND}


def number_in(text: str) -> float | None:
    """The number that ``text`` writes, None if it writes none; may be infinite, never NaN."""
    return float(text) if _NUMBER.fullmatch(text) else None


def moment_in(text: str, form: str) -> datetime | None:
    """The moment that ``text`` writes in the strptime format ``form``, None if it writes none."""
    text = text.strip(" \t")
    iso = _ISO.get(form)
    try:
        if iso is not None and iso.fullmatch(text):
            return datetime.fromisoformat(text)  # the same moment, ten times sooner
        if _FOREIGN_DIGIT.search(text):
            return None
        moment = datetime.strptime(text, form)
    except (ValueError, OverflowError, re.error):
        return None
    return moment if moment.tzinfo is None else None


def place_in(column: Column, text: str) -> float | None:
    """Where ``text`` lies on the line of a number, date or datetime column; None if unreadable.

    Dates count days and datetimes count seconds from 1970-01-01.
    """
    if not isinstance(column, Date | Datetime):
        return number_in(text)
    moment = moment_in(text, column.format)
    return None if moment is None else place_of(column, moment)


def place_of(column: Date | Datetime, moment: datetime) -> float:
    """Where a moment without time zone lies on the line of a date or datetime column."""
    if isinstance(column, Date):
        return float(day_number(moment.date()))
    return float(second_number(moment.replace(microsecond=0)))
