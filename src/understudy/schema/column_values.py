"""What single keys of a column may hold; see ``values`` for how these functions refuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from datetime import date, datetime, time
from itertools import pairwise
from typing import Any, Final

from understudy.schema import values

DISCOVER: Final = "discover"
MOST_BINS: Final = 65_536

Check = Callable[[Any, values.Refuse], Any]


def one_of(value: object, allowed: Collection[str]) -> str:
    """The sentence that refuses a value which is none of the allowed words."""
    nearest = values.guess(value, allowed) if isinstance(value, str) else ""
    return f"must be one of {values.listed(allowed)}, not {values.shown(value)}.{nearest}"


def distinct_texts(value: Any, refuse: values.Refuse) -> tuple[str, ...]:
    """A list of texts, each once."""
    items = values.texts(value, refuse)
    if len(set(items)) < len(items):
        twice = next(item for item, times in Counter(items).items() if times > 1)
        raise refuse(f"{values.shown(twice)} is listed more than once")
    return items


def levels_or_discover(value: Any, refuse: values.Refuse) -> Any:
    """A list of levels, or the word that has them bought."""
    if isinstance(value, str):
        if value == DISCOVER:
            return DISCOVER
        raise refuse(f'must be a list such as ["a", "b"], or "{DISCOVER}" to have them bought')
    return distinct_texts(value, refuse)


def levels_in_order(value: Any, refuse: values.Refuse) -> tuple[str, ...]:
    """A list of levels; their order cannot be bought."""
    if value == DISCOVER:
        raise refuse("must be a list in ascending order; only a category's levels are discovered")
    return distinct_texts(value, refuse)


def bin_edges(value: Any, refuse: values.Refuse, *, bound: Check) -> Any:
    """Nothing, a number of bins, or rising edges of the column's own type."""
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        return values.whole(value, refuse, low=1, high=MOST_BINS)
    edges = tuple(bound(edge, refuse) for edge in value)
    if not 2 <= len(edges) <= MOST_BINS + 1 or any(a >= b for a, b in pairwise(edges)):
        raise refuse(f"bin edges must be 2 to {MOST_BINS + 1} values, each above the one before")
    return edges


def date_format(value: Any, refuse: values.Refuse, *, bounds: tuple[date, date]) -> str:
    """A strftime format in which the years of both bounds survive being written and read."""
    if any(
        directive in values.words(value, refuse) for directive in ("%z", "%Z", "%c", "%x", "%X")
    ):
        raise refuse("must not use %z, %Z, %c, %x or %X: no time zones, no local customs")
    for bound in bounds:
        moment = bound if isinstance(bound, datetime) else datetime.combine(bound, time())
        if _year_read_back(moment, value) != bound.year:
            raise refuse(
                "must be a format such as '%Y-%m-%d' in which the years of 'min' and 'max' "
                "can be written and read back"
            )
    return str(value)


def _year_read_back(moment: datetime, form: str) -> int | None:
    try:
        return datetime.strptime(moment.strftime(form), form).year
    except ValueError:
        return None
