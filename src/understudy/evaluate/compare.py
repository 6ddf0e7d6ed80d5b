"""``compare``: every figure for every synthetic table, beside its ceiling and its floor.

It works on rows that are already coded; ``understudy.api`` opens the tables (the real one through
the gate's unprotected door) and codes them on one ``Grid``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from understudy.errors import UsageError
from understudy.evaluate.comparison import Comparison, Figure
from understudy.evaluate.design import MODEL_ROWS
from understudy.evaluate.disclosure import WARNING
from understudy.evaluate.extra import available
from understudy.evaluate.grid import Grid, Sample
from understudy.evaluate.marginals import Subsets, subsets
from understudy.evaluate.panels import PANELS, Finding, Setting
from understudy.evaluate.prediction import split
from understudy.evaluate.reference import bootstrap, independent
from understudy.evaluate.subgroups import worst_first
from understudy.table.table import Codes

MOST_PAIRS: Final = 1000
MOST_TRIPLES: Final = 200
WITHOUT_REFERENCES: Final = ("rules.", "membership.")
WITHOUT_MODELS: Final = (
    "No classifiers were trained: they were left out, or scikit-learn is not installed "
    "(understudy[evaluate])."
)
INTERVALS_TOO_NARROW: Final = (
    "Regression intervals are the naive ones; from synthetic rows they are too narrow."
)


def compare(
    real: Codes,
    synthetic: Sequence[Codes],
    *,
    grid: Grid,
    target: str | None = None,
    holdout: Codes | None = None,
    models: bool | None = None,
    repeats: int = 1,
    seed: int = 0,
) -> Comparison:
    """Compare synthetic tables with a real one, all coded on ``grid.fine``.

    ``target`` adds regressions and, with ``models``, predictions; these need scikit-learn and are
    left out, with a note, where it is not installed and ``models`` is not given.
    ``holdout`` are real rows that the synthesizer never saw: they become the test rows, and make
    a membership attack possible. ``repeats`` draws the ceiling and the floor several times.
    """
    _check(grid, synthetic, target=target, repeats=repeats)
    fitted = available("sklearn") if models is None else models
    known = Sample.of(grid, real)
    others = [Sample.of(grid, table) for table in synthetic]
    kept = Sample.of(grid, holdout) if holdout is not None else None
    setting = _setting(known, target, kept, fitted, seed)
    ceilings, floors = _references(setting, rows=others[0].rows, repeats=repeats)
    found = {
        name: panel(setting, [*others, *ceilings, *floors])
        for name, panel in PANELS.items()
        if name != "prediction"
    }
    trained = [setting.train] * repeats if setting.train else ceilings
    found["prediction"] = PANELS["prediction"](setting, [*others, *trained, *floors])
    return Comparison(
        table=grid.domain.schema.name,
        real_rows=known.rows,
        synthetic_rows=tuple(other.rows for other in others),
        figures=_figures(found, len(others), repeats),
        details=_details(found, len(others)),
        notes=_notes(setting, others),
        target=target,
    )


def _check(grid: Grid, synthetic: Sequence[Codes], *, target: str | None, repeats: int) -> None:
    if not grid.columns:
        raise UsageError("the schema has no modelled column to compare; declare at least one")
    if not synthetic:
        raise UsageError("give at least one synthetic table")
    if repeats < 1:
        raise UsageError("'repeats' must be at least 1")
    if target is not None:
        grid.domain.shape([target])  # refuses a name that is not there


def _setting(
    real: Sample, target: str | None, holdout: Sample | None, models: bool, seed: int
) -> Setting:
    names = sorted(real.grid.columns)
    sets = {
        2: subsets(names, k=2, most=MOST_PAIRS),
        3: subsets(names, k=3, most=MOST_TRIPLES),
    }
    train = test = None
    if target is not None and models:
        train, test = split(real, np.random.default_rng(seed))
        if holdout is not None:
            train, test = real, holdout
    return Setting(real, sets, seed, target, train, test, holdout, models)


def _references(setting: Setting, *, rows: int, repeats: int) -> tuple[list[Sample], list[Sample]]:
    rng = setting.rng("references")
    ceilings = [bootstrap(setting.real, rows=rows, rng=rng) for _ in range(repeats)]
    return ceilings, [independent(setting.real, rows=rows, rng=rng) for _ in range(repeats)]


def _figures(
    found: Mapping[str, Sequence[Finding]], tables: int, repeats: int
) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for name in PANELS:
        for figure in found[name][0].figures:
            values = [finding.figures[figure] for finding in found[name]]
            beside = not figure.startswith(WITHOUT_REFERENCES)
            figures[figure] = Figure(
                figure,
                tuple(values[:tables]),
                tuple(values[tables : tables + repeats]) if beside else (),
                tuple(values[tables + repeats :]) if beside else (),
            )
    return figures


def _details(found: Mapping[str, Sequence[Finding]], tables: int) -> dict[str, Any]:
    ceiling = found["subgroups"][tables].details
    details: dict[str, Any] = {}
    for name in PANELS:
        own = [finding.details for finding in found[name][:tables]]
        if name == "subgroups":
            own = [[g.describe() for g in worst_first(groups, ceiling)] for groups in own]
        if any(detail is not None for detail in own):
            details[name] = own
    return details


def _notes(setting: Setting, tables: Sequence[Sample]) -> tuple[str, ...]:
    notes = [_sampled(k, sets) for k, sets in setting.sets.items() if sets.sampled]
    if max(setting.real.rows, *(table.rows for table in tables)) > MODEL_ROWS:
        notes.append(
            f"pMSE, regressions and classifiers: at most {MODEL_ROWS} random rows of each table."
        )
    if setting.target is not None:
        notes.append(INTERVALS_TOO_NARROW)
    if setting.target is not None and not setting.models:
        notes.append(WITHOUT_MODELS)
    if setting.target is not None and setting.holdout is None and setting.models:
        notes.append(
            "Test rows are a fifth of the real table: if the synthesizer saw them, the figures of "
            "the synthetic tables are slightly flattered. Give a hold-out table to avoid it."
        )
    return (*notes, WARNING)


def _sampled(k: int, sets: Subsets) -> str:
    return f"{k}-way figures: a random {len(sets.chosen)} of {sets.of} sets of {k} columns."
