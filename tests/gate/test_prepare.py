"""Buying the domain: what is bought, for exactly how much, and the public rules after it."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.noise_sources import KeyedNoise, SeededNoise
from tests.tables import Purse, Row, SealedBackend, TinyBackend, cells, purse_for, schema_of
from understudy.errors import UsageError
from understudy.gate.prepare import (
    DEEPEST_TAIL,
    MOST_LEAN,
    SHALLOWEST_TAIL,
    _lean,
    _scale,
    _tail,
    _widen,
    prepare,
)
from understudy.gate.private_table import PrivateTable
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Column, Integer, Real
from understudy.schema.domain import Axis, BinAxis, Domain, LevelAxis
from understudy.schema.schema import Schema

CITY = Category(name="city", levels="discover", missing=("",))
WHOLE, REAL = Integer(name="i", missing=("?",)), Real(name="r")


def bought(
    schema: Schema, rows: list[Row], budget: Budget | None, noise: object = None
) -> tuple[Domain, Purse]:
    purse = purse_for(schema, budget or PureDP(1))
    noise = noise or SeededNoise(7)
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=noise)  # type: ignore[arg-type]
    return prepare(schema, table, budget), purse


def bins(axis: Axis) -> BinAxis:
    assert isinstance(axis, BinAxis)
    return axis


def levels(axis: Axis) -> tuple[str, ...]:
    assert isinstance(axis, LevelAxis)
    return axis.levels


def test_nothing_open_costs_nothing_and_reads_nothing() -> None:
    schema = schema_of(cells("a", 3))
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, []), purse)
    assert prepare(schema, table, None) == domain_of(schema)
    with pytest.raises(UsageError, match="nothing to buy"):
        prepare(schema, table, PureDP(1))
    assert not purse.charges


@pytest.mark.parametrize(
    ("columns", "budget", "message"),
    [
        ((CITY, REAL), None, "leaves 'city', 'r' open"),
        ((CITY,), PureDP(1), "only with a delta"),
        ((CITY, REAL), ApproxDP(1, "1e-6"), "only with a delta"),
        ((CITY,), ZCDP(1), "delta"),
        ((REAL,), ZCDP(1, "1e-6"), "without delta"),
        ((REAL,), ApproxDP(1, "1e-6"), "not epsilon"),
        ((REAL,), PureDP(0), "above 0"),
        ((REAL,), PureDP("1e-30"), "too small"),
    ],
)
def test_budgets_that_cannot_buy_the_domain_are_refused_before_anything_is_read(
    columns: tuple[Column, ...], budget: Budget | None, message: str
) -> None:
    for rows in (None, 0):
        schema = schema_of(*columns, rows=rows)
        purse = purse_for(schema, budget or PureDP(1))
        with pytest.raises(UsageError, match=message):
            prepare(schema, PrivateTable(SealedBackend(schema, []), purse), budget)
        assert not purse.charges


SPENDING = [
    # open columns, public size, budget, verbs, costs
    ((CITY,), None, ZCDP(1, "1e-6"), ["discover"], [ZCDP(1, "1e-6")]),
    (
        (CITY, REAL),
        None,
        ZCDP(1, "1e-6"),
        ["discover", "count", "quantiles"],
        [ZCDP("1/2", "1e-6"), ZCDP("1/12"), ZCDP("5/12")],
    ),
    (
        (WHOLE, REAL),
        None,
        PureDP(1),
        ["count", "quantiles", "quantiles"],
        [PureDP("1/11"), PureDP("5/11"), PureDP("5/11")],
    ),
    ((WHOLE, REAL), 3, PureDP(1), ["quantiles", "quantiles"], [PureDP("1/2"), PureDP("1/2")]),
    ((REAL,), 3, ZCDP("1/7"), ["quantiles"], [ZCDP("1/7")]),
]


@pytest.mark.parametrize(("columns", "rows", "budget", "verbs", "costs"), SPENDING)
def test_what_is_bought_costs_exactly_the_budget(
    columns: tuple[Column, ...],
    rows: int | None,
    budget: Budget,
    verbs: list[str],
    costs: list[Budget],
) -> None:
    schema = schema_of(cells("closed", 2), *columns, rows=rows)
    row = ("0", *("1" for _ in columns))
    domain, purse = bought(schema, [row] * 3, budget)
    assert [charge.verb for charge in purse.charges] == verbs
    assert [charge.cost for charge in purse.charges] == costs
    assert purse.spent == budget
    assert domain.columns == ("closed", *(column.name for column in columns))


@pytest.mark.parametrize("side", ["min", "max"])
def test_a_declared_side_is_kept_and_only_the_other_is_bought(side: str) -> None:
    schema = schema_of(Integer(name="i", **{side: 7}), rows=200)
    domain, purse = bought(schema, [(str(i),) for i in range(200)], PureDP(40))
    edges = bins(domain.axes["i"]).edges
    assert (edges[0] if side == "min" else edges[-1] - 1) == 7
    assert len(purse.charges[0].detail["probabilities"]) == 1


@pytest.mark.parametrize("low", [10**10, -(10**10), 999_999_999])
def test_a_declared_side_beyond_the_grid_is_kept_too(low: int) -> None:
    schema = schema_of(Integer(name="i", min=low), rows=9)
    domain, _ = bought(schema, [(str(low + 5),)] * 9, PureDP(40))
    edges = bins(domain.axes["i"]).edges
    assert edges[0] == low
    assert edges[-1] > low


def test_the_largest_declared_side_on_a_log_scale_does_not_overflow() -> None:
    schema = schema_of(Real(name="r", min=1e300, scale="log"), rows=9)
    domain, _ = bought(schema, [("5",)] * 9, PureDP(1))
    assert bins(domain.axes["r"]).edges[0] == 1e300


def test_bounds_reach_beyond_the_data_but_not_absurdly() -> None:
    rng = np.random.default_rng(3)
    rows: list[Row] = [(repr(float(x)),) for x in rng.normal(500.0, 100.0, 4000)]
    for size in (None, 4000):
        domain, _ = bought(schema_of(REAL, rows=size), rows, PureDP(2))
        edges = bins(domain.axes["r"]).edges
        assert -500.0 < edges[0] <= 210.0
        assert 790.0 <= edges[-1] < 2500.0


@pytest.mark.parametrize(
    ("middle", "spread", "most"),
    [(2.0, 3.0, 0.02), (-1.5, 2.3, 0.02), (1000.0, 1.0, 0.05), (-0.02, 0.001, 0.05)],
)
@pytest.mark.parametrize("kind", [PureDP, ZCDP])
def test_noise_seldom_takes_a_bound_far_outside(
    kind: type[Budget], middle: float, spread: float, most: float
) -> None:
    """Also where no point of the public grid lies near the wanted tail."""
    rng = np.random.default_rng(4)
    values = rng.normal(middle, spread, 5000)
    rows: list[Row] = [(repr(float(x)),) for x in values]
    schema = schema_of(REAL, rows=len(rows))
    backend = TinyBackend(schema, rows)
    budget = kind("0.4") if kind is PureDP else kind("0.02")
    wide = 0
    for seed in range(200):
        table = PrivateTable(backend, purse_for(schema, budget), noise=SeededNoise(seed))  # type: ignore[arg-type]
        edges = bins(prepare(schema, table, budget).axes["r"]).edges
        wide += max(-edges[0], edges[-1]) > 20 * np.abs(values).max()
    assert wide <= most * 200


@pytest.mark.parametrize("sign", [1, -1])
def test_a_column_far_from_zero_keeps_both_its_ends(sign: int) -> None:
    """Incomes between about 700 and 700,000: neither end is drawn to zero or across it.

    A point below all 2,000 values is as good as its tail's ranks say, one chance in a thousand; of
    60 runs, more than 5 such would come less often than once in 10^9.
    """
    values = sign * np.exp(np.random.default_rng(4).normal(10, 1, 2000))
    schema = schema_of(Real(name="r", scale="log"))
    backend = TinyBackend(schema, [(repr(float(x)),) for x in values])
    budget, astray = ZCDP("0.0033"), 0
    for seed in range(60):
        table = PrivateTable(backend, purse_for(schema, budget), noise=SeededNoise(seed))  # type: ignore[arg-type]
        edges = sign * np.array(bins(prepare(schema, table, budget).axes["r"]).edges)
        astray += not (edges.min() > 100 and edges.max() < 5_000_000)
    assert astray <= 5


def test_leaning_costs_less_than_the_ranks_between_the_tails() -> None:
    for size in (0, 1, 10, 1000, 10**6):
        for budget in (PureDP("1/100"), PureDP(1), ZCDP("1/10")):
            tail = _tail(budget, 195, max(size, 1), 1)
            lean = _lean(budget, 195, max(size, 1), 1, tail)
            assert 0 <= lean <= MOST_LEAN
            ranks = (1 - 2 * tail) * max(size, 1) / Fraction(_scale(budget, 1))
            assert lean * 195 <= ranks * Fraction(101, 100) + Fraction(195, 2000)
    assert _lean(PureDP(1), 195, 10**6, 1, DEEPEST_TAIL) == MOST_LEAN


def test_levels_are_bought_with_the_whole_delta_and_missing_is_no_level() -> None:
    schema = schema_of(CITY)
    rows: list[Row] = [("Ulm",)] * 80 + [("Bonn",)] * 90 + [("",)] * 90 + [("Hof",)]
    domain, _ = bought(schema, rows, ZCDP(2, "1e-6"))
    assert levels(domain.axes["city"]) == ("Bonn", "Ulm", "OTHER")
    assert domain.axes["city"].nullable


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("budget", [PureDP("1/100"), ZCDP("1/100")])
def test_empty_and_tiny_tables_have_bounds(rows: int, budget: Budget) -> None:
    for size in (None, rows):
        for seed in range(8):
            schema = schema_of(WHOLE, REAL, rows=size)
            domain, purse = bought(schema, [("3", "?")] * rows, budget, SeededNoise(seed))
            assert purse.spent == budget
            for name in ("i", "r"):
                edges = bins(domain.axes[name]).edges
                assert len(edges) >= 2
                assert np.isfinite(edges).all()


def test_the_size_is_bought_with_all_rows_in_it() -> None:
    """Every row has a cell in the coarse marginal, missing and unreadable ones too."""
    schema = schema_of(WHOLE)
    rows: list[Row] = [("?",), ("x",), ("-9999999",), ("10000000000000",), (None,)]
    purse = purse_for(schema, PureDP(1))
    seen: list[int] = []

    class Exactly(KeyedNoise):
        def laplace(self, values: np.ndarray, *, scale: float) -> np.ndarray:
            seen.append(int(values.sum()))
            return values

    prepare(schema, PrivateTable(TinyBackend(schema, rows), purse, noise=Exactly()), PureDP(1))
    assert seen == [5]


@given(
    st.floats(-1e300, 1e300) | st.floats(-10, 10),
    st.floats(-1e300, 1e300) | st.floats(-10, 10),
    st.fractions(DEEPEST_TAIL, SHALLOWEST_TAIL),
    st.booleans(),
)
def test_the_public_rule_of_widening(a: float, b: float, tail: Fraction, log_scale: bool) -> None:
    low, high = min(a, b), max(a, b)
    wide_low, wide_high = _widen(a, b, tail, log_scale=log_scale)
    assert wide_low <= low + 1e-12 * abs(low)
    assert high - 1e-12 * abs(high) <= wide_high
    assert -np.inf < wide_low <= wide_high < np.inf
    assert wide_low < wide_high or abs(low) > 2**52
    if low >= 0:
        assert wide_low >= 0, "what was never negative must not become negative"
    if high <= 0 and low < high:
        assert wide_high <= 0


@pytest.mark.parametrize("log_scale", [False, True])
def test_widening_reaches_three_standard_deviations_of_a_normal_column(log_scale: bool) -> None:
    there, back = (np.arcsinh, np.sinh) if log_scale else (float, float)
    middle, spread = there(100.0), there(101.0) - there(100.0)
    for tail in (Fraction(1, 200), Fraction(1, 20), Fraction(1, 4)):
        found = NormalDist(middle, spread).inv_cdf(float(tail))
        low, high = _widen(
            float(back(found)), float(back(2 * middle - found)), tail, log_scale=log_scale
        )
        assert low == pytest.approx(float(back(middle - 3 * spread)))
        assert high == pytest.approx(float(back(middle + 3 * spread)))


@pytest.mark.parametrize("kind", [PureDP, ZCDP])
def test_tails_are_as_deep_as_the_noise_allows(kind: type[Budget]) -> None:
    tails = [_tail(kind(1), 100, size, 1) for size in (1, 100, 1000, 10**4, 10**6)]
    assert tails == sorted(tails, reverse=True)
    assert tails[0] == SHALLOWEST_TAIL
    assert tails[-1] == DEEPEST_TAIL
    assert _tail(kind(1), 100, 1000, 5) > _tail(kind(1), 100, 1000, 1)
