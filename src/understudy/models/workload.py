"""Workloads: which relations between columns should come out right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from understudy.errors import UsageError

Columns = tuple[str, ...]

WIDTHS: Final = {"pairs": 2, "triples": 3}
JOINED_BY: Final = "*"
WIDEST: Final = 6
"""A relation of more columns has too many parts, and cells that no budget fills."""


@dataclass(frozen=True)
class Workload:
    """Relations by name: ``pairs``, ``triples``, or columns joined by ``*``."""

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        texts = isinstance(self.names, tuple) and all(isinstance(n, str) for n in self.names)
        if not texts or not self.names:
            raise UsageError(
                "a workload is a tuple of names: 'pairs', 'triples', or columns joined by '*' "
                "such as 'age*job'"
            )

    def members(self, columns: Sequence[str]) -> list[Columns]:
        """The relations themselves, each as columns in the order given; refuses unknown ones."""
        known = sorted(columns)
        found: dict[Columns, None] = {}
        for name in self.names:
            if name in WIDTHS:
                width = min(WIDTHS[name], len(known))
                found.update(dict.fromkeys(combinations(known, width)))
            else:
                found[_named(name, known)] = None
        return list(found)

    def candidates(self, columns: Sequence[str]) -> dict[Columns, float]:
        """Every relation of two or more columns inside a member, with its weight.

        The weight is the number of columns shared with members, summed over all of them, relative
        to the largest.
        """
        members = [frozenset(member) for member in self.members(columns)]
        parts = dict.fromkeys(
            part
            for member in self.members(columns)
            for width in range(2, len(member) + 1)
            for part in combinations(member, width)
        )
        shared = {part: sum(len(member.intersection(part)) for member in members) for part in parts}
        most = max(shared.values(), default=1)
        return {part: weight / most for part, weight in shared.items()}


def _named(name: str, known: Sequence[str]) -> Columns:
    parts = tuple(name.split(JOINED_BY))
    unknown = [part for part in parts if part not in known]
    if unknown:
        raise UsageError(
            f"a workload is 'pairs', 'triples' or columns joined by '*'; no modelled column is "
            f"named {', '.join(map(repr, unknown))}"
        )
    if not 2 <= len(set(parts)) == len(parts) <= WIDEST:
        raise UsageError(f"a relation has 2 to {WIDEST} different columns, not {name!r}")
    return tuple(sorted(parts))
