"""Noise for tests: enumerated with exact probabilities, keyed by the exact answer, or seeded.

``distribution(run)`` walks through every outcome of every draw that ``run`` makes and returns the
exact law of what it returns. Noisy counts are clamped to a window, which is post-processing: the
clamped mechanism must keep every promise of the real one, its ends carry the whole mass of the
tails, and nothing is lost or approximated.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from understudy.gate.noise import Noise

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Outcome = TypeVar("Outcome", bound=Hashable)


def discrete_laplace(k: int, scale: float) -> float:
    """P(Z = k), from the definition."""
    q = math.exp(-1.0 / scale)
    return (1.0 - q) / (1.0 + q) * q ** abs(k)


def discrete_laplace_tail(t: int, scale: float) -> float:
    """P(Z >= t)."""
    q = math.exp(-1.0 / scale)
    return q**t / (1.0 + q) if t >= 0 else 1.0 - q ** (1 - t) / (1.0 + q)


@lru_cache(maxsize=64)
def gaussian_normaliser(scale: float) -> float:
    """The sum of exp(-k^2 / 2 s^2) over all whole k, small terms first."""
    reach = math.ceil(40.0 * scale) + 2
    return math.fsum(math.exp(-((k / scale) ** 2) / 2.0) for k in range(-reach, reach + 1))


def discrete_gaussian(k: int, scale: float) -> float:
    """P(Z = k), from the definition."""
    return math.exp(-((k / scale) ** 2) / 2.0) / gaussian_normaliser(scale)


@lru_cache(maxsize=4096)
def discrete_gaussian_tail(t: int, scale: float) -> float:
    """P(Z >= t), with full relative precision far out."""
    if t <= 0:
        return 1.0 - discrete_gaussian_tail(1 - t, scale)
    far = t + math.ceil(40.0 * scale) + 2
    terms = (math.exp(-((k / scale) ** 2) / 2.0) for k in range(t, far))
    return math.fsum(terms) / gaussian_normaliser(scale)


def rounded_gaussian(k: int, scale: float) -> float:
    """P(X = k) for X = round(scale Z)."""
    tail = rounded_gaussian_tail
    return tail(abs(k), scale) - tail(abs(k) + 1, scale) if k else math.erf(0.5**1.5 / scale)


def rounded_gaussian_tail(t: int, scale: float) -> float:
    """P(X >= t), with full relative precision far out."""
    return math.erfc((t - 0.5) / scale / math.sqrt(2.0)) / 2.0


def permute_and_flip_law(scores: Sequence[int], scale: float) -> list[float]:
    """P(i) = p_i * integral over t in [0, 1] of the product over j != i of (1 - t p_j).

    A candidate that arrives at time t is chosen if it flips heads (p_i) and everybody who arrived
    before flipped tails. Gauss-Legendre quadrature is exact for this polynomial.
    """
    best = max(scores)
    heads = np.array([math.exp((score - best) / scale) for score in scores])
    nodes, weights = np.polynomial.legendre.leggauss(len(scores) // 2 + 1)
    times = (nodes + 1.0) / 2.0
    tails = 1.0 - np.outer(times, heads)
    others = [np.prod(np.delete(tails, i, axis=1), axis=1) for i in range(len(scores))]
    return [float(heads[i] * (weights / 2.0) @ others[i]) for i in range(len(scores))]


def exponential_law(scores: Sequence[int], scale: float) -> list[float]:
    """P(i) proportional to exp(scores[i] / scale)."""
    best = max(scores)
    weights = [math.exp((score - best) / scale) for score in scores]
    return [weight / math.fsum(weights) for weight in weights]


class Walk:
    """One path through the tree of all choices, and the next one when it is done."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, int]] = []
        self.restart()

    def restart(self) -> None:
        self._depth, self.probability = 0, 1.0

    def choose(self, law: Sequence[float]) -> int:
        """The index that this path takes among outcomes with these probabilities."""
        possible = [index for index, weight in enumerate(law) if weight > 0.0]
        if self._depth == len(self._taken):
            self._taken.append((0, len(possible)))
        position, _ = self._taken[self._depth]
        self._depth += 1
        self.probability *= law[possible[position]]
        return possible[position]

    def advance(self) -> bool:
        """Move on to the next path; False when every path was taken."""
        assert self._depth == len(self._taken), "the run is not a function of its draws"
        while self._taken:
            position, count = self._taken.pop()
            if position + 1 < count:
                self._taken.append((position + 1, count))
                self.restart()
                return True
        return False


class EnumeratingNoise(Noise):
    """Each draw takes the outcome that the walk says, with its exact probability."""

    def __init__(self, walk: Walk, *, window: tuple[int, int]) -> None:
        self._walk = walk
        self._low, self._high = window

    def restart(self) -> None:
        """Back to the first draw of this path."""
        self._walk.restart()

    def laplace(self, values: Integers, *, scale: float) -> Integers:
        return self._each(values, scale, discrete_laplace, discrete_laplace_tail)

    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        return self._each(values, scale, discrete_gaussian, discrete_gaussian_tail)

    def rounded_gaussian(self, values: Integers, *, scale: float) -> Integers:
        return self._each(values, scale, rounded_gaussian, rounded_gaussian_tail)

    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        return self._walk.choose(permute_and_flip_law(scores.tolist(), scale))

    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        return self._walk.choose(exponential_law(scores.tolist(), scale))

    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        total = sum(weights.tolist())
        law = [weight / total for weight in weights.tolist()]
        return np.array([self._walk.choose(law) for _ in range(draws)], dtype=np.int64)

    def _each(
        self,
        values: Integers,
        scale: float,
        mass: Callable[[int, float], float],
        tail: Callable[[int, float], float],
    ) -> Integers:
        noisy = [self._one(int(value), scale, mass, tail) for value in values.ravel()]
        return np.array(noisy, dtype=np.int64).reshape(values.shape)

    def _one(
        self,
        value: int,
        scale: float,
        mass: Callable[[int, float], float],
        tail: Callable[[int, float], float],
    ) -> int:
        low, high = self._low - value, self._high - value
        law = [
            tail(-low, scale),
            *(mass(k, scale) for k in range(low + 1, high)),
            tail(high, scale),
        ]
        return self._low + self._walk.choose(law)


def distribution(
    run: Callable[[EnumeratingNoise], Outcome], *, window: tuple[int, int] = (-2, 5)
) -> dict[Outcome, float]:
    """The exact law of ``run``'s result when its noisy counts are clamped to the window."""
    walk, masses = Walk(), defaultdict[Outcome, list[float]](list)
    more = True
    while more:
        outcome = run(EnumeratingNoise(walk, window=window))
        masses[outcome].append(walk.probability)
        more = walk.advance()
    law = {outcome: math.fsum(parts) for outcome, parts in masses.items()}
    assert abs(math.fsum(law.values()) - 1.0) < 1e-9, "the probabilities must sum to one"
    return law


def max_log_ratio(p: dict[Outcome, float], q: dict[Outcome, float]) -> float:
    """The largest |log(p / q)| over outcomes: the epsilon that this pair really costs."""
    if p.keys() != q.keys():
        return math.inf
    log_p, log_q = _logs(p, q)
    return float(np.abs(log_p - log_q).max())


def renyi(p: dict[Outcome, float], q: dict[Outcome, float], alpha: float) -> float:
    """The Renyi divergence of order alpha of p from q."""
    if not p.keys() <= q.keys():
        return math.inf
    log_p, log_q = _logs(p, q)
    terms = alpha * log_p - (alpha - 1.0) * log_q
    return float((terms.max() + np.log(np.exp(terms - terms.max()).sum())) / (alpha - 1.0))


def _logs(p: dict[Outcome, float], q: dict[Outcome, float]) -> tuple[Floats, Floats]:
    return np.log([p[outcome] for outcome in p]), np.log([q[outcome] for outcome in p])


def hockey_stick(p: dict[Outcome, float], q: dict[Outcome, float], epsilon: float) -> float:
    """The delta that this pair costs at epsilon, in one direction."""
    return math.fsum(max(p[o] - math.exp(epsilon) * q.get(o, 0.0), 0.0) for o in p)


def gaussian_mu(p: dict[Outcome, float], q: dict[Outcome, float]) -> float:
    """The least mu with which two normal variables are as easy to tell apart as p and q.

    The best tests say p where p / q is largest. Between two such tests the chances of error lie on
    a line, those of the normal variables below it, so the corners decide. Errors are summed from
    their own side, so that small ones keep their digits.
    """
    outcomes = sorted(p.keys() | q.keys(), key=lambda o: _odds(p.get(o, 0.0), q.get(o, 0.0)))
    found = np.array([[law.get(outcome, 0.0) for outcome in outcomes] for law in (p, q)])
    below = np.cumsum(found, axis=1)[:, :-1]
    above = np.cumsum(found[:, ::-1], axis=1)[:, -2::-1]
    z = np.where(below < above, ndtri(below), -ndtri(above))
    with np.errstate(invalid="ignore"):  # beyond all outcomes of both there is nothing to tell
        return float(np.nanmax(z[1] - z[0], initial=0.0))


def _odds(p: float, q: float) -> float:
    return p / q if q else math.inf


def misfit(observed: Integers, expected: Floats) -> float:
    """How many standard deviations chi-square lies above what chance gives; 6 happen once in 10^9.

    Cells of few expected draws are left out. By Wilson and Hilferty the cube root is nearly normal.
    """
    common = expected > 20
    chi2 = ((observed - expected)[common] ** 2 / expected[common]).sum()
    spread = 2 / (9 * common.sum())
    return float(((chi2 / common.sum()) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


class SeededNoise(Noise):
    """Reproducible noise of about the right laws, for tests of what is done with the answers."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def laplace(self, values: Integers, *, scale: float) -> Integers:
        stop = -math.expm1(-1.0 / scale)
        first, second = self._rng.geometric(stop, size=(2, *values.shape))
        return values + (first - second).astype(np.int64)

    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        return values + np.rint(self._rng.normal(0.0, scale, values.shape)).astype(np.int64)

    rounded_gaussian = gaussian

    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        return int(np.argmax(scores + self._rng.exponential(scale, scores.shape)))

    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        return int(np.argmax(scores + self._rng.gumbel(0.0, scale, scores.shape)))

    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        return self._rng.choice(len(weights), size=draws, p=weights / weights.sum())


class KeyedNoise(Noise):
    """Noise that follows from the exact value alone: the same whatever the order of the cells."""

    def __init__(self, key: str = "") -> None:
        self._key = key

    def _uniform(self, value: int, scale: float) -> float:
        digest = hashlib.blake2b(f"{self._key} {value} {scale!r}".encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "big") + 0.5) / 2.0**64

    def _shifted(self, values: Integers, scale: float) -> Integers:
        shifts = [round(scale * (2.0 * self._uniform(v, scale) - 1.0)) for v in values.flat]
        return values + np.array(shifts, dtype=np.int64).reshape(values.shape)

    def laplace(self, values: Integers, *, scale: float) -> Integers:
        return self._shifted(values, scale)

    def gaussian(self, values: Integers, *, scale: float) -> Integers:
        return self._shifted(values, scale)

    rounded_gaussian = gaussian

    def permute_and_flip(self, scores: Integers, *, scale: float) -> int:
        return int(np.argmax(self._shifted(scores, scale)))

    def gumbel_max(self, scores: Integers, *, scale: float) -> int:
        return int(np.argmax(self._shifted(scores, scale)))

    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        upto = np.cumsum(weights)
        shares = [self._uniform(draw, float(draws)) for draw in range(draws)]
        return np.searchsorted(upto, np.array(shares) * upto[-1], side="right")


class ForbiddenNoise(Noise):
    """Fails the test as soon as anything is drawn."""

    def _fail(self, values: Integers, *, scale: float) -> Integers:
        raise AssertionError("noise was drawn where none was allowed")

    laplace = gaussian = rounded_gaussian = _fail

    def _fail_to_choose(self, scores: Integers, *, scale: float) -> int:
        raise AssertionError("noise was drawn where none was allowed")

    permute_and_flip = gumbel_max = _fail_to_choose

    def weighted(self, weights: Integers, *, draws: int) -> Integers:
        raise AssertionError("noise was drawn where none was allowed")
