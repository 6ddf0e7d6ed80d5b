"""Toy tables whose columns depend on each other, for the methods that learn relations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.methods.subjects import Run
from tests.noise_sources import SeededNoise
from tests.tables import Row, TinyBackend, cells, purse_for, schema_of
from understudy.gate.noise import Noise
from understudy.gate.private_table import PrivateTable
from understudy.kernels.count import count_marginals
from understudy.methods.base import Synthesizer
from understudy.models.base import Model
from understudy.privacy.budget import Budget
from understudy.schema.axes import domain_of
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

Floats = NDArray[np.float64]

DRAWN = 100_000
CHAIN = schema_of(cells("a", 3), cells("b", 2), cells("c", 4), cells("d", 3))
"""Each column follows the one before: see ``rows_of_chain``."""


def rows_of_chain(count: int, *, seed: int = 3) -> list[Row]:
    """Rows in which each column knows the one before it, up to some noise, and no more."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, count)]
    for size in (2, 4, 3):
        stray = rng.random(count) < 0.2
        columns.append(np.where(stray, rng.integers(0, size, count), columns[-1] % size))
    return [tuple(map(str, row)) for row in zip(*columns, strict=True)]


def fit(
    method: Synthesizer,
    schema: Schema,
    rows: Sequence[Row],
    budget: Budget,
    *,
    noise: Noise | None = None,
    seed: int = 0,
    backend: TinyBackend | None = None,
) -> Run:
    """One fit with all of a purse; a ``backend`` that has counted the rows need not do it again."""
    purse, backend = purse_for(schema, budget), backend or TinyBackend(schema, rows)
    noise = SeededNoise(seed) if noise is None else noise
    table = PrivateTable(backend, purse, noise=noise)  # type: ignore[arg-type]
    domain = domain_of(method.scope(schema))
    model = method.fit(table, domain, budget, np.random.default_rng(seed))
    return Run(model, domain, model.domain, purse, backend, table)


def share_of(rows: Sequence[Row], schema: Schema, columns: Sequence[str]) -> Floats:
    """The share of the rows in each cell of a marginal."""
    (table,) = TinyBackend(schema, rows).count(domain_of(schema), [tuple(columns)])
    return table / max(len(rows), 1)


def pair_tables(model: Model, columns: Sequence[str]) -> Floats:
    """The share of drawn rows in each cell of a marginal."""
    drawn = model.draw(DRAWN, np.random.default_rng(1)).columns
    places = tuple(range(len(columns)))
    (table,) = count_marginals(
        [drawn[name] for name in columns], model.domain.shape(columns), [places]
    )
    return table / DRAWN


def deviations(run: Run) -> Floats:
    """The noise of every cell that a fit bought, in the standard deviations that it states."""
    return np.concatenate(
        [
            ((noisy.values - true_table(run.backend, run.asked, noisy)) / noisy.stddev).ravel()
            for noisy in run.table.measured(run.asked)
        ]
    )


def true_table(backend: TinyBackend, domain: Domain, noisy: Noisy) -> NDArray[np.int64]:
    """What a noisy table is of."""
    (table,) = backend.count(domain.grouped(dict(noisy.groups)), [noisy.columns])
    return table
