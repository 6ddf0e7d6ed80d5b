"""Marginals over two columns of a distribution on a junction tree, wherever the columns lie.

Two columns of one clique are summed out of it. For others, the joint table of the first column and
a separator is handed from clique to clique, multiplied by the probabilities of the next separator
given this one, until the clique of the second column is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.junction import NO_PARENT, JunctionTree, Positions

Floats = NDArray[np.float64]
Pair = tuple[int, int]


def pair_marginals(
    tree: JunctionTree, tables: Sequence[Floats], wanted: Iterable[Pair]
) -> dict[Pair, Floats]:
    """The joint table of each wanted pair of different columns, in the order of the pair.

    ``tables`` are the calibrated tables of the tree's cliques.
    """
    return _Walks(tree, tables).pairs(list(wanted))


class _Visit(NamedTuple):
    """A clique on a walk: where it came from, and what is known of the first column by then.

    ``joint`` has the column's axis first, then those of ``given``; None while the column itself is
    in the clique.
    """

    clique: int
    before: int
    given: Positions
    joint: Floats | None


@final
class _Walks:
    """Walks through the tree, and what they have in common."""

    def __init__(self, tree: JunctionTree, tables: Sequence[Floats]) -> None:
        self._tree, self._tables = tree, tables
        self._near: list[list[tuple[int, Positions]]] = [[] for _ in tables]
        for clique, parent in enumerate(tree.parents):
            if parent != NO_PARENT:
                separator = tree.separator(clique)
                self._near[parent].append((clique, separator))
                self._near[clique].append((parent, separator))
        self._shares: dict[tuple[int, Positions, Positions, Positions], Floats] = {}

    def pairs(self, wanted: list[Pair]) -> dict[Pair, Floats]:
        found: dict[Pair, Floats] = {}
        partners: dict[int, set[int]] = {}
        for one, other in wanted:
            holder = self._tree.holder((one, other))
            if holder is None:
                partners.setdefault(one, set()).add(other)
            else:
                found[one, other] = self._marginal(holder, (one, other))
        for one, others in partners.items():
            found.update({(one, other): table for other, table in self._from(one, others)})
        return found

    def _from(self, column: int, wanted: set[int]) -> list[tuple[int, Floats]]:
        """The pairs of a column with others, found on a walk that starts in its clique."""
        home = self._tree.holder((column,))
        assert home is not None
        found: dict[int, Floats] = {}
        left: list[_Visit] = [_Visit(home, NO_PARENT, (), None)]
        while left and len(found) < len(wanted):
            visit = left.pop()
            for other in wanted.intersection(self._tree.cliques[visit.clique]) - set(found):
                found[other] = self._passed(visit, (other,))
            for following, separator in self._near[visit.clique]:
                if following != visit.before:
                    joint = self._onward(visit, column, separator)
                    left.append(_Visit(following, visit.clique, separator, joint))
        self._add_strangers(column, wanted, found)
        return list(found.items())

    def _onward(self, visit: _Visit, column: int, separator: Positions) -> Floats | None:
        """The joint table of the column and the next separator; None while it lies in that."""
        if column in separator:
            return None
        if visit.joint is None:
            return self._marginal(visit.clique, (column, *separator))
        return self._passed(visit, separator)

    def _passed(self, visit: _Visit, wanted: Positions) -> Floats:
        """The joint table of the column and columns of the clique, from that with ``given``.

        What both have in common is carried along; the rest of ``given`` is summed out.
        """
        given, joint = visit.given, visit.joint
        assert joint is not None, "the wanted pair lies inside one clique"
        kept = tuple(column for column in given if column in wanted)
        gone = tuple(column for column in given if column not in wanted)
        new = tuple(column for column in wanted if column not in given)
        shares = self._conditional(visit.clique, kept, gone, new)
        axes = [1 + given.index(column) for column in (*kept, *gone)]
        turned = joint.transpose([*axes[: len(kept)], 0, *axes[len(kept) :]])
        product = turned.reshape(shares.shape[0], len(joint), -1) @ shares
        sizes = self._tree.sizes
        full = product.reshape([*(sizes[c] for c in kept), len(joint), *(sizes[c] for c in new)])
        order = (*kept, -1, *new)
        return full.transpose([order.index(column) for column in (-1, *wanted)])

    def _add_strangers(self, column: int, wanted: set[int], found: dict[int, Floats]) -> None:
        """Columns in another component of the tree are independent of this one."""
        own = self._one_way(column)
        for other in wanted - set(found):
            found[other] = np.multiply.outer(own, self._one_way(other))

    def _one_way(self, column: int) -> Floats:
        holder = self._tree.holder((column,))
        assert holder is not None
        return self._marginal(holder, (column,))

    def _marginal(self, clique: int, columns: Positions) -> Floats:
        """A clique summed out to these columns, in their order."""
        held = self._tree.cliques[clique]
        rest = tuple(axis for axis, column in enumerate(held) if column not in columns)
        kept = [column for column in held if column in columns]
        table: Floats = self._tables[clique].sum(axis=rest)
        return table.transpose([kept.index(column) for column in columns])

    def _conditional(self, clique: int, kept: Positions, gone: Positions, new: Positions) -> Floats:
        """P(new | kept, gone) in a clique: a matrix (gone, new) for every cell of ``kept``."""
        key = (clique, kept, gone, new)
        if key not in self._shares:
            joint = self._marginal(clique, (*kept, *gone, *new))
            cells = [prod(self._tree.sizes[c] for c in part) for part in (kept, gone, new)]
            flat = joint.reshape(cells)
            mass = flat.sum(axis=2, keepdims=True)
            self._shares[key] = np.divide(flat, mass, out=np.zeros_like(flat), where=mass > 0.0)
        return self._shares[key]
