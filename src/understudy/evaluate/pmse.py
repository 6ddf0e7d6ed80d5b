"""pMSE: can a classifier tell synthetic rows from real ones?

With c the share of synthetic rows, pMSE is the mean of (p - c)^2 over all rows, p the classifier's
probability that a row is synthetic: 0 if it learns nothing, c (1 - c) if it knows. The ratio
compares it with what it would be if both tables came from one population:

    exact trees    least Gini impurity over all trees of a depth; null: 20 permutations of labels
    logistic       main effects of all columns; null: (features - 1) c (1 - c)^2 / rows
                   (Snoke et al. 2018)
    cart           scikit-learn's greedy tree of depth 5, for comparison with other tools;
                   null: 3 permutations
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.evaluate.design import Design, at_most
from understudy.evaluate.extra import require
from understudy.evaluate.grid import Sample
from understudy.evaluate.regression import expit, independent_features, most_likely, only
from understudy.kernels import trees

PERMUTATIONS: Final = 20
CART_PERMUTATIONS: Final = 3
CART_DEPTH: Final = 5

Score = Callable[[NDArray[Any], NDArray[Any]], list[float]]


@dataclass(frozen=True)
class PMSE:
    """A score and what it would be between two samples of one population."""

    value: float
    null: float

    @property
    def ratio(self) -> float:
        """1: as if from one population. NaN if there is nothing to learn from."""
        return self.value / self.null if self.null > 0 else float("nan")


def tree_pmse(
    real: Sample,
    other: Sample,
    *,
    depths: Sequence[int],
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
) -> dict[int, PMSE]:
    """pMSE of the best tree of each depth on coarse cells, exact (100,000 rows of each table)."""
    real, other = at_most(real, rng), at_most(other, rng)
    names = sorted(real.grid.columns)
    sizes = [real.grid.coarse(name)[1] for name in names]

    def score(first: NDArray[Any], second: NDArray[Any]) -> list[float]:
        rows = {"real": first.shape[1], "synthetic": second.shape[1]}
        ginis = [
            trees.least_gini(first, second, sizes, depth=depth, calls=permutations + 1)
            for depth in depths
        ]
        return [trees.pmse(gini, **rows) for gini in ginis]

    found = _judge(_cells(real, names), _cells(other, names), score, rng, permutations)
    return dict(zip(depths, found, strict=True))


def logistic_pmse(real: Sample, other: Sample, *, rng: np.random.Generator) -> PMSE:
    """pMSE of a logistic regression with main effects (at most 100,000 rows of each table)."""
    real, other = at_most(real, rng), at_most(other, rng)
    design = Design(real.grid, tuple(sorted(real.grid.columns)))
    features = design.matrix(real, other)
    features = only(features, independent_features(features))
    label = np.repeat([0.0, 1.0], [real.rows, other.rows])
    share, rows = other.rows / len(label), len(label)
    chance = expit(features @ most_likely(features, label))
    null = (features.shape[1] - 1) * share * (1 - share) ** 2 / rows
    return PMSE(float(np.mean((chance - share) ** 2)), null)


def cart_pmse(real: Sample, other: Sample, *, rng: np.random.Generator) -> PMSE:
    """pMSE of a greedy tree on coarse cells; needs scikit-learn."""
    classifier = require("sklearn.tree").DecisionTreeClassifier
    names = sorted(real.grid.columns)

    def score(first: NDArray[Any], second: NDArray[Any]) -> list[float]:
        rows = np.hstack([first, second]).T.astype(np.float32)
        label = np.repeat([0, 1], [first.shape[1], second.shape[1]])
        tree = classifier(max_depth=CART_DEPTH, random_state=0).fit(rows, label)
        return [float(np.mean((tree.predict_proba(rows)[:, 1] - label.mean()) ** 2))]

    first, second = _cells(at_most(real, rng), names), _cells(at_most(other, rng), names)
    return _judge(first, second, score, rng, CART_PERMUTATIONS)[0]


def _cells(sample: Sample, names: list[str]) -> NDArray[Any]:
    if not names:
        raise UsageError("the schema has no modelled column to compare; declare at least one")
    return np.stack([sample.coarse(name) for name in names])


def _judge(
    first: NDArray[Any],
    second: NDArray[Any],
    score: Score,
    rng: np.random.Generator,
    permutations: int,
) -> list[PMSE]:
    """Scores beside their means over random exchanges of the labels."""
    pooled, rows = np.hstack([first, second]), first.shape[1]
    nulls = []
    for _ in range(permutations):
        shuffled = pooled[:, rng.permutation(pooled.shape[1])]
        nulls.append(score(shuffled[:, :rows], shuffled[:, rows:]))
    means = np.mean(nulls, axis=0)
    return [PMSE(*both) for both in zip(score(first, second), means.tolist(), strict=True)]
