"""Made-up values for ``fake`` columns: nothing in them was learned from anybody.

Each value is a number in an invented space, spelled out by the column's style. Numbers are handed
out by a random walk that visits each number of the space at most once, so that values are unique
within a table. Names are built from syllables; e-mail addresses use the domains that are reserved
for examples, telephone numbers the lines 555-0100 to 555-0199 that are reserved for fiction.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.schema.columns import Fake
from understudy.table.table import Values

_OPENINGS: Final = ("Ar", "Be", "Ca", "Do", "El", "Fa", "Gi", "Ha", "Io", "Ju", "Ka", "Li")
_ENDINGS: Final = ("bel", "dra", "lan", "mia", "nor", "ra", "rin", "sso", "ta", "ven", "vi", "zel")
_PLACES: Final = ("Alder", "Birk", "Cedar", "Dell", "Elm", "Fern", "Glen", "Heath", "Lark", "Moss")
_FEATURES: Final = (
    "bank",
    "croft",
    "dale",
    "field",
    "gate",
    "moor",
    "ridge",
    "ton",
    "well",
    "wick",
)
_FIRST: Final = tuple(opening + ending for opening in _OPENINGS for ending in _ENDINGS)
_LAST: Final = tuple(place + feature for place in _PLACES for feature in _FEATURES)
_NAMES: Final = len(_FIRST) * len(_LAST)
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DOMAINS: Final = ("example.org", "example.net")
_AREAS: Final = 800
_LINES: Final = 100


def invent(column: Fake, *, rows: int, rng: np.random.Generator) -> Values:
    """``rows`` different made-up values of the column's style, from ``rng`` alone."""
    spell, capacity = _STYLES[column.style]
    return Values(spell(_walk(rows, max(capacity, rows), rng)))


def _walk(count: int, space: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """``count`` different numbers below ``space``: equal steps round a circle, from anywhere.

    The step is coprime to the space, so that no number comes twice before all have come.
    """
    step = int(rng.integers(1, max(space, 2)))
    while gcd(step, space) != 1:
        step = step % space + 1
    start = int(rng.integers(space))
    whole = (start + step * index for index in range(count))
    return np.fromiter((number % space for number in whole), dtype=np.int64, count=count)


def _ids(numbers: NDArray[np.int64]) -> NDArray[np.object_]:
    return _texts([f"SYN-{number:012d}" for number in numbers.tolist()])


def _names(numbers: NDArray[np.int64]) -> NDArray[np.object_]:
    return _texts([_name(number) for number in numbers.tolist()])


def _name(number: int) -> str:
    """First name, two initials, last name; a number after it once all of those are used up."""
    rest, name = divmod(number, _NAMES)
    rest, one = divmod(rest, len(_LETTERS))
    rest, two = divmod(rest, len(_LETTERS))
    first, last = _FIRST[name // len(_LAST)], _LAST[name % len(_LAST)]
    full = f"{first} {_LETTERS[one]}. {_LETTERS[two]}. {last}"
    return f"{full} {rest + 1}" if rest else full


def _emails(numbers: NDArray[np.int64]) -> NDArray[np.object_]:
    return _texts([_email(number) for number in numbers.tolist()])


def _email(number: int) -> str:
    rest, name = divmod(number, _NAMES)
    first, last = _FIRST[name // len(_LAST)].lower(), _LAST[name % len(_LAST)].lower()
    return f"{first}.{last}{rest}@{_DOMAINS[number % len(_DOMAINS)]}"


def _phones(numbers: NDArray[np.int64]) -> NDArray[np.object_]:
    return _texts([_phone(number) for number in numbers.tolist()])


def _phone(number: int) -> str:
    rest, line = divmod(number, _LINES)
    extension, area = divmod(rest, _AREAS)
    return f"+1-{area + 200}-555-01{line:02d} x{extension:04d}"


def _uuids(numbers: NDArray[np.int64]) -> NDArray[np.object_]:
    """Version 8 (free form) identifiers; the leading ``5e`` digits mark them as synthetic."""
    return _texts(
        [
            f"5e5e5e5e-{high >> 12:04x}-8{high & 0xFFF:03x}-a5e5-{low:012x}"
            for high, low in zip(*np.divmod(numbers, 1 << 32), strict=True)
        ]
    )


def _texts(texts: list[str]) -> NDArray[np.object_]:
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


_Spell = Callable[[NDArray[np.int64]], NDArray[np.object_]]
_STYLES: Final[dict[str, tuple[_Spell, int]]] = {
    "id": (_ids, 10**12),
    "name": (_names, _NAMES * len(_LETTERS) ** 2),
    "email": (_emails, _NAMES * 10**6),
    "uuid": (_uuids, 1 << 60),
    "phone": (_phones, _AREAS * _LINES * 10**4),
}
