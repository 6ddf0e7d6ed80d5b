"""Whole verbs with the system's noise against their exact laws, by chi-square.

The exact law of each verb on a toy table comes from enumerating its noise (tests/noise_sources.py);
then the verb is run many times as in production. A test fails if its p-value is below 1e-9; there
are fewer than 100, so a false alarm has a probability below 1e-6 also where chi-square is rough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable

import numpy as np
import pytest

from tests.noise_sources import ForbiddenNoise, distribution
from tests.tables import TinyBackend, cells, numbers, purse_for, schema_of
from understudy.gate.losses import CellLoss
from understudy.gate.noise import Noise, OpenDPNoise, SystemNoise
from understudy.gate.private_table import PrivateTable
from understudy.gate.scores import L1Gap
from understudy.gate.statistics import CellsHolding
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.moment import Feature, Moment
from verification.noise_laws import LEAST_P, _merged, p_value

SCHEMA = schema_of(cells("a", 4), numbers("x", 0, 3))
ROWS = [("0", "1"), ("0", "3"), ("0", "0"), ("2", "2"), ("0", "0"), ("0", "1")]
BUDGETS = [PureDP("3/2"), ZCDP("2/5"), GDP("4/5")]
NOT_IN_MU = ("draw", "partition")
"""Verbs of which no price in GDP is proven."""
WITH_DELTA = ZCDP("2/5", "1/20")
WINDOW, NARROW = (-6, 12), (-1, 5)
Verb = Callable[[PrivateTable, Budget], Hashable]


def tabled(table: PrivateTable, spend: Budget) -> Hashable:
    (answer,) = table.count(domain_of(SCHEMA), [("a",)], spend=spend)
    return np.clip(answer.values, *NARROW).tobytes()


def selected(table: PrivateTable, spend: Budget) -> Hashable:
    guess = np.array([3.0, 1.0, 1.0, 1.0])
    score = L1Gap([guess, guess, np.full((4, 4), 0.25)], offsets=[0.0, 0.5, 2.0])
    return table.select(domain_of(SCHEMA), [("a",), ("x",), ("a", "x")], score, spend=spend)


def ranked(table: PrivateTable, spend: Budget) -> Hashable:
    asked = {"probabilities": ["1/4", "1/2"], "grid": (0.0, 1.0, 2.0, 3.0)}
    return table.quantiles("x", **asked, spend=spend)


def discovered(table: PrivateTable, spend: Budget) -> Hashable:
    return table.discover(["a"], spend=spend)["a"]


def drawn(table: PrivateTable, spend: Budget) -> Hashable:
    return table.draw(domain_of(SCHEMA), ("a",), rows=2, spend=spend).tobytes()


def partitioned(table: PrivateTable, spend: Budget) -> Hashable:
    return table.partition(domain_of(SCHEMA), ("a",), spend=spend).tobytes()


def summed(table: PrivateTable, spend: Budget) -> Hashable:
    moments = [Moment((Feature("x"),))]
    answer = table.sums(domain_of(SCHEMA), moments, granularity=2, spend=spend)
    return int(np.clip(round(float(answer.values[0]) * 2), *WINDOW))


def counted(table: PrivateTable, spend: Budget) -> Hashable:
    statistic = CellsHolding(("a",), (1,))
    answer = table.statistic(domain_of(SCHEMA), statistic, spend=spend)
    return int(np.clip(answer.values[0], *WINDOW))


def minimised(table: PrivateTable, spend: Budget) -> Hashable:
    distances = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    return table.minimise(domain_of(SCHEMA), CellLoss(("x",), distances, clip=3.0), spend=spend)


VERBS: dict[str, tuple[Verb, tuple[int, int]]] = {
    "count": (tabled, NARROW),
    "select": (selected, NARROW),
    "quantiles": (ranked, NARROW),
    "discover": (discovered, WINDOW),
    "draw": (drawn, WINDOW),
    "partition": (partitioned, (0, 1)),  # a box is halved if its noisy rows pass 0
    "sums": (summed, WINDOW),
    "statistic": (counted, WINDOW),
    "minimise": (minimised, WINDOW),
}
PAID = [
    (name, budget)
    for name in VERBS
    for budget in BUDGETS
    if name != "discover" and not (isinstance(budget, GDP) and name in NOT_IN_MU)
]
PAID += [("discover", WITH_DELTA)]  # the one verb that needs a delta


def p_of_verb(name: str, budget: Budget, source: Noise, runs: int) -> float:
    verb, window = VERBS[name]

    def once(noise: Noise) -> Hashable:
        purse = purse_for(SCHEMA, budget)
        return verb(PrivateTable(TinyBackend(SCHEMA, ROWS), purse, noise=noise), budget)

    law = distribution(once, window=window)
    found = Counter(once(source) for _ in range(runs))
    assert found.keys() <= law.keys()
    outcomes = sorted(law, key=repr)
    observed = np.array([found[outcome] for outcome in outcomes])
    return p_value(*_merged(observed, np.array([law[outcome] for outcome in outcomes]) * runs))


@pytest.mark.parametrize("runs", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", [SystemNoise, OpenDPNoise])
@pytest.mark.parametrize(("name", "budget"), PAID, ids=str)
def test_verbs_have_their_exact_laws(
    name: str, budget: Budget, source: type[Noise], runs: int
) -> None:
    assert p_of_verb(name, budget, source(), runs) > LEAST_P


def test_every_verb_has_its_law_here() -> None:
    free = {"prepare", "measured", "schema", "neighbours"}
    verbs = {name for name in vars(PrivateTable) if not name.startswith("_")}
    assert verbs - free == set(VERBS)


@pytest.mark.parametrize("source", [SystemNoise, OpenDPNoise])
@pytest.mark.parametrize(
    "weights", [[1, 1], [3, 0, 5], [1, 10**6], [2**40, 2**40 + 1, 7], [2**61] * 3, [*range(1, 41)]]
)
def test_indices_have_the_law_of_their_weights(source: type[Noise], weights: list[int]) -> None:
    draws = 1_000_000
    chosen = source().weighted(np.array(weights, dtype=np.int64), draws=draws)
    observed = np.bincount(chosen, minlength=len(weights))
    expected = np.array([weight / sum(weights) for weight in weights]) * draws
    assert (observed[expected == 0] == 0).all()
    assert p_value(*_merged(observed, expected)) > LEAST_P


def test_the_check_notices_a_draw_from_the_wrong_weights() -> None:
    class Tilted(ForbiddenNoise):
        def weighted(self, weights: np.ndarray, *, draws: int) -> np.ndarray:
            return SystemNoise().weighted(weights + weights.max() // 20, draws=draws)

    assert p_of_verb("draw", BUDGETS[0], Tilted(), 50_000) < LEAST_P
