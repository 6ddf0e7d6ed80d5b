"""Why a run in rho gives no epsilon back: what would happen to delta if it did.

Setting: a ledger with the total (epsilon, delta), where epsilon is what ``zcdp_to_approx`` proves
for rho. A run reserves everything, works in rho and may stop early. Suppose its clean end kept only
the epsilon that the rho charged so far converts to. Then it can watch its own privacy loss, stop
just when the loss is above that epsilon, and spend the rest on one pure answer.

The loss of Gaussian noise is a random walk: after rho it is N(rho, 2 rho). The best stopping rule
is found by looking backwards from the end (dynamic programming on a grid whose interpolation is
right to about 1%), and the delta that the whole then really has at epsilon is a number; it is
computed, not simulated.
"""

from __future__ import annotations

import numpy as np
import pytest

from understudy.privacy.budget import ZCDP, ApproxDP
from understudy.privacy.convert import zcdp_to_approx
from understudy.privacy.exchange import enter, kept

GRID = 4001
FINEST = 1e-4


def true_delta(rho: float, delta: float, *, stops: int, ratio: float, gives_back: bool) -> float:
    """The delta at the total epsilon of the best stopping rule with ``stops`` places to stop."""
    spent = rho * ratio ** -np.arange(stops, dtype=float)[::-1]
    epsilons = np.array([_epsilon(part, delta) for part in spent])
    total = epsilons[-1]
    left = total - epsilons if gives_back else np.zeros(stops)
    loss = _grid(total, rho)
    nodes, masses = _normal()
    value = _excess(loss, total, left[-1])
    for place in range(stops - 1, -1, -1):
        step = spent[place] - (spent[place - 1] if place else 0.0)
        after = loss[:, None] + step + np.sqrt(2 * step) * nodes
        value = np.interp(after.ravel(), loss, value).reshape(after.shape) @ masses
        if place:
            value = np.maximum(value, _excess(loss, total, left[place - 1]))
    return float(np.interp(0.0, loss, value))


def _epsilon(rho: float, delta: float) -> float:
    return float(zcdp_to_approx(ZCDP(float(rho)), delta=delta).epsilon)


def _excess(loss: np.ndarray, total: float, left: float) -> np.ndarray:
    """E max(0, 1 - e^(total - loss)) once randomised response has spent what is left."""
    chance = 1 / (1 + np.exp(-left))
    up, down = (-np.expm1(np.minimum(0.0, total - loss - sign * left)) for sign in (1, -1))
    return chance * up + (1 - chance) * down


def _grid(total: float, rho: float) -> np.ndarray:
    low, high = 12 * np.sqrt(2 * rho), total + 6 * np.sqrt(2 * rho)
    ends = -np.arcsinh(low / FINEST), np.arcsinh(high / FINEST)
    return FINEST * np.sinh(np.linspace(*ends, GRID))


def _normal() -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(300)
    nodes = 10 * nodes
    return nodes, 10 * weights * np.exp(-nodes * nodes / 2) / np.sqrt(2 * np.pi)


@pytest.mark.parametrize(("rho", "delta"), [(0.5, 1e-6), (2.0, 1e-4)])
def test_giving_back_would_break_the_promise(rho, delta):
    honest = true_delta(rho, delta, stops=20, ratio=2.0, gives_back=False)
    broken = true_delta(rho, delta, stops=20, ratio=2.0, gives_back=True)
    assert honest <= delta
    assert broken > 3 * delta


def test_one_place_to_stop_is_the_plain_gaussian():
    # mu = 1 at epsilon 5.2215: Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu), by SciPy: 1.9272e-7.
    found = true_delta(0.5, 1e-6, stops=1, ratio=2.0, gives_back=True)
    assert found == pytest.approx(1.9272e-7, rel=0.02)


def test_so_the_ledger_keeps_it_all():
    total = ApproxDP(zcdp_to_approx(ZCDP(0.5), delta=1e-6).epsilon, 1e-6)
    entry = enter(ZCDP(0.5), ApproxDP, entered=total)
    assert kept(entry, [ZCDP(0.125)]) == total
