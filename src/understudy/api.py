"""The functions that people call. They connect the rooms and hold no logic of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from understudy import methods
from understudy.data.backend import Backend
from understudy.data.open import open_source
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.gate.unprotected import OpenTable
from understudy.methods.base import Synthesizer
from understudy.planning import Plan, epsilon_for, rehearse
from understudy.privacy.budget import Exact
from understudy.privacy.clock import now
from understudy.privacy.ledger import Ledger, Reservation
from understudy.privacy.request import Allotment, allot, requested
from understudy.release import Release
from understudy.report.card import LedgerNote, OutputNote, RowsReason
from understudy.report.compose import card_of
from understudy.run import check_currency, check_output, fit, sample
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema
from understudy.table.kinds import kind_of
from understudy.table.table import Codes, Table

if TYPE_CHECKING:
    from understudy.evaluate.comparison import Comparison

SYNTHETIC: Final = "the rows are synthetic"


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
    synthesizer = _method(method, options)
    known = synthesizer.scope(_schema(schema))
    allotment = allot(requested(epsilon=epsilon, delta=delta, rho=rho), known)
    check_currency(synthesizer, allotment)
    check_output(rows=rows, copies=copies, seed=seed)
    book = _ledger(ledger, known, allotment)
    purpose = f"synthesize with {methods.name_of(synthesizer)}"
    reservation = _reserve(book, allotment, purpose=purpose, resume=resume)
    backend = _opened(source, known, reservation)
    rng, fits = np.random.default_rng(seed), copies if refit else 1
    fitted = fit(backend, reservation, method=synthesizer, allotment=allotment, fits=fits, rng=rng)
    tables = sample(fitted.models, copies=copies, rows=rows, rng=rng)
    reservation.close()
    note = LedgerNote(Path(book.name).name, known.name, reservation.run_id) if ledger else None
    card = card_of(
        fitted.domain,
        name=methods.name_of(synthesizer),
        method=synthesizer,
        asked=allotment.asked,
        worked=allotment.working,
        conversion=allotment.conversion,
        charges=reservation.charges,
        output=_output(tables, known, rows=rows, refit=refit),
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
    synthesizer = _method(method, options)
    known = synthesizer.scope(_schema(schema))
    if want_error is not None:
        if epsilon is not None or rho is not None:
            raise UsageError("give either a budget or the error you want, not both")
        epsilon = epsilon_for(known, synthesizer, want_error=want_error, delta=delta, rows=rows)
    allotment = allot(requested(epsilon=epsilon, delta=delta, rho=rho), known)
    check_currency(synthesizer, allotment)
    return rehearse(known, synthesizer, allotment, rows=rows)


def compare(
    real: Any,
    synthetic: Any,
    schema: Schema | str | Path,
    *,
    target: str | None = None,
    seed: int = 0,
) -> Comparison:
    """How close synthetic tables are to the real one. UNPROTECTED: for the keeper's eyes only.

    ``synthetic`` is one table or a list of tables (paths, dataframes, or a release's). Nothing is
    paid, so no figure may be published, and no decision to publish may rest on one.
    """
    from understudy.evaluate.compare import compare as judge
    from understudy.evaluate.grid import Grid

    known = _schema(schema)
    opened = [OpenTable(open_source(real, known), reason="comparison with synthetic rows")]
    others = synthetic if isinstance(synthetic, list | tuple) else [synthetic]
    opened += [OpenTable(open_source(one, known), reason=SYNTHETIC) for one in others]
    grid = Grid.of(opened[0].domain())
    codes = [_codes(table, grid.fine) for table in opened]
    return judge(codes[0], codes[1:], grid=grid, target=target, seed=seed)


def _opened(source: Any, schema: Schema, reservation: Reservation) -> Backend:
    """The engine; if the source does not open, nothing was charged and all of it goes back."""
    try:
        return open_source(source, schema)
    except (TableMismatch, SourceError):
        reservation.close()
        raise


def _output(
    tables: Sequence[Table], schema: Schema, *, rows: int | None, refit: bool
) -> OutputNote:
    public: RowsReason = "declared" if schema.rows is not None else "estimated"
    reason: RowsReason = public if rows is None else "requested"
    return OutputNote(rows=tables[0].rows, reason=reason, copies=len(tables), refit=refit)


def _codes(table: OpenTable, domain: Domain) -> Codes:
    (rows,) = table.count(domain, [()])
    return Codes(domain, table.cells(domain), int(rows))


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
