"""The functions that people call. They connect the rooms and hold no logic of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from understudy import methods
from understudy.data.open import open_source
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.methods.base import Synthesizer
from understudy.planning import Plan, epsilon_for, rehearse
from understudy.privacy.budget import Exact
from understudy.privacy.clock import now
from understudy.privacy.ledger import Ledger, Reservation
from understudy.privacy.request import Allotment, allot, requested
from understudy.release import Release
from understudy.report.card import LedgerNote
from understudy.report.compose import card_of
from understudy.run import check_currency, check_output, fit, sample
from understudy.schema.schema import Schema
from understudy.table.kinds import kind_of


def synthesize(
    source: Any,
    schema: Schema | str | Path,
    *,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    method: str | Synthesizer = methods.AUTO,
    options: Mapping[str, Any] | None = None,
    rows: int | None = None,
    copies: int = 1,
    refit: bool = False,
    ledger: Ledger | str | Path | None = None,
    seed: int | None = None,
    resume: str | None = None,
) -> Release:
    """Make differentially private synthetic rows from a confidential table.

    Give ``epsilon`` (pure differential privacy), ``epsilon`` and ``delta``, or ``rho``: there is
    no default. ``rows`` is a public number; without it as many rows are made as the schema says
    or as the noisy counts suggest. ``copies`` draws several tables from one fit at no extra cost;
    with ``refit`` each comes from its own fit and they share the budget. ``ledger`` is a file made
    by ``understudy ledger init``; without one the spending is noted on the card alone. ``seed``
    fixes what happens after the noise, never the noise itself. ``resume`` names an interrupted run
    in the ledger: its paid answers are read from the journal and nothing is asked twice.
    """
    known = _schema(schema)
    synthesizer = _method(method, options)
    allotment = allot(requested(epsilon=epsilon, delta=delta, rho=rho), known)
    check_currency(synthesizer, allotment)
    check_output(rows=rows, copies=copies, seed=seed)
    book = _ledger(ledger, known, allotment)
    purpose = f"synthesize with {methods.name_of(synthesizer)}"
    reservation = _reserve(book, allotment, purpose=purpose, resume=resume)
    try:
        backend = open_source(source, known)
    except (TableMismatch, SourceError):  # public facts; nothing was charged, so all goes back
        reservation.close()
        raise
    rng = np.random.default_rng(seed)
    fits = copies if refit else 1
    fitted = fit(backend, reservation, method=synthesizer, allotment=allotment, fits=fits, rng=rng)
    tables = sample(fitted.models, copies=copies, rows=rows, rng=rng)
    reservation.close()
    note = LedgerNote(str(book.name), known.name, reservation.run_id) if ledger else None
    card = card_of(
        fitted.domain,
        name=methods.name_of(synthesizer),
        method=synthesizer,
        asked=allotment.asked,
        worked=allotment.working,
        conversion=allotment.conversion,
        charges=reservation.charges,
        rows=tables[0].rows,
        reason="requested" if rows is not None else "declared" if known.rows else "estimated",
        copies=copies,
        refit=refit,
        ledger=note,
        seed=seed,
        created=now(),
    )
    return Release(
        synthetic=tables,
        models=fitted.models,
        measurements=fitted.measured,
        card=card,
        kind=kind_of(source),
    )


def plan(
    schema: Schema | str | Path,
    *,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    rho: Exact | None = None,
    method: str | Synthesizer = methods.AUTO,
    options: Mapping[str, Any] | None = None,
    rows: int | None = None,
    want_error: float | None = None,
) -> Plan:
    """What a run would spend and what error to expect in each column; reads no row.

    ``rows`` is a guess of the table's size, needed only to express errors as shares. With
    ``want_error`` (and no epsilon) the plan is for the least epsilon that reaches it.
    """
    known = _schema(schema)
    synthesizer = _method(method, options)
    if want_error is not None:
        if epsilon is not None or rho is not None:
            raise UsageError("give either a budget or the error you want, not both")
        epsilon = epsilon_for(known, synthesizer, want_error=want_error, delta=delta, rows=rows)
    allotment = allot(requested(epsilon=epsilon, delta=delta, rho=rho), known)
    check_currency(synthesizer, allotment)
    return rehearse(known, synthesizer, allotment, rows=rows)


def _schema(schema: Schema | str | Path) -> Schema:
    return schema if isinstance(schema, Schema) else Schema.load(schema)


def _method(method: str | Synthesizer, options: Mapping[str, Any] | None) -> Synthesizer:
    if isinstance(method, str):
        return methods.build(method, options or {})
    if options:
        raise UsageError("give hyper-parameters to the method itself, or name the method as text")
    return method


def _ledger(ledger: Ledger | str | Path | None, schema: Schema, allotment: Allotment) -> Ledger:
    if isinstance(ledger, Ledger):
        return ledger
    if ledger is not None:
        return Ledger.open(Path(ledger))
    return Ledger.in_memory(
        table=schema.name,
        unit=schema.unit.name,
        neighbours=schema.neighbours,
        total=allotment.asked,
    )


def _reserve(
    book: Ledger, allotment: Allotment, *, purpose: str, resume: str | None
) -> Reservation:
    if resume is not None:
        return book.resume(resume)
    same = type(book.total) is type(allotment.asked)
    entered = allotment.asked if same else None
    return book.reserve(allotment.working, entered=entered, purpose=purpose)
