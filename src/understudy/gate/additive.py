"""Noise for vectors of whole numbers whose sensitivity is known in L1 and in L2.

Proof: the end of sums.md. Used by ``sums`` and ``statistic``.
"""

from __future__ import annotations

from understudy.errors import UsageError
from understudy.gate.count import CountNoise
from understudy.gate.scale import gaussian_scale, laplace_scale
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP


def additive_noise(spend: Budget, *, l1: int, l2_squared: int, verb: str) -> CountNoise:
    """Discrete Laplace noise for PureDP, discrete Gaussian noise for ZCDP, rounded normal noise for
    GDP, at this price."""
    match spend:
        case PureDP():
            return CountNoise("laplace", laplace_scale(l1, spend.epsilon))
        case ZCDP() if not spend.delta:
            return CountNoise("gaussian", gaussian_scale(l2_squared, spend.rho))
        case GDP():
            scale = gaussian_scale(l2_squared, spend.mu_squared / 2)
            return CountNoise("rounded-gaussian", scale)
    raise UsageError(f"{verb} spends PureDP, GDP or ZCDP without delta, not {spend}")
