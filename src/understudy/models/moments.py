"""Noisy sums and sums of products of numbers, and the means and covariances that they suggest."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.schema.domain import Domain
from understudy.schema.moment import Feature, Moment

Floats = NDArray[np.float64]

LEAST_VARIANCE: Final = 1e-8
"""Of a column scaled to [-1, 1]: no normal model has less."""


@dataclass(frozen=True)
class Found:
    """Per line of sums, on the scale where the bounds are -1 and 1: columns in the domain's order.

    ``covariances`` are as noise left them: they need not be positive. ``spreads`` are.
    """

    size: float
    missing: Floats
    means: Floats
    covariances: Floats

    @property
    def spreads(self) -> Floats:
        """Standard deviations that a model can have."""
        variances = np.diagonal(self.covariances, axis1=-2, axis2=-1)
        found: Floats = np.sqrt(np.clip(variances, LEAST_VARIANCE, 1.0))
        return found


@dataclass(frozen=True)
class Moments:
    """The sums to ask for, and what they say. Columns in alphabetical order."""

    domain: Domain
    moments: tuple[Moment, ...]
    place: dict[Moment, int] = field(repr=False)

    @classmethod
    def of(cls, domain: Domain) -> Moments:
        """All first and second moments of the columns, their missing values, the size."""
        names = sorted(domain.columns)
        size = () if domain.schema.rows is not None else (Moment(),)
        missing = [_missing(domain, name) for name in names]
        firsts = [Moment((Feature(name),)) for name in names]
        seconds = [_product(f, g) for f, g in combinations_with_replacement(names, 2)]
        moments = (*size, *(one for one in missing if one), *firsts, *seconds)
        return cls(domain, moments, {one: i for i, one in enumerate(moments)})

    def read(self, sums: Floats) -> Found:
        """What each line of sums suggests; the first line gives the size and what is missing."""
        names, rows = self.domain.columns, self.domain.schema.rows
        counted = sums[:, self.place[Moment()]] if rows is None else np.full(len(sums), rows)
        size = np.maximum(counted, 1.0)
        missing = np.stack([self._missing_share(name, sums, size) for name in names], axis=1)
        there = np.maximum(1.0 - missing, 1.0 / size[:, None])
        means = np.stack([sums[:, self.place[Moment((Feature(f),))]] for f in names], axis=1)
        means = np.clip(means / size[:, None] / there, -1.0, 1.0)
        products = np.stack(
            [[sums[:, self.place[_product(f, g)]] for g in names] for f in names]
        ).transpose(2, 0, 1)
        both = there[:, :, None] * there[:, None, :]
        diagonal = range(len(names))
        both[:, diagonal, diagonal] = there
        covariances = products / size[:, None, None] / both - means[:, :, None] * means[:, None, :]
        return Found(float(max(counted[0], 0.0)), missing[0], means, covariances)

    def _missing_share(self, name: str, sums: Floats, size: Floats) -> Floats:
        asked = _missing(self.domain, name)
        if asked is None:
            return np.zeros(len(sums))
        return np.clip(sums[:, self.place[asked]] / size, 0.0, 1.0)


def _missing(domain: Domain, name: str) -> Moment | None:
    code = domain.axes[name].missing_code
    return None if code is None else Moment((Feature(name, cell=code),))


def _product(f: str, g: str) -> Moment:
    return Moment((Feature(f), Feature(g)))
