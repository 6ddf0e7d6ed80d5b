"""Clouds: finitely many candidate parameters of a generative model, made from public values.

A ``Family`` of models asks the questions from which it is guessed where the parameters lie, and
puts a ``Cloud`` of candidates around the noisy answers, as wide as their known noise. Everything
here is post-processing; the questions are paid for by whoever puts them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.count import count_marginals
from understudy.models.base import Model
from understudy.schema.domain import Axis, BinAxis, Domain
from understudy.schema.measurement import Noisy, NoisyVector
from understudy.schema.moment import Moment
from understudy.schema.schema import Schema

Floats = NDArray[np.float64]

COMMON: Final = 20_180_801
"""The seed of every random number that makes candidates: public, and the same for all of them."""
MOST_LEVELS: Final = 64
"""Columns with more levels than this are kept but not scored: no tree could use them."""


@dataclass(frozen=True)
class Question:
    """What to ask over which domain, at which share of the budget for the guess.

    One of them: tables, sums, or what the method of this name fits.
    """

    domain: Domain
    share: Fraction
    marginals: tuple[tuple[str, ...], ...] = ()
    moments: tuple[Moment, ...] = ()
    method: str = ""


Answer = Sequence[Noisy] | NoisyVector | Model


@dataclass(frozen=True)
class Grid:
    """The cells on which candidates are scored: few for each column, some columns left out."""

    domain: Domain
    parents: Mapping[str, NDArray[np.uint16]]

    @classmethod
    def of(cls, domain: Domain, shares: Mapping[str, Floats], *, most: int) -> Grid:
        """At most ``most`` cells a column, about equally likely by these public shares."""
        axes: dict[str, Axis] = {}
        parents = {}
        for name, axis in domain.axes.items():
            if isinstance(axis, BinAxis):
                axes[name], parents[name] = _merged(axis, shares[name], most)
            elif axis.size <= MOST_LEVELS:
                axes[name], parents[name] = axis, np.arange(axis.size, dtype=np.uint16)
        kept = domain.only(list(axes)) if axes else domain.only(domain.columns[:1])
        return cls(Domain(kept.schema, axes or dict(kept.axes)), parents)

    @property
    def columns(self) -> tuple[str, ...]:
        """The scored columns, in an order that does not depend on the schema's."""
        return tuple(sorted(self.parents))

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cells each of them has."""
        return self.domain.shape(self.columns)


class Cloud(ABC):
    """Candidates that can be scored and, once one is chosen, become a model."""

    grid: Grid
    size: float
    simulated: int
    names: Sequence[str] = ()
    """None: the candidates follow from the answers that they were made from."""

    @property
    @abstractmethod
    def candidates(self) -> int:
        """How many there are."""

    @abstractmethod
    def model(self, index: int) -> Model:
        """The model of a candidate."""

    def shares(self, tables: Sequence[tuple[str, ...]], start: int, stop: int) -> Floats:
        """The expected tables of candidates ``start`` to ``stop``: a line each, one after another.

        By simulation with common random numbers, unless a family knows better.
        """
        return np.stack([self._simulated(tables, index) for index in range(start, stop)])

    def _simulated(self, tables: Sequence[tuple[str, ...]], index: int) -> Floats:
        codes = self.model(index).draw(self.simulated, np.random.default_rng(COMMON)).columns
        names = self.grid.columns
        rows = [self.grid.parents[name][codes[name]] for name in names]
        positions = [[names.index(name) for name in table] for table in tables]
        counted = count_marginals(rows, self.grid.sizes, positions)
        return np.concatenate([table.ravel() for table in counted]) / max(self.simulated, 1)


class Family(ABC):
    """A kind of generative model: what it must know beforehand, and its candidates."""

    def scope(self, schema: Schema) -> Schema:
        """The part of the schema that it can model; refuses a schema that it cannot."""
        return schema

    def choosable(self, domain: Domain) -> bool:
        """Whether there is anything to choose: parameters that the candidates differ in."""
        return True

    @abstractmethod
    def ask(self, domain: Domain, plan: CloudPlan) -> Generator[Question, Answer, Cloud]:
        """Put questions, get the noisy answers, return the cloud. Shares sum to 1."""


@dataclass(frozen=True)
class CloudPlan:
    """How many candidates, scored on how many cells a column, simulated with how many rows.

    ``order`` is that of the columns, for families to which it matters; empty: the domain's.
    ``base`` is the method whose fit is reweighted, where one is.
    """

    candidates: int
    cells: int
    simulated: int
    order: tuple[str, ...] = ()
    base: str = ""

    @cached_property
    def widths(self) -> Floats:
        """How far each candidate lies from the guess, as a part of the noise; the first is it."""
        widths = (np.arange(self.candidates) % 4 + 1) / 4.0
        widths[0] = 0.0
        return widths

    def around(self, answers: Floats, stddev: Floats | float) -> Floats:
        """A line of possible true answers per candidate, spread as the noise was."""
        steps = np.random.default_rng(COMMON).standard_normal((self.candidates, len(answers)))
        found: Floats = answers + self.widths[:, None] * steps * stddev
        return found


def _merged(axis: BinAxis, shares: Floats, most: int) -> tuple[BinAxis, NDArray[np.uint16]]:
    """An axis of at most ``most`` runs of cells; and the run of each cell, "missing" its own."""
    upto = np.cumsum(shares[: axis.proper])
    wanted = np.searchsorted(upto, upto[-1] * np.arange(1, most) / most) + 1
    kept = np.unique(np.clip(wanted, 1, max(axis.proper - 1, 1)))
    inner = kept[kept < axis.proper] if axis.proper > most else np.arange(1, axis.proper)
    edges = np.array(axis.edges)[np.concatenate([[0], inner, [axis.proper]])]
    runs = np.searchsorted(inner, np.arange(axis.proper), side="right")
    parents = np.append(runs, len(inner) + 1) if axis.nullable else runs
    merged = BinAxis(nullable=axis.nullable, edges=tuple(edges.tolist()), whole=axis.whole)
    return merged, parents.astype(np.uint16)
