"""How much one protected unit can change each exact quantity: the one table of sensitivities.

``c`` is the most rows of one unit (``schema.contribution``). Under ADD_REMOVE a unit's rows appear
or vanish; under REPLACE_ONE up to c rows vanish and up to c others appear.

    quantity                        ADD_REMOVE         REPLACE_ONE
    one marginal, L1                c                  2 c
    one marginal, L2 squared        c^2                2 c^2
    L1-gap score                    c, not monotone    2 c, not monotone
    rank score (fraction a/b)       c max(a, b-a)      c b

The proofs are in count.md, select.md and quantiles.md; ``tests/gate/test_sensitivity.py`` attacks
every row on neighbouring tables.
"""

from __future__ import annotations

from fractions import Fraction

from understudy.schema.neighbours import Neighbours


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
