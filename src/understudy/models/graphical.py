"""``GraphicalModel``: beliefs about overlapping groups of columns that make up one joint table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, Self, final, get_args

import numpy as np
from numpy.typing import NDArray

from understudy.errors import ReleaseError, UsageError
from understudy.kernels.ancestral import Chain, Step
from understudy.kernels.systematic import draw_systematic
from understudy.models.base import Model
from understudy.models.evidence import check_allowed, condition, impossible
from understudy.models.separators import Clique, conditional, links, marginal
from understudy.schema.domain import Domain
from understudy.table.table import Codes

Sampling = Literal["alias", "systematic"]

AGREEMENT: Final = 1e-5
"""How far two beliefs may differ about what they share, in total variation."""


@final
@dataclass(frozen=True)
class GraphicalModel(Model):
    """Cliques in a running-intersection order, and the distribution over the cells of each.

    ``cliques[i]`` names the axes of ``beliefs[i]``. What a clique shares with those before it lies
    within one of them, about which both beliefs agree; every column lies in some clique. The joint
    distribution is that of each clique given what it shares, multiplied.

    ``sampling`` says how rows are drawn: ``alias`` draws them independently; ``systematic`` keeps
    the counts of what is drawn at once close to the beliefs (see ``kernels/systematic.py``).
    """

    kind = "graphical"
    in_parts = True
    domain: Domain
    size: float
    cliques: tuple[Clique, ...]
    beliefs: tuple[NDArray[np.float64], ...]
    sampling: Sampling = "alias"

    def __post_init__(self) -> None:
        if not np.isfinite(self.size) or self.size < 0:
            raise ReleaseError("a model's size must be a number that is not negative")
        if self.sampling not in get_args(Sampling):
            raise ReleaseError("a graphical model samples by 'alias' or 'systematic'")
        if len(self.cliques) != len(self.beliefs):
            raise ReleaseError("a graphical model needs one belief per clique")
        _check_columns(self.domain, self.cliques)
        for clique, belief in zip(self.cliques, self.beliefs, strict=True):
            _check_belief(self.domain, clique, belief)
        _check_agreement(self.cliques, self.beliefs)

    @property
    def total(self) -> float:
        return self.size

    @property
    def independent(self) -> bool:
        """See ``Model.independent``."""
        return len(self.cliques) > 1 and all(len(clique) == 1 for clique in self.cliques)

    def draw(self, rows: int, rng: np.random.Generator) -> Codes:
        if self.sampling == "systematic":
            drawn = draw_systematic(self._chain, rows, rng)
        else:
            drawn = self._chain.draw(rows, rng)
        return Codes(self.domain, dict(zip(self.domain.columns, drawn, strict=True)), rows)

    def marginal(self, columns: Sequence[str]) -> NDArray[np.float64]:
        """The distribution over the cells of columns that lie in one clique, axes in this order."""
        self.domain.shape(columns)
        holding = [
            (clique, belief)
            for clique, belief in zip(self.cliques, self.beliefs, strict=True)
            if set(columns) <= set(clique)
        ]
        if not holding or len(set(columns)) < len(columns):
            raise UsageError(
                f"{', '.join(map(repr, columns))} are not different columns of one clique; the "
                "model's cliques say which columns it holds together"
            )
        clique, belief = min(holding, key=lambda pair: pair[1].size)
        return marginal(belief, clique, columns)

    def given(self, allowed: Mapping[str, NDArray[np.bool_]]) -> GraphicalModel:
        """See ``Model.given``: one pass up the cliques and one down."""
        check_allowed(self.domain, allowed)
        return self.thinned({name: mask.astype(np.float64) for name, mask in allowed.items()})

    def thinned(self, kept: Mapping[str, NDArray[np.float64]]) -> GraphicalModel:
        """The model of what is left if a row stays with a probability that its cells decide.

        ``kept`` has that probability for each cell of some columns; they are multiplied.
        """
        beliefs, probability = condition(self.cliques, self.beliefs, kept)
        if not beliefs:
            raise impossible(kept)
        size = self.size * probability
        return GraphicalModel(self.domain, size, self.cliques, tuple(beliefs), self.sampling)

    def describe(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "cliques": [list(clique) for clique in self.cliques],
            "sampling": self.sampling,
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {f"belief-{place}": belief for place, belief in enumerate(self.beliefs)}

    @classmethod
    def restore(
        cls, domain: Domain, description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Self:
        foreign = ReleaseError("the model's files do not belong to a graphical model")
        size: Any = description.get("size")
        cliques: Any = description.get("cliques")
        sampling: Any = description.get("sampling")
        if isinstance(size, bool) or not isinstance(size, int | float) or not _names(cliques):
            raise foreign
        kept = tuple(tuple(clique) for clique in cliques)
        if set(arrays) != {f"belief-{place}" for place in range(len(kept))}:
            raise foreign
        beliefs = tuple(arrays[f"belief-{place}"] for place in range(len(kept)))
        return cls(domain, float(size), kept, beliefs, sampling)

    @cached_property
    def _chain(self) -> Chain:
        columns = self.domain.columns
        return Chain(self.domain.shape(columns), tuple(self._steps(columns)))

    def _steps(self, columns: tuple[str, ...]) -> Iterator[Step]:
        """Each clique's new columns, one after the other, given its separator and those before."""
        found = links(self.cliques)
        for clique, belief, link in zip(self.cliques, self.beliefs, found, strict=True):
            new = [name for name in clique if name not in link.separator]
            table = conditional(belief, clique, link.separator)
            for place, name in enumerate(new):
                given = (*link.separator, *new[:place])
                weights = marginal(table, clique, (*given, name))
                weights[~weights.any(axis=-1)] = 1.0  # never met, yet a table needs a law
                yield Step(tuple(map(columns.index, given)), columns.index(name), weights)


def _names(cliques: Any) -> bool:
    return isinstance(cliques, list) and all(
        isinstance(clique, list) and all(isinstance(name, str) for name in clique)
        for clique in cliques
    )


def _check_columns(domain: Domain, cliques: Sequence[Clique]) -> None:
    if any(not clique or len(set(clique)) < len(clique) for clique in cliques):
        raise ReleaseError("a clique of the model is empty or names a column twice")
    if {name for clique in cliques for name in clique} != set(domain.columns):
        raise ReleaseError("the model's cliques do not hold the columns of its domain")


def _check_belief(domain: Domain, clique: Clique, belief: NDArray[np.float64]) -> None:
    if belief.dtype != np.float64 or belief.shape != domain.shape(clique):
        raise ReleaseError(f"the belief about {', '.join(clique)} has the wrong shape")
    if not (belief >= 0).all() or not np.isclose(belief.sum(), 1.0, rtol=1e-6):
        raise ReleaseError(f"the belief about {', '.join(clique)} is no distribution")


def _check_agreement(cliques: Sequence[Clique], beliefs: Sequence[NDArray[np.float64]]) -> None:
    for place, (parent, separator) in enumerate(links(cliques)):
        if parent is not None:
            mine = marginal(beliefs[place], cliques[place], separator)
            theirs = marginal(beliefs[parent], cliques[parent], separator)
            if np.abs(mine - theirs).sum() / 2 > AGREEMENT:
                raise ReleaseError(
                    f"two beliefs of the model disagree about {', '.join(separator)}"
                )
