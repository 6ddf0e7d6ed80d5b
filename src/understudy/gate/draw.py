"""The ``draw`` verb: rows drawn from a table that is smoothed just enough to be private.

A cell with n rows is drawn with probability proportional to n + A, in whole numbers: n * D + B with
B / D >= A. Proof: draw.md. Test: tests/gate/test_draw.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import ceil, isqrt
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.noise import Noise
from understudy.gate.sensitive import Sensitive, reveal
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.neighbours import Neighbours

Integers = NDArray[np.int64]
MOST_CELLS: Final = 2**27
FINEST: Final = 20
"""A row weighs at most 2^20, so that 2^40 rows and the smoothing stay below 2^63."""
MOST_SMOOTHING: Final = 2**62
LARGEST_LOSS: Final = 64
SMALLEST_LOSS: Final = Fraction(1, 2**40)
_DOWN: Final = Context(prec=60, rounding=ROUND_FLOOR)


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """How many rows are drawn, what a private row weighs, and what each cell weighs without any."""

    rows: int
    row_weight: int
    cell_weights: Integers

    def cells(self, sealed: Sensitive[Integers], noise: Noise) -> Integers:
        """The number of the cell of each row drawn."""
        weights = reveal(sealed).ravel() * self.row_weight + self.cell_weights
        return noise.weighted(weights, draws=self.rows)

    @property
    def detail(self) -> dict[str, Any]:
        """What the ledger keeps."""
        return {
            "rows": self.rows,
            "row_weight": self.row_weight,
            "least_weight": int(self.cell_weights.min()),
            "all_weights": int(self.cell_weights.sum()),
        }


def drawing_for(
    spend: Budget,
    neighbours: Neighbours,
    *,
    contribution: int,
    rows: int,
    cells: int,
    volumes: NDArray[Any] | Sequence[float] | None = None,
) -> Drawing:
    """The least smoothing with which ``rows`` rows together cost ``spend``."""
    if isinstance(rows, bool) or not isinstance(rows, int) or not 1 <= rows <= MOST_CELLS:
        raise UsageError(f"the number of rows to draw is a whole number from 1 to {MOST_CELLS:,}")
    if cells > MOST_CELLS:
        raise UsageError(
            f"rows are drawn from a table of {cells:,} cells, and at most {MOST_CELLS:,} fit; "
            "choose fewer columns, or give them fewer levels or bins"
        )
    shares = _shares(volumes, cells)
    smoothing = least_smoothing(loss_per_row(spend, neighbours, rows=rows), contribution)
    for fineness in range(FINEST, -1, -1):
        least = ceil(smoothing * 2**fineness)
        if float(shares.sum()) * least <= MOST_SMOOTHING / 2:
            weights = np.maximum(np.ceil(shares * least).astype(np.int64), least)
            return Drawing(rows, 2**fineness, weights)
    raise UsageError(
        "the budget is too small for so many rows from so many cells: the rows would be noise "
        "alone. Raise epsilon, draw fewer rows, or take fewer or more equal cells"
    )


def loss_per_row(spend: Budget, neighbours: Neighbours, *, rows: int) -> Fraction:
    """The largest log-ratio that one drawn row may show, never rounded up; see draw.md."""
    match spend:
        case PureDP():
            return spend.epsilon / rows
        case ZCDP() if not spend.delta:
            gain = 8 if neighbours is Neighbours.ADD_REMOVE else 2
            return _root(gain * spend.rho / rows)
    raise UsageError(f"draw spends PureDP or ZCDP without delta, not {spend}")


def least_smoothing(loss: Fraction, contribution: int) -> Fraction:
    """At least contribution / (exp(loss) - 1), and hardly more."""
    if loss < SMALLEST_LOSS:
        raise UsageError("the budget of a single row is too small; raise it or draw fewer rows")
    capped = min(loss, Fraction(LARGEST_LOSS))
    exponent = _DOWN.divide(Decimal(capped.numerator), Decimal(capped.denominator))
    growth = _DOWN.subtract(_DOWN.exp(exponent).next_minus(_DOWN), Decimal(1))
    return contribution / Fraction(growth)


def _shares(volumes: NDArray[Any] | Sequence[float] | None, cells: int) -> NDArray[np.float64]:
    """Each cell's volume in units of the smallest."""
    if volumes is None:
        return np.ones(cells)
    given = np.array(volumes, dtype=np.float64).ravel()
    if given.size != cells:
        raise UsageError(f"give one volume per cell: {cells:,}, not {given.size:,}")
    if not np.isfinite(given).all() or not (given > 0).all():
        raise UsageError("volumes must be finite numbers above 0")
    with np.errstate(over="ignore"):
        shares: NDArray[np.float64] = given / given.min()
    return shares


def _root(square: Fraction) -> Fraction:
    """The square root, rounded down by less than 2^-128."""
    return Fraction(isqrt((square.numerator << 256) // square.denominator), 2**128)
