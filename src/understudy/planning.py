"""``plan``: what a run would spend and how large its noise would be. Reads no row.

The method is fitted to a stand-in table made from the schema, with a ledger in memory, so the
charges listed are the ones that the method really makes. For methods that choose as they go they
are one possible course with the same total. Errors are exact where the method can foretell them,
else those of the rehearsed fit: the stand-in's rows are spread evenly and have no relations, so
they show what noise does there, and what a method leaves out comes on top. Noise does less where
rows crowd into few cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi, prod, sqrt
from time import process_time
from typing import Final

import numpy as np

from understudy.data.standin import StandIn
from understudy.errors import UsageError
from understudy.methods import name_of
from understudy.methods.base import Foretold, Synthesizer
from understudy.models.base import Model
from understudy.models.workload import Workload
from understudy.privacy.budget import Budget, Exact, exact
from understudy.privacy.ledger import Charge, Ledger
from understudy.privacy.request import Allotment, requested
from understudy.run import Fitted, allotted, fit
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

DEFAULT_ROWS: Final = 10_000
EPSILONS: Final = (2.0**-10, 2.0**10)
DRAWN_ROWS: Final = 2**18
MOST_GROUPS: Final = 16
"""Of a column's cells where the error of relations is simulated: finer cells would show the drawing
of rows, not the model."""
MOST_RELATIONS: Final = 200


@dataclass(frozen=True)
class ColumnError:
    """What noise does to one column: per cell, and as a share of the rows put in a wrong cell."""

    column: str
    cells: int
    stddev: float
    tvd: float


@dataclass(frozen=True)
class RelationError:
    """The expected share of rows in a wrong cell of a table over several columns."""

    columns: tuple[str, ...]
    cells: int
    tvd: float


@dataclass(frozen=True)
class Plan:
    """The charges of a rehearsed run and the errors to expect in each column and relation.

    ``method`` is what would run, ``reason`` why ``auto`` would choose it. ``exact`` says whether
    the errors are known beforehand, or simulated. ``seconds`` is the CPU time that the rehearsed
    fit took here.
    """

    asked: Budget
    working: Budget
    rows: int
    method: str
    reason: str
    charges: tuple[Charge, ...]
    errors: tuple[ColumnError, ...]
    relations: tuple[RelationError, ...]
    exact: bool
    seconds: float

    def __repr__(self) -> str:
        bought = ", ".join(f"{times} {verb}" for verb, times in self.verbs.items())
        known = self.mean_tvd
        error = "no errors known" if known is None else f"mean wrong share of a column {known:.2%}"
        return f"Plan({self.asked} on {self.rows:,} rows: {bought}; {error})"

    @property
    def verbs(self) -> dict[str, int]:
        """How often each verb is charged, in the order of their first charge."""
        return dict(Counter(charge.verb for charge in self.charges))

    @property
    def mean_relation_tvd(self) -> float | None:
        """The expected error of an average relation of the workload; None if none is measured."""
        if not self.relations:
            return None
        return sum(error.tvd for error in self.relations) / len(self.relations)

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
    started = process_time()
    fitted = fit(backend, reservation, method=method, allotment=allotment, rng=rng)
    seconds = process_time() - started
    foretold = method.foretell(fitted.domain, allotment.for_fit)
    errors = column_errors(fitted.measured, rows=size)
    if foretold is None:
        relations = simulated(fitted)
    else:
        known, relations = foretold_errors(foretold, rows=size)
        alone = {error.column for error in known}
        errors = (*known, *(error for error in errors if error.column not in alone))
    return Plan(
        asked=allotment.asked,
        working=allotment.working,
        rows=size,
        method=name_of(fitted.method),
        reason=fitted.reason,
        charges=tuple(reservation.charges),
        errors=tuple(sorted(errors, key=lambda one: schema.modelled.index(one.column))),
        relations=relations,
        exact=foretold is not None,
        seconds=seconds,
    )


def foretold_errors(
    foretold: Iterable[Foretold], *, rows: int
) -> tuple[tuple[ColumnError, ...], tuple[RelationError, ...]]:
    """The errors of columns and of relations whose noise is known."""
    columns: list[ColumnError] = []
    relations: list[RelationError] = []
    for one in foretold:
        tvd = _wrong_share(one.cells, one.stddev, rows)
        if len(one.columns) == 1:
            columns.append(ColumnError(one.columns[0], one.cells, one.stddev, tvd))
        else:
            relations.append(RelationError(one.columns, one.cells, tvd))
    return tuple(columns), tuple(relations)


def simulated(fitted: Fitted) -> tuple[RelationError, ...]:
    """How far the fitted model is from the stand-in in the relations of the method's workload, or
    in as many of them as are judged; none if the method measured no relation."""
    if not any(len(noisy.columns) > 1 for noisy in fitted.measured):
        return ()
    names = getattr(fitted.method, "workload", ("pairs",))
    members = Workload(names).members(fitted.domain.columns)
    judged = members[:: -(-len(members) // MOST_RELATIONS)]
    return _differences(fitted.models[0], judged)


def _differences(model: Model, judged: Sequence[tuple[str, ...]]) -> tuple[RelationError, ...]:
    drawn = model.draw(DRAWN_ROWS, np.random.default_rng(0)).columns
    cells = {name: axis.size for name, axis in model.domain.axes.items()}
    groups = {name: min(size, MOST_GROUPS) for name, size in cells.items()}
    of = {name: np.arange(size) * groups[name] // size for name, size in cells.items()}
    even = {name: np.bincount(of[name]) / cells[name] for name in cells}
    found = []
    for columns in judged:
        shape = tuple(groups[name] for name in columns)
        truth, flat = np.ones(1), np.zeros(DRAWN_ROWS, dtype=np.int64)
        for name in columns:
            truth = np.outer(truth, even[name]).ravel()
            flat = flat * groups[name] + of[name][drawn[name]]
        shares = np.bincount(flat, minlength=prod(shape)) / DRAWN_ROWS
        tvd = 0.5 * float(np.abs(shares - truth).sum())
        found.append(RelationError(columns, prod(shape), tvd))
    return tuple(found)


def column_errors(measured: Sequence[Noisy], *, rows: int) -> tuple[ColumnError, ...]:
    """The error of each column in the best marginal that was measured over it, from noise alone.

    A column of a larger marginal is the sum of that marginal's cells over the other columns, noise
    included. The expected total variation distance of unbiased noise with this standard deviation
    is half the sum of the cells' mean absolute errors; post-processing only makes it smaller.
    """
    best: dict[str, ColumnError] = {}
    for noisy in measured:
        for column, cells in zip(noisy.columns, noisy.values.shape, strict=True):
            if column in noisy.groups:
                continue
            stddev = noisy.stddev * sqrt(noisy.values.size / cells)
            tvd = _wrong_share(cells, stddev, rows)
            if column not in best or stddev < best[column].stddev:
                best[column] = ColumnError(column, cells, stddev, tvd)
    return tuple(best.values())


def _wrong_share(cells: int, stddev: float, rows: int) -> float:
    return min(0.5 * cells * stddev * sqrt(2.0 / pi) / max(rows, 1), 1.0)


def epsilon_for(
    schema: Schema,
    method: Synthesizer,
    *,
    want_error: float,
    delta: Exact | None = None,
    rows: int | None = None,
) -> float:
    """The least epsilon, to two digits, whose mean error is at most the wanted one.

    The error is that of the workload's relations; that of the columns if none is ever measured.
    """
    if not 0 < exact(want_error, name="want-error") < 1:
        raise UsageError("the wanted error is a share of the rows: between 0 and 1")

    def at(epsilon: float) -> Plan:
        asked = requested(epsilon=epsilon, delta=delta)
        return rehearse(schema, method, allotted(asked, schema, method), rows=rows)

    related = bool(at(EPSILONS[1]).relations)

    def error(epsilon: float) -> float:
        plan = at(epsilon)
        known = plan.mean_relation_tvd if related else plan.mean_tvd
        if known is None and not related:
            raise UsageError("this method buys no marginals whose error could be told beforehand")
        return 1.0 if known is None else known  # too little for relations is no answer

    low, high = EPSILONS
    if error(high) > want_error:
        raise UsageError(f"no epsilon up to {high:g} reaches an error of {want_error:g}")
    while high / low > 1.01:
        middle = sqrt(low * high)
        low, high = (low, middle) if error(middle) <= want_error else (middle, high)
    return high
