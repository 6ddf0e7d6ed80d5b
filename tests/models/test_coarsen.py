"""Groups of cells: as fine as noise allows, and the cells themselves where all stand alone."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.models.coarsen import groups_of


def by_size(*counts: float) -> tuple[int, ...]:
    return groups_of(np.array(counts), stddev=1.0, pair_stddev=1.0, groups=9, ordered=False)


@pytest.mark.parametrize("rare", [0, 1, 2])
def test_a_single_rare_level_stays_in_its_place(rare: int) -> None:
    """A domain without groups knows no other order of a column's cells than their own."""
    counts = [100.0] * 3
    counts[rare] = 1.0
    assert by_size(*counts) == (0, 1, 2)


def test_rare_levels_are_put_together() -> None:
    assert by_size(1, 100, 2, 100) == (2, 0, 2, 1)
    assert by_size(1, 2) == (0, 0)
    assert by_size(100, 100) == (0, 1)
