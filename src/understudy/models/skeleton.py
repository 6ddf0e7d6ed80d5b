"""Which of many noisy relations a model can hold: the largest surprises, as many as fit.

All pairs of more than a few columns make one clique, which no memory holds. A model grows here in
rounds instead: first the strongest relations that form a forest, then those that the model so far
gets most wrong, none that tells less than its noise, and never beyond a number of cells. This looks
at noisy estimates only and costs no privacy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.models.learner import Learner, Observation

ROUNDS: Final = 24
MARGIN: Final = 1.6
"""A relation is worth its noise if it surprises so many times more than noise alone."""
MOST_REFUSED: Final = 100
"""A round ends after so many relations that do not fit: each costs a forecast."""
STEPS, TOLERANCE = 60, 1e-2
LAST_STEPS, LAST_TOLERANCE = 1000, 1e-4
MEAN_TO_STDDEV: Final = float(np.sqrt(2.0 / np.pi))


def grow(
    learner: Learner,
    candidates: Sequence[Observation],
    size: float,
    *,
    most_cells: int,
    rng: np.random.Generator,
) -> None:
    """Teach the learner, which knows the columns, what it can hold of the candidates; fit it."""
    left = list(candidates)
    for turn in range(ROUNDS):
        learner.fit(size, steps=STEPS, tolerance=TOLERANCE)
        gains = _gains(learner, left, size, rng)
        taken, too_large = _choose(learner, left, gains, most_cells, forest=turn == 0)
        if not taken:
            break
        done = taken | too_large  # what does not fit now will not fit a larger model
        left = [one for place, one in enumerate(left) if place not in done]
    learner.fit(size, steps=LAST_STEPS, tolerance=LAST_TOLERANCE)


def _gains(
    learner: Learner, candidates: Sequence[Observation], size: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """By how many rows each candidate surprises the model, noise taken off."""
    shares = learner.marginals([one.columns for one in candidates], rng)
    return np.array(
        [
            float(np.abs(np.subtract(one.counts, size * share)).sum()) - MARGIN * _noise(one)
            for one, share in zip(candidates, shares, strict=True)
        ]
    )


def _noise(one: Observation) -> float:
    """The expected sum of absolute noise in a candidate's cells."""
    stddevs = np.sqrt(np.broadcast_to(np.asarray(one.variances), one.counts.shape))
    return MEAN_TO_STDDEV * float(stddevs.sum())


def _choose(
    learner: Learner,
    candidates: Sequence[Observation],
    gains: NDArray[np.float64],
    most_cells: int,
    *,
    forest: bool,
) -> tuple[set[int], set[int]]:
    """The places of candidates that were added, and of those that do not fit. Within a round no two
    of the added may tell the same: they form a forest, or after the first round share no column."""
    taken, too_large = set[int](), set[int]()
    part: dict[str, str | None] = {name: name for name in learner.domain.columns}
    for place in np.argsort(-gains, kind="stable").tolist():
        one = candidates[place]
        parts = {part[name] for name in one.columns}
        if gains[place] <= 0 or len(too_large) >= MOST_REFUSED:
            break
        if None in parts or len(parts) < len(one.columns):
            continue
        if learner.cells_with(one.columns) > most_cells:
            too_large.add(place)
            continue
        learner.observe(one)
        taken.add(place)
        if forest:
            part = {name: one.columns[0] if of in parts else of for name, of in part.items()}
        else:
            part |= dict.fromkeys(one.columns)
    return taken, too_large
