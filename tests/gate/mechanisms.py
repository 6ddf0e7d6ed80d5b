"""Whole mechanisms on tiny tables, as functions from a noise source to one hashable outcome."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache

import numpy as np

from tests.gate.transcripts import Transcripts
from tests.noise_sources import EnumeratingNoise, distribution
from tests.tables import Purse, Row, TinyBackend, neighbouring, purse_for, tiny_schema
from understudy.gate.private_table import PrivateTable
from understudy.privacy.budget import Budget
from understudy.schema.columns import Column
from understudy.schema.neighbours import Neighbours

Mechanism = Callable[[PrivateTable, Budget], Hashable]
Law = dict[Hashable, float]


def law_of(
    transcripts: Transcripts,
    columns: Sequence[Column],
    rows: tuple[Row, ...],
    budget: Budget,
    *,
    relation: Neighbours,
    contribution: int,
    window: tuple[int, int],
) -> Law:
    """The exact law of a mechanism's outcome on this table."""
    schema = tiny_schema(relation, *columns, contribution=contribution, rows=len(rows))
    backend, public = TinyBackend(schema, rows), repr(schema)

    def run(noise: EnumeratingNoise) -> Hashable:
        purses: list[Purse] = []

        def opened() -> PrivateTable:
            purses.append(purse_for(schema, budget))
            return PrivateTable(backend, purses[-1], noise=noise)

        outcome = transcripts.outcome(opened, public=public, again=noise.restart)
        assert purses[-1].spent == budget, "the whole budget must be spent"
        return outcome

    return distribution(run, window=window)


def pairs_of_laws(
    mechanism: Mechanism,
    columns: Sequence[Column],
    universe: Sequence[Row],
    budget: Budget,
    *,
    relation: Neighbours,
    contribution: int,
    others: int,
    window: tuple[int, int] = (-2, 5),
) -> Iterator[tuple[Law, Law]]:
    """The two exact laws of every pair of neighbouring tables."""
    transcripts = Transcripts(lambda private: mechanism(private, budget))

    @cache
    def law(rows: tuple[Row, ...]) -> Law:
        return law_of(
            transcripts,
            columns,
            rows,
            budget,
            relation=relation,
            contribution=contribution,
            window=window,
        )

    seen = set()
    pairs = neighbouring(universe, relation, contribution=contribution, others=others)
    for one, two in pairs:
        pair = (tuple(sorted(one)), tuple(sorted(two)))
        if pair[0] != pair[1] and pair not in seen:
            seen.add(pair)
            yield law(pair[0]), law(pair[1])


def frozen(values: np.ndarray) -> tuple[tuple[int, ...], bytes]:
    """An array as a hashable outcome."""
    return values.shape, values.tobytes()
