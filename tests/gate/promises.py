"""Whether whole mechanisms keep what their budget promises, on every pair of neighbours."""

from __future__ import annotations

from collections.abc import Iterable

from tests.gate.mechanisms import Law
from tests.noise_sources import max_log_ratio, renyi
from understudy.privacy.budget import ZCDP, Budget, PureDP

ALPHAS = (1.05, 1.5, 2.0, 5.0, 25.0, 200.0)
TOLERANCE = 1e-9


def share_used(pairs: Iterable[tuple[Law, Law]], budget: Budget) -> float:
    """The largest part of the budget that any pair of laws really costs; above 1 it is broken.

    For zCDP the Renyi divergence of order alpha is compared with rho * alpha, at several orders.
    """
    used = 0.0
    for p, q in pairs:
        match budget:
            case PureDP():
                used = max(used, max_log_ratio(p, q) / float(budget.epsilon))
            case ZCDP():
                used = max(used, *(part_of_rho(p, q, float(budget.rho), a) for a in ALPHAS))
    return used


def part_of_rho(p: Law, q: Law, rho: float, alpha: float) -> float:
    return max(renyi(p, q, alpha), renyi(q, p, alpha)) / (rho * alpha)
