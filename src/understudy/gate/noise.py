"""The only source of noise: exact samplers on integers, fed by the operating system.

The interface is four draws. ``OpenDPNoise`` is the one that products run on: OpenDP's proven
samplers (discrete Laplace and discrete Gaussian of Canonne, Kamath and Steinke; permute-and-flip;
Gumbel-max with lazily refined noise), all on 64-bit integers in exact arithmetic, with OpenSSL
randomness. Nothing here is seeded, buffered or pickled. Tests pass a source that enumerates every
outcome with its exact probability.

A sum that leaves the 64-bit range saturates, which is post-processing of the exact noisy value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Never, final

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]


class Noise(ABC):
    """Integers in, noisy integers or the index of a noisy maximum out."""

    @abstractmethod
    def laplace(self, values: Integers, *, scale: float) -> Integers:
        """Each value plus noise with P(x) proportional to exp(-|x| / scale)."""

    @abstractmethod
    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        """Each value plus noise with P(x) proportional to exp(-x^2 / (2 scale^2))."""

    @abstractmethod
    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        """An index, by permute-and-flip: the maximum of scores plus Exponential(scale) noise."""

    @abstractmethod
    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        """An index with P(i) proportional to exp(scores[i] / scale): the exponential mechanism."""

    def __getstate__(self) -> Never:
        raise TypeError("noise is never pickled: a copy could draw the same noise twice")


@final
class OpenDPNoise(Noise):
    """Noise from OpenDP's exact samplers."""

    def laplace(self, values: Integers, *, scale: float) -> Integers:
        return _added(_measurement("laplace", scale), values)

    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        return _added(_measurement("gaussian", scale), values)

    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        return int(_measurement("permute_and_flip", scale)(scores.tolist()))

    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        return int(_measurement("gumbel", scale)(scores.tolist()))


def _added(measurement: Callable[[list[int]], list[int]], values: Integers) -> Integers:
    flat = values.ravel().tolist()
    noisy = measurement(flat) if flat else []
    return np.asarray(noisy, dtype=np.int64).reshape(values.shape)


@lru_cache(maxsize=256)
def _measurement(kind: str, scale: float) -> Any:
    """OpenDP's sampler of this kind; the measurement holds parameters only, no randomness."""
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    vector = domains.vector_domain(domains.atom_domain(T="i64"))
    match kind:
        case "laplace":
            return measurements.make_laplace(vector, metrics.l1_distance(T="i64"), scale=scale)
        case "gaussian":
            return measurements.make_gaussian(vector, metrics.l2_distance(T="f64"), scale=scale)
    measure = (
        measures.max_divergence()
        if kind == "permute_and_flip"
        else measures.zero_concentrated_divergence()
    )
    return measurements.make_noisy_max(vector, metrics.linf_distance(T="i64"), measure, scale=scale)
