"""Which values tell persons apart: those whose text form no other value has.

Two ids of one text would make two people one person, with one limit of rows: what one of them adds
would push out rows of the other. So a value that was rounded, or may have been, names nobody.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, final
from uuid import UUID

import numpy as np

from understudy.data.texts import LARGEST_ID

SAFE_DIGITS: Final = 15
"""Decimal numbers of so many digits have a float each."""
SMALLEST_PLACE: Final = 300
SMALLEST: Final = 10.0**-SMALLEST_PLACE
ROUNDED: Final = ("inf", "-inf")
"""The texts that stand for all numbers beyond the bounds of any schema."""


@final
class Rounded(float):
    """A float that may have been read from several numbers."""


def read_float(text: str) -> float:
    """The float of a number in JSON, marked if another number may have it too."""
    number = float(text)
    if abs(number) >= LARGEST_ID:
        return Rounded(number)
    if number.is_integer():
        return number if Decimal(text) == Decimal(number) else Rounded(number)
    plain = len(text) <= SAFE_DIGITS and abs(number) > SMALLEST
    return number if plain else Rounded(number)


def as_id(value: Any) -> Any:
    """The value if its text form is its own, else None. Total: never raises."""
    match value:
        case Rounded() | datetime() | np.timedelta64():
            return None
        case float() | np.floating() if abs(float(value)) >= LARGEST_ID:
            return None
        case Decimal():
            return value if _is_plain(value) else None
        case str() | bytes() | bool() | int() | float() | date() | UUID():
            return value
        case np.bool_() | np.integer() | np.floating():
            return value
    return None  # spans, times, complex numbers and whatever else is rounded or printed shortly


def _is_plain(number: Decimal) -> bool:
    """Whole, or of so few digits that its float is its own."""
    if not number.is_finite():
        return False
    few = len(number.as_tuple().digits) <= SAFE_DIGITS and abs(number.adjusted()) < SMALLEST_PLACE
    return few or number == number.to_integral_value()
