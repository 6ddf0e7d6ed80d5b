"""Section 5: how often the pMSE of a greedy tree moves by more than the bound when one row does.

Beside the paper's simulation (Table 1, Figure 1): exact trees on the same tables, which keep the
bound by proof, and a pair of tables on which a greedy tree moves by all there is.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from experiments.pmse import cart
from experiments.pmse.cart import UNLIMITED, Pruning
from experiments.pmse.setting import ROWS, Floats, Rng, exact_gini, generate, neighbour, table
from understudy.kernels import trees

DEPTHS: Final = (1, 2, 5, UNLIMITED)
EXACT_DEPTHS: Final = (1, 2)
SHOWN: Final = 25
"""Differences kept from each cell, for the figure."""
Row = dict[str, float | list[float]]


def pruning_rows() -> dict[str, Pruning]:
    """The eight rows of Table 1 by name."""
    return {row_name(depth, cp): Pruning(depth, cp) for cp in (0.01, 0.001) for depth in DEPTHS}


def row_name(depth: int, cp: float) -> str:
    """What a row of Table 1 is called here and in ``claims.toml``."""
    return f"depth {'unlimited' if depth == UNLIMITED else depth}, cp {cp:g}"


def simulate(repeats: int, rng: Rng, *, rows: int = ROWS) -> dict[str, Row]:
    """Violations of greedy and of exact trees over so many pairs of neighbours."""
    differences = np.array([_differences(rng, rows) for _ in range(repeats)])
    names = [*pruning_rows(), *(f"exact depth {depth}" for depth in EXACT_DEPTHS)]
    found = dict(zip(names, differences.T, strict=True))
    return {name: _summary(values, rows) for name, values in found.items()}


def _differences(rng: Rng, rows: int) -> list[float]:
    """The change of each row's pMSE when one person is replaced; the synthetic table stays."""
    real = table(rng, rows=rows)
    moved = neighbour(real, rng)
    parameters = rng.normal(0.0, np.sqrt(10.0), 5)
    synthetic = generate(parameters, rng.standard_normal((2, rows)))
    before, after = (cart.grow(one, synthetic, cp=0.001) for one in (real, moved))
    greedy = [abs(before.pmse(one) - after.pmse(one)) for one in pruning_rows().values()]
    return greedy + [_exact_change(real, moved, synthetic, depth) for depth in EXACT_DEPTHS]


def _exact_change(real: Floats, moved: Floats, synthetic: Floats, depth: int) -> float:
    ginis = [exact_gini(one, synthetic, depth=depth) for one in (real, moved)]
    return abs(ginis[0] - ginis[1]) / (len(real) + len(synthetic))


def _summary(values: Floats, rows: int) -> Row:
    """Violations of the paper's bound 1 / n and of the exact one, 1 / (2 (n + 1)) for k = n."""
    slack = 1e-12  # float64 sums of whole numbers
    return {
        "repeats": float(len(values)),
        "over": float((values > 1.0 / rows + slack).sum()),
        "over tight": float((values > 0.5 / (rows + 1) + slack).sum()),
        "largest": float(values.max()),
        "shown": [float(f"{value:.3e}") for value in values[:SHOWN]],
    }


def worst_case(*, rows: int = ROWS) -> dict[str, float]:
    """Two tables that differ in one person, and the change of the greedy and the exact pMSE.

    Columns two and three tell the tables apart together (as exclusive or) and not one by one; the
    first column tells nothing. One person decides on which of them a greedy tree splits first. If
    it is the first, the second split comes too late and the tree sees no difference at all.
    """
    real, synthetic = _corners(rows)
    moved = real.copy()
    moved[rows // 2 + rows // 4, 1:] = 0.0, 1.0
    pruning = Pruning(2, 0.01)
    greedy = [cart.pmse(one, synthetic, pruning) for one in (real, moved)]
    exact = [_corner_pmse(one, synthetic) for one in (real, moved)]
    return {
        "rows": float(rows),
        "greedy": abs(greedy[0] - greedy[1]),
        "exact": abs(exact[0] - exact[1]),
        "bound": 1.0 / rows,
    }


def _corners(rows: int) -> tuple[Floats, Floats]:
    """The real table in two corners of the second and third column, the synthetic in the others."""
    half, first = rows // 2, np.arange(rows) % 2
    real, synthetic = np.zeros((2, rows, 3))
    real[:, 0] = synthetic[:, 0] = first
    synthetic[half:, 1:] = 1.0
    real[:half, 2], real[half:, 1] = 1.0, 1.0
    real[0, 0] = 1.0  # weak evidence in the first column, which wins a tie ...
    real[half, 1:] = 0.0, 1.0  # ... against as much in the second
    return real, synthetic


def _corner_pmse(real: Floats, synthetic: Floats) -> float:
    codes = [one.T.astype(np.int64) for one in (real, synthetic)]
    gini = trees.least_gini(*codes, (2, 2, 2), depth=2)
    return trees.pmse(gini, real=len(real), synthetic=len(synthetic))
