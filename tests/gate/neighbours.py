"""Random pairs of neighbouring contingency tables, for attacks on declared sensitivities."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from understudy.schema.neighbours import Neighbours

Pair = tuple[np.ndarray, np.ndarray]


@st.composite
def neighbouring_tables(
    draw: st.DrawFn, shape: tuple[int, ...], *, most: int = 4
) -> tuple[Neighbours, int, Pair]:
    """A relation, a contribution c and the exact tables of two neighbours of this shape."""
    cells = int(np.prod(shape))
    relation, c = draw(st.sampled_from(list(Neighbours))), draw(st.integers(1, most))
    rows_of_unit = st.lists(st.integers(0, cells - 1), max_size=c)
    others = np.array(draw(st.lists(st.integers(0, 6), min_size=cells, max_size=cells)))
    added = np.bincount(draw(rows_of_unit), minlength=cells)
    removed = np.bincount(draw(rows_of_unit), minlength=cells)
    if relation is Neighbours.ADD_REMOVE:
        removed = np.zeros_like(removed)
    return relation, c, ((others + added).reshape(shape), (others + removed).reshape(shape))
