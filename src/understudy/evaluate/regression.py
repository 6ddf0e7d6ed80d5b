"""Regressions on real and on synthetic rows, and how far their intervals overlap.

The overlap of two intervals (Karr et al. 2006) is the mean of the shares of each that lies in the
other: 1 for equal intervals, 0 for disjoint ones. The intervals are the naive ones: computed from
synthetic rows they are too narrow, see ``understudy.inference`` for valid ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.evaluate.design import Design, at_most
from understudy.evaluate.grid import Sample, with_missing
from understudy.schema.domain import BinAxis

NORMAL_95: Final = 1.959963984540054
STEPS: Final = 50
BLOCK: Final = 2048  # rows
_NO_RESIDUE: Final = 1e-9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """Coefficients and their standard errors."""

    coefficients: Floats
    errors: Floats

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """The usual 95% intervals."""
        half = NORMAL_95 * self.errors
        return self.coefficients - half, self.coefficients + half


def linear(features: Floats, y: Floats) -> Fit:
    """Ordinary least squares."""
    inverse = np.linalg.pinv(gram(features), hermitian=True)
    beta = inverse @ (features.T @ y)
    residual = y - features @ beta
    free = max(len(y) - features.shape[1], 1)
    variance = residual @ residual / free
    return Fit(beta, np.sqrt(np.maximum(np.diag(inverse) * variance, 0)))


def logistic(features: Floats, y: Floats) -> Fit:
    """Maximum likelihood with the usual standard errors."""
    beta = most_likely(features, y)
    inverse = _inverse_information(features, expit(features @ beta))
    return Fit(beta, np.sqrt(np.maximum(np.diag(inverse), 0)))


def most_likely(features: Floats, y: Floats) -> Floats:
    """The logistic coefficients of maximum likelihood.

    Newton's method that works out the information anew only when a step gains more than a tenth of
    what the step before gained, and in single precision: it aims the steps, while the gradient and
    the likelihood, in double precision, say when they end. Steps are halved until the likelihood
    grows. Where the classes can be separated no finite maximum exists: the steps end, errors are
    large.
    """
    beta, score = np.zeros(features.shape[1]), np.zeros(len(y))
    best, last_gain, inverse = _log_likelihood(score, y), np.inf, None
    for _ in range(STEPS):
        chance = expit(score)
        fresh = inverse is None
        if inverse is None:
            inverse = _inverse_information(features, chance, precision=np.float32)
        step = inverse @ (features.T @ (y - chance))
        along, size = features @ step, 1.0
        while (now := _log_likelihood(score + size * along, y)) < best and size > 1e-6:
            size /= 2
        gain = now - best
        if gain <= 1e-10 * abs(best):
            if fresh:
                break
            inverse, last_gain = None, np.inf
            continue
        beta, score, best = beta + size * step, score + size * along, now
        if gain > last_gain / 10:
            inverse = None
        last_gain = gain
    return beta


def _inverse_information(
    features: Floats, chance: Floats, *, precision: type[np.floating[Any]] = np.float64
) -> Floats:
    information = gram(features, chance * (1 - chance), precision=precision)
    return np.asarray(np.linalg.pinv(information, hermitian=True), dtype=np.float64)


def gram(
    features: Floats,
    weights: Floats | None = None,
    *,
    precision: type[np.floating[Any]] = np.float64,
) -> Floats:
    """X' W X, in blocks of rows that stay in the processor's cache; W is not negative.

    ``precision`` is that of the products within a block; blocks add up in double precision.
    """
    found = np.zeros((features.shape[1], features.shape[1]))
    for start in range(0, len(features), BLOCK):
        rows = features[start : start + BLOCK]
        if weights is not None:
            rows = rows * np.sqrt(weights[start : start + BLOCK, None])
        rows = rows.astype(precision, copy=False)
        found += rows.T @ rows  # the same array twice: BLAS works out half of it
    return found


def expit(x: Floats) -> Floats:
    """1 / (1 + e^-x) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)))


def overlap(one: Fit, two: Fit) -> Floats:
    """The overlap of each coefficient's two intervals, between 0 and 1."""
    (low1, high1), (low2, high2) = one.interval, two.interval
    common = np.maximum(np.minimum(high1, high2) - np.maximum(low1, low2), 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (common / (high1 - low1) + common / (high2 - low2)) / 2
    same = (low1 == low2) & (high1 == high2)
    return np.where(same, 1.0, np.nan_to_num(shares, nan=0.0))


@dataclass(frozen=True)
class Regression:
    """Fits of the target on all other columns: logistic for two outcomes, else linear.

    A category of more than two levels is predicted as "the level most frequent in the real table".
    """

    design: Design
    target: str
    outcome: Floats  # the outcome of each fine cell of the target, NaN for missing
    kept: NDArray[np.intp]  # features that do not depend on the others in the real table
    fitter: Callable[[Floats, Floats], Fit]

    @classmethod
    def of(cls, real: Sample, target: str, *, rng: np.random.Generator) -> Regression:
        """The regression that suits the target, with features chosen on the real table."""
        columns = tuple(sorted(set(real.grid.columns) - {target}))
        design = Design(real.grid, columns)
        outcome, fitter = _outcome(real, target)
        regression = cls(design, target, outcome, np.arange(len(design.names)), fitter)
        kept = independent_features(regression._data(at_most(real, rng))[0])
        return cls(design, target, outcome, kept, fitter)

    @property
    def names(self) -> list[str]:
        """The features that are kept."""
        return [self.design.names[i] for i in self.kept]

    def fit(self, sample: Sample, rng: np.random.Generator) -> Fit:
        """The fit on a table (at most ``MODEL_ROWS`` random rows of it)."""
        return self.fitter(*self._data(at_most(sample, rng)))

    def _data(self, sample: Sample) -> tuple[Floats, Floats]:
        y = self.outcome[sample.codes[self.target]]
        known = ~np.isnan(y)
        features = self.design.matrix(sample.take(np.flatnonzero(known)))
        return only(features, self.kept), y[known]


def _outcome(real: Sample, target: str) -> tuple[Floats, Any]:
    axis = real.grid.fine.axes[target]
    if isinstance(axis, BinAxis) and axis.proper > 2:
        return real.grid.scaled(target), linear
    counts = np.bincount(real.codes[target], minlength=axis.size)[: axis.proper]
    chosen = axis.proper - 1 if axis.proper <= 2 else int(np.argmax(counts))
    outcome = (np.arange(axis.proper) == chosen).astype(np.float64)
    return with_missing(axis, outcome, np.nan), logistic


def independent_features(features: Floats) -> NDArray[np.intp]:
    """The features that are no linear combination of those before them (Gram-Schmidt)."""
    rest = gram(features)
    scale = np.maximum(np.diag(rest).copy(), 1e-300)
    kept: list[int] = []
    for i in range(len(rest)):
        if rest[i, i] > _NO_RESIDUE * scale[i] and scale[i] > 1e-300:
            kept.append(i)
            rest -= np.outer(rest[:, i], rest[i]) / rest[i, i]
    return np.array(kept, dtype=np.intp)


def only(features: Floats, kept: NDArray[np.intp]) -> Floats:
    """These columns, in their order, moved to the front of the same memory."""
    for start in range(0, len(features), BLOCK):
        rows = features[start : start + BLOCK]
        rows[:, : len(kept)] = rows[:, kept]
    return features[:, : len(kept)]


def _log_likelihood(score: Floats, y: Floats) -> float:
    return float(y @ score - np.logaddexp(0, score).sum())
