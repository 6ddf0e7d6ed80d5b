"""What left the gate, public from then on: ``Noisy`` marginals and ``NoisyVector`` answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Noisy:
    """A noisy contingency table over ``columns`` and the standard deviation of each cell's noise.

    ``values`` is shaped like the domain's shape of ``columns``; cells are whole numbers and may be
    negative. The noise is unbiased and independent between cells and between marginals. A column in
    ``groups`` was counted by groups of its cells, of which ``groups`` has the number for each cell.
    """

    columns: tuple[str, ...]
    values: NDArray[np.int64]
    stddev: float
    groups: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    def holding(self, column: str, cells: Collection[int]) -> list[int] | None:
        """The measured cells that together are these cells of the domain; None if none are."""
        if column not in self.groups:
            return sorted(set(cells))
        inside = {self.groups[column][cell] for cell in cells}
        reach = {cell for cell, group in enumerate(self.groups[column]) if group in inside}
        return sorted(inside) if reach == set(cells) else None


@dataclass(frozen=True)
class NoisyVector:
    """Noisy numbers in the order they were asked for, and the standard deviation of the noise.

    The noise is unbiased and independent between the numbers.
    """

    values: NDArray[Any]
    stddev: float
