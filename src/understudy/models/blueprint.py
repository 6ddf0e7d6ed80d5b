"""``Blueprint``: which marginals to count, and with which shares, to answer a fixed workload best.

A wide ordered column has two views: its own cells, for its one-way table, and a public number of
even groups of them, for its relations. Views are numbered like columns of their own, so that the
optimal split (``kernels/splits.py``) and the reconstruction (``kernels/residuals.py``) hold as they
stand: nothing but the total is shared between the two views of a column. Everything here follows
from the domain and the arguments; no row is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10, prod
from typing import Final, NamedTuple, final

from understudy.kernels.residuals import Measured, Residuals, residual_variances, residuals_of
from understudy.kernels.splits import Law, Workload, best_split
from understudy.models.coarsen import even_groups, ordered
from understudy.schema.domain import Domain, GroupAxis
from understudy.schema.measurement import Noisy

Names = tuple[str, ...]
Numbers = tuple[int, ...]

DIGITS: Final = 3
"""Of a share; relations of one shape then get one scale of noise, whose sampler is made once."""


class Question(NamedTuple):
    """A marginal to be counted, over groups or over the domain's own cells, and its weight."""

    columns: Names
    in_groups: bool
    weight: int


@final
@dataclass(frozen=True)
class Blueprint:
    """The ``questions`` that answer ``members``, over the domain ``coarse`` and that below it."""

    coarse: Domain
    members: tuple[Names, ...]
    questions: tuple[Question, ...]

    @classmethod
    def of(cls, coarse: Domain, relations: Iterable[Names], *, law: Law) -> Blueprint:
        """The best plan for every column alone and for these relations over the coarse cells.

        The cells inside a group follow their column alone, in every relation that has it: a wide
        column counts once more for each.
        """
        members = (*((name,) for name in coarse.columns), *relations)
        empty = cls(coarse, members, ())
        numbers = [empty.number(member) for member in members]
        public = coarse.schema.rows is not None
        inside = Counter(name for member in members if len(member) > 1 for name in member)
        importance = tuple(
            1.0 + inside[member[0]] if len(member) == 1 and member[0] in empty.wide else 1.0
            for member in members
        )
        workload = Workload(tuple(numbers), empty.sizes, public, importance)
        split = best_split(workload, law=law)
        unit = 10.0 ** (DIGITS - 1 - floor(log10(float(split.shares.min()))))
        weights = [_rounded(share * unit) for share in split.shares.tolist()]
        asked = zip(split.marginals, weights, strict=True)
        questions = tuple(Question(*empty._view(one), weight) for one, weight in asked)
        return cls(coarse, members, questions)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each numbered view: in groups, then the wide columns' own."""
        columns, fine = self.coarse.columns, self.coarse.fine
        return self.coarse.shape(columns) + fine.shape(self.wide)

    @property
    def wide(self) -> Names:
        """The columns whose relations are counted in groups."""
        axes = self.coarse.axes.items()
        return tuple(name for name, axis in axes if isinstance(axis, GroupAxis))

    @property
    def total_weight(self) -> int:
        """The sum of all questions' weights."""
        return sum(question.weight for question in self.questions)

    def number(self, columns: Names, *, in_groups: bool | None = None) -> Numbers:
        """A marginal as the kernels know it. Only relations are in groups unless asked for."""
        if (len(columns) > 1) if in_groups is None else in_groups:
            return tuple(self.coarse.columns.index(name) for name in columns)
        width = len(self.coarse.columns)
        return tuple(
            width + self.wide.index(name) if name in self.wide else self.coarse.columns.index(name)
            for name in columns
        )

    def shape(self, member: Names) -> tuple[int, ...]:
        """The number of cells of each column in the answer to a member."""
        return tuple(self.sizes[view] for view in self.number(member))

    def variances(self, stddevs: Sequence[float]) -> list[float]:
        """The variance of each cell of each member's answer, from the noise of each question."""
        asked = [self._numbered(question) for question in self.questions]
        pairs = [(one, stddev**2) for one, stddev in zip(asked, stddevs, strict=True)]
        public = self.coarse.schema.rows is not None
        known = residual_variances(pairs, self.sizes, total_known=public)
        told = Residuals(self.sizes, {}, known)
        return [told.variance(self.number(member)) for member in self.members]

    def answers(self, measured: Sequence[Noisy]) -> Residuals:
        """The best unbiased estimates, from the answers to all questions in their order."""
        rows = self.coarse.schema.rows
        told = [
            Measured(self._numbered(question), noisy.values, noisy.stddev**2)
            for question, noisy in zip(self.questions, measured, strict=True)
        ]
        return residuals_of(told, self.sizes, total=None if rows is None else float(rows))

    def _numbered(self, question: Question) -> Numbers:
        return self.number(question.columns, in_groups=question.in_groups)

    def _view(self, numbers: Numbers) -> tuple[Names, bool]:
        """The columns of a numbered marginal, and whether any of them is in groups."""
        width = len(self.coarse.columns)
        names = [*self.coarse.columns, *self.wide]
        columns = tuple(names[number] for number in numbers)
        return columns, any(number < width and names[number] in self.wide for number in numbers)


def in_even_groups(domain: Domain, groups: int) -> Domain:
    """The domain in which every ordered column of more cells has so many even groups of them."""
    axes = domain.axes
    wide = {
        name: even_groups(axis.proper, groups, missing=axis.nullable)
        for name, axis in axes.items()
        if ordered(domain, name) and axis.proper > groups
    }
    return domain.grouped(wide)


def fitting(
    domain: Domain, relations: Mapping[Names, bool], *, largest: float, most: int
) -> list[Names]:
    """Those of the relations that are required (true), and of the rest all that fit: no more than
    ``largest`` cells each and no more than ``most`` in all, small ones first."""
    cells = {columns: prod(domain.shape(columns)) for columns in relations}
    kept = {columns for columns, required in relations.items() if required}
    used = sum(cells[columns] for columns in kept)
    for columns in sorted(set(relations) - kept, key=lambda names: (cells[names], names)):
        used += cells[columns]
        if cells[columns] > largest or used > most:
            break
        kept.add(columns)
    return [columns for columns in relations if columns in kept]


def _rounded(weight: float) -> int:
    """A weight of at least ``DIGITS`` digits, to so many of them."""
    step = int(10 ** (floor(log10(weight)) - DIGITS + 1))
    return max(round(weight / step), 1) * step
