"""The functions that people call. They connect the rooms and hold no logic of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from understudy import methods
from understudy.data.backend import Backend
from understudy.data.open import open_source
from understudy.errors import SourceError, TableMismatch, UsageError
from understudy.gate.private_table import PrivateTable
from understudy.gate.unprotected import OpenTable
from understudy.methods.base import Synthesizer
from understudy.planning import Plan, epsilon_for, rehearse
from understudy.privacy.budget import Budget, Exact
from understudy.privacy.clock import now
from understudy.privacy.ledger import Ledger, Reservation
from understudy.privacy.ledger_place import LedgerPlace
from understudy.privacy.request import granted, requested
from understudy.release import Release
from understudy.report.card import LedgerNote, OutputNote, RowsReason
from understudy.report.compose import card_of
from understudy.run import (
    Fitted,
    allotted,
    check_output,
    fit,
    ledger_for,
    reserve,
    sample,
)
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema, Unit
from understudy.table.kinds import kind_of
from understudy.table.table import Codes, Table

if TYPE_CHECKING:
    from understudy.evaluate.comparison import Comparison
    from understudy.evaluate.pmse import PMSE
    from understudy.paid.pmse import PaidPMSE
    from understudy.paid.selection import Selection

TREE_DEPTHS: Final = (1, 2, 3)


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
    ledger: Ledger | LedgerPlace | str | Path | None = None,
    seed: int | None = None,
    resume: str | None = None,
) -> Release:
    """Make differentially private synthetic rows from a confidential table.

    Give ``epsilon`` (pure differential privacy), ``epsilon`` and ``delta``, or ``rho``: there is
    no default. ``rows`` is a public number; without it as many rows are made as the schema says
    or as the noisy counts suggest. ``copies`` draws several tables from one fit; with ``refit``
    each comes from its own fit and they share the budget. ``ledger`` is a file made by
    ``understudy ledger init``; without one the spending is noted on the card alone. ``seed`` fixes
    what happens after the noise, never the noise itself. ``resume`` names an interrupted run in
    the ledger: its paid answers are read from the journal and nothing is asked twice.
    """
    synthesizer = _method(method, options)
    known = synthesizer.scope(_schema(schema))
    allotment = allotted(requested(epsilon=epsilon, delta=delta, rho=rho), known, synthesizer)
    check_output(rows=rows, copies=copies, seed=seed)
    book = ledger_for(ledger, known, allotment)
    reservation = reserve(book, allotment, purpose=_purpose(synthesizer), resume=resume)
    backend = _opened(source, known, reservation)
    rng, fits = np.random.default_rng(seed), copies if refit else 1
    fitted = fit(backend, reservation, method=synthesizer, allotment=allotment, fits=fits, rng=rng)
    tables = sample(fitted.models, copies=copies, rows=rows, rng=rng)
    reservation.close()
    note = LedgerNote(Path(book.name).name, known.name, reservation.run_id) if ledger else None
    card = card_of(
        fitted.domain,
        name=methods.name_of(fitted.method),
        method=fitted.method,
        reason=fitted.reason,
        asked=allotment.asked,
        worked=allotment.working,
        conversion=allotment.conversion,
        charges=reservation.charges,
        output=_output(fitted, tables, known, rows=rows, refit=refit),
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
    allotment = allotted(requested(epsilon=epsilon, delta=delta, rho=rho), known, synthesizer)
    return rehearse(known, synthesizer, allotment, rows=rows)


def compare(
    real: Any,
    synthetic: Any,
    schema: Schema | str | Path,
    *,
    target: str | None = None,
    holdout: Any = None,
    models: bool | None = None,
    repeats: int = 1,
    seed: int = 0,
) -> Comparison:
    """How close synthetic tables are to the real one. UNPROTECTED: for the keeper's eyes only.

    ``synthetic`` is one table or a list of tables (paths, dataframes, or a release's). ``holdout``
    are real rows that the synthesizer never saw. ``models`` trains classifiers for ``target``; it
    needs scikit-learn and by default follows from whether that is installed. ``repeats`` draws the
    ceiling and the floor several times. Nothing is paid, so no figure may be published, and no
    decision to publish may rest on one.
    """
    from understudy.evaluate.compare import compare as judge
    from understudy.evaluate.grid import Grid

    known = _schema(schema)
    first = _open(real, known)
    grid = Grid.of(first.domain())
    others = synthetic if isinstance(synthetic, list | tuple) else [synthetic]
    kept = None if holdout is None else _codes(_open(holdout, known), grid.fine)
    return judge(
        _codes(first, grid.fine),
        [_codes(_open(one, _made_from(known)), grid.fine) for one in others],
        grid=grid,
        target=target,
        holdout=kept,
        models=models,
        repeats=repeats,
        seed=seed,
    )


@overload
def pmse(
    real: Any, synthetic: Any, schema: Schema | str | Path, *, depth: int = 2, seed: int = 0
) -> PMSE: ...
@overload
def pmse(
    real: Any,
    synthetic: Release,
    schema: Schema | str | Path | None = None,
    *,
    depth: int = 2,
    spend: Budget,
    ledger: Ledger | LedgerPlace | str | Path | None = None,
    resume: str | None = None,
) -> PaidPMSE: ...
def pmse(
    real: Any,
    synthetic: Any,
    schema: Schema | str | Path | None = None,
    *,
    depth: int = 2,
    seed: int = 0,
    spend: Budget | None = None,
    ledger: Ledger | LedgerPlace | str | Path | None = None,
    resume: str | None = None,
) -> PMSE | PaidPMSE:
    """How well the best tree of this depth tells synthetic rows from real ones.

    Without ``spend`` UNPROTECTED, for the keeper's eyes: ``value`` is 0 if no tree tells anything,
    ``ratio`` is 1 if both could be of one population. With ``spend``, a budget such as
    ``us.PureDP(0.1)``, the value is noisy, has a standard error and may be published; ``synthetic``
    is then a release, whose schema is used unless another is given, and ``ledger`` pays.
    """
    _check_depth(depth)
    if spend is not None:
        return _paid_pmse(
            real, synthetic, schema, depth=depth, spend=spend, ledger=ledger, resume=resume
        )
    if ledger is not None or resume is not None:
        raise UsageError("a ledger pays for a noisy pMSE: say with spend= how much")
    if schema is None:
        raise UsageError("give the schema of the tables, or spend= for a noisy pMSE of a release")
    from understudy.evaluate.grid import Grid, Sample
    from understudy.evaluate.pmse import tree_pmse

    known = _schema(schema)
    first = _open(real, known)
    grid = Grid.of(first.domain())
    other = _open(synthetic, _made_from(known))
    samples = [Sample.of(grid, _codes(one, grid.fine)) for one in (first, other)]
    return tree_pmse(*samples, depths=[depth], rng=np.random.default_rng(seed))[depth]


def select_release(
    candidates: Sequence[Release],
    real: Any,
    schema: Schema | str | Path | None = None,
    *,
    spend: Budget,
    depth: int = 2,
    rows: float | None = None,
    ledger: Ledger | LedgerPlace | str | Path | None = None,
    resume: str | None = None,
) -> Selection:
    """Choose privately among releases the one that trees tell from the real rows worst.

    ``candidates`` is the whole list, fixed before anything is read: the hash of each one's rows
    goes into the ledger with the charge. All are scored as if they had ``rows`` rows, a public
    number (default: twice the table's public size, else twice that of the largest candidate).
    The choice costs ``spend``; what is published has cost that and *all* candidates, and the chosen
    release's card says so. The schema is that of the first candidate unless another is given.
    """
    from understudy.paid.cells import schema_of
    from understudy.paid.selection import choose, selection, to_choose
    from understudy.paid.total import total_of

    _check_depth(depth)
    releases = list(candidates)
    known = schema_of(releases[0] if releases else None) if schema is None else _schema(schema)
    listed = to_choose(releases, known, depth=depth, rows=rows)
    cards = [release.card for release in releases]
    gaussian = all(card.guarantee.worked.currency == "gdp" for card in cards)
    allotment = granted(spend, gaussian=gaussian)
    total = total_of(cards, asked=allotment.asked, cost=allotment.working)
    book = ledger_for(ledger, known, allotment)
    purpose = f"choose one of {len(releases)} releases"
    reservation = reserve(book, allotment, purpose=purpose, resume=resume)
    table = PrivateTable(_opened(real, known, reservation), reservation)
    index = choose(table, listed, spend=allotment.working)
    reservation.close()
    note = LedgerNote(Path(book.name).name, known.name, reservation.run_id) if ledger else None
    charges = reservation.charges
    return selection(releases, index, charges, listed=listed, total=total, ledger=note)


def _paid_pmse(
    real: Any,
    release: Any,
    schema: Schema | str | Path | None,
    *,
    depth: int,
    spend: Budget,
    ledger: Ledger | LedgerPlace | str | Path | None,
    resume: str | None,
) -> PaidPMSE:
    from understudy.paid.cells import schema_of
    from understudy.paid.pmse import paid_pmse, to_score

    allotment = granted(spend, gaussian=True)
    known = schema_of(release) if schema is None else _schema(schema)
    one = to_score(release, known, depth=depth)
    book = ledger_for(ledger, known, allotment)
    reservation = reserve(book, allotment, purpose="pMSE of a release", resume=resume)
    table = PrivateTable(_opened(real, known, reservation), reservation)
    found = paid_pmse(table, one, spend=allotment.working)
    reservation.close()
    return found


def _check_depth(depth: int) -> None:
    if depth not in TREE_DEPTHS:
        raise UsageError(f"the depth of a tree is one of {', '.join(map(str, TREE_DEPTHS))}")


def _open(source: Any, schema: Schema) -> OpenTable:
    return OpenTable(open_source(source, schema), reason="comparison of real and synthetic rows")


def _made_from(schema: Schema) -> Schema:
    """The schema of synthetic rows: they are of nobody, and as many as there are."""
    return replace(schema, unit=Unit(), rows=None)


def _opened(source: Any, schema: Schema, reservation: Reservation) -> Backend:
    """The engine; if the source does not open, nothing was charged and all of it goes back."""
    try:
        return open_source(source, schema)
    except (TableMismatch, SourceError):
        if not reservation.charges:  # a resumed run has charges, and keeps what it reserved
            reservation.close()
        raise


def _output(
    fitted: Fitted, tables: Sequence[Table], schema: Schema, *, rows: int | None, refit: bool
) -> OutputNote:
    public: RowsReason = "declared" if schema.rows is not None else "estimated"
    reason: RowsReason = public if rows is None else "requested"
    alone = all(model.independent for model in fitted.models)
    return OutputNote(
        rows=tables[0].rows, reason=reason, copies=len(tables), refit=refit, independent=alone
    )


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


def _purpose(method: Synthesizer) -> str:
    return f"synthesize with {methods.name_of(method)}"
