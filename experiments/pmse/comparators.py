"""What the paper compares with: noisy Bayes, smoothed histogram, functional mechanism, no privacy.

Each takes the real table, an epsilon and a generator of random numbers; one person is replaced and
the number of rows is public. The bounds are multiples of the TRUE standard deviations around the
true means, as in the paper: nobody knows them in practice. The noise is floating-point noise with a
seed, good for a simulation and for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p, sqrt
from typing import Final

import numpy as np

from experiments.pmse.chain import RELEASES
from experiments.pmse.setting import MEANS, STDDEVS, Floats, Outcome, Rng, of_tables

STATISTICS: Final = 5
"""Two means, two variances and a covariance share the budget of one table."""
SMALLEST_VARIANCE: Final = 1e-4
"""Where noise made a covariance matrix indefinite, in squared widths of the bounds."""
GUESSED_SIDE: Final = 50
L1_SENSITIVITY: Final = 5.0
LARGEST_CHANGE: Final = 2.0
"""Of (sum x, sum x^2, sum y, sum xy) for x and y in [-1, 1]: see ``tests``."""


@dataclass(frozen=True)
class Box:
    """Bounds on both columns, so many standard deviations from their means."""

    reach: float

    @property
    def low(self) -> Floats:
        """The lower bounds."""
        return np.array(MEANS) - self.reach * np.array(STDDEVS)

    @property
    def widths(self) -> Floats:
        """The lengths of the intervals."""
        return 2.0 * self.reach * np.array(STDDEVS)

    def clip(self, rows: Floats) -> Floats:
        """Values outside become the nearest bound."""
        return np.clip(rows, self.low, self.low + self.widths)


@dataclass(frozen=True)
class NoisyBayes:
    """Bowen and Liu (2016): tables from the posterior of noisy sufficient statistics."""

    bound: float

    def __call__(self, real: Floats, epsilon: float, rng: Rng) -> Outcome:
        """Ten tables, each from statistics of its own at a tenth of epsilon."""
        box = Box(self.bound)
        rows, each = box.clip(real), epsilon / (RELEASES * STATISTICS)
        return of_tables([self._table(rows, box.widths, each, rng) for _ in range(RELEASES)])

    def _table(self, rows: Floats, widths: Floats, epsilon: float, rng: Rng) -> Floats:
        n = len(rows)
        mean = rows.mean(axis=0) + rng.laplace(0.0, widths / (n * epsilon))
        square = np.outer(widths, widths)
        noise = np.tril(rng.laplace(0.0, square / (n * epsilon)))
        covariance = np.cov(rows.T, bias=True) + noise + np.tril(noise, -1).T
        return posterior_table(mean, definite(covariance, square), n, rng)


def no_privacy(real: Floats, epsilon: float, rng: Rng) -> Outcome:
    """The same posterior without noise. Whatever epsilon is, nothing is protected."""
    del epsilon
    mean, covariance = real.mean(axis=0), np.cov(real.T, bias=True)
    tables = [posterior_table(mean, covariance, len(real), rng) for _ in range(RELEASES)]
    return of_tables(tables)


def definite(covariance: Floats, square: Floats) -> Floats:
    """Eigenvalues below a public floor are raised to it, in units of the bounds."""
    unit = np.sqrt(np.diag(square))
    values, vectors = np.linalg.eigh(covariance / np.outer(unit, unit))
    raised = (vectors * np.maximum(values, SMALLEST_VARIANCE)) @ vectors.T
    return np.asarray(raised * np.outer(unit, unit))


def posterior_table(mean: Floats, covariance: Floats, n: int, rng: Rng) -> Floats:
    """A covariance from its inverse Wishart law, a mean given it, and n rows given both."""
    # Bartlett: A A' is Wishart(n - 1, I), so C A'^-1 A^-1 C' n is inverse Wishart, C C' = S
    a = np.array([[sqrt(rng.chisquare(n - 1)), 0.0], [rng.normal(), sqrt(rng.chisquare(n - 2))]])
    factor = sqrt(n) * np.linalg.cholesky(covariance) @ np.linalg.inv(a).T
    centre = mean + factor @ rng.standard_normal(2) / sqrt(n)
    return np.asarray(centre + rng.standard_normal((n, 2)) @ factor.T)


@dataclass(frozen=True)
class SmoothedHistogram:
    """Wasserman and Zhou (2010): n rows from a histogram mixed with a uniform density.

    With ``guessed`` the smoothing is what the paper's numbers look like: see ``guessed_smoothing``.
    """

    bound: float
    guessed: bool = False

    def __call__(self, real: Floats, epsilon: float, rng: Rng) -> Outcome:
        """One table at the whole epsilon."""
        n, box = len(real), Box(self.bound)
        side = GUESSED_SIDE if self.guessed else bins_per_column(n)
        smooth = guessed_smoothing if self.guessed else smoothing
        share = smooth(side**2, n, epsilon)
        scaled = (box.clip(real) - box.low) / box.widths * side
        places = np.minimum(scaled.astype(np.int64), side - 1)
        counts = np.bincount(places[:, 0] * side + places[:, 1], minlength=side**2)
        law = (1.0 - share) * counts / n + share / side**2
        drawn = rng.choice(side**2, n, p=law / law.sum())
        corner = np.stack([drawn // side, drawn % side], axis=1)
        rows = box.low + (corner + rng.random((n, 2))) / side * box.widths
        return of_tables([rows])


def bins_per_column(n: int) -> int:
    """n^(1 / (2 + q)): bins whose histogram converges fastest, for q = 2 columns."""
    return max(round(n**0.25), 1)


def smoothing(bins: int, n: int, epsilon: float) -> float:
    """The paper's lambda = K / (K + n (e^(epsilon / n) - 1)), for n rows released."""
    return bins / (bins + n * expm1(epsilon / n))


def guessed_smoothing(bins: int, n: int, epsilon: float) -> float:
    """K / (K + n epsilon), a division by n short of the paper's formula; NOT PRIVATE.

    No table with the printed formula comes near the printed pMSE; this one does. What it
    costs is ``true_epsilon``.
    """
    return bins / (bins + n * epsilon)


def true_epsilon(share: float, bins: int, n: int) -> float:
    """What n rows cost if their density is mixed with so much of a uniform one."""
    return n * log1p((1.0 - share) * bins / (n * share))


@dataclass(frozen=True)
class Functional:
    """Zhang et al. (2012): least squares on a noisy quadratic form; coefficients only.

    With ``largest`` the noise is that of Awan and Slavkovic (2018): its density falls with the
    largest of the four coefficients instead of with their sum.
    """

    bound: float
    largest: bool = False

    def __call__(self, real: Floats, epsilon: float, rng: Rng) -> Outcome:
        """Coefficients at the whole epsilon."""
        box = Box(self.bound)
        x, y = (2.0 * (box.clip(real) - box.low) / box.widths - 1.0).T
        exact = np.array([x.sum(), x @ x, y.sum(), x @ y])
        draw = _largest_noise if self.largest else _sum_noise
        noise, spread = draw(epsilon, rng)
        return Outcome(self._unscaled(box, _solve(exact + noise, len(x), spread)), None)

    def _unscaled(self, box: Box, line: Floats) -> Floats:
        half, centre = box.widths / 2.0, box.low + box.widths / 2.0
        slope = line[1] * half[1] / half[0]
        return np.array([centre[1] + half[1] * line[0] - slope * centre[0], slope])


def _sum_noise(epsilon: float, rng: Rng) -> tuple[Floats, float]:
    scale = L1_SENSITIVITY / epsilon
    return rng.laplace(0.0, scale, 4), sqrt(2.0) * scale


def _largest_noise(epsilon: float, rng: Rng) -> tuple[Floats, float]:
    """A radius from Gamma(5), and a point of the cube: E[v^2] = E[r^2] / 3 = 10 scale^2."""
    scale = LARGEST_CHANGE / epsilon
    return rng.gamma(5.0, scale) * rng.uniform(-1.0, 1.0, 4), sqrt(10.0) * scale


def _solve(sums: Floats, n: int, spread: float) -> Floats:
    """The minimum of the noisy form, its eigenvalues raised to the noise: post-processing."""
    x, xx, y, xy = sums
    values, vectors = np.linalg.eigh(np.array([[float(n), x], [x, xx]]))
    inverse = (vectors / np.maximum(values, spread)) @ vectors.T
    return np.asarray(inverse @ np.array([y, xy]))
