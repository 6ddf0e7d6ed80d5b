"""The number of rows from noisy marginals: by precision, never below zero, public if declared."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.models.size import size_of
from understudy.schema.columns import Boolean
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema


def schema(rows: int | None = None) -> Schema:
    return Schema(name="t", columns={"a": Boolean(name="a")}, rows=rows)


def noisy(*values: int, stddev: float) -> Noisy:
    return Noisy(("a",), np.array(values), stddev)


def test_sums_are_weighted_by_their_precision() -> None:
    # variances of the sums: 2 * 1 and 1 * 4, so weights 2 to 1
    found = size_of(schema(), [noisy(4, 6, stddev=1.0), noisy(40, stddev=2.0)])
    assert found == pytest.approx((2 * 10 + 40) / 3)


def test_a_public_size_needs_no_estimate() -> None:
    assert size_of(schema(7), []) == 7.0


def test_no_table_has_fewer_rows_than_none() -> None:
    assert size_of(schema(), [noisy(-9, 3, stddev=1.0)]) == 0.0


@pytest.mark.parametrize("stddev", [0.0, 1e-217])
def test_noise_that_is_next_to_nothing_is_no_division_by_zero(stddev: float) -> None:
    found = size_of(schema(), [noisy(4, 6, stddev=stddev), noisy(90, 10, stddev=1.0)])
    assert found == pytest.approx(10.0)
