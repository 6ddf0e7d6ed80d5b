"""Growing a model from noisy relations: what stands out, what fits, and never more."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from tests.tables import cells, schema_of
from understudy.models.learner import Learner, Observation
from understudy.models.skeleton import grow
from understudy.schema.axes import domain_of
from understudy.schema.domain import Domain

ROWS = 4000
STDDEV = 10.0


def domain(columns: int, size: int) -> Domain:
    return domain_of(schema_of(*(cells(f"c{place}", size) for place in range(columns))))


def grown(over: Domain, codes: np.ndarray, *, most_cells: int) -> Learner:
    """A learner after all pairs of these rows were offered to it with noise."""
    rng = np.random.default_rng(1)
    learner = Learner(over)

    def seen(*columns: int) -> Observation:
        names = tuple(f"c{place}" for place in columns)
        counts = np.zeros(over.shape(names))
        np.add.at(counts, tuple(codes[place] for place in columns), 1.0)
        return Observation(names, counts + rng.normal(0.0, STDDEV, counts.shape), STDDEV**2)

    for place in range(len(codes)):
        learner.observe(seen(place))
    candidates = [seen(*pair) for pair in combinations(range(len(codes)), 2)]
    grow(learner, candidates, float(codes.shape[1]), most_cells=most_cells, rng=rng)
    return learner


def related(columns: int, size: int) -> np.ndarray:
    """Columns that agree with the first one in most rows."""
    rng = np.random.default_rng(0)
    first = rng.integers(0, size, ROWS)
    others = [
        np.where(rng.random(ROWS) < 0.7, first, rng.integers(0, size, ROWS))
        for _ in range(columns - 1)
    ]
    return np.array([first, *others])


def test_noise_alone_is_no_relation() -> None:
    every_row_four_times = np.repeat(np.indices((4,) * 5).reshape(5, -1), 4, axis=1)
    model = grown(domain(5, 4), every_row_four_times, most_cells=10**6).model(ROWS)
    assert all(len(clique) == 1 for clique in model.cliques)


def test_the_strong_relations_are_held_and_the_others_follow() -> None:
    learner = grown(domain(5, 4), related(5, 4), most_cells=10**6)
    held = {frozenset(clique) for clique in learner.model(ROWS).cliques}
    star = [{"c0", f"c{place}"} for place in range(1, 5)]
    assert all(any(edge <= clique for clique in held) for edge in star)


@pytest.mark.parametrize("most_cells", [4, 40, 100, 1200])
def test_a_model_never_outgrows_its_limit(most_cells: int) -> None:
    """All pairs of all columns are related; one clique would have 4^7 cells."""
    learner = grown(domain(7, 4), related(7, 4)[:, :1500], most_cells=most_cells)
    assert learner.cells <= max(most_cells, 7 * 4)


def test_a_forecast_counts_what_was_noted_since_the_last_fit() -> None:
    over = domain(4, 3)
    learner = Learner(over)
    zeros = np.zeros((3, 3))
    learner.observe(Observation(("c0", "c1"), zeros, 1.0))
    learner.fit(10.0, steps=1, tolerance=0.1)
    for pair in (("c1", "c2"), ("c2", "c3"), ("c0", "c3")):
        learner.observe(Observation(pair, zeros, 1.0))
    told = learner.cells_with(("c0", "c1"))
    learner.fit(10.0, steps=1, tolerance=0.1)
    assert told == learner.cells == 2 * 27


def test_no_candidates_leave_the_columns_alone() -> None:
    over = domain(2, 2)
    learner = Learner(over)
    for name, counts in (("c0", [30.0, 10.0]), ("c1", [20.0, 20.0])):
        learner.observe(Observation((name,), np.array(counts), 1.0))
    grow(learner, [], 40.0, most_cells=10, rng=np.random.default_rng(0))
    (shares,) = learner.marginals([("c0",)], np.random.default_rng(0))
    assert shares == pytest.approx([0.75, 0.25], abs=1e-3)
