"""The errors that ``planned`` states beforehand, against those it makes, over many runs.

Every cell of every answer is compared with the truth: its mean error with 0 and its mean squared
error with the stated variance, each within ``LIMIT`` standard deviations of what chance does. The
excess kurtosis is at most that of discrete Laplace noise at these scales, below 3.5. There are
fewer than 500 cells in all and a normal tail beyond 6.5 is 1e-10, so a false alarm anywhere has a
probability below 1e-6.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from tests.tables import Row, TinyBackend, cells, numbers, purse_for, schema_of
from understudy.gate.noise import SystemNoise
from understudy.gate.private_table import PrivateTable
from understudy.methods.planned import Planned
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.domain import Domain

LIMIT = 6.5
KURTOSIS = 3.5
METHOD = Planned(workload=("a*b*x", "pairs"), groups=3)
COLUMNS = (cells("a", 2), cells("b", 3), numbers("x", 0, 6))
ROWS: list[Row] = [(str(i % 2), str(i % 3), str(i % 5)) for i in range(30)]


def gaps(budget: Budget, rows: int | None, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """The errors of all cells, a line per run, and the stated standard deviation of each."""
    schema = schema_of(*COLUMNS, rows=rows)
    domain, backend = domain_of(schema), TinyBackend(schema, ROWS)
    told = METHOD.foretell(domain, budget)
    truths = [backend.count(over(domain, one.shape, one.columns), [one.columns])[0] for one in told]
    found = []
    for _ in range(runs):
        table = PrivateTable(backend, purse_for(schema, budget), noise=SystemNoise())  # type: ignore[arg-type]
        answers = METHOD.answers(table, domain, budget)
        pairs = zip(told, truths, strict=True)
        found.append(
            np.concatenate(
                [(answers.marginal(one.columns) - truth).ravel() for one, truth in pairs]
            )
        )
    return np.array(found), np.concatenate([np.full(one.cells, one.stddev) for one in told])


def over(domain: Domain, shape: tuple[int, ...], columns: tuple[str, ...]) -> Domain:
    """The domain in whose cells an answer of this shape is given."""
    return domain if domain.shape(columns) == shape else METHOD.blueprint(domain, ZCDP(1)).coarse


def departures(found: np.ndarray, stated: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean errors and mean squared errors, as so many standard deviations from what is stated."""
    runs = len(found)
    means = found.mean(axis=0) / stated * sqrt(runs)
    squares = (found**2).mean(axis=0) / stated**2 - 1.0
    return means, squares * sqrt(runs / (2.0 + KURTOSIS))


@pytest.mark.parametrize("runs", [300, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rows", [None, 30])
@pytest.mark.parametrize("budget", [PureDP(2), ZCDP("1/3"), GDP("2/3")], ids=str)
def test_stated_errors_are_true_and_answers_unbiased(
    budget: Budget, rows: int | None, runs: int
) -> None:
    means, squares = departures(*gaps(budget, rows, runs))
    assert np.abs(means).max() < LIMIT
    assert np.abs(squares).max() < LIMIT


def test_the_check_notices_errors_that_are_stated_too_small_and_a_bias() -> None:
    found, stated = gaps(ZCDP("1/3"), None, 300)
    assert np.abs(departures(found, stated / sqrt(2.0))[1]).max() > LIMIT
    assert np.abs(departures(found + stated / 2.0, stated)[0]).max() > LIMIT
