"""Whole mechanisms enumerated exactly, on more tables than the tests have time for.

Units of two and three rows, small and large budgets, every pair of neighbours; the cases are those
of ``tests/gate/test_exact_privacy.py``.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.gate.promises import share_used
from tests.gate.test_exact_privacy import ALPHAS, CASES, SEVERAL_ROWS, TOLERANCE, laws
from tests.noise_sources import max_log_ratio, renyi
from understudy.gate import prepare as prepare_module
from understudy.privacy.budget import GDP, ZCDP, PureDP
from understudy.schema.neighbours import Neighbours

AMOUNTS = [Fraction(1, 10), Fraction(7, 3), Fraction(6)]
QUICK = ("one marginal", "one median", "selection")
SETTINGS = [
    *(pytest.param(name, 1, id=f"{name}, 1") for name in QUICK),
    *(
        pytest.param(name, 2, id=f"{name}, 2", marks=pytest.mark.slow)
        for name in CASES
        if name not in QUICK
    ),
    *(pytest.param(name, 3, id=f"{name}, 3", marks=pytest.mark.slow) for name in SEVERAL_ROWS[:2]),
]


@pytest.fixture(autouse=True)
def _small_public_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare_module, "log_grid", lambda: (-1.0, 0.0, 1.0, 2.0, 4.0))


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize(("name", "contribution"), SETTINGS)
@pytest.mark.parametrize("amount", AMOUNTS)
def test_pure_budgets_keep_their_promise(
    name: str, contribution: int, relation: Neighbours, amount: Fraction
) -> None:
    for p, q in laws(name, PureDP(amount), relation, contribution):
        assert max_log_ratio(p, q) <= float(amount) + TOLERANCE


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize(("name", "contribution"), SETTINGS)
@pytest.mark.parametrize("amount", AMOUNTS)
def test_concentrated_budgets_keep_their_promise(
    name: str, contribution: int, relation: Neighbours, amount: Fraction
) -> None:
    for p, q in laws(name, ZCDP(amount), relation, contribution):
        for alpha in ALPHAS:
            bound = float(amount) * alpha * (1.0 + TOLERANCE)
            assert renyi(p, q, alpha) <= bound + TOLERANCE
            assert renyi(q, p, alpha) <= bound + TOLERANCE


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize(("name", "contribution"), SETTINGS)
@pytest.mark.parametrize("amount", AMOUNTS)
def test_gaussian_budgets_keep_their_promise(
    name: str, contribution: int, relation: Neighbours, amount: Fraction
) -> None:
    if name != "bounds":  # they are bought in the other currencies
        budget = GDP(amount)
        assert share_used(laws(name, budget, relation, contribution), budget) <= 1.0 + 1e-6
