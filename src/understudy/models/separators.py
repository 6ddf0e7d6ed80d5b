"""Cliques in a running-intersection order: which earlier clique each one hangs on, and by what.

In such an order the columns that a clique shares with all cliques before it, its separator, lie in
one earlier clique, its parent. The beliefs of the cliques then make up one joint distribution: the
first clique's, times that of each further clique given its separator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError

Clique = tuple[str, ...]


class Link(NamedTuple):
    """A clique's parent (None for a root) and its separator, in the order of the clique."""

    parent: int | None
    separator: Clique


def links(cliques: Sequence[Clique]) -> tuple[Link, ...]:
    """The parent and separator of each clique; ReleaseError if the order is none."""
    found: list[Link] = []
    seen: set[str] = set()
    for place, clique in enumerate(cliques):
        separator = tuple(name for name in clique if name in seen)
        found.append(Link(_parent(separator, cliques[:place]), separator))
        seen.update(clique)
    return tuple(found)


def _parent(separator: Clique, before: Sequence[Clique]) -> int | None:
    if not separator:
        return None
    for place, clique in enumerate(before):
        if set(separator) <= set(clique):
            return place
    raise ReleaseError(
        "the model's cliques are not in a running-intersection order: what a clique shares with "
        "those before it must lie within one of them"
    )


def others(clique: Clique, columns: Iterable[str]) -> tuple[int, ...]:
    """The axes of a clique's columns that are not among ``columns``."""
    kept = set(columns)
    return tuple(axis for axis, name in enumerate(clique) if name not in kept)


def marginal(
    belief: NDArray[np.float64], clique: Clique, columns: Sequence[str]
) -> NDArray[np.float64]:
    """The belief summed up over the clique's other columns, with its axes in this order."""
    kept = [name for name in clique if name in set(columns)]
    summed = belief.sum(axis=others(clique, columns))
    return np.asarray(np.transpose(summed, [kept.index(name) for name in columns]))


def conditional(
    belief: NDArray[np.float64], clique: Clique, separator: Sequence[str]
) -> NDArray[np.float64]:
    """The belief given the separator: for each of its configurations a distribution of the rest.

    A configuration that the belief holds to be impossible (its parent may differ in the last
    digits) gets the distribution of the rest regardless of the separator.
    """
    mass = belief.sum(axis=others(clique, separator), keepdims=True)
    inside = tuple(axis for axis, name in enumerate(clique) if name in set(separator))
    anyway = belief.sum(axis=inside, keepdims=True) / belief.sum()
    given = np.array(np.broadcast_to(anyway, belief.shape))
    np.divide(belief, mass, out=given, where=mass > 0)
    return given
