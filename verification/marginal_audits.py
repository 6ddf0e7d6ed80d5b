"""Whole runs of ``mst`` and ``aim``, audited from outside: how well can neighbours be told apart?

Each method is run many times, with the system's noise, on two neighbouring tables that differ as
much as neighbours can: every table that it may buy differs. An auditor who knows both tables reads
the noisy tables of a run and computes the logarithm of the likelihood ratio, which no other reading
beats (the choices in between have a tenth of the budget or less; their exact cost is tested with
the gate). rho-zCDP bounds chi-square, the Renyi divergence of order 2, by exp(2 rho) - 1; GDP
bounds it by that of normal variables, exp(mu^2) - 1; and chi-square bounds the squared difference
of the means of any reading in units of its variance (Hammersley, Chapman and Robbins). So the
runs give a lower confidence bound of rho.

The bound must not pass the rho that was paid: a false alarm has a probability below 1e-6. The audit
is tight: of a run whose noise forgot the factor of sqrt 2 under REPLACE_ONE the bound does pass it.
Further, over all runs the noise has mean 0 and the standard deviation that was stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.methods.relations import deviations, fit, true_table
from tests.methods.subjects import Run
from tests.tables import Row, TinyBackend, cells, schema_of
from understudy.gate import private_table
from understudy.gate.count import CountNoise, noise_for
from understudy.gate.noise import SystemNoise
from understudy.methods import aim, mst
from understudy.methods.base import Synthesizer
from understudy.privacy.budget import GDP, ZCDP, Budget
from understudy.schema.neighbours import Neighbours

Floats = NDArray[np.float64]

RHO = 0.5
BUDGETS: list[Budget] = [ZCDP("1/2"), GDP(1)]
"""Both of them that rho."""
BASE: list[Row] = [("0", "0")] * 150 + [("1", "1")] * 150
LEAST, MOST = ("0", "0"), ("1", "1")
METHODS: dict[str, Synthesizer] = {"mst": mst.MST(), "aim": aim.AIM()}
POWER = 0.5
"""The reading is the likelihood ratio to this power, which has a variance worth estimating."""
CAP = 2.0 * RHO + 2.5 * np.sqrt(2.0 * RHO)
"""The largest logarithm that is read, so that no single run decides."""
DEVIATIONS = 5.0
SMOKE, FULL = 100, 2500


@dataclass(frozen=True)
class Audit:
    """The readings of runs on either table, and all noise in units of its stated deviation."""

    without: Floats
    with_: Floats
    noise: Floats

    @property
    def rho(self) -> float:
        """The rho that these runs suggest (never more than the true one, up to chance)."""
        gap = self.with_.mean() - self.without.mean()
        return float(0.5 * np.log1p(gap**2 / self.without.var()))

    @property
    def least_rho(self) -> float:
        """The rho that these runs cannot have cost less than."""
        gap = self.with_.mean() - self.without.mean()
        spread = np.sqrt((self.with_.var() + self.without.var()) / len(self.without))
        squares = (self.without - self.without.mean()) ** 2
        variance = self.without.var() + DEVIATIONS * squares.std() / np.sqrt(len(squares))
        return float(0.5 * np.log1p(max(gap - DEVIATIONS * spread, 0.0) ** 2 / variance))


@pytest.fixture(autouse=True)
def _short_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What happens to the answers afterwards is not audited."""
    monkeypatch.setattr(mst, "STEPS", 10)
    monkeypatch.setattr(aim, "MOST_STEPS", 10)
    monkeypatch.setattr(aim, "LAST_STEPS", 10)


def audit(name: str, relation: Neighbours, runs: int, budget: Budget) -> Audit:
    """So many runs of a method on each of two neighbours."""
    columns = (cells("a", 2), cells("b", 2))
    if relation is Neighbours.ADD_REMOVE:
        schema, tables = schema_of(*columns), (BASE, [*BASE, MOST])
    else:
        schema = schema_of(*columns, rows=len(BASE) + 1)
        tables = ([*BASE, LEAST], [*BASE, MOST])
    assert schema.neighbours is relation
    backends = [TinyBackend(schema, rows) for rows in tables]
    readings: list[list[float]] = [[], []]
    noise: list[Floats] = []
    for _ in range(runs):
        for rows, backend, read in zip(tables, backends, readings, strict=True):
            run = fit(METHODS[name], schema, rows, budget, noise=SystemNoise(), backend=backend)
            read.append(reading(run, *backends))
            noise.append(deviations(run))
    without, with_ = (np.array(read) for read in readings)
    return Audit(without, with_, np.concatenate(noise))


def reading(run: Run, without: TinyBackend, with_: TinyBackend) -> float:
    """The likelihood ratio of normal noise, capped and to a power."""
    logarithm = 0.0
    for noisy in run.table.measured(run.asked):
        before = true_table(without, run.asked, noisy)
        change = true_table(with_, run.asked, noisy) - before
        logarithm += float(((noisy.values - before) * change).sum()) / noisy.stddev**2
    return float(np.exp(POWER * min(logarithm, CAP)))


SIZES = [SMOKE, pytest.param(FULL, marks=pytest.mark.slow)]


@pytest.mark.parametrize("runs", SIZES)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("name", METHODS)
def test_neighbours_are_no_easier_to_tell_apart_than_was_paid(
    name: str, relation: Neighbours, budget: Budget, runs: int
) -> None:
    found = audit(name, relation, runs, budget)
    assert found.least_rho <= RHO
    if runs == FULL:
        assert found.rho >= 0.65 * RHO, "the audit is not tight"
    check_noise(found.noise)


def check_noise(noise: Floats) -> None:
    """Mean 0 and variance 1; a normal value's square has a variance of 2."""
    assert abs(noise.mean()) < DEVIATIONS / np.sqrt(noise.size)
    assert abs((noise**2).mean() - 1.0) < DEVIATIONS * np.sqrt(2.0 / noise.size)


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("name", METHODS)
def test_the_audit_notices_a_forgotten_factor(
    name: str, budget: Budget, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(spend: Budget, neighbours: Neighbours, *, contribution: int) -> CountNoise:
        return noise_for(spend, Neighbours.ADD_REMOVE, contribution=contribution)

    monkeypatch.setattr(private_table, "noise_for", forgetful)
    assert audit(name, Neighbours.REPLACE_ONE, 2 * FULL, budget).least_rho > RHO


@pytest.mark.parametrize("name", METHODS)
def test_the_audit_notices_noise_smaller_than_stated(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small(CountNoise):
        def add(self, sealed: Any, noise: Any) -> Any:
            return CountNoise(self.law, self.scale / 1.25).add(sealed, noise)

    def smaller(spend: Budget, neighbours: Neighbours, *, contribution: int) -> CountNoise:
        right = noise_for(spend, neighbours, contribution=contribution)
        return Small(right.law, right.scale)

    monkeypatch.setattr(private_table, "noise_for", smaller)
    with pytest.raises(AssertionError):
        check_noise(audit(name, Neighbours.ADD_REMOVE, SMOKE, GDP(1)).noise)
