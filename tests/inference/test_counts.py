"""Counts read off noisy marginals: unbiased, with intervals that cover the real count."""

from __future__ import annotations

import numpy as np
import pytest

from understudy.errors import UsageError
from understudy.inference.counts import average, count
from understudy.inference.estimate import Estimate
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Ordinal
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema

SCHEMA = Schema(
    name="toy",
    columns={
        "grade": Ordinal(name="grade", levels=("low", "middle", "high")),
        "ill": Boolean(name="ill"),
    },
)
DOMAIN = domain_of(SCHEMA)
PAIR = Noisy(("ill", "grade"), np.array([[1, 2, 3], [10, 20, 30]]), stddev=2.0)
ONE = Noisy(("grade",), np.array([100, 200, 300]), stddev=1.0)


def test_sums_the_chosen_cells_and_their_variances() -> None:
    found = count([PAIR], DOMAIN, {"ill": [1], "grade": [0, 2]})
    assert found.value == 40
    assert found.stddev == pytest.approx(2.0 * np.sqrt(2))


def test_columns_not_named_are_summed_out() -> None:
    found = count([PAIR], DOMAIN, {"grade": {1}})
    assert found.value == 22
    assert found.stddev == pytest.approx(2.0 * np.sqrt(2))


def test_every_marginal_that_knows_the_answer_is_used_by_its_precision() -> None:
    # variances: 2 cells of variance 4 against one of variance 1, so weights 1/8 and 1
    found = count([PAIR, ONE], DOMAIN, {"grade": [1]})
    assert found.value == pytest.approx((22 / 8 + 200) / (1 / 8 + 1))
    assert found.stddev == pytest.approx((1 / 8 + 1) ** -0.5)


def test_naming_a_cell_twice_counts_it_once() -> None:
    assert count([ONE], DOMAIN, {"grade": [1, 1]}).value == 200


@pytest.mark.parametrize("cells", [[], [3], [-1]])
def test_cells_outside_the_domain_are_refused(cells: list[int]) -> None:
    with pytest.raises(UsageError, match="numbers from 0 to 2"):
        count([ONE], DOMAIN, {"grade": cells})


def test_a_question_that_nothing_measured_is_refused() -> None:
    with pytest.raises(UsageError, match="no released marginal holds these cells of 'ill'"):
        count([ONE], DOMAIN, {"ill": [1]})


def test_intervals_cover_at_their_level() -> None:
    rng = np.random.default_rng(5)
    runs, hits = 4000, 0
    for noise in rng.normal(0, 3.0, size=(runs, 2)):
        low, high = average([Estimate(50 + noise[0], 3.0), Estimate(50 + noise[1], 3.0)]).interval(
            0.9
        )
        hits += low <= 50 <= high
    # binomial(4000, 0.9): standard deviation 19; five of them is a false alarm below 1e-6
    assert abs(hits - 3600) < 5 * 19


@pytest.mark.parametrize(("value", "stddev"), [(np.nan, 1.0), (0.0, -1.0), (0.0, np.inf)])
def test_an_estimate_checks_itself(value: float, stddev: float) -> None:
    with pytest.raises(UsageError):
        Estimate(value, stddev)


@pytest.mark.parametrize("level", [0.0, 1.0, 2.0])
def test_a_level_must_be_a_proper_share(level: float) -> None:
    with pytest.raises(UsageError):
        Estimate(0.0, 1.0).interval(level)


@pytest.mark.parametrize("stddev", [0.0, 1e-217])
def test_noise_that_is_next_to_nothing_is_no_division_by_zero(stddev: float) -> None:
    found = average([Estimate(7.0, stddev), Estimate(100.0, 1.0)])
    assert found.value == pytest.approx(7.0)
    assert found.stddev < 1e-90
