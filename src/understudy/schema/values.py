"""What a key of a schema may hold.

Each function returns the value in its one canonical form, or raises what ``refuse`` makes of a
sentence that says what is allowed. Booleans are never numbers here, and text is never a number:
what a file means must not depend on how Python happens to convert it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Final

from understudy.errors import SchemaError

Refuse = Callable[[str], SchemaError]

LARGEST_WHOLE: Final = 2**53
LARGEST_REAL: Final = 1e300
_COMPARED_UP_TO: Final = 100


def text(value: Any, refuse: Refuse) -> str:
    """Text; a whole number stands for the text that a table would show."""
    if not isinstance(value, bool) and isinstance(value, Integral):
        return str(int(value))
    if not isinstance(value, str):
        raise refuse(f"must be text in quotes, as the table writes it, not {called(value)}")
    if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise refuse("must be valid Unicode text without the NUL character")
    return str(value)


def words(value: Any, refuse: Refuse) -> str:
    """Text meant for people; unlike ``text`` it takes no numbers."""
    if not isinstance(value, str):
        raise refuse(f"must be text in quotes, not {called(value)}")
    return text(value, refuse)


def name(value: Any, refuse: Refuse) -> str:
    """Text that is not empty."""
    if not words(value, refuse):
        raise refuse("must not be empty; give it a name (in the table's header as well)")
    return str(value)


def texts(value: Any, refuse: Refuse) -> tuple[str, ...]:
    """A list of texts."""
    if not isinstance(value, list | tuple):
        raise refuse(f'must be a list such as ["a", "b"], not {called(value)}')
    return tuple(text(item, refuse) for item in value)


def whole(
    value: Any, refuse: Refuse, *, low: int = -LARGEST_WHOLE, high: int = LARGEST_WHOLE
) -> int:
    """A whole number between two others; 17.0 counts as 17."""
    number(value, refuse)
    if value != int(value):
        raise refuse("must be a whole number")
    if not low <= value <= high:
        raise refuse(f"must be a whole number between {low} and {high}")
    return int(value)


def number(value: Any, refuse: Refuse) -> float:
    """A finite number of sensible size."""
    if isinstance(value, bool) or not isinstance(value, Real):
        hint = "; write it without quotes" if isinstance(value, str) else ""
        raise refuse(f"must be a number, not {called(value)}{hint}")
    if not -LARGEST_REAL <= value <= LARGEST_REAL:  # type: ignore[operator]
        raise refuse(f"must be a finite number, at most {LARGEST_REAL:g} in size")
    return float(value)


def flag(value: Any, refuse: Refuse) -> bool:
    """``true`` or ``false``."""
    if not isinstance(value, bool):
        raise refuse(f"must be true or false, without quotes, not {called(value)}")
    return value


def day(value: Any, refuse: Refuse) -> date:
    """A calendar day, bare or as text; never a moment."""
    found = _from_iso(date, value)
    if isinstance(found, datetime) or not isinstance(found, date):
        raise refuse(f"must be a date such as 2010-01-31, not {called(value)}")
    return found


def moment(value: Any, refuse: Refuse) -> datetime:
    """A moment to the second without time zone, bare or as text with a time of day."""
    found = _from_iso(datetime, value)
    if not isinstance(found, datetime) or (isinstance(value, str) and len(value) <= 10):
        raise refuse(f"must be a moment such as 2010-01-31T23:59:59, not {called(value)}")
    if found.tzinfo is not None:
        raise refuse("must not have a time zone; columns of moments have none")
    if found.microsecond:
        raise refuse("must be a whole second")
    return found.replace(fold=0)


def _from_iso(kind: type[date], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return kind.fromisoformat(value)
    except ValueError:
        return None


def called(value: Any) -> str:  # noqa: PLR0911 - one return per kind
    """What a person would call this kind of value."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true or false"
        case str():
            return "text"
        case Real():
            return "a number"
        case datetime():
            return "a moment"
        case date():
            return "a date"
        case list() | tuple():
            return "a list"
        case dict():
            return "a table"
    return f"a {type(value).__name__}"


def shown(value: object, *, width: int = 60) -> str:
    """A value as a message shows it: quoted, unprintable letters escaped, never endless."""
    quoted = repr(value)
    return quoted if len(quoted) <= width else f"{quoted[: width - 4]}...{quoted[0]}"


def listed(items: Iterable[str], *, most: int = 8) -> str:
    """Quoted items separated by commas, the first few if there are many."""
    every = [shown(item) for item in items]
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more


def guess(wrong: str, allowed: Iterable[str]) -> str:
    """A sentence naming the allowed word nearest to a wrong one, or nothing."""
    if len(wrong) > _COMPARED_UP_TO:
        return ""
    near = [word for word in allowed if abs(len(word) - len(wrong)) <= _COMPARED_UP_TO // 2][:1000]
    lowered = {word.lower(): word for word in reversed(near)}
    found = get_close_matches(wrong.lower(), lowered, n=1)
    return f" Did you mean {shown(lowered[found[0]])}?" if found else ""
