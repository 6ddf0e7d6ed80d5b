"""Drawn rows: exact laws of all neighbours, the least smoothing in exact fractions, the sampler."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gate.mechanisms import pairs_of_laws
from tests.gate.promises import TOLERANCE, share_used
from tests.noise_sources import EnumeratingNoise, ForbiddenNoise, distribution
from tests.tables import (
    SealedBackend,
    TinyBackend,
    cells,
    neighbouring,
    purse_for,
    schema_of,
    universe,
)
from understudy.errors import UsageError
from understudy.gate import draw as draw_module
from understudy.gate.draw import FINEST, drawing_for, least_smoothing, loss_per_row
from understudy.gate.noise import Noise, OpenDPNoise, SystemNoise
from understudy.gate.private_table import PrivateTable
from understudy.gate.sensitive import Sensitive
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
BUDGETS = (PureDP(Fraction(3, 2)), ZCDP(Fraction(2, 5)))


def three_rows(table: PrivateTable, budget: Budget) -> bytes:
    return table.draw(domain_of(table.schema), ("a",), rows=3, spend=budget).tobytes()


def two_rows_of_unequal_cells(table: PrivateTable, budget: Budget) -> bytes:
    volumes = np.array([1.0, 1.5, 3.0])
    domain = domain_of(table.schema)
    return table.draw(domain, ("a",), rows=2, volumes=volumes, spend=budget).tobytes()


def one_row_of_a_pair(table: PrivateTable, budget: Budget) -> bytes:
    return table.draw(domain_of(table.schema), ("b", "a"), rows=1, spend=budget).tobytes()


CASES = {
    "three rows": (three_rows, [cells("a", 2)], universe(2), 3),
    "unequal cells": (two_rows_of_unequal_cells, [cells("a", 3)], universe(3), 2),
    "a pair of columns": (one_row_of_a_pair, [cells("a", 2), cells("b", 2)], universe(2, 2), 1),
}


@pytest.mark.parametrize("contribution", [1, 2, 3])
@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_the_whole_verb_keeps_its_promise(
    name: str, budget: Budget, relation: Neighbours, contribution: int
) -> None:
    mechanism, columns, rows, others = CASES[name]
    pairs = pairs_of_laws(
        mechanism,
        columns,
        rows,
        budget,
        relation=relation,
        contribution=contribution,
        others=others if contribution < 3 else 1,
    )
    assert 0.1 < share_used(pairs, budget) <= 1 + TOLERANCE


def law(counts: tuple[int, ...], drawing: draw_module.Drawing) -> dict[tuple[int, ...], float]:
    sealed = Sensitive(np.array(counts, dtype=np.int64))
    return distribution(lambda noise: tuple(drawing.cells(sealed, noise).tolist()))


def used_by(budget: Budget, relation: Neighbours, c: int, *, thinner: Fraction | int = 1) -> float:
    """What drawing two rows of two cells costs, if the smoothing is made thinner by a factor."""
    drawing = drawing_for(budget, relation, contribution=c, rows=2, cells=2)
    weights = np.floor(drawing.cell_weights * float(thinner)).astype(np.int64)
    drawing = replace(drawing, cell_weights=weights)
    pairs = [
        tuple(law((table.count(("0",)), table.count(("1",)) + extra), drawing) for table in pair)
        for pair in neighbouring([("0",), ("1",)], relation, contribution=c, others=1)
        for extra in (0, 5000)
    ]
    return share_used(pairs, budget)


@pytest.mark.parametrize("c", [1, 2, 4])
@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_pure_bound_is_used_up_and_four_percent_less_smoothing_breaks_it(
    relation: Neighbours, c: int
) -> None:
    budget = PureDP(Fraction(3, 2))
    assert 0.99 < used_by(budget, relation, c) <= 1 + TOLERANCE
    assert used_by(budget, relation, c, thinner=Fraction(24, 25)) > 1 + TOLERANCE


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize(("relation", "least"), [(ADD_REMOVE, 0.7), (REPLACE_ONE, 0.9)])
def test_the_concentrated_bound_holds_and_is_not_wasted(
    relation: Neighbours, least: float, c: int
) -> None:
    for rho in (Fraction(1, 50), Fraction(1, 2)):
        assert least < used_by(ZCDP(rho), relation, c) <= 1 + TOLERANCE


def test_replacing_costs_twice_the_range_in_zcdp() -> None:
    """The price of ADD_REMOVE would be false under REPLACE_ONE."""
    rho = Fraction(1, 50)
    cheap = drawing_for(ZCDP(rho), ADD_REMOVE, contribution=1, rows=1, cells=2)
    pair = (law((1, 0), cheap), law((0, 1), cheap))
    assert share_used([pair], ZCDP(rho)) > 3.5


@given(
    st.integers(1, 5),
    st.integers(2, 6),
    st.sampled_from(list(Neighbours)),
    st.data(),
)
def test_no_row_of_any_table_shows_more_than_its_loss(
    c: int, size: int, relation: Neighbours, data: st.DataObject
) -> None:
    """The lemma, in exact fractions, with the weights that the code makes."""
    counts = st.lists(st.integers(0, 50) | st.just(10**6), min_size=size, max_size=size)
    rows_of_unit = st.lists(st.integers(0, size - 1), max_size=c)
    volumes = data.draw(st.none() | st.lists(st.floats(0.5, 1e6), min_size=size, max_size=size))
    loss = data.draw(st.fractions(Fraction(1, 10**4), 5))
    drawing = drawing_for(
        PureDP(loss), relation, contribution=c, rows=1, cells=size, volumes=volumes
    )
    others = np.array(data.draw(counts))
    added = np.bincount(data.draw(rows_of_unit), minlength=size)
    removed = np.bincount(data.draw(rows_of_unit), minlength=size)
    removed = removed if relation is REPLACE_ONE else np.zeros_like(removed)
    weights = [
        (others + own) * drawing.row_weight + drawing.cell_weights for own in (added, removed)
    ]
    p, q = ([Fraction(int(w), int(table.sum())) for w in table] for table in weights)
    ratios = [math.log(a / b) for a, b in zip(p, q, strict=True)]
    assert max(map(abs, ratios)) <= float(loss) * (1 + 1e-9)
    gain = 1 if relation is ADD_REMOVE else 2
    assert max(ratios) - min(ratios) <= gain * float(loss) * (1 + 1e-9)


@given(
    st.fractions(Fraction(1, 10**9), 200) | st.sampled_from([Fraction(1, 2**40), Fraction(64)]),
    st.integers(1, 100),
)
def test_smoothing_is_never_too_thin_and_hardly_too_thick(loss: Fraction, c: int) -> None:
    smoothing = least_smoothing(loss, c)
    growth = sum_of_series(min(loss, Fraction(64)))
    assert smoothing >= c / growth[1]
    assert smoothing <= c / growth[0] * (1 + Fraction(1, 10**30))


def sum_of_series(x: Fraction) -> tuple[Fraction, Fraction]:
    """exp(x) - 1 between two fractions, by its series and a geometric bound of the rest."""
    term, total, place = Fraction(1), Fraction(0), 0
    while place < 2 * x + 60 or term > Fraction(1, 10**70):
        place += 1
        term = (term * x / place).limit_denominator(10**120)
        total += term
    return total - Fraction(place, 10**100), total + 2 * term + Fraction(place, 10**100)


@given(st.fractions(Fraction(1, 10**8), 10**4), st.integers(1, 10**6))
def test_the_loss_of_a_row_is_never_rounded_up(amount: Fraction, rows: int) -> None:
    assert loss_per_row(PureDP(amount), REPLACE_ONE, rows=rows) * rows == amount
    for relation, gain in ((ADD_REMOVE, 8), (REPLACE_ONE, 2)):
        loss = loss_per_row(ZCDP(amount), relation, rows=rows)
        assert rows * loss**2 / gain <= amount
        assert rows * (loss + Fraction(1, 2**127)) ** 2 / gain > amount


def test_smoothing_is_whole_fine_and_follows_the_volumes() -> None:
    drawing = drawing_for(PureDP(1), ADD_REMOVE, contribution=1, rows=10, cells=4)
    assert drawing.row_weight == 2**FINEST
    expected = 1 / math.expm1(0.1)
    assert drawing.cell_weights / drawing.row_weight == pytest.approx(expected, rel=1e-6)
    volumes = np.array([[2.0, 4.0], [1.0, 3.0]])
    uneven = drawing_for(PureDP(1), ADD_REMOVE, contribution=1, rows=10, cells=4, volumes=volumes)
    assert uneven.cell_weights.min() == drawing.cell_weights[0]
    assert uneven.cell_weights / drawing.cell_weights == pytest.approx([2, 4, 1, 3], rel=1e-6)


def test_tiny_smoothing_is_still_one_step_and_huge_smoothing_gets_coarser() -> None:
    tiny = drawing_for(PureDP(100), ADD_REMOVE, contribution=1, rows=1, cells=2)
    assert (tiny.row_weight, tiny.cell_weights.tolist()) == (2**FINEST, [1, 1])
    huge = drawing_for(
        PureDP(Fraction(1, 10**5)), ADD_REMOVE, contribution=1, rows=10**5, cells=10**6
    )
    assert 1 <= huge.row_weight < 2**FINEST
    assert huge.cell_weights.min() / huge.row_weight == pytest.approx(10**10, rel=1e-6)
    assert int(huge.cell_weights.sum()) <= 2**62


@pytest.mark.parametrize(
    "arguments",
    [
        {"rows": 0},
        {"rows": True},
        {"rows": 2.0},
        {"cells": 2**27 + 1},
        {"volumes": [1.0, 0.0]},
        {"volumes": [1.0, -1.0]},
        {"volumes": [1.0, math.inf]},
        {"volumes": [1.0, math.nan]},
        {"volumes": [1.0]},
        {"volumes": [1e-300, 1e300]},
        {"spend": PureDP(0)},
        {"spend": ZCDP(0)},
        {"spend": ZCDP("0.1", "1e-6")},
        {"spend": ApproxDP(1, "1e-6")},
        {"spend": PureDP("1e-13")},
        {"spend": PureDP("1e-6"), "rows": 10**6, "cells": 10**7},
    ],
    ids=repr,
)
def test_what_cannot_be_paid_or_held_is_refused(arguments: dict[str, object]) -> None:
    usual = {"spend": PureDP(1), "rows": 1, "cells": 2, **arguments}
    with pytest.raises(UsageError):
        drawing_for(neighbours=ADD_REMOVE, contribution=1, **usual)  # type: ignore[arg-type]


def test_refusals_come_before_the_charge_and_the_rows() -> None:
    schema = schema_of(cells("a", 2))
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, []), purse, noise=ForbiddenNoise())
    for wrong in ({"rows": 0}, {"rows": 1, "volumes": np.ones(3)}):
        with pytest.raises(UsageError):
            table.draw(domain_of(schema), ("a",), spend=PureDP(1), **wrong)  # type: ignore[arg-type]
    assert purse.charges == []


def test_rows_come_back_as_cell_numbers_in_the_order_of_the_columns() -> None:
    schema = schema_of(cells("a", 2), cells("b", 3))
    rows = [("1", "2")] * 10**5
    purse = purse_for(schema, PureDP(50))
    table = PrivateTable(TinyBackend(schema, rows), purse)
    drawn = table.draw(domain_of(schema), ("b", "a"), rows=200, spend=PureDP(50))
    assert drawn.shape == (2, 200)
    assert drawn.dtype == np.int64
    # 200 rows, of which any other than (2, 1) has a chance of about 7e-5
    assert (drawn == [[2], [1]]).all(axis=0).sum() >= 195
    detail = purse.charges[0].detail
    assert detail["marginal"] == ["b", "a"]
    assert detail["rows"] == 200


def test_the_journal_answers_again_without_rows_or_noise() -> None:
    schema = schema_of(cells("a", 5))
    domain = domain_of(schema)
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(TinyBackend(schema, [("1",)] * 7), purse)
    first = table.draw(domain, ("a",), rows=9, spend=PureDP(1))
    again = purse_for(schema, PureDP(1))
    again.answers = purse.answers
    replayed = PrivateTable(SealedBackend(schema, []), again, noise=ForbiddenNoise())
    assert np.array_equal(replayed.draw(domain, ("a",), rows=9, spend=PureDP(1)), first)


# ---- the sampler -----------------------------------------------------------------------------

SOURCES = [SystemNoise(), OpenDPNoise()]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
def test_indices_follow_their_weights(source: Noise) -> None:
    """Chi-square with 5 degrees of freedom: beyond 40.9 with probability 1e-7."""
    weights = np.array([3, 0, 1, 10, 500, 85, 401], dtype=np.int64)
    draws = 200_000
    counts = np.bincount(source.weighted(weights, draws=draws), minlength=7)
    assert counts[1] == 0
    expected = weights[weights > 0] * (draws / weights.sum())
    assert ((counts[weights > 0] - expected) ** 2 / expected).sum() < 40.9


def test_each_uniform_place_belongs_to_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """With words that run through all top bits, each index comes up as often as it weighs."""
    weights = np.array([2, 0, 1, 4, 0], dtype=np.int64)
    words = iter(range(8))

    def top_bits(count: int) -> np.ndarray:
        return np.array([next(words) << 61 for _ in range(count)], dtype=np.uint64)

    monkeypatch.setattr("understudy.gate.noise._words", top_bits)
    drawn = SystemNoise().weighted(weights, draws=7)  # of 8 words, the last (7) is rejected
    assert Counter(drawn.tolist()) == {0: 2, 2: 1, 3: 4}


def test_rejected_words_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    words = iter([7, 5, 6, 0, 4, 2])

    def top_bits(count: int) -> np.ndarray:
        return np.array([next(words) << 61 for _ in range(count)], dtype=np.uint64)

    monkeypatch.setattr("understudy.gate.noise._words", top_bits)
    drawn = SystemNoise().weighted(np.array([1, 1, 1, 1, 1]), draws=3)
    assert drawn.tolist() == [0, 4, 2]


@pytest.mark.parametrize("total", [1, 2, 3, 2**32, 2**32 + 1, 2**62 + 1, 2**63 - 1])
def test_large_and_small_totals(total: int) -> None:
    drawn = SystemNoise().weighted(np.array([0, total, 0], dtype=np.int64), draws=50)
    assert drawn.tolist() == [1] * 50


@pytest.mark.parametrize(
    "weights", [[], [0, 0], [3, -1], [2**62, 2**62], [2**63 - 1, 1], [2**63 - 1] * 3]
)
def test_weights_without_a_distribution_are_refused(weights: list[int]) -> None:
    with pytest.raises(UsageError, match="2\\^63"):
        SystemNoise().weighted(np.array(weights, dtype=np.int64), draws=1)


def test_many_rows_of_many_cells_take_a_moment() -> None:
    drawing = drawing_for(PureDP(1), ADD_REMOVE, contribution=1, rows=50_000, cells=10**5)
    sealed = Sensitive(np.arange(10**5, dtype=np.int64))
    start = process_time()
    assert len(drawing.cells(sealed, SystemNoise())) == 50_000
    assert process_time() - start < 0.5


def test_the_enumerated_source_has_the_law_of_the_weights() -> None:
    found = distribution(lambda noise: int(noise.weighted(np.array([1, 0, 3]), draws=1)[0]))
    assert found == {0: 0.25, 2: 0.75}
    assert EnumeratingNoise.weighted is not Noise.weighted
