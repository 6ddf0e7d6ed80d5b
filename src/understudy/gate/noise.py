"""The only source of noise: exact samplers on integers, fed by the operating system.

The interface is six draws. ``SystemNoise`` is the one that products run on. Selections and short
vectors go to ``OpenDPNoise``, OpenDP's proven samplers (discrete Laplace and discrete Gaussian of
Canonne, Kamath and Steinke; permute-and-flip; Gumbel-max with lazily refined noise), all in exact
arithmetic. Long vectors are drawn from exact tables (law.py), some hundred times faster, with the
same laws; the rounded normal law has one exact table for every scale (rounded.py). Indices by
weight come from uniform whole numbers. Nothing here is seeded, buffered or pickled. Tests pass a
source that enumerates every outcome with its exact probability.

A sum that leaves the 64-bit range saturates, which is post-processing of the exact noisy value.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, Literal, Never, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.gate.law import WORD, Law
from understudy.gate.rounded import rounded
from understudy.gate.scale import LARGEST_SCALE, SMALLEST_SCALE

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
BLOCK: Final = 2**20
ROUNDED_BLOCK: Final = 2**12
"""Few enough that the dozen arrays of a block stay in the cache."""
LARGEST: Final = 2**62
"""Values beyond this size saturate before noise is added, so that no sum can overflow."""
MOST_EFFORT: Final = 2**17
DRAWS_PER_WEIGHT: Final = 2
"""OpenDP draws about two values in the time that one more weight costs a table."""


class Noise(ABC):
    """Integers in, noisy integers or the index of a noisy maximum out."""

    @abstractmethod
    def laplace(self, values: Integers, *, scale: float) -> Integers:
        """Each value plus noise with P(x) proportional to exp(-|x| / scale)."""

    @abstractmethod
    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        """Each value plus noise with P(x) proportional to exp(-x^2 / (2 scale^2))."""

    @abstractmethod
    def rounded_gaussian(self, values: Integers, *, scale: float) -> Integers:
        """Each value plus round(scale Z), Z standard normal: P(x) = Phi((x + 1/2) / scale) -
        Phi((x - 1/2) / scale)."""

    @abstractmethod
    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        """An index, by permute-and-flip: the maximum of scores plus Exponential(scale) noise."""

    @abstractmethod
    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        """An index with P(i) proportional to exp(scores[i] / scale): the exponential mechanism."""

    @abstractmethod
    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        """Independent indices, P(i) = weights[i] / sum(weights) exactly. Weights are whole numbers,
        none negative, their sum at least 1 and below 2^63."""

    def __getstate__(self) -> Never:
        raise TypeError("noise is never pickled: a copy could draw the same noise twice")


@final
class OpenDPNoise(Noise):
    """Noise from OpenDP's exact samplers."""

    def laplace(self, values: Integers, *, scale: float) -> Integers:
        return _added(_measurement("laplace", scale), values)

    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        return _added(_measurement("gaussian", scale), values)

    def rounded_gaussian(self, values: Integers, *, scale: float) -> Integers:
        return _rounded(values, scale)

    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        return int(_measurement("permute_and_flip", scale)(scores.tolist()))

    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        return int(_measurement("gumbel", scale)(scores.tolist()))

    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        return _weighted(weights, draws)


@final
class SystemNoise(Noise):
    """OpenDP's samplers for selections and short vectors, exact tables for long vectors."""

    def __init__(self) -> None:
        self._opendp = OpenDPNoise()

    def laplace(self, values: Integers, *, scale: float) -> Integers:
        law = _law("laplace", scale)
        return (
            _tabled(law, values)
            if _pays(law, values.size)
            else self._opendp.laplace(values, scale=scale)
        )

    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        law = _law("gaussian", scale)
        return (
            _tabled(law, values)
            if _pays(law, values.size)
            else self._opendp.gaussian(values, scale=scale)
        )

    def rounded_gaussian(self, values: Integers, *, scale: float) -> Integers:
        return _rounded(values, scale)

    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        return self._opendp.permute_and_flip(scores, scale=scale)

    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        return self._opendp.gumbel_max(scores, scale=scale)

    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        return _weighted(weights, draws)


@lru_cache(maxsize=32)
def _law(kind: Literal["laplace", "gaussian"], scale: float) -> Law:
    """A law and, once it was needed, its table; parameters only, no randomness."""
    return Law(kind, scale)


def _pays(law: Law, draws: int) -> bool:
    """Whether a table is worth making for so many draws."""
    return law.effort <= MOST_EFFORT and draws * DRAWS_PER_WEIGHT >= law.effort


def _tabled(law: Law, values: Integers) -> Integers:
    """The values plus noise from the law's table; see law.md."""
    return _in_blocks(values, lambda words: _noise_of(law, words), block=BLOCK)


def _rounded(values: Integers, scale: float) -> Integers:
    """The values plus rounded normal noise; see rounded.md."""
    if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        raise UsageError(f"a scale lies between 2^-20 and 2^50, not at {scale!r}")
    return _in_blocks(values, lambda words: rounded(words, _word, scale=scale), block=ROUNDED_BLOCK)


def _in_blocks(values: Integers, noise_of: Callable[[Words], Integers], *, block: int) -> Integers:
    """The values plus the noise of as many fresh words, a block at a time."""
    noisy = np.clip(values.ravel(), -LARGEST, LARGEST)
    for start in range(0, len(noisy), block):
        part = noisy[start : start + block]
        part += noise_of(_words(len(part)))
    return noisy.reshape(values.shape)


def _noise_of(law: Law, words: Words) -> Integers:
    """The noise that these first words decide, and more bits where they do not."""
    first, table = law.table
    places = np.searchsorted(table, words, side="right")
    noise = places.astype(np.int64) + first
    for doubtful in np.flatnonzero(table[places - 1] == words):
        noise[doubtful] = law.decide(int(words[doubtful]), _word)
    return noise


def _weighted(weights: Integers, draws: int) -> Integers:
    """The cell in which each uniform place on the line of all weights lies."""
    upto = np.cumsum(weights, dtype=np.int64)
    # The first sum beyond 2^63 wraps below 0: one weight cannot carry it past 2^64.
    if not len(upto) or weights.min() < 0 or upto.min() < 0 or upto[-1] == 0:
        raise UsageError("weights must not be negative, and their sum lies between 1 and 2^63 - 1")
    return np.searchsorted(upto, _uniform(int(upto[-1]), draws), side="right")


def _uniform(bound: int, draws: int) -> Integers:
    """Independent whole numbers, uniform on 0 ... bound - 1: as many bits as ``bound - 1`` has, and
    again where they write a larger number, which less than every second does."""
    bits = (bound - 1).bit_length()
    drawn = np.zeros(draws, dtype=np.int64)
    filled = draws if bits == 0 else 0
    while filled < draws:
        words = _words(draws - filled) >> np.uint64(WORD - bits)
        kept = words[words < np.uint64(bound)]
        drawn[filled : filled + len(kept)] = kept
        filled += len(kept)
    return drawn


def _words(count: int) -> Words:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _word() -> int:
    return int.from_bytes(os.urandom(8), "little")


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
