"""The ``sums`` verb: noisy sums over rows of bounded moments, on a grid of whole numbers.

Proof: sums.md. Test: tests/gate/test_sums.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.data.backend import Backend, Capability
from understudy.errors import UsageError
from understudy.gate.additive import additive_noise
from understudy.gate.count import CountNoise
from understudy.gate.noise import Noise
from understudy.gate.sensitive import Sensitive
from understudy.gate.sensitivity import moments_l1, moments_l2_squared
from understudy.privacy.budget import Budget
from understudy.schema.domain import Domain
from understudy.schema.measurement import NoisyVector
from understudy.schema.moment import Moment
from understudy.schema.neighbours import Neighbours

LARGEST_GRANULARITY: Final = 2**15
"""2^32 rows of products of two such numbers stay below 2^62."""


@dataclass(frozen=True)
class Group:
    """Moments of which a row feeds at most ``most`` at a time, from one of ``sets`` sets."""

    most: int
    sets: int
    signed: bool


def groups_of(moments: Sequence[Moment]) -> list[Group]:
    """The moments by columns, by which of them are cells, by sign; a set is a choice of cells."""
    found = defaultdict[tuple[Any, ...], Counter[tuple[Any, ...]]](Counter)
    for moment in moments:
        pattern = tuple((one.column, one.cell is None) for one in moment.features)
        cells = tuple(one.cell for one in moment.features if one.cell is not None)
        found[pattern, moment.is_signed][cells] += 1
    return [Group(max(sets.values()), len(sets), signed) for (_, signed), sets in found.items()]


@final
@dataclass(frozen=True)
class Summing:
    """Which moments, on which grid, with which noise."""

    moments: tuple[Moment, ...]
    granularity: int
    noise: CountNoise

    @property
    def order(self) -> int:
        """The most factors of any moment: all are brought to the unit granularity^order."""
        return max(len(moment.features) for moment in self.moments)

    def values(self, backend: Backend, domain: Domain, noise: Noise) -> NDArray[np.int64]:
        """The noisy sums, in units of granularity^-order."""
        exact = backend.sums(domain, self.moments, granularity=self.granularity)
        lacking = [self.order - len(moment.features) for moment in self.moments]
        units = np.array([self.granularity**power for power in lacking], dtype=np.int64)
        return self.noise.add(Sensitive(exact * units), noise)

    def released(self, values: NDArray[np.int64]) -> NoisyVector:
        """The sums in their own unit."""
        unit = self.granularity**self.order
        return NoisyVector(values / unit, self.noise.stddev / unit)

    @property
    def detail(self) -> dict[str, Any]:
        """What the ledger keeps."""
        return {
            "moments": [
                [[one.column, one.cell, one.missing] for one in moment.features]
                for moment in self.moments
            ],
            "granularity": self.granularity,
            "noise": f"{self.noise.law} {self.noise.scale!r}",
        }


def summing_for(
    spend: Budget,
    neighbours: Neighbours,
    *,
    contribution: int,
    moments: Sequence[Moment],
    granularity: int,
) -> Summing:
    """The noise with which these sums together cost ``spend``."""
    if not moments or len(set(moments)) != len(moments):
        raise UsageError("ask for one or more different moments")
    whole = isinstance(granularity, int) and not isinstance(granularity, bool)
    if not whole or not 1 <= granularity <= LARGEST_GRANULARITY:
        raise UsageError(f"the granularity is a whole number from 1 to {LARGEST_GRANULARITY:,}")
    unit = granularity ** max(len(moment.features) for moment in moments)
    l1, l2_squared = sensitivities(moments, neighbours, contribution=contribution)
    noise = additive_noise(spend, l1=l1 * unit, l2_squared=l2_squared * unit * unit, verb="sums")
    return Summing(tuple(moments), granularity, noise)


def sensitivities(
    moments: Sequence[Moment], neighbours: Neighbours, *, contribution: int
) -> tuple[int, int]:
    """L1 and squared L2 sensitivity of the whole vector, each moment between -1 and 1 a row."""
    groups = [vars(group) for group in groups_of(moments)]
    return (
        sum(moments_l1(neighbours, contribution, **group) for group in groups),
        sum(moments_l2_squared(neighbours, contribution, **group) for group in groups),
    )


def check_moments(backend: Backend, domain: Domain, moments: Sequence[Moment]) -> None:
    """Refuse an engine that cannot sum and columns or cells that are not there."""
    if Capability.SUMS not in backend.capabilities:
        raise UsageError("this engine cannot sum; use a file or a dataframe")
    for moment in moments:
        for feature in moment.features:
            feature.check(domain)
