"""How much one protected unit can change each exact quantity: the one table of sensitivities.

``c`` is the most rows of one unit (``schema.contribution``). Under ADD_REMOVE a unit's rows appear
or vanish; under REPLACE_ONE up to c rows vanish and up to c others appear.

    quantity                        ADD_REMOVE         REPLACE_ONE
    one marginal, L1                c                  2 c
    one marginal, L2 squared        c^2                2 c^2
    L1-gap score                    c, not monotone    2 c, not monotone
    rank score (fraction a/b)       c max(a, b-a)      c b
    weight of a drawn cell          c                  c (not 2 c: see draw.md)
    tree of splits, log-ratio       2.607 c / scale    3.607 c / scale
      and the range it stays in     3.607 c / scale    7.214 c / scale
    sums of moments, per group of m moments of which a row feeds one set at a time:
      signed, L1                    c m                2 c m
      signed, L2 squared            c^2 m              4 c^2 m
      counts and squares, L1        c m                2 c m (one set only: c m)
      counts and squares, L2^2      c^2 m              2 c^2 m (one set only: c^2 m)
    cells that hold t rows, L1      c                  2 c (one t only: c)
      and L2 squared                c^2                2 c^2 (one t only: c^2)
    loss of at most b a row         c b, monotone      c b, not monotone
    impurity of the best tree       c, monotone        c, not monotone (not 2 c: see impurity.md)
      and the number of rows        c                  c (0 where it is public)

The proofs are in the ``.md`` file of each verb; ``tests/gate/test_sensitivity.py`` and the tests of
the verbs attack every row on neighbouring tables.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from understudy.schema.neighbours import Neighbours

SPLITS: Final = Fraction(2_606_695_153, 10**9)
"""1 + the sum of 1 / (2^i - 1) over i = 1, 2, ..., rounded up; see partition.md."""


def marginal_l1(neighbours: Neighbours, c: int) -> int:
    """L1 sensitivity of one contingency table."""
    return c if neighbours is Neighbours.ADD_REMOVE else 2 * c


def marginal_l2_squared(neighbours: Neighbours, c: int) -> int:
    """Squared L2 sensitivity of one contingency table."""
    return c * c if neighbours is Neighbours.ADD_REMOVE else 2 * c * c


def l1_gap(neighbours: Neighbours, c: int) -> int:
    """Sensitivity of the L1 distance between a contingency table and a public one."""
    return c if neighbours is Neighbours.ADD_REMOVE else 2 * c


def rank(neighbours: Neighbours, c: int, probability: Fraction) -> int:
    """Sensitivity of the integer rank score of the quantile ``a / b``."""
    a, b = probability.numerator, probability.denominator
    return c * max(a, b - a) if neighbours is Neighbours.ADD_REMOVE else c * b


def tree_loss(neighbours: Neighbours, c: int) -> Fraction:
    """The most that the log-probability of a tree of splits changes, in units of 1 / scale."""
    return c * (SPLITS if neighbours is Neighbours.ADD_REMOVE else SPLITS + 1)


def tree_range(neighbours: Neighbours, c: int) -> Fraction:
    """The length of an interval that holds all those changes, in units of 1 / scale."""
    return c * (SPLITS + 1) * (1 if neighbours is Neighbours.ADD_REMOVE else 2)


def moments_l1(neighbours: Neighbours, c: int, *, most: int, signed: bool, sets: int) -> int:
    """L1 sensitivity of a group of moments, each between -1 (or 0) and 1."""
    return c * most * (_appears_and_vanishes(neighbours, signed=signed, sets=sets))


def moments_l2_squared(
    neighbours: Neighbours, c: int, *, most: int, signed: bool, sets: int
) -> int:
    """Squared L2 sensitivity of a group of moments, each between -1 (or 0) and 1."""
    factor = _appears_and_vanishes(neighbours, signed=signed, sets=sets)
    return c * c * most * (factor * factor if signed else factor)


def holdings_l1(neighbours: Neighbours, c: int, *, thresholds: int) -> int:
    """L1 sensitivity of the numbers of cells that hold at least t rows, for several t."""
    return c * _appears_and_vanishes(neighbours, signed=False, sets=thresholds)


def holdings_l2_squared(neighbours: Neighbours, c: int, *, thresholds: int) -> int:
    """Squared L2 sensitivity of the numbers of cells that hold at least t rows."""
    return c * c * _appears_and_vanishes(neighbours, signed=False, sets=thresholds)


def loss_of_rows(c: int, largest: int) -> int:
    """Sensitivity of a sum over rows of losses from 0 to ``largest``, under both relations."""
    return c * largest


def impurity(c: int) -> int:
    """Sensitivity of the least Gini impurity of any tree, in rows, under both relations."""
    return c


def _appears_and_vanishes(neighbours: Neighbours, *, signed: bool, sets: int) -> int:
    """2 where what one row takes away and another brings add up, else 1."""
    return 2 if neighbours is Neighbours.REPLACE_ONE and (signed or sets > 1) else 1
