"""What left the gate, public from then on: ``Noisy`` marginals and ``NoisyVector`` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Noisy:
    """A noisy contingency table over ``columns`` and the standard deviation of each cell's noise.

    ``values`` is shaped like the domain's shape of ``columns``; cells are whole numbers and may be
    negative. The noise is unbiased and independent between cells and between marginals.
    """

    columns: tuple[str, ...]
    values: NDArray[np.int64]
    stddev: float


@dataclass(frozen=True)
class NoisyVector:
    """Noisy numbers in the order they were asked for, and the standard deviation of the noise.

    The noise is unbiased and independent between the numbers.
    """

    values: NDArray[Any]
    stddev: float
