"""Junction trees: cliques of columns on which a distribution with given marginals can be computed.

Columns are numbered from 0 and sets of them are bit masks. ``triangulate`` eliminates columns one
by one, always the one whose clique has fewest cells; the cliques that arise are joined by a maximum
spanning tree over their overlaps, which has the running intersection property. Everything here
looks at public sizes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Final

Positions = tuple[int, ...]
NO_PARENT: Final = -1


@dataclass(frozen=True)
class JunctionTree:
    """Cliques in an order in which each meets all before it inside one of them, its parent."""

    sizes: tuple[int, ...]
    cliques: tuple[Positions, ...]
    parents: tuple[int, ...]

    @property
    def cells(self) -> int:
        """The cells of all cliques together."""
        return sum(prod(self.sizes[column] for column in clique) for clique in self.cliques)

    def separator(self, clique: int) -> Positions:
        """The columns that a clique shares with its parent; none for a root."""
        parent = self.parents[clique]
        if parent == NO_PARENT:
            return ()
        shared = set(self.cliques[parent])
        return tuple(column for column in self.cliques[clique] if column in shared)

    def holder(self, columns: Iterable[int]) -> int | None:
        """The smallest clique that holds all these columns, or None."""
        wanted = set(columns)
        holders = [i for i, clique in enumerate(self.cliques) if wanted <= set(clique)]
        return min(holders, key=lambda i: (self._size(i), i)) if holders else None

    def _size(self, clique: int) -> int:
        return prod(self.sizes[column] for column in self.cliques[clique])


def triangulate(sizes: Sequence[int], marginals: Iterable[Sequence[int]]) -> JunctionTree:
    """A junction tree in which every marginal, and every column, lies inside a clique."""
    known = tuple(map(int, sizes))
    masks = _cliques(known, marginals)
    order, parents = _spanning_tree(masks, known)
    cliques = tuple(_columns(masks[index]) for index in order)
    return JunctionTree(known, cliques, parents)


def forecast(sizes: Sequence[int], marginals: Iterable[Sequence[int]]) -> int:
    """How many cells the cliques of ``triangulate`` would have, without building the tree."""
    known = tuple(map(int, sizes))
    return sum(_weight(mask, known) for mask in _cliques(known, marginals))


def _cliques(sizes: tuple[int, ...], marginals: Iterable[Sequence[int]]) -> list[int]:
    """The maximal cliques that arise when columns are eliminated greedily."""
    near = [1 << column for column in range(len(sizes))]
    for marginal in marginals:
        mask = _mask(marginal)
        for column in marginal:
            near[column] |= mask
    left = (1 << len(sizes)) - 1
    weights = [_weight(mask, sizes) for mask in near]
    found: list[int] = []
    while left:
        column = min(_columns(left), key=weights.__getitem__)
        clique = near[column]
        if not any(clique | other == other for other in found):
            found.append(clique)
        left &= ~(1 << column)
        for other in _columns(clique & left):
            near[other] = (near[other] | clique) & left
            weights[other] = _weight(near[other], sizes)
    return found


def _spanning_tree(
    masks: Sequence[int], sizes: tuple[int, ...]
) -> tuple[list[int], tuple[int, ...]]:
    """Prim's algorithm on the numbers of shared columns, from the largest clique on."""
    start = max(range(len(masks)), key=lambda i: (_weight(masks[i], sizes), -i))
    order, parents = [start], [NO_PARENT]
    closest = {
        i: ((masks[i] & masks[start]).bit_count(), 0) for i in range(len(masks)) if i != start
    }
    while closest:
        index = max(closest, key=lambda i: (closest[i][0], -i))
        shared, parent = closest.pop(index)
        place = len(order)
        order.append(index)
        parents.append(parent if shared else NO_PARENT)
        for other, (most, _) in closest.items():
            overlap = (masks[other] & masks[index]).bit_count()
            if overlap > most:
                closest[other] = (overlap, place)
    return order, tuple(parents)


def _mask(columns: Iterable[int]) -> int:
    mask = 0
    for column in columns:
        mask |= 1 << column
    return mask


@lru_cache(maxsize=2**14)
def _columns(mask: int) -> Positions:
    """The columns of a mask, in ascending order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)


@lru_cache(maxsize=2**14)
def _weight(mask: int, sizes: tuple[int, ...]) -> int:
    return prod(sizes[column] for column in _columns(mask))
