"""From noisy marginals to the distribution on a junction tree that fits them best.

``minimise`` finds, among all distributions that factorise over the tree, the least weighted sum of
squared differences between measured and fitted marginals; where that leaves a choice, it comes from
the most even distribution. It is a proximal method in which distance is relative entropy
(Auslender and Teboulle 2006), accelerated, with a step length found by halving and a restart
whenever the momentum points uphill. Only measured cells are ever averaged: a mean of distributions
lives in its measured marginals, while the distribution itself stays one product of factors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.kernels.propagate import LOWEST, Propagation, State

Floats = NDArray[np.float64]

GROWTH: Final = 2.0
DECAY: Final = 0.85
"""How much the curvature is trusted to have fallen after each step that was accepted."""
WINDOW: Final = 10
"""Steps over which progress is judged."""
EXACT: Final = 1e-16
"""A loss at which all measured shares are met to about 1e-8: nothing is left to learn."""


@dataclass(frozen=True)
class Fit:
    """A distribution, the logarithms of its factors, its measured marginals and the loss."""

    state: State
    logarithms: Floats
    marginals: Floats
    loss: float
    steps: int


def minimise(
    work: Propagation,
    targets: Floats,
    weights: Floats,
    *,
    start: Floats | None = None,
    steps: int = 1000,
    tolerance: float = 1e-4,
    noise: float = 0.0,
    usual: float = np.inf,
) -> Fit:
    """Fit shares ``targets`` with a weight per measured cell, from ``start`` logarithms on.

    Stops after about so many ``steps``, or when several together lower the loss by no more than a
    ``tolerance`` of it, of the ``usual`` loss that noise alone would leave if that is less, or of
    ``noise``: a loss that one would not care about.
    """
    logarithms = np.zeros(work.width) if start is None else start.copy()
    state = work.uniform() if start is None else work.calibrated(start)
    descent = _Descent(work, targets, weights, state, logarithms)
    losses = [descent.loss]
    taken = 0
    while taken < steps and descent.loss > EXACT:
        taken += descent.step()
        # A restart begins anew from a single distribution, which is worse than their mean: progress
        # can only be judged between restarts.
        losses = [] if descent.restarted else losses
        losses.append(descent.loss)
        worth = tolerance * max(min(losses[-1], usual), noise)
        if len(losses) > WINDOW and losses[-WINDOW - 1] - losses[-1] <= worth:
            break
    return descent.fit(taken)


class _Descent:
    """One run of the method: z is the distribution, x the mean of all z in measured marginals."""

    def __init__(
        self, work: Propagation, targets: Floats, weights: Floats, state: State, logs: Floats
    ) -> None:
        self._work, self._targets, self._weights = work, targets, weights
        self._z, self._logs = state, logs
        self._zm = work.marginals(state)
        self._x = self._zm
        self._theta = 1.0
        self._curvature = float(weights.max(initial=1.0)) / 64.0
        self._best = (self._loss(self._zm), self._z, self._logs, self._zm)
        self.restarted = False

    @property
    def loss(self) -> float:
        """The loss of the mean."""
        return self._loss(self._x)

    def fit(self, taken: int) -> Fit:
        """The best distribution met."""
        loss, state, logarithms, marginals = self._best
        return Fit(state, logarithms, marginals, loss, taken)

    def step(self) -> int:
        """One accepted step; says how many it tried."""
        theta = self._theta
        y = self._x + theta * (self._zm - self._x)
        gradient = self._weights * (y - self._targets)
        tried = 0
        while True:
            tried += 1
            move = self._move(gradient, theta)
            state, marginals, mass = self._work.advance(self._z, move)
            distance = float((move * marginals).sum()) - mass
            jump = marginals - self._zm
            bent = 0.5 * float((self._weights * jump * jump).sum())
            if bent <= self._curvature * distance + 1e-12 * abs(bent) or tried > 60:
                break
            self._curvature *= GROWTH
        after = self._x + theta * (marginals - self._x)
        self._z, self._zm, self._logs = state, marginals, self._logs + move
        self.restarted = float((gradient * (after - self._x)).sum()) > 0.0
        if self.restarted:
            self._theta, self._x = 1.0, marginals
        else:
            self._theta = 0.5 * theta * (np.sqrt(theta * theta + 4.0) - theta)
            self._x = after
        self._curvature *= DECAY
        if (loss := self._loss(marginals)) < self._best[0]:
            self._best = (loss, state, self._logs, marginals)
        return tried

    def _move(self, gradient: Floats, theta: float) -> Floats:
        """The logarithms of the factors: never positive, the largest of each marginal 0."""
        move = gradient / (-theta * self._curvature)
        for slot in self._work.measured:
            move[slot.place] -= move[slot.place].max()
        return np.maximum(move, LOWEST)

    def _loss(self, marginals: Floats) -> float:
        gap = marginals - self._targets
        return 0.5 * float((self._weights * gap * gap).sum())
