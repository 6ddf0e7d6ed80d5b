"""AS PUBLISHED: the chapter's procedures, flaws included, to measure what follows from them.

None of this is Understudy, and none of it protects anybody: floating-point noise with a seed,
categories read off the rows, a query that looks at the real table. Our own words, the chapter's
steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.programming_dp.adult import AGES, OCCUPATIONS, Adult

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Crosstab:
    """A table of the ages and occupations that occur; everything else has no row or column."""

    ages: Whole
    occupations: tuple[str, ...]
    counts: Whole


def noisy(counts: Floats | Whole | float, rng: np.random.Generator) -> Floats:
    """Laplace noise of scale 1 from NumPy: "epsilon = 1"."""
    return np.asarray(counts + rng.laplace(0.0, 1.0, np.shape(counts)))


def shares(counts: Floats) -> Floats:
    """Negative counts set to zero, the rest scaled to sum to one."""
    kept = np.maximum(counts, 0.0)
    return np.asarray(kept / kept.sum())


def sampled_ages(adult: Adult, rows: int, rng: np.random.Generator) -> Whole:
    """Synthetic ages from a noisy histogram of ages 0 to 99."""
    return rng.choice(len(AGES), rows, p=shares(noisy(adult.by_age, rng)))


def crosstab(adult: Adult) -> Crosstab:
    """Ages and occupations that occur, missing occupations left out."""
    present = adult.table()
    rows, columns = present.any(axis=1), present.any(axis=0)
    occurring = tuple(np.array(OCCUPATIONS)[columns].tolist())
    return Crosstab(np.flatnonzero(rows), occurring, present[rows][:, columns])


def sampled_pairs(adult: Adult, rows: int, rng: np.random.Generator) -> tuple[Whole, Whole]:
    """Synthetic ages and the column of their occupation, from a noisy crosstab."""
    table = crosstab(adult)
    law = shares(noisy(table.counts, rng)).ravel()
    cells = rng.choice(law.size, rows, p=law)
    return table.ages[cells // table.counts.shape[1]], cells % table.counts.shape[1]


def range_query(synthetic: Whole, real: Whole, low: int, high: int) -> int:
    """The chapter's query: the lower end is asked of the table at hand, the upper of the REAL one.

    Its function names the real table where it should name its argument. Rows are matched by
    position; positions that only one of the two tables has count as no.
    """
    both = min(len(synthetic), len(real))
    return int(((synthetic[:both] >= low) & (real[:both] < high)).sum())


def count_between(ages: Whole, low: int, high: int) -> int:
    """What the query was meant to be: how many lie in low <= age < high."""
    return int(((ages >= low) & (ages < high)).sum())


def percent_error(true: float, other: float) -> float:
    """The distance of ``other`` from the truth, in percent of the truth; infinite if that is 0."""
    return abs(true - other) / true * 100.0 if true else float("inf")
