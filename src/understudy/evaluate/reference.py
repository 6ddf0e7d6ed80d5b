"""What every figure stands beside: how good it can be, and how bad without any method at all.

Ceiling: a bootstrap of the real rows, as many as the synthetic table has. No synthetic table of
that size is expected to be closer. Floor: every column right, nothing between the columns.
"""

from __future__ import annotations

import numpy as np

from understudy.evaluate.grid import Sample


def bootstrap(real: Sample, *, rows: int, rng: np.random.Generator) -> Sample:
    """``rows`` real rows, drawn with replacement."""
    return real.take(rng.integers(0, real.rows, rows))


def independent(real: Sample, *, rows: int, rng: np.random.Generator) -> Sample:
    """Each column shuffled on its own; repeated or cut to ``rows`` rows."""
    codes = {
        name: np.resize(column[rng.permutation(real.rows)], rows)
        for name, column in sorted(real.codes.items())
    }
    return Sample(real.grid, codes, rows)
