"""Beliefs given what is known of some columns: exact, by one pass up the cliques and one down.

Each clique starts as its distribution given its separator, with what is not allowed set to zero (or
what is kept in part made smaller) in the clique that brings the column in. Summed over all but the
separator, a clique tells its parent how probable the evidence below it is for each configuration;
the parent is multiplied by that. At the roots this is the probability of the evidence; on the way
down each clique is put on top of its parent's new belief. Messages are scaled to a maximum of 1, so
that much evidence cannot underflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.models.separators import Clique, Link, conditional, links, marginal
from understudy.schema.domain import Domain

Tables = list[NDArray[np.float64]]


def check_allowed(domain: Domain, allowed: Mapping[str, NDArray[np.bool_]]) -> None:
    """Refuse what is no evidence about columns of the domain."""
    for name, mask in allowed.items():
        if mask.dtype != np.bool_ or mask.shape != domain.shape([name]):
            raise UsageError(f"what is allowed in {name!r} is one true or false per cell")


def impossible(columns: Iterable[str]) -> UsageError:
    """The error for evidence that a model gives no probability."""
    return UsageError(
        f"the model holds it impossible that {', '.join(map(repr, columns))} lie in the cells "
        "asked for; ask for cells that it gives a positive probability"
    )


def condition(
    cliques: Sequence[Clique],
    beliefs: Sequence[NDArray[np.float64]],
    kept: Mapping[str, NDArray[np.float64]],
) -> tuple[Tables, float]:
    """The beliefs about rows that stay, each cell with its probability in ``kept``, and how
    probable it is that one stays. Of 0 and 1: which cells are allowed.

    If it is impossible, the probability is 0 and there are no beliefs.
    """
    found = links(cliques)
    tables = [
        conditional(belief, clique, link.separator)
        for belief, clique, link in zip(beliefs, cliques, found, strict=True)
    ]
    for table, clique, link in zip(tables, cliques, found, strict=True):
        for name in set(clique) - set(link.separator):
            if name in kept:
                np.multiply(table, _spread(kept[name], (name,), clique), out=table)
    logarithm = _collect(tables, cliques, found)
    if np.isneginf(logarithm):
        return [], 0.0
    return _distribute(tables, cliques, found), float(np.exp(logarithm))


def _collect(tables: Tables, cliques: Sequence[Clique], found: Sequence[Link]) -> float:
    """Pass messages up; returns the logarithm of the probability of the evidence."""
    logarithm = 0.0
    for place in reversed(range(len(tables))):
        parent, separator = found[place]
        message = marginal(tables[place], cliques[place], separator)
        largest = float(message.max())
        if largest == 0:
            return -np.inf
        logarithm += float(np.log(largest))
        if parent is not None:
            tables[parent] *= _spread(message / largest, separator, cliques[parent])
    return logarithm


def _distribute(tables: Tables, cliques: Sequence[Clique], found: Sequence[Link]) -> Tables:
    beliefs: Tables = []
    for table, clique, (parent, separator) in zip(tables, cliques, found, strict=True):
        belief = conditional(table, clique, separator)
        if parent is not None:
            above = marginal(beliefs[parent], cliques[parent], separator)
            belief = belief * _spread(above, separator, clique)
        beliefs.append(belief / belief.sum())
    return beliefs


def _spread(table: NDArray[Any], columns: Clique, clique: Clique) -> NDArray[Any]:
    """A table over some columns of a clique with an axis of length 1 for each of the others."""
    kept = [name for name in clique if name in set(columns)]
    turned = np.transpose(table, [columns.index(name) for name in kept])
    return np.expand_dims(turned, tuple(i for i, name in enumerate(clique) if name not in kept))
