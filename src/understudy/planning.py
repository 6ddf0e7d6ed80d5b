"""``plan``: what a run would spend and how large its noise would be. Reads no row.

The method is fitted to a stand-in table made from the schema, with a ledger in memory, so the
charges listed are the ones that the method really makes. For methods that choose as they go they
are one possible course with the same total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Final

import numpy as np

from understudy.data.standin import StandIn
from understudy.errors import UsageError
from understudy.methods.base import Synthesizer
from understudy.privacy.budget import Budget, Exact, exact
from understudy.privacy.ledger import Charge, Ledger
from understudy.privacy.request import Allotment, allot, requested
from understudy.run import fit
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

DEFAULT_ROWS: Final = 10_000
EPSILONS: Final = (2.0**-10, 2.0**10)


@dataclass(frozen=True)
class ColumnError:
    """What noise does to one column: per cell, and as a share of the rows put in a wrong cell."""

    column: str
    cells: int
    stddev: float
    tvd: float


@dataclass(frozen=True)
class Plan:
    """The charges of a rehearsed run and the errors to expect in each column."""

    asked: Budget
    working: Budget
    rows: int
    charges: tuple[Charge, ...]
    errors: tuple[ColumnError, ...]

    def __repr__(self) -> str:
        bought = ", ".join(charge.verb for charge in self.charges)
        known = self.mean_tvd
        error = "no errors known" if known is None else f"mean wrong share of a column {known:.2%}"
        return f"Plan({self.asked} on {self.rows:,} rows: {bought}; {error})"

    @property
    def mean_tvd(self) -> float | None:
        """The expected error of an average column; None if the method buys no marginals."""
        if not self.errors:
            return None
        return sum(error.tvd for error in self.errors) / len(self.errors)


def rehearse(
    schema: Schema, method: Synthesizer, allotment: Allotment, *, rows: int | None = None
) -> Plan:
    """Fit the method to a stand-in for the schema's table and note what it would cost."""
    size = rows or schema.rows or DEFAULT_ROWS
    ledger = Ledger.in_memory(
        table=schema.name,
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=allotment.working,
    )
    reservation = ledger.reserve(allotment.working, purpose="rehearsal")
    rng = np.random.default_rng(0)
    backend = StandIn(schema, rows=size)
    fitted = fit(backend, reservation, method=method, allotment=allotment, rng=rng)
    errors = column_errors(fitted.measured, rows=size)
    charges = tuple(reservation.charges)
    return Plan(allotment.asked, allotment.working, size, charges, errors)


def column_errors(measured: Sequence[Noisy], *, rows: int) -> tuple[ColumnError, ...]:
    """The error of each column in the best marginal that was measured over it, from noise alone.

    A column of a larger marginal is the sum of that marginal's cells over the other columns, noise
    included. The expected total variation distance of unbiased noise with this standard deviation
    is half the sum of the cells' mean absolute errors; post-processing only makes it smaller.
    """
    best: dict[str, ColumnError] = {}
    for noisy in measured:
        for column, cells in zip(noisy.columns, noisy.values.shape, strict=True):
            stddev = noisy.stddev * sqrt(noisy.values.size / cells)
            tvd = min(0.5 * cells * stddev * sqrt(2.0 / pi) / max(rows, 1), 1.0)
            if column not in best or stddev < best[column].stddev:
                best[column] = ColumnError(column, cells, stddev, tvd)
    return tuple(best.values())


def epsilon_for(
    schema: Schema,
    method: Synthesizer,
    *,
    want_error: float,
    delta: Exact | None = None,
    rows: int | None = None,
) -> float:
    """The least epsilon, to two digits, whose mean error of a column is at most the wanted one."""
    if not 0 < exact(want_error, name="want-error") < 1:
        raise UsageError("the wanted error is a share of the rows: between 0 and 1")

    def error(epsilon: float) -> float:
        asked = requested(epsilon=epsilon, delta=delta)
        known = rehearse(schema, method, allot(asked, schema), rows=rows).mean_tvd
        if known is None:
            raise UsageError("this method buys no marginals whose error could be told beforehand")
        return known

    low, high = EPSILONS
    if error(high) > want_error:
        raise UsageError(f"no epsilon up to {high:g} reaches an error of {want_error:g}")
    while high / low > 1.01:
        middle = sqrt(low * high)
        low, high = (low, middle) if error(middle) <= want_error else (middle, high)
    return high
