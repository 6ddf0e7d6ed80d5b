"""Whether whole mechanisms keep what their budget promises, on every pair of neighbours."""

from __future__ import annotations

from collections.abc import Iterable

from tests.gate.mechanisms import Law
from tests.noise_sources import gaussian_mu, max_log_ratio, renyi
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP

ALPHAS = (1.05, 1.5, 2.0, 5.0, 25.0, 200.0)
TOLERANCE = 1e-9


def share_used(pairs: Iterable[tuple[Law, Law]], budget: Budget) -> float:
    """The largest part of the budget that any pair of laws really costs; above 1 it is broken.

    For zCDP the Renyi divergence of order alpha is compared with rho * alpha, at several orders;
    for GDP every test that tells p from q with the best one for normal variables.
    """
    used = 0.0
    for p, q in pairs:
        match budget:
            case PureDP():
                used = max(used, max_log_ratio(p, q) / float(budget.epsilon))
            case ZCDP():
                used = max(used, *(part_of_rho(p, q, float(budget.rho), a) for a in ALPHAS))
            case GDP():
                mu_squared = max(gaussian_mu(p, q), gaussian_mu(q, p)) ** 2
                used = max(used, mu_squared / float(budget.mu_squared))
    return used


def part_of_rho(p: Law, q: Law, rho: float, alpha: float) -> float:
    return max(renyi(p, q, alpha), renyi(q, p, alpha)) / (rho * alpha)
