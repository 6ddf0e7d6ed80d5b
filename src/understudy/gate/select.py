"""The ``select`` verb: the index of a noisy best candidate.

Scores are floats, noise is exact on integers: each score is rounded to a public grid of
``UNITS`` steps per sensitivity, and the sensitivity grows by ``SLACK`` steps, which covers the
rounding and the float error of the score. Proof: select.md. Test: tests/gate/test_select.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.noise import Noise
from understudy.gate.scale import gumbel_scale, selection_scale
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.privacy.normal import PI_ROUNDED_UP

UNITS: Final = 2**16
SLACK: Final = 3
LARGEST: Final = 2**45


def on_grid(scores: NDArray[np.float64], sensitivity: Fraction) -> NDArray[np.int64]:
    """The scores in whole steps of sensitivity / UNITS, clipped; NaN counts as the lowest."""
    step = float(sensitivity) / UNITS
    with np.errstate(over="ignore"):  # a warning would tell that a score is out of range
        steps = np.nan_to_num(scores / step, nan=-LARGEST, posinf=LARGEST, neginf=-LARGEST)
    return np.floor(np.clip(steps, -LARGEST, LARGEST) + 0.5).astype(np.int64)


@dataclass(frozen=True)
class Choice:
    """A noisy maximum: which law, at which scale."""

    law: str
    scale: float

    def index(self, scores: NDArray[np.int64], noise: Noise) -> int:
        """The index of a noisy maximum of these exact scores."""
        draw = noise.permute_and_flip if self.law == "permute-and-flip" else noise.gumbel_max
        return draw(scores, scale=self.scale)


def choice_for(spend: Budget, *, sensitivity: int, monotone: bool) -> Choice:
    """The noisy maximum of whole-number scores of this sensitivity that costs ``spend``.

    Permute-and-flip for PureDP, the exponential mechanism by Gumbel noise for ZCDP and GDP.
    """
    match spend:
        case PureDP():
            scale = selection_scale(sensitivity, spend.epsilon, monotone=monotone)
            return Choice("permute-and-flip", scale)
        case ZCDP() if not spend.delta:
            return Choice("gumbel", gumbel_scale(sensitivity, spend.rho, monotone=monotone))
        case GDP():
            rho = spend.mu_squared / PI_ROUNDED_UP  # at which this choice is as likely to err
            return Choice("gumbel", gumbel_scale(sensitivity, rho, monotone=monotone))
    raise UsageError(f"a selection spends PureDP, GDP or ZCDP without delta, not {spend}")
