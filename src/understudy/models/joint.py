"""Whether a joint table over several columns fits, told from public sizes before it is counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Final, get_args

from understudy.errors import UsageError
from understudy.models.histogram import Negatives

LARGEST_TABLE: Final = 2**30
"""No joint table may be allowed to have more cells than this: it would not fit a machine."""


def chosen(columns: Iterable[str] | None) -> tuple[str, ...] | None:
    """Names of different columns as a tuple, or None for all columns."""
    if columns is None:
        return None
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    if not names or len(set(names)) != len(names) or not all(isinstance(n, str) for n in names):
        raise UsageError("columns are one or more different names; leave it out to take them all")
    return names


def check_choice(negatives: Negatives, most_cells: int) -> None:
    """Refuse settings of a joint table that make no sense."""
    if negatives not in get_args(Negatives):
        known = " or ".join(map(repr, get_args(Negatives)))
        raise UsageError(f"negatives is {known}, not {negatives!r}")
    check_most_cells(most_cells)


def check_most_cells(most_cells: int) -> None:
    """Refuse a limit of cells that is none."""
    whole = isinstance(most_cells, int) and not isinstance(most_cells, bool)
    if not whole or not 1 <= most_cells <= LARGEST_TABLE:
        raise UsageError(f"most_cells is a whole number from 1 to {LARGEST_TABLE:,}")


def check_size(sizes: Mapping[str, int], *, most: int) -> None:
    """Refuse a joint table over columns of these sizes if it has too many cells."""
    cells = prod(sizes.values())
    if cells <= most:
        return
    widest = sorted(sizes.items(), key=lambda pair: -pair[1])[:3]
    named = ", ".join(f"{name!r} has {size:,}" for name, size in widest)
    raise UsageError(
        f"the joint table of {len(sizes)} columns has {_short(cells)} cells, and at most {most:,} "
        f"are allowed; of the columns, {named}. Choose fewer columns (columns=...), give them "
        "fewer bins or levels, allow more (most_cells=...), or take a method without a joint "
        "table, such as 'independent'"
    )


def _short(cells: int) -> str:
    return f"{cells:,}" if cells < 10**12 else f"about 10^{len(str(cells)) - 1}"
