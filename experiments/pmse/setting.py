"""The paper's simulated table, its generative model, and what is measured on a synthetic table."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.pmse import cart
from understudy.kernels import trees

Floats = NDArray[np.float64]
Rng = np.random.Generator

ROWS: Final = 5000
TRUTH: Final = (2.0, 10.0, -2.5, 0.5, 3.0)
"""X1 ~ N(2, 10) and X2 ~ N(-2.5 + 0.5 x1, 3); second arguments are read as variances."""
MEANS: Final = (2.0, -1.5)
STDDEVS: Final = (sqrt(10.0), sqrt(5.5))
CPS: Final = (0.01, 0.002, 0.0016, 0.0014, 0.0012, 0.001)
"""Complexity parameters of the measuring tree: one grown tree serves all of them."""
BINS: Final = 32
REACH: Final = 4.5
"""The exact trees' public grid: so many equal bins within so many standard deviations."""


def table(rng: Rng, *, rows: int = ROWS) -> Floats:
    """A table from the paper's law, one row per person."""
    return generate(np.array(TRUTH), rng.standard_normal((2, rows)))


def generate(parameters: Floats, normals: Floats) -> Floats:
    """The rows that these parameters make of these standard normal numbers.

    A negative variance, which the paper's N(0, 10) draws half of the time, loses its sign.
    """
    mean, variance, intercept, slope, residual = parameters
    first = mean + sqrt(abs(variance)) * normals[0]
    second = intercept + slope * first + sqrt(abs(residual)) * normals[1]
    return np.stack([first, second], axis=1)


def neighbour(real: Floats, rng: Rng) -> Floats:
    """The table after N(0, 25) was added to each value of one person, as the paper does."""
    moved = real.copy()
    moved[0] += rng.normal(0.0, 5.0, 2)
    return moved


def regression(rows: Floats) -> Floats:
    """Intercept and slope of the second column on the first, by least squares."""
    first, second = rows.T
    centred = first - first.mean()
    square = float(centred @ centred)
    slope = float(centred @ second) / square if square > 0.0 else 0.0
    return np.array([second.mean() - slope * first.mean(), slope])


def estimates(rows: Floats) -> Floats:
    """The parameters of the generative model, estimated without privacy."""
    intercept, slope = regression(rows)
    residual = rows[:, 1] - intercept - slope * rows[:, 0]
    return np.array([rows[:, 0].mean(), rows[:, 0].var(), intercept, slope, residual.var()])


def cells(rows: Floats) -> NDArray[np.int64]:
    """The row's cell on the public grid, one line per column; far values fall in the last bins."""
    centre, stddev = np.array(MEANS), np.array(STDDEVS)
    places = ((rows - centre) / stddev + REACH) * (BINS / (2.0 * REACH))
    return np.clip(np.floor(places), 0, BINS - 1).astype(np.int64).T


def exact_gini(real: Floats, synthetic: Floats, *, depth: int) -> float:
    """The impurity of the best of all trees of this depth on the public grid."""
    sizes = (BINS, BINS)
    return trees.least_gini(cells(real), cells(synthetic), sizes, depth=depth, calls=1000)


def exact_pmse(real: Floats, synthetic: Floats, *, depth: int) -> float:
    """Its pMSE: what the proofs are about."""
    gini = exact_gini(real, synthetic, depth=depth)
    return trees.pmse(gini, real=len(real), synthetic=len(synthetic))


@dataclass(frozen=True)
class Outcome:
    """What a method gave: regression coefficients, and the synthetic table if it made one."""

    coefficients: Floats
    synthetic: Floats | None


def of_tables(tables: list[Floats]) -> Outcome:
    """Coefficients averaged over all synthetic tables; the first one stands for them."""
    fitted = np.stack([regression(one) for one in tables])
    return Outcome(fitted.mean(axis=0), tables[0])


def measure(real: Floats, outcome: Outcome) -> dict[str, float]:
    """Errors of both coefficients; pMSE by greedy trees at every cp and by exact ones."""
    errors = np.abs(outcome.coefficients - regression(real))
    found = {"intercept": float(errors[0]), "slope": float(errors[1])}
    if outcome.synthetic is None:
        return found
    tree = cart.grow(real, outcome.synthetic, cp=min(CPS))
    for cp in CPS:
        found[f"greedy {cp:g}"] = tree.pmse(cart.Pruning(cart.UNLIMITED, cp))
    found["exact 2"] = exact_pmse(real, outcome.synthetic, depth=2)
    return found
