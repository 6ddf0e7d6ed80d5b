"""The ``count`` verb: several contingency tables, each with its own share of the spend.

Proof: count.md. Test: tests/gate/test_count.py, tests/gate/test_sensitivity.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.noise import Noise
from understudy.gate.scale import (
    gaussian_scale,
    gaussian_stddev,
    laplace_scale,
    laplace_stddev,
    rounded_stddev,
)
from understudy.gate.sensitive import Sensitive, reveal
from understudy.gate.sensitivity import marginal_l1, marginal_l2_squared
from understudy.privacy.budget import GDP, ZCDP, Budget, Exact, PureDP, exact
from understudy.schema.neighbours import Neighbours

Counts = NDArray[np.int64]


Law = Literal["laplace", "gaussian", "rounded-gaussian"]


@dataclass(frozen=True)
class CountNoise:
    """The noise of one marginal: which law, at which scale."""

    law: Law
    scale: float

    @property
    def stddev(self) -> float:
        """The standard deviation of each cell's noise."""
        match self.law:
            case "laplace":
                return laplace_stddev(self.scale)
            case "gaussian":
                return gaussian_stddev(self.scale)
            case "rounded-gaussian":
                return rounded_stddev(self.scale)

    def add(self, sealed: Sensitive[Counts], noise: Noise) -> Counts:
        """The noisy table."""
        values = reveal(sealed)
        match self.law:
            case "laplace":
                return noise.laplace(values, scale=self.scale)
            case "gaussian":
                return noise.gaussian(values, scale=self.scale)
            case "rounded-gaussian":
                return noise.rounded_gaussian(values, scale=self.scale)


def shares(count: int, weights: Sequence[Exact] | None) -> list[Fraction]:
    """The exact share of each marginal; equal unless weights are given. They sum to 1."""
    if count == 0:
        raise UsageError("ask for at least one marginal")
    if weights is None:
        return [Fraction(1, count)] * count
    if len(weights) != count:
        raise UsageError(f"{len(weights)} weights were given for {count} marginals")
    amounts = [exact(weight, name="weight") for weight in weights]
    if min(amounts) <= 0:
        raise UsageError("every marginal needs a weight above 0; leave out those not wanted")
    total = sum(amounts)
    return [amount / total for amount in amounts]


def noise_for(spend: Budget, neighbours: Neighbours, *, contribution: int) -> CountNoise:
    """The noise that makes one contingency table cost exactly ``spend`` (or a hair less)."""
    match spend:
        case PureDP():
            l1 = marginal_l1(neighbours, contribution)
            return CountNoise("laplace", laplace_scale(l1, spend.epsilon))
        case ZCDP() if not spend.delta:
            l2_squared = marginal_l2_squared(neighbours, contribution)
            return CountNoise("gaussian", gaussian_scale(l2_squared, spend.rho))
        case GDP():
            l2_squared = marginal_l2_squared(neighbours, contribution)
            scale = gaussian_scale(l2_squared, spend.mu_squared / 2)
            return CountNoise("rounded-gaussian", scale)
    raise UsageError(f"count spends PureDP, GDP or ZCDP without delta, not {spend}")


def read_only(values: Counts) -> Counts:
    """The same numbers, safe from whoever is handed them: they are also what is released."""
    shown = values.view()
    shown.setflags(write=False)
    return shown
