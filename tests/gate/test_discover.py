"""The discover verb: the tail bound against exact sums, and exact laws with lonely levels."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.noise_sources import (
    KeyedNoise,
    discrete_gaussian_tail,
    distribution,
    hockey_stick,
    renyi,
)
from tests.tables import SealedBackend, TinyBackend, cells, numbers, purse_for, tiny_schema
from understudy.errors import UsageError
from understudy.gate.discover import Threshold, tail, threshold_for
from understudy.gate.noise import OpenDPNoise
from understudy.gate.private_table import PrivateTable
from understudy.gate.sensitive import Sensitive
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.columns import Category
from understudy.schema.neighbours import Neighbours

RHO, DELTA = Fraction(1, 2), Fraction(1, 10)
OPEN = Category(name="city", levels="discover", missing=("",))


@given(st.floats(0.05, 200.0), st.integers(1, 40))
def test_the_tail_is_never_heavier_than_promised(scale: float, digits: int) -> None:
    probability = Fraction(1, 10**digits)
    t = tail(scale, probability)
    assert t >= 1
    assert discrete_gaussian_tail(t, scale) <= float(probability)


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0, 70.0])
@pytest.mark.parametrize("digits", [1, 3, 6, 12])
def test_the_threshold_is_at_most_one_above_the_least(scale: float, digits: int) -> None:
    """The bound's only loss is the step from t - 1 to t."""
    t = tail(scale, Fraction(1, 10**digits))
    assert t <= 2 or discrete_gaussian_tail(t - 2, scale) > 10.0**-digits


@pytest.mark.parametrize("power", [291, 320, 324, 400, None])
def test_a_delta_that_floats_cannot_hold_well_is_refused(power: int | None) -> None:
    """Below 1e-308 a float may be half as large again as what it stands for."""
    probability = Fraction(0) if power is None else Fraction(1, 10**power)
    with pytest.raises(UsageError, match="too small"):
        tail(1.0, probability)


@pytest.mark.parametrize(
    ("relation", "c", "scale"),
    [
        (Neighbours.ADD_REMOVE, 1, 1.0),
        (Neighbours.REPLACE_ONE, 1, math.sqrt(2.0)),
        (Neighbours.ADD_REMOVE, 3, 3.0),
        (Neighbours.REPLACE_ONE, 3, math.sqrt(18.0)),
    ],
)
def test_thresholds_by_hand(relation: Neighbours, c: int, scale: float) -> None:
    threshold = threshold_for(ZCDP(RHO, DELTA), relation, contribution=c)
    assert threshold.scale == pytest.approx(scale, rel=1e-12)
    assert threshold.scale**2 >= scale**2
    t = threshold.least - c
    assert discrete_gaussian_tail(t, threshold.scale) <= float(DELTA) / c
    assert t == tail(threshold.scale, DELTA / c)


@pytest.mark.parametrize("spend", [PureDP(1), ZCDP(1)])
def test_without_a_delta_nothing_is_discovered_and_nothing_read(spend: Budget) -> None:
    schema = tiny_schema(Neighbours.ADD_REMOVE, OPEN, contribution=1)
    purse = purse_for(schema, spend)
    table = PrivateTable(SealedBackend(schema, []), purse)
    with pytest.raises(UsageError, match="delta"):
        table.discover(["city"], spend=spend)
    assert not purse.charges


def test_levels_are_kept_at_the_threshold_and_leave_sorted_without_counts() -> None:
    threshold = Threshold(scale=2.0**-20, least=5)
    counts = {"z": 5, "a": 900, "m": 4, "b": 6}
    assert threshold.keep(Sensitive(counts), KeyedNoise()) == ("a", "b", "z")
    assert threshold.keep(Sensitive({}), KeyedNoise()) == ()


Texts = tuple[str, ...]


def kept_law(rows: Texts, relation: Neighbours, c: int, spend: ZCDP) -> dict[Texts, float]:
    """The exact law of what is discovered; only on which side of the threshold counts fall."""
    schema = tiny_schema(relation, OPEN, contribution=c, rows=len(rows))
    backend = TinyBackend(schema, [(text,) for text in rows])
    least = threshold_for(spend, relation, contribution=c).least

    def run(noise: object) -> Texts:
        table = PrivateTable(backend, purse_for(schema, spend), noise=noise)  # type: ignore[arg-type]
        return table.discover(["city"], spend=spend)["city"]

    return distribution(run, window=(least - 1, least))


def lonely(rows: Texts, other: Texts) -> set[str]:
    return set(rows) - set(other) - {""}


def pairs(relation: Neighbours, c: int) -> list[tuple[Texts, Texts]]:
    """Neighbours whose units hold common, lonely and missing values."""
    everything = ("common", "first", "second", "third", "")
    units = [u for size in range(1, c + 1) for u in combinations_with_replacement(everything, size)]
    bases = [("common",) * n + ("rare",) for n in (0, 2, 6)]
    if relation is Neighbours.ADD_REMOVE:
        return [(base, base + unit) for base in bases for unit in units]
    small = [u for u in units if len(u) == c]
    return [(b + one, b + two) for b in bases for one in small[::2] for two in small[1::3]]


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_exact_law_is_approximately_concentrated(relation: Neighbours, c: int) -> None:
    rho, delta = 0.02, 0.1
    spend, most_shown = ZCDP("1/50", "1/10"), 0.0
    for one, two in pairs(relation, c):
        laws = [kept_law(rows, relation, c, spend) for rows in (one, two)]
        quiet = []
        for law, alone in zip(laws, (lonely(one, two), lonely(two, one)), strict=True):
            hidden = {kept: mass for kept, mass in law.items() if not alone & set(kept)}
            mass = math.fsum(hidden.values())
            most_shown = max(most_shown, 1.0 - mass)
            assert 1.0 - mass <= delta
            quiet.append({kept: part / mass for kept, part in hidden.items()})
        for alpha in (1.1, 2.0, 8.0):
            assert renyi(quiet[0], quiet[1], alpha) <= rho * alpha + 1e-9
            assert renyi(quiet[1], quiet[0], alpha) <= rho * alpha + 1e-9
        for epsilon in (0.5, 1.0, 2.0, 4.0):
            # Bun and Steinke (2016), lemma 3.5: the delta of rho-zCDP at this epsilon.
            tail_delta = math.exp(-(max(epsilon - rho, 0.0) ** 2) / (4 * rho))
            assert hockey_stick(laws[0], laws[1], epsilon) <= delta + tail_delta
            assert hockey_stick(laws[1], laws[0], epsilon) <= delta + tail_delta
    if c == 1:
        assert most_shown >= 0.3 * delta, "the threshold is needlessly high"


def test_a_threshold_for_one_row_would_betray_a_person_with_five() -> None:
    """The errata's example: with t from delta but without c the true delta is far too large."""
    spend, c = ZCDP(RHO, Fraction(1, 10**4)), 5
    right = threshold_for(spend, Neighbours.ADD_REMOVE, contribution=c)
    wrong = 1 + tail(right.scale, spend.delta)
    assert discrete_gaussian_tail(wrong - c, right.scale) > 5 * float(spend.delta)
    assert discrete_gaussian_tail(right.least - c, right.scale) <= float(spend.delta) / c


def test_several_columns_share_the_budget() -> None:
    columns = [OPEN, Category(name="job", levels="discover")]
    schema = tiny_schema(Neighbours.ADD_REMOVE, *columns, contribution=1)
    spend = ZCDP(1, "1e-4")
    rows = [("x", "baker")] * 60 + [("", "smith")] * 60 + [("y", "x")]
    purse = purse_for(schema, spend)
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=KeyedNoise())
    found = table.discover(["job", "city"], spend=spend)
    assert found == {"job": ("baker", "smith"), "city": ("x",)}
    assert list(found) == ["job", "city"]
    assert purse.spent == spend
    each = threshold_for(ZCDP("1/2", "1/20000"), Neighbours.ADD_REMOVE, contribution=1)
    assert purse.charges[0].detail == {"columns": ["job", "city"], "least": each.least}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "one or more different"),
        (["city", "city"], "one or more different"),
        (["age"], "category columns; 'age' is none"),
        (["nowhere"], "'nowhere' is none"),
    ],
)
def test_only_category_columns_have_levels_to_discover(columns: list[str], message: str) -> None:
    schema = tiny_schema(Neighbours.ADD_REMOVE, OPEN, numbers("age", 0, 9), contribution=1)
    purse = purse_for(schema, ZCDP(1, "1e-6"))
    with pytest.raises(UsageError, match=message):
        PrivateTable(SealedBackend(schema, []), purse).discover(columns, spend=purse.budget)
    assert not purse.charges


def test_declared_levels_may_be_looked_for_too() -> None:
    schema = tiny_schema(Neighbours.ADD_REMOVE, cells("a", 3), contribution=1)
    spend = ZCDP(8, "1e-3")
    backend = TinyBackend(schema, [("1",)] * 40 + [("elsewhere",)] * 40 + [("2",)])
    table = PrivateTable(backend, purse_for(schema, spend), noise=KeyedNoise())
    assert table.discover(["a"], spend=spend) == {"a": ("1", "elsewhere")}


def test_the_counts_really_get_noise() -> None:
    """A level far below the threshold's middle is kept now and then, one far above lost."""
    spend = ZCDP("1/1000", "1/20")
    least = threshold_for(spend, Neighbours.ADD_REMOVE, contribution=1).least
    counts = Sensitive({f"level {i}": least for i in range(60)})
    threshold = threshold_for(spend, Neighbours.ADD_REMOVE, contribution=1)
    kept = len(threshold.keep(counts, OpenDPNoise()))
    assert 0 < kept < 60  # either end has a probability below 2^-58
    assert np.sqrt(500) == pytest.approx(threshold.scale, rel=1e-9)
