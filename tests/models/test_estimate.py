"""What is learned from noisy marginals, against brute force over the whole joint table."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import nnls

from understudy.kernels.junction import NO_PARENT, Positions, forecast, triangulate
from understudy.kernels.pairs import pair_marginals
from understudy.kernels.propagate import Propagation
from understudy.models.estimate import Fit, minimise

Floats = NDArray[np.float64]

SIZES = (2, 3, 2, 4)
STRUCTURES: list[list[Positions]] = [
    [(0,), (1,), (2,), (3,)],
    [(0, 1), (1, 2), (2, 3), (0,)],
    [(0, 1), (1, 2), (0, 2), (3,)],
    [(0, 1), (1, 2), (2, 3), (0, 3), (0, 1)],
    [(0, 1, 2), (2, 3)],
    [(3,)],
]


def marginal(law: Floats, columns: Positions) -> Floats:
    """Summed directly."""
    return law.sum(axis=tuple(axis for axis in range(law.ndim) if axis not in columns))


def flat(law: Floats, measured: list[Positions]) -> Floats:
    """All measured marginals, one after the other."""
    return np.concatenate([marginal(law, columns).ravel() for columns in measured])


def random_law(rng: np.random.Generator) -> Floats:
    law = rng.gamma(0.5, size=SIZES) + 0.02
    return law / law.sum()


def fitted(
    measured: list[Positions], targets: Floats, weights: Floats, *, compiled: bool = False
) -> tuple[Propagation, Fit]:
    work = Propagation(triangulate(SIZES, measured), measured, steps=1)
    if compiled:
        work._compiled = work._program()
    return work, minimise(work, targets, weights, steps=4000, tolerance=1e-12)


def least_squares(measured: list[Positions], targets: Floats, weights: Floats) -> float:
    """The least loss of any distribution over the joint table."""
    cells = int(np.prod(SIZES))
    columns = [flat(np.eye(cells)[cell].reshape(SIZES), measured) for cell in range(cells)]
    matrix = np.sqrt(weights)[:, None] * np.stack(columns, axis=1)
    sum_to_one = 1e4
    law, _ = nnls(
        np.vstack([matrix, np.full(cells, sum_to_one)]),
        np.append(np.sqrt(weights) * targets, sum_to_one),
        maxiter=100_000,
    )
    gap = matrix @ (law / law.sum()) - np.sqrt(weights) * targets
    return float(gap @ gap) / 2


def even_with_these_marginals(measured: list[Positions], targets: Floats) -> Floats:
    """The distribution of most entropy with these marginals, by proportional fitting."""
    law = np.full(SIZES, 1.0 / np.prod(SIZES))
    for _ in range(1000):
        start = 0
        for columns in measured:
            shape = tuple(size if c in columns else 1 for c, size in enumerate(SIZES))
            wanted = targets[start : start + int(np.prod(shape))]
            law = law * (wanted / marginal(law, columns).ravel()).reshape(shape)
            start += wanted.size
    return law


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("measured", STRUCTURES, ids=str)
def test_noisy_marginals_are_fitted_as_well_as_any_distribution_could(
    measured: list[Positions], compiled: bool
) -> None:
    for seed in range(1 + compiled):
        rng = np.random.default_rng(seed)
        truth = flat(random_law(rng), measured)
        targets = truth + rng.normal(0.0, 0.05, truth.size)  # many fall below 0
        weights = rng.uniform(0.2, 1.0, truth.size)
        _, fit = fitted(measured, targets, weights, compiled=compiled)
        gap = fit.marginals - targets
        assert fit.loss == pytest.approx(0.5 * float((weights * gap * gap).sum()), rel=1e-9)
        assert fit.loss == pytest.approx(least_squares(measured, targets, weights), rel=1e-6)


@pytest.mark.parametrize("measured", STRUCTURES, ids=str)
def test_exact_marginals_give_the_most_even_distribution_that_has_them(
    measured: list[Positions],
) -> None:
    for seed in range(2):
        law = random_law(np.random.default_rng(seed))
        targets = flat(law, measured)
        work, fit = fitted(measured, targets, np.ones(targets.size))
        assert fit.marginals == pytest.approx(targets, abs=1e-6)
        expected = even_with_these_marginals(measured, targets)
        for place, clique in enumerate(work.tree.cliques):
            found = work.table(fit.state, place)
            assert found == pytest.approx(marginal(expected, clique), abs=1e-6)
        pairs = list(combinations(range(4), 2))
        tables = [work.table(fit.state, place) for place in range(len(work.tree.cliques))]
        for pair, table in pair_marginals(work.tree, tables, pairs).items():
            assert table == pytest.approx(marginal(expected, pair), abs=1e-6)


def test_the_logarithms_lead_back_to_the_distribution() -> None:
    measured = STRUCTURES[3]
    targets = flat(random_law(np.random.default_rng(1)), measured)
    work, fit = fitted(measured, targets, np.ones(targets.size))
    again = work.calibrated(fit.logarithms)
    assert again.cells == pytest.approx(fit.state.cells, abs=1e-9)
    assert again.separators == pytest.approx(fit.state.separators, abs=1e-9)


def test_a_stop_right_after_a_restart_is_no_stop() -> None:
    """A restart forgets the mean, so the loss jumps up; that is no sign of having arrived."""
    measured: list[Positions] = [(0, 1), (1, 2), (2, 3)]
    for seed in range(10):
        targets = flat(random_law(np.random.default_rng(seed)), measured)
        work = Propagation(triangulate(SIZES, measured), measured)
        fit = minimise(work, targets, np.ones(targets.size), steps=1000, tolerance=1e-4)
        assert np.abs(fit.marginals - targets).max() < 1e-6


def test_compiled_steps_are_those_of_numpy() -> None:
    for seed, measured in enumerate(STRUCTURES):
        work = Propagation(triangulate(SIZES, measured), measured, steps=1)
        logarithms = -np.random.default_rng(seed).exponential(20.0, work.width)
        state = work.uniform()
        for _ in range(4):
            mine, marginals, mass = work._advance(state, np.exp(logarithms))
            cells, separators, theirs, their_mass = work._program().advance(
                state, np.exp(logarithms)
            )
            assert cells == pytest.approx(mine.cells, rel=1e-9)
            assert separators == pytest.approx(mine.separators, rel=1e-9)
            assert theirs == pytest.approx(marginals, rel=1e-9)
            assert their_mass == pytest.approx(mass, rel=1e-9)
            state = mine


@pytest.mark.parametrize("seed", range(20))
def test_trees_hold_every_marginal_and_meet_inside_the_parent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = tuple(rng.integers(1, 9, 9).tolist())
    wanted = [
        tuple(sorted(rng.choice(9, rng.integers(1, 4), replace=False).tolist())) for _ in "12345678"
    ]
    tree = triangulate(sizes, wanted)
    assert all(tree.holder(columns) is not None for columns in wanted)
    assert {column for clique in tree.cliques for column in clique} == set(range(9))
    seen: set[int] = set()
    for place, (clique, parent) in enumerate(zip(tree.cliques, tree.parents, strict=True)):
        shared = seen.intersection(clique)
        assert parent < place
        assert (parent == NO_PARENT) == (not shared)
        assert parent == NO_PARENT or shared <= set(tree.cliques[parent])
        seen.update(clique)
    assert forecast(sizes, wanted) == tree.cells
