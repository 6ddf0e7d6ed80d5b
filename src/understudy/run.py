"""One synthesis, step by step: reserve, buy the domain, fit, sample, close.

Nothing is read before the whole budget is reserved. If anything goes wrong after that, the
reservation stays spent: whether a run failed can itself depend on the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from understudy.data.backend import Backend
from understudy.errors import UsageError
from understudy.gate.noise import Noise
from understudy.gate.prepare import prepare
from understudy.gate.price import stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.methods.base import Synthesizer
from understudy.models.base import Model
from understudy.privacy.budget import GDP, ZCDP, Budget
from understudy.privacy.ledger import Ledger, Reservation
from understudy.privacy.ledger_place import LedgerPlace
from understudy.privacy.request import Allotment, allot
from understudy.schema.axes import domain_of
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema
from understudy.table.table import Table


@final
@dataclass(frozen=True)
class Fitted:
    """What a run leaves: the released domain, a model per fit, the noisy marginals over it, and the
    method that fitted with the reason why it was chosen, if it was.

    A method may have refined the bought domain. The first model's is released; marginals over
    another one (a refit that bought its own bins) live on in their model alone.
    """

    domain: Domain
    models: tuple[Model, ...]
    measured: list[Noisy]
    method: Synthesizer
    reason: str


def fit(
    backend: Backend,
    reservation: Reservation,
    *,
    method: Synthesizer,
    allotment: Allotment,
    fits: int = 1,
    rng: np.random.Generator,
    noise: Noise | None = None,
) -> Fitted:
    """Buy the domain once, fit ``fits`` models with equal shares of the rest."""
    table = PrivateTable(backend, reservation, noise=noise)
    domain = prepare(backend.schema, table, allotment.for_domain)
    settled = method.settle(table, domain, allotment.for_fit)
    models = tuple(
        settled.method.fit(table, domain, share, rng) for share in settled.budget.shares(fits)
    )
    released = models[0].domain
    return Fitted(released, models, table.measured(released), settled.method, settled.reason)


def sample(
    models: tuple[Model, ...], *, copies: int, rows: int | None, rng: np.random.Generator
) -> tuple[Table, ...]:
    """``copies`` tables: one from each model, or all from the only one."""
    size = rows_of(models[0], rows)
    chosen = models if len(models) > 1 else models * copies
    return tuple(model.sample(size, rng) for model in chosen)


def check_output(*, rows: int | None, copies: int, seed: int | None) -> None:
    """Refuse numbers of rows or copies and seeds that make no sense."""
    for name, number, least in (("rows", rows, 0), ("copies", copies, 1), ("seed", seed, 0)):
        if number is None:
            continue
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise UsageError(f"{name} must be a whole number, {least} or more")


def allotted(asked: Budget, schema: Schema, method: Synthesizer) -> Allotment:
    """The budget in the currency that the method works in; refused if it cannot spend that.

    Of mu and rho it is the one that leaves less noise, wherever the method can tell beforehand.
    """
    allotment = allot(asked, schema, accepts=method.accepts)
    if isinstance(allotment.for_fit, GDP) and ZCDP in method.accepts:
        in_rho = allot(asked, schema, accepts=(ZCDP,))
        if _is_quieter(in_rho.for_fit, allotment.for_fit, schema, method):
            return in_rho
    if not isinstance(allotment.for_fit, method.accepts):
        able = " or ".join(kind.__name__ for kind in method.accepts)
        raise UsageError(
            f"this method spends {able}, not {type(allotment.for_fit).__name__}: give epsilon "
            "and delta, or rho, for zCDP; epsilon alone for pure differential privacy"
        )
    return allotment


def _is_quieter(one: Budget, other: Budget, schema: Schema, method: Synthesizer) -> bool:
    """Whether the method would answer the same tables with less noise for ``one``.

    What is gained or lost by rounding is decided at a row of noise. Where a single table at the
    whole budget has less for ``other``, all have; there the method is not asked.
    """
    if stddev_bought(one, schema) >= stddev_bought(other, schema):
        return False
    domain = domain_of(schema)
    told, instead = method.foretell(domain, one), method.foretell(domain, other)
    if not told or not instead:
        return False
    same = [(t.columns, t.shape) for t in told] == [(t.columns, t.shape) for t in instead]
    return same and sum(t.stddev**2 for t in told) < sum(t.stddev**2 for t in instead)


def rows_of(model: Model, rows: int | None) -> int:
    """The number of rows asked for, else the model's public or paid estimate."""
    return round(model.total) if rows is None else rows


def ledger_for(
    ledger: Ledger | LedgerPlace | str | Path | None, schema: Schema, allotment: Allotment
) -> Ledger:
    """The ledger that pays, which must be about this table; without one, one for this run."""
    table, unit, neighbours = schema.name, schema.unit.name, schema.neighbours
    if ledger is None:
        return Ledger.in_memory(
            table=table, unit=unit, neighbours=neighbours, total=allotment.asked
        )
    if isinstance(ledger, LedgerPlace):
        ledger = ledger.open(table=table, unit=unit, neighbours=neighbours)
    book = ledger if isinstance(ledger, Ledger) else Ledger.open(Path(ledger))
    book.expect(table=table, unit=unit, neighbours=neighbours)
    return book


def reserve(book: Ledger, allotment: Allotment, *, purpose: str, resume: str | None) -> Reservation:
    """The run's whole budget, set aside, or the run that is gone on with."""
    if resume is not None:
        return book.resume(resume)
    entered = allotment.asked if book.currency is type(allotment.asked) else None
    return book.reserve(allotment.working, entered=entered, purpose=purpose)
