"""What can be summed over rows: moments, products of at most two features of columns. Public.

A feature is a number between -1 and 1 that one cell of a row decides: a numeric column scaled so
that its public bounds are -1 and 1, or whether the row is in a given cell of a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from understudy.errors import UsageError
from understudy.schema.domain import BinAxis, Domain

MOST_FACTORS: Final = 2


@final
@dataclass(frozen=True)
class Feature:
    """A scaled number, or with ``cell`` 1 in that cell of the column's axis and 0 elsewhere.

    ``missing`` is what a missing number counts as; the default is the centre of the range.
    """

    column: str
    cell: int | None = None
    missing: float = 0.0

    def __post_init__(self) -> None:
        if self.cell is not None and self.missing:
            raise UsageError("only numbers can be missing; a cell is full or not")
        if not -1.0 <= self.missing <= 1.0:
            raise UsageError("what a missing number counts as lies between -1 and 1")

    def check(self, domain: Domain) -> None:
        """Refuse a column or cell that the domain does not have."""
        domain.shape([self.column])
        axis = domain.axes[self.column]
        if self.cell is None and not isinstance(axis, BinAxis):
            raise UsageError(
                f"column {self.column!r} has levels, no numbers; name the cell to count: "
                f"Feature({self.column!r}, cell=0)"
            )
        if self.cell is not None and not 0 <= self.cell < axis.size:
            raise UsageError(f"column {self.column!r} has cells 0 to {axis.size - 1} only")


@final
@dataclass(frozen=True)
class Moment:
    """The sum over all rows of a product of no, one or two features (none: the number of rows).

    The order of the factors is nothing: they are kept sorted.
    """

    features: tuple[Feature, ...] = ()

    def __post_init__(self) -> None:
        factors = tuple(sorted(self.features, key=repr))
        if len(factors) > MOST_FACTORS:
            raise UsageError("a moment is a product of at most two features")
        cells = [one for one in factors if one.cell is not None]
        if len(cells) == MOST_FACTORS and len({one.column for one in cells}) == 1:
            raise UsageError("a row is in one cell of a column; ask for that cell alone")
        object.__setattr__(self, "features", factors)

    @property
    def is_signed(self) -> bool:
        """Whether a row can count less than nothing."""
        is_square = len(self.features) == MOST_FACTORS and len(set(self.features)) == 1
        return not is_square and any(one.cell is None for one in self.features)
