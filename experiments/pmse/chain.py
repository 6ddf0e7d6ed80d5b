"""AS PUBLISHED, NOT PRIVATE: the pMSE mechanism with greedy trees and a Metropolis chain.

Greedy trees have no bounded sensitivity, and a chain that is stopped has no law that anybody
knows. The paper gives no length, no steps and no start for its chains. Ours start at the estimates
from the real rows, which favours them, and is one more reason why they protect nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from experiments.pmse import cart
from experiments.pmse.setting import Floats, Outcome, Rng, estimates, generate, of_tables

RELEASES: Final = 10
"""The paper's l: each of ten tables at a tenth of epsilon."""
PRIOR_VARIANCE: Final = 1e5
STEPS: Final = (0.3, 1.5, 0.3, 0.1, 0.4)
"""Standard deviations of the proposed steps, one per parameter."""
BURN_IN: Final = 200
THINNING: Final = 15


@dataclass(frozen=True)
class Published:
    """The mechanism with greedy trees of one size."""

    pruning: cart.Pruning
    burn_in: int = BURN_IN
    thinning: int = THINNING

    def __call__(self, real: Floats, epsilon: float, rng: Rng) -> Outcome:
        """Ten tables from ten states of one chain."""
        chain = Chain(real, epsilon / RELEASES, self.pruning, rng)
        chain.walk(self.burn_in)
        tables = []
        for _ in range(RELEASES):
            chain.walk(self.thinning)
            tables.append(generate(chain.state, rng.standard_normal((2, len(real)))))
        return of_tables(tables)


class Chain:
    """A random walk whose limit, if it were reached, is the exponential mechanism at epsilon.

    The random numbers behind the synthetic rows are the same at every step.
    """

    def __init__(self, real: Floats, epsilon: float, pruning: cart.Pruning, rng: Rng) -> None:
        self._real, self._rng, self._pruning = real, rng, pruning
        self._weight = epsilon * len(real) / 2.0  # epsilon u / (2 Delta), with Delta = 1 / n
        self._normals = rng.standard_normal((2, len(real)))
        self.state = estimates(real)
        self._density = self._log_density(self.state)

    def walk(self, steps: int) -> None:
        """So many proposals, each accepted or not."""
        for _ in range(steps):
            proposed = self.state + np.array(STEPS) * self._rng.standard_normal(len(STEPS))
            if proposed[1] <= 0.0 or proposed[4] <= 0.0:
                continue
            density = self._log_density(proposed)
            if log(1.0 - self._rng.random()) < density - self._density:
                self.state, self._density = proposed, density

    def _log_density(self, parameters: Floats) -> float:
        score = cart.pmse(self._real, generate(parameters, self._normals), self._pruning)
        prior = float(parameters @ parameters) / (2.0 * PRIOR_VARIANCE)
        return -self._weight * score - prior
