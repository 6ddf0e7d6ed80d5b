"""Every verb, whole, on tiny tables: its exact law on every pair of neighbours keeps the promise.

No sampling: each outcome has its exact probability (``tests/noise_sources.py``). The same pairs
also show that the promise is not wasted: somewhere at least a good part of it is used, so noise
that is too large fails as well.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

from tests.gate.mechanisms import Law, Mechanism, frozen, pairs_of_laws
from tests.gate.promises import share_used
from tests.noise_sources import gaussian_mu, hockey_stick, max_log_ratio, renyi
from tests.tables import cells, numbers, universe
from understudy.gate import prepare as prepare_module
from understudy.gate.prepare import prepare
from understudy.gate.private_table import PrivateTable
from understudy.gate.scores import L1Gap
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Column, Integer
from understudy.schema.neighbours import Neighbours

ALPHAS = (1.1, 2.0, 5.0, 25.0)
TOLERANCE = 1e-9
USED = 0.3
USED_OF_MU = 0.2
RELATIONS = list(Neighbours)


def one_marginal(table: PrivateTable, budget: Budget) -> Hashable:
    domain = domain_of(table.schema)
    (noisy,) = table.count(domain, [("a",)], spend=budget)
    return frozen(noisy.values)


def weighted_marginals(table: PrivateTable, budget: Budget) -> Hashable:
    domain = domain_of(table.schema)
    answers = table.count(domain, [("a",), ("b",)], spend=budget, weights=["1/4", 0.75])
    return tuple(frozen(noisy.values) for noisy in answers)


def two_way_marginal(table: PrivateTable, budget: Budget) -> Hashable:
    domain = domain_of(table.schema)
    (noisy,) = table.count(domain, [("b", "a")], spend=budget)
    return frozen(noisy.values)


def hinted_then_halves(table: PrivateTable, budget: Budget) -> Hashable:
    domain = domain_of(table.schema)
    table.prepare(domain, [("a",)])
    first, second = budget.shares(2)
    (one,) = table.count(domain, [("a",)], spend=first)
    (two,) = table.count(domain, [("a",)], spend=second)
    return frozen(one.values), frozen(two.values)


def selection(table: PrivateTable, budget: Budget) -> Hashable:
    domain = domain_of(table.schema)
    score = L1Gap(
        [np.array([0.0, 5.3]), np.array([[3.0, 2.3], [0.0, 0.0]])],
        weights=[1.0, 0.9],
        offsets=[0.0, 0.5],
    )
    return table.select(domain, [("a",), ("a", "b")], score, spend=budget)


def select_then_count(table: PrivateTable, budget: Budget) -> Hashable:
    domain = domain_of(table.schema)
    parts = budget.split(select=1, count=2)
    score = L1Gap([np.array([0.0, 3.0]), np.array([1.0, 1.0])], offsets=[0.5, 0.0])
    chosen = table.select(domain, [("a",), ("b",)], score, spend=parts["select"])
    (noisy,) = table.count(domain, [("ab"[chosen],)], spend=parts["count"])
    return chosen, frozen(noisy.values)


def quantiles(table: PrivateTable, budget: Budget) -> Hashable:
    return table.quantiles("x", probabilities=["1/4", 0.9], grid=(0, 1, 2, 3, 4), spend=budget)


def leaning_quantile(table: PrivateTable, budget: Budget) -> Hashable:
    grid = (-1, 0, 1, 2, 3, 4)
    return table.quantiles("x", probabilities=[0.5], grid=grid, lean="1/4", spend=budget)


def one_median(table: PrivateTable, budget: Budget) -> Hashable:
    return table.quantiles("x", probabilities=[0.5], grid=(0, 1, 2, 3), spend=budget)


def bounds(table: PrivateTable, budget: Budget) -> Hashable:
    return repr(prepare(table.schema, table, budget).axes["x"])


ONE = ([cells("a", 2)], universe(2))
ONE_OF_THREE = ([cells("a", 3)], universe(3))
TWO = ([cells("a", 2), cells("b", 2)], universe(2, 2))
NUMBER = ([numbers("x", 0, 3)], universe(4))
OPEN = ([Integer(name="x", min=0)], universe(3))

SEVERAL_ROWS = ("one marginal", "selection", "select, then count", "one median", "bounds")
"""Small enough to be enumerated here for units of two rows; verification/ does all of them."""

CASES: dict[str, tuple[Mechanism, tuple[list[Column], list[tuple[str | None, ...]]], int, int]] = {
    # name: mechanism, table, rows of other units, how far the clamped counts reach
    "one marginal": (one_marginal, ONE, 3, 6),
    "one marginal of three": (one_marginal, ONE_OF_THREE, 2, 5),
    "weighted marginals": (weighted_marginals, TWO, 1, 2),
    "two-way marginal": (two_way_marginal, TWO, 1, 2),
    "hinted, twice": (hinted_then_halves, ONE, 1, 2),
    "selection": (selection, TWO, 2, 1),
    "select, then count": (select_then_count, TWO, 2, 4),
    "quantiles": (quantiles, NUMBER, 3, 1),
    "one median": (one_median, NUMBER, 3, 1),
    "leaning quantile": (leaning_quantile, NUMBER, 3, 1),
    "bounds": (bounds, OPEN, 2, 4),
}


UNITS = [*((name, 1) for name in CASES), *((name, 2) for name in SEVERAL_ROWS)]


@pytest.fixture(autouse=True)
def _small_public_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare_module, "log_grid", lambda: (-1.0, 0.0, 1.0, 2.0, 4.0))


def laws(
    name: str, budget: Budget, relation: Neighbours, contribution: int
) -> list[tuple[Law, Law]]:
    mechanism, (columns, rows), others, reach = CASES[name]
    pairs = pairs_of_laws(
        mechanism,
        columns,
        rows,
        budget,
        relation=relation,
        contribution=contribution,
        others=others,
        window=(-1, reach),
    )
    return list(pairs)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("name", "contribution"), UNITS)
def test_pure_budgets_keep_their_promise(
    name: str, relation: Neighbours, contribution: int
) -> None:
    budget = PureDP(Fraction(3, 2))
    costs = [max_log_ratio(p, q) for p, q in laws(name, budget, relation, contribution)]
    assert max(costs) <= 1.5 + TOLERANCE
    assert max(costs) >= USED * 1.5


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("name", "contribution"), UNITS)
def test_concentrated_budgets_keep_their_promise(
    name: str, relation: Neighbours, contribution: int
) -> None:
    rho = 0.4
    pairs = laws(name, ZCDP(Fraction(2, 5)), relation, contribution)
    used = 0.0
    for p, q in pairs:
        for alpha in ALPHAS:
            for one, two in ((p, q), (q, p)):
                divergence = renyi(one, two, alpha)
                assert divergence <= rho * alpha * (1.0 + TOLERANCE)
                used = max(used, divergence / (rho * alpha))
    assert used >= USED


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("name", "contribution"), UNITS)
def test_gaussian_budgets_keep_their_promise(
    name: str, relation: Neighbours, contribution: int
) -> None:
    if name == "bounds":  # they are bought in the other currencies
        return
    budget = GDP(Fraction(4, 5))
    used = share_used(laws(name, budget, relation, contribution), budget)
    assert USED_OF_MU <= used <= 1.0 + TOLERANCE


def test_the_checks_notice_noise_that_is_a_tenth_too_small() -> None:
    generous = laws("one marginal", GDP(Fraction(22, 25)), Neighbours.REPLACE_ONE, 1)
    assert share_used(generous, GDP(Fraction(4, 5))) > 1.0 + TOLERANCE
    generous = laws("one marginal", PureDP(Fraction(33, 20)), Neighbours.ADD_REMOVE, 1)
    assert max(max_log_ratio(p, q) for p, q in generous) > 1.5 + TOLERANCE
    generous = laws("one marginal", ZCDP(Fraction(11, 25)), Neighbours.REPLACE_ONE, 1)
    assert max(renyi(p, q, 2.0) for p, q in generous) > 0.8 * (1.0 + TOLERANCE)


def test_the_divergences_are_right_on_laws_done_by_hand() -> None:
    p, q = {"x": 0.5, "y": 0.5}, {"x": 0.25, "y": 0.75}
    assert max_log_ratio(p, q) == pytest.approx(np.log(2.0))
    assert renyi(p, q, 2.0) == pytest.approx(np.log(0.25 / 0.25 + 0.25 / 0.75))
    assert hockey_stick(p, q, 0.0) == pytest.approx(0.25)
    assert max_log_ratio(p, {"x": 1.0}) == np.inf
    assert gaussian_mu(p, q) == pytest.approx(gaussian_mu(q, p))
    assert gaussian_mu(p, q) == pytest.approx(NormalDist().inv_cdf(0.75))
    assert gaussian_mu(p, {"x": 1.0}) == np.inf
    assert renyi(p, {"x": 1.0}, 2.0) == np.inf
