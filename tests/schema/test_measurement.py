from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from understudy.schema.measurement import Noisy


def test_a_noisy_marginal_is_three_facts_that_stay():
    noisy = Noisy(("a", "b"), np.array([[1, -2]]), 0.5)
    assert (noisy.columns, noisy.stddev, noisy.values.tolist()) == (("a", "b"), 0.5, [[1, -2]])
    with pytest.raises(FrozenInstanceError):
        noisy.stddev = 0.0
