"""The quantiles verb: grids, scores by hand, refusals, and points that are where they should be."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.noise_sources import KeyedNoise, SeededNoise
from tests.tables import SealedBackend, TinyBackend, cells, numbers, purse_for, schema_of
from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.gate.quantiles import (
    FINEST,
    check_probability,
    grid_domain,
    leaning,
    log_grid,
    rank_scores,
)
from understudy.gate.scale import LARGEST_SCALE
from understudy.gate.sensitive import Sensitive
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.columns import Integer, Real
from understudy.schema.domain import BinAxis


def test_the_public_grid_covers_all_units_symmetrically() -> None:
    grid = log_grid()
    assert list(grid) == sorted(set(grid))
    assert list(grid) == [-x for x in reversed(grid)]
    assert grid[-1] == 1e9
    assert min(x for x in grid if x > 0) == pytest.approx(1e-3)
    assert {0.0, 1.0, 10.0, 1e6} <= {round(x, 9) for x in grid}
    steps = np.diff(np.log10([x for x in grid if x > 0]))
    assert np.allclose(steps, 1 / 8)


@pytest.mark.parametrize("probability", [0, 1, -1, 2])
def test_probabilities_outside_are_refused(probability: int) -> None:
    with pytest.raises(UsageError, match="strictly between"):
        check_probability(Fraction(probability))


def test_probabilities_keep_ranks_in_64_bits_and_stay_inside() -> None:
    assert check_probability(Fraction(1, 3)) == Fraction(1, 3)
    assert check_probability(Fraction(1, 10**9)) == FINEST
    assert check_probability(1 - Fraction(1, 10**9)) == 1 - FINEST
    awkward = check_probability(Fraction(123456789, 987654321))
    assert awkward.denominator <= 10**6
    assert abs(awkward - Fraction(123456789, 987654321)) < FINEST


def test_scores_by_hand() -> None:
    axis = BinAxis(nullable=True, edges=(0.0, 1.0, 2.0, 3.0), whole=True)
    sealed = Sensitive(np.array([5, 1, 4, 100]))  # the last cell is "missing" and does not count
    assert rank_scores(sealed, axis, Fraction(1, 2)).tolist() == [0, -2]
    assert rank_scores(sealed, axis, Fraction(9, 10)).tolist() == [-40, -30]
    assert rank_scores(sealed, axis, Fraction(1, 4)).tolist() == [-(3 * 5 - 5), -(3 * 6 - 4)]


def test_leaning_by_hand() -> None:
    axis = BinAxis(nullable=True, edges=(-9.0, -2.0, -1.0, 0.5, 3.0, 7.0, 9.0), whole=False)
    half = Fraction(1, 2)
    assert leaning(axis, 2.5, half, half).tolist() == [4, 2, 0, 2, 4]
    assert leaning(axis, 2.5, half, Fraction(51, 100)).tolist() == [0, 0, 0, 2, 4]
    assert leaning(axis, 2.5, half, Fraction(49, 100)).tolist() == [4, 2, 0, 0, 0]
    assert leaning(axis, 2.5, Fraction(0), half).tolist() == [0] * 5
    assert leaning(axis, 2.0**-20, Fraction(1, 3), half).tolist() == [2, 1, 0, 1, 2]


def test_leaning_never_leaves_64_bits() -> None:
    axis = BinAxis(nullable=False, edges=tuple(map(float, range(10**4))), whole=True)
    lost = leaning(axis, LARGEST_SCALE, Fraction(1), Fraction(9, 10))
    assert lost.min() == 0
    assert 2**60 < lost.max() <= 2**61
    assert (np.diff(lost) >= 0).all()


@pytest.mark.parametrize("lean", [-0.1, 1.1, "2"])
def test_a_lean_is_a_share_of_a_scale(lean: object) -> None:
    with pytest.raises(UsageError, match="'lean'"):
        ask(lean=lean)


def test_the_largest_tables_do_not_overflow() -> None:
    axis = BinAxis(nullable=False, edges=(0.0, 1.0, 2.0), whole=True)
    sealed = Sensitive(np.array([2**40, 0]))
    score = int(rank_scores(sealed, axis, FINEST)[0])
    assert score == -(10**6 - 1) * 2**40


def test_grids_are_sorted_and_whole_for_whole_columns() -> None:
    schema = schema_of(Integer(name="i"), Real(name="r"))
    assert grid_domain(schema, "i", (2.5, -0.5, 2.2, 7)).axes["i"] == BinAxis(
        nullable=False, edges=(0.0, 3.0, 7.0), whole=True
    )
    assert grid_domain(schema, "r", (2.5, -0.5, 2.5)).axes["r"] == BinAxis(
        nullable=False, edges=(-0.5, 2.5), whole=False
    )


def ask(noise: object = None, **changes: object) -> tuple[float, ...]:
    schema = schema_of(numbers("x", 0, 9), cells("a", 2))
    purse = purse_for(schema, PureDP(1))
    arguments = {"column": "x", "probabilities": [0.5], "grid": range(10), "spend": purse.budget}
    arguments |= changes
    try:
        return PrivateTable(SealedBackend(schema, []), purse).quantiles(**arguments)  # type: ignore[arg-type]
    finally:
        assert not purse.charges


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"column": "a"}, "'a' is none"),
        ({"column": "nowhere"}, "'nowhere' is none"),
        ({"probabilities": []}, "at least one quantile"),
        ({"probabilities": [0.5, 1.0]}, "strictly between"),
        ({"probabilities": ["half"]}, "number"),
        ({"grid": (1, 2)}, "between its ends"),
        ({"grid": (1, 1, 1)}, "two different finite points"),
        ({"grid": ()}, "two different finite points"),
        ({"grid": (0, 1, float("nan"))}, "two different finite points"),
        ({"grid": (0, 1, float("inf"))}, "two different finite points"),
        ({"spend": ZCDP("1/2", "1e-6")}, "without delta"),
        ({"spend": ApproxDP("1/2", "1e-6")}, "without delta"),
        ({"spend": PureDP("1e-30")}, "too small"),
        ({"spend": PureDP(0)}, "above 0"),
    ],
)
def test_mistakes_are_refused_before_anything_is_charged(
    changes: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        ask(**changes)


@pytest.mark.parametrize("budget", [PureDP(50), ZCDP(50)])
def test_a_large_budget_finds_the_quantiles(budget: Budget) -> None:
    schema = schema_of(numbers("x", 0, 200))
    rows = [(str(i),) for i in range(101)] + [("",)] * 7
    purse = purse_for(schema, budget)
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=SeededNoise(1))
    low, middle, high = table.quantiles(
        "x", probabilities=["1/10", 0.5, 0.9], grid=range(0, 201, 5), spend=budget
    )
    assert abs(low - 10) <= 10
    assert abs(middle - 50) <= 10
    assert abs(high - 90) <= 10
    assert purse.spent == budget
    assert purse.charges[0].detail == {
        "column": "x",
        "probabilities": ["1/10", "1/2", "9/10"],
        "grid": 41,
    }


def test_an_empty_table_has_quantiles_too() -> None:
    schema = schema_of(numbers("x", 0, 9))
    budget = ZCDP(1)
    table = PrivateTable(TinyBackend(schema, []), purse_for(schema, budget), noise=KeyedNoise())
    (point,) = table.quantiles("x", probabilities=[0.5], grid=range(10), spend=budget)
    assert point in range(1, 9)
