"""``Domain``: the finite public set of cells that every method works on.

A domain is a schema with nothing left open. Each modelled column becomes an ``Axis``, a list of
cells numbered from 0; the last cell of an axis stands for "missing" if the column may be missing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from types import MappingProxyType

from understudy.errors import UsageError
from understudy.schema.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Axis(ABC):
    """The cells of one column."""

    nullable: bool

    @property
    @abstractmethod
    def proper(self) -> int:
        """How many cells hold values, "missing" not counted."""

    @property
    def size(self) -> int:
        """How many cells there are, "missing" included."""
        return self.proper + self.nullable

    @property
    def missing_code(self) -> int | None:
        """The number of the cell that stands for "missing", if there is one."""
        return self.proper if self.nullable else None


@dataclass(frozen=True, kw_only=True)
class LevelAxis(Axis):
    """One cell per level. Text that is no level goes to ``fallback``, a cell number."""

    levels: tuple[str, ...]
    fallback: int

    def __post_init__(self) -> None:
        if not self.levels or len(set(self.levels)) != len(self.levels):
            raise UsageError("an axis needs at least one level, and levels that differ")
        if not 0 <= self.fallback < self.size:
            raise UsageError("the fallback must be one of the cells")

    @property
    def proper(self) -> int:
        """How many levels there are."""
        return len(self.levels)


@dataclass(frozen=True, kw_only=True)
class BinAxis(Axis):
    """Cell i holds ``edges[i] <= x < edges[i + 1]``; what lies outside goes to the nearest bin.

    ``whole`` axes count integers, days or seconds, and their last edge is the largest value + 1.
    Otherwise the last bin includes its upper edge. Unreadable text goes to "missing", else bin 0.
    """

    edges: tuple[float, ...]
    whole: bool

    def __post_init__(self) -> None:
        if len(self.edges) < 2 or any(a >= b for a, b in pairwise(self.edges)):
            raise UsageError("an axis needs at least two edges, each above the one before")

    @property
    def proper(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    @property
    def fallback(self) -> int:
        """The cell of unreadable text."""
        return self.proper if self.nullable else 0


@dataclass(frozen=True, kw_only=True)
class GroupAxis(Axis):
    """Groups of the cells of a ``fine`` axis: cell i of it lies in ``groups[i]``.

    "Missing" is grouped like any other cell, so that a group of cells may hold it too; no cell of
    its own stands for it.
    """

    fine: Axis
    groups: tuple[int, ...]
    nullable: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.fine, GroupAxis) or self.nullable:
            raise UsageError("groups are made of the cells of a plain axis, missing ones included")
        if len(self.groups) != self.fine.size:
            raise UsageError("every cell of the fine axis belongs to one group")
        if set(self.groups) != set(range(max(self.groups) + 1)):
            raise UsageError("groups are numbered from 0, and none is empty")

    @property
    def proper(self) -> int:
        """How many groups there are."""
        return max(self.groups) + 1


@dataclass(frozen=True)
class Domain:
    """A schema and the axes of its modelled columns (or of some of them), in the schema's order."""

    schema: Schema
    axes: Mapping[str, Axis]

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", MappingProxyType(dict(self.axes)))
        known = tuple(name for name in self.schema.modelled if name in self.axes)
        if tuple(self.axes) != known:
            raise UsageError("a domain has axes of modelled columns only, in the schema's order")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns, in the schema's order."""
        return tuple(self.axes)

    def only(self, columns: Collection[str]) -> Domain:
        """The domain of these columns, over a schema in which the others are dropped.

        It is this very domain if no column is left out.
        """
        self.shape(list(columns))
        if set(columns) == set(self.axes):
            return self
        kept = {name: axis for name, axis in self.axes.items() if name in columns}
        return Domain(self.schema.only(kept), kept)

    def grouped(self, groups: Mapping[str, Sequence[int]]) -> Domain:
        """The coarser domain in which these columns' cells are put together in groups."""
        self.shape(list(groups))
        coarse = {
            name: GroupAxis(fine=axis, groups=tuple(map(int, groups[name])))
            if name in groups
            else axis
            for name, axis in self.axes.items()
        }
        return Domain(self.schema, coarse)

    def groups(self, columns: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """The group of each fine cell, for those of these columns that are grouped."""
        axes = {name: self.axes[name] for name in columns}
        return {name: axis.groups for name, axis in axes.items() if isinstance(axis, GroupAxis)}

    @property
    def fine(self) -> Domain:
        """The domain whose cells this one groups; this very domain if it groups none."""
        if not any(isinstance(axis, GroupAxis) for axis in self.axes.values()):
            return self
        plain = {
            name: axis.fine if isinstance(axis, GroupAxis) else axis
            for name, axis in self.axes.items()
        }
        return Domain(self.schema, plain)

    def shape(self, columns: Sequence[str]) -> tuple[int, ...]:
        """The number of cells of each of these columns; refuses names it does not know."""
        unknown = [name for name in columns if name not in self.axes]
        if unknown:
            raise UsageError(
                f"no modelled column is named {', '.join(map(repr, unknown))}; "
                f"there are {', '.join(map(repr, self.columns))}"
            )
        return tuple(self.axes[name].size for name in columns)

    def size(self, columns: Sequence[str]) -> int:
        """The number of cells of the marginal over these columns (1 for none)."""
        return prod(self.shape(columns))
