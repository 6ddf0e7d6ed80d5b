"""Greedy trees against scikit-learn's, and pruning against trees small enough to prune by hand."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.pmse import cart
from experiments.pmse.cart import Pruning, Tree


def two_tables(seed: int, *, rows: int = 400, columns: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    real = rng.standard_normal((rows, columns))
    return real, 1.3 * rng.standard_normal((rows, columns)) + 0.2


def gini_of_leaves(tree: Tree, *, depth: int) -> float:
    """Without pruning: nodes that have no children or may not use them."""
    total, open_nodes = 0.0, [0]
    while open_nodes:
        node = open_nodes.pop()
        a, b = tree.counts[:, node]
        if tree.children[node, 0] >= 0 and tree.depths[node] < depth:
            open_nodes += tree.children[node].tolist()
        else:
            total += a * b / (a + b)
    return total


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("depth", "rel"), [(1, 1e-9), (2, 1e-9), (5, 1e-9), (cart.UNLIMITED, 0.01)]
)
def test_trees_grow_as_scikit_learn_grows_them(seed: int, depth: int, rel: float) -> None:
    """Deep down, nodes of twenty rows have splits of equal worth, and each takes another one."""
    sklearn = pytest.importorskip("sklearn.tree")
    real, synthetic = two_tables(seed)
    rows = np.vstack([real, synthetic])
    labels = np.repeat([0, 1], [len(real), len(synthetic)])
    peer = sklearn.DecisionTreeClassifier(
        max_depth=depth, min_samples_split=20, min_samples_leaf=7, random_state=0
    ).fit(rows, labels)
    share = peer.predict_proba(rows)[:, 1]
    ours = cart.grow(real, synthetic, cp=0.0)
    expected = float((share * (1.0 - share)).sum())  # sum over rows of a b / m^2
    assert gini_of_leaves(ours, depth=depth) == pytest.approx(expected, rel=rel)


@pytest.mark.parametrize("cp", [0.002, 0.01, 0.05])
@pytest.mark.parametrize("depth", [1, 3, cart.UNLIMITED])
def test_one_large_tree_prunes_to_every_smaller_one(cp: float, depth: int) -> None:
    real, synthetic = two_tables(9, rows=900)
    pruning = Pruning(depth, cp)
    large = cart.grow(real, synthetic, cp=0.001)
    assert large.pmse(pruning) == pytest.approx(cart.pmse(real, synthetic, pruning), abs=1e-15)


def hand_made() -> Tree:
    """Root 50 : 50, split into 40 : 20 and 10 : 30; the first again into 30 : 0 and 10 : 20."""
    counts = np.array([[50, 40, 10, 30, 10], [50, 20, 30, 0, 20]])
    children = np.array([[1, 2], [3, 4], [-1, -1], [-1, -1], [-1, -1]])
    return Tree(counts, children, np.array([0, 1, 1, 2, 2]))


@pytest.mark.parametrize(
    ("depth", "cp", "gini"),
    [
        (0, 0.01, 25.0),
        (1, 0.01, 40 * 20 / 60 + 10 * 30 / 40),
        (2, 0.01, 0.0 + 10 * 20 / 30 + 10 * 30 / 40),
        # the second split saves 10 of 50 errors: 0.2 of the root's
        (2, 0.19, 0.0 + 10 * 20 / 30 + 10 * 30 / 40),
        (2, 0.21, 40 * 20 / 60 + 10 * 30 / 40),
        # the first split saves 20 of 50
        (2, 0.41, 25.0),
    ],
)
def test_pruning_by_hand(depth: int, cp: float, gini: float) -> None:
    found = hand_made().pmse(Pruning(depth, cp))
    assert found == pytest.approx(0.25 - gini / 100.0)


def test_equal_tables_cannot_be_told_apart_and_distant_ones_always() -> None:
    real, _ = two_tables(3)
    assert cart.pmse(real, real, Pruning(cart.UNLIMITED, 0.001)) == 0.0
    assert cart.pmse(real, real + 100.0, Pruning(1, 0.01)) == 0.25


def test_leaves_and_split_nodes_are_as_large_as_rpart_wants_them() -> None:
    real, synthetic = two_tables(4)
    tree = cart.grow(real, synthetic, cp=0.0)
    sizes = tree.counts.sum(axis=0)
    assert sizes.min() >= cart.SMALLEST_LEAF
    assert sizes[tree.children[:, 0] >= 0].min() >= cart.SMALLEST_SPLIT
    inner = tree.children[:, 0] >= 0
    both = tree.counts[:, tree.children[inner]].sum(axis=2)
    assert (both == tree.counts[:, inner]).all()


def test_columns_of_equal_values_are_never_split() -> None:
    flat = np.zeros((50, 2))
    tree = cart.grow(flat, flat, cp=0.0)
    assert tree.counts.tolist() == [[50], [50]]
