"""The size that the public may know: declared, or estimated from paid marginals only."""

from __future__ import annotations

import numpy as np
import pytest

from tests.noise_sources import SeededNoise
from tests.tables import cells, schema_of
from understudy.models.size import size_of
from understudy.schema.measurement import Noisy

SCHEMA = schema_of(cells("a", 2), cells("b", 3))


def noisy(*values: int, stddev: float) -> Noisy:
    return Noisy(("a",), np.array(values, dtype=np.int64), stddev)


def test_a_declared_size_is_the_size_whatever_the_noise_says() -> None:
    schema = schema_of(cells("a", 2), rows=17)
    assert size_of(schema, [noisy(900, 900, stddev=1.0)]) == 17.0
    assert size_of(schema_of(cells("a", 2), rows=0), []) == 0.0


def test_sums_are_weighted_by_the_inverse_of_their_variances() -> None:
    """Two cells of variance 4 against three of variance 1: weights 1/8 and 1/3."""
    measured = [noisy(10, 20, stddev=2.0), noisy(10, 10, 20, stddev=1.0)]
    assert size_of(SCHEMA, measured) == pytest.approx((30 / 8 + 40 / 3) / (1 / 8 + 1 / 3))


def test_a_size_is_never_negative() -> None:
    assert size_of(SCHEMA, [noisy(-5, 3, stddev=1.0)]) == 0.0


def test_noise_that_cannot_be_seen_does_not_divide_by_zero() -> None:
    measured = [noisy(10, 20, stddev=0.0), noisy(900, 900, stddev=5.0)]
    assert size_of(SCHEMA, measured) == pytest.approx(30.0)
    assert size_of(SCHEMA, [noisy(10, 20, stddev=0.0)] * 2) == 30.0
    assert size_of(SCHEMA, [noisy(10, 20, stddev=1e-200)]) == pytest.approx(30.0)


def test_numbers_at_the_end_of_their_range_do_not_wrap_round() -> None:
    top = 2**63 - 1
    assert size_of(SCHEMA, [noisy(top, top, stddev=1e15)]) == pytest.approx(2.0 * top)


def test_the_estimate_is_unbiased_and_better_than_its_parts() -> None:
    """2,000 repetitions; each mean is off by 6 standard errors with probability 2e-9."""
    source, truth = SeededNoise(11), np.array([400, 600])
    estimates, alone = [], []
    for _ in range(2000):
        one = Noisy(("a",), source.gaussian(truth, scale=30.0), 30.0)
        two = Noisy(("b",), source.gaussian(np.array([100, 200, 700]), scale=40.0), 40.0)
        estimates.append(size_of(SCHEMA, [one, two]))
        alone.append(float(one.values.sum()))
    spread = np.std(estimates)
    assert abs(np.mean(estimates) - 1000) < 6 * spread / np.sqrt(2000)
    assert spread == pytest.approx((1 / (2 * 900) + 1 / (3 * 1600)) ** -0.5, rel=0.15)
    assert spread < np.std(alone)
