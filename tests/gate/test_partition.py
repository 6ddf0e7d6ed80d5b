"""Trees of boxes: exact laws of whole trees, the lemmas on long paths, and what the boxes are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gate.mechanisms import pairs_of_laws
from tests.gate.promises import TOLERANCE, share_used
from tests.noise_sources import ForbiddenNoise, SeededNoise, discrete_laplace_tail, distribution
from tests.tables import SealedBackend, TinyBackend, cells, purse_for, schema_of, universe
from understudy.errors import UsageError
from understudy.gate.noise import SystemNoise
from understudy.gate.partition import LOG_2, MOST_CELLS, Splitting, check_grid, splitting_for
from understudy.gate.private_table import PrivateTable
from understudy.gate.sensitive import Sensitive
from understudy.gate.sensitivity import SPLITS
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
BUDGETS = (PureDP(Fraction(3, 2)), ZCDP(Fraction(2, 5)))
YES_OR_NO = (0, 1)
"""A box is halved if its noisy rows pass the threshold 0, so this window keeps every decision."""

Law = dict[bytes, float]


# ---- the whole verb, on every pair of tiny tables --------------------------------------------


def tree(table: PrivateTable, budget: Budget) -> bytes:
    columns = table.schema.modelled
    return table.partition(domain_of(table.schema), columns, spend=budget).tobytes()


def tree_above_two(table: PrivateTable, budget: Budget) -> bytes:
    domain = domain_of(table.schema)
    return table.partition(domain, ("a",), threshold=2, spend=budget).tobytes()


CASES = {
    "four cells": (tree, [cells("a", 4)], universe(4), 3, YES_OR_NO),
    "two by three": (tree, [cells("a", 2), cells("b", 3)], universe(2, 3), 2, YES_OR_NO),
    "threshold 2": (tree_above_two, [cells("a", 3)], universe(3), 4, (2, 3)),
}


@pytest.mark.parametrize("contribution", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_the_whole_verb_keeps_its_promise(
    name: str, budget: Budget, relation: Neighbours, contribution: int
) -> None:
    mechanism, columns, rows, others, window = CASES[name]
    pairs = pairs_of_laws(
        mechanism,
        columns,
        rows,
        budget,
        relation=relation,
        contribution=contribution,
        others=others if contribution == 1 else 1,
        window=window,
    )
    assert 0.02 < share_used(pairs, budget) <= 1 + TOLERANCE


# ---- larger grids with the counts that hurt most ---------------------------------------------


def law_of(counts: Sequence[int], splitting: Splitting) -> Law:
    sealed = Sensitive(np.array(counts, dtype=np.int64))
    return distribution(lambda noise: splitting.boxes(sealed, noise).tobytes(), window=YES_OR_NO)


def worst(splitting: Splitting, budget: Budget, relation: Neighbours, c: int) -> float:
    """The share of the budget used on 16 cells by tables made for long, steep paths."""
    decay = splitting.decay
    bases = [
        [2 * decay, *[0] * 15],  # on the path of cell 0 the bias is 2, 1, 0 and -1 decays
        [3 * decay, *[0] * 15],
        [2 * decay, *[0] * 7, 40 * decay, *[0] * 7],
        [0] * 16,
    ]
    pairs = []
    for base in bases:
        for removed in [0] if relation is ADD_REMOVE else [8]:
            one, two = np.array(base), np.array(base)
            one[0] += c
            two[removed] += c if relation is REPLACE_ONE else 0
            pairs.append((law_of(one, splitting), law_of(two, splitting)))
    return share_used(pairs, budget)


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize(
    ("budget", "relation", "least"),
    [
        (PureDP(Fraction(3, 20)), ADD_REMOVE, 0.9),
        (PureDP(Fraction(3, 20)), REPLACE_ONE, 0.85),
        (ZCDP(Fraction(1, 100)), ADD_REMOVE, 0.02),
        (ZCDP(Fraction(1, 100)), REPLACE_ONE, 0.02),
    ],
)
def test_the_bound_holds_on_steep_paths_and_is_nearly_used_up(
    budget: Budget, relation: Neighbours, least: float, c: int
) -> None:
    splitting = splitting_for(budget, relation, contribution=c, threshold=0)
    assert least < worst(splitting, budget, relation, c) <= 1 + TOLERANCE


def test_too_little_noise_and_too_short_a_decay_are_caught() -> None:
    budget = PureDP(Fraction(3, 20))
    right = splitting_for(budget, ADD_REMOVE, contribution=1, threshold=0)
    louder = replace(right, scale=right.scale * 0.9)
    assert worst(louder, budget, ADD_REMOVE, 1) > 1 + TOLERANCE
    flat = replace(right, decay=1)
    base = np.array([2, *[0] * 15])
    pair = (law_of(base, flat), law_of(base + np.eye(16, dtype=np.int64)[0], flat))
    assert share_used([pair], budget) > 1 + TOLERANCE


def test_replacing_costs_more_than_adding() -> None:
    """With the noise of ADD_REMOVE the promise is broken under REPLACE_ONE."""
    budget = PureDP(Fraction(3, 20))
    splitting = splitting_for(budget, ADD_REMOVE, contribution=1, threshold=0)
    assert worst(splitting, budget, REPLACE_ONE, 1) > 1.05


# ---- the lemmas of partition.md --------------------------------------------------------------


def halving(b: int, scale: float) -> float:
    """log P(a box with biased rows b is halved), threshold 0."""
    return math.log(discrete_laplace_tail(1 - b, scale))


def staying(b: int, scale: float) -> float:
    """log P(it is not), from the other tail: P(Z <= -b) = P(Z >= b)."""
    return math.log(discrete_laplace_tail(b, scale))


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 2.7, 40.0, 1000.0])
def test_one_box_gives_away_what_the_lemma_says(scale: float) -> None:
    reach = int(20 * scale) + 5
    for b in range(-min(reach, 600 if scale < 1 else reach), reach):
        if b / scale < -600:
            continue
        gain = halving(b + 1, scale) - halving(b, scale)
        u = math.exp(-max(b, 0) / scale)
        allowed = u / (2 - u) / scale
        assert -1e-12 <= gain <= allowed * (1 + 1e-9) + 1e-12
        if b <= 0:
            assert gain == pytest.approx(1 / scale, rel=1e-6)
        if b / scale < 600:
            loss = staying(b, scale) - staying(b + 1, scale)
            assert -1e-12 <= loss <= 1 / scale * (1 + 1e-9) + 1e-12


def path(counts: Sequence[int], *, scale: float, decay: int) -> float:
    """What one more row adds to the log-probability that every box of a path is halved."""
    biased = [
        (max(n - depth * decay, -decay), max(n + 1 - depth * decay, -decay))
        for depth, n in enumerate(counts)
    ]
    return sum(halving(after, scale) - halving(before, scale) for before, after in biased)


@given(
    st.sampled_from([0.2, 0.7, 1.0, 3.3, 17.0, 250.0]),
    st.lists(st.integers(0, 3000), min_size=1, max_size=20),
    st.integers(0, 5),
)
def test_no_path_gives_away_more_than_the_constant(
    scale: float, counts: list[int], more: int
) -> None:
    decay = math.ceil(scale * math.log(2)) + more
    total = path(sorted(counts, reverse=True), scale=scale, decay=decay)
    assert -1e-9 <= total <= float(SPLITS) / scale * (1 + 1e-9)


def test_the_constant_is_its_series_rounded_up() -> None:
    series = sum(Fraction(1, 2**i - 1) for i in range(1, 200))
    assert 1 + series + Fraction(1, 2**190) <= SPLITS < 1 + series + Fraction(1, 10**9)


def test_a_long_steep_path_gives_away_nearly_as_much() -> None:
    scale, depth = 1000.0, 30
    decay = math.ceil(scale * math.log(2))
    steep = [(depth - 2) * decay] * depth  # biases end with 1, 0 and -1 decays
    assert path(steep, scale=scale, decay=decay) > 2.605 / scale


def test_the_decay_is_never_below_the_scale_times_log_two() -> None:
    assert math.log(2) <= LOG_2 < math.log(2) + 1e-15
    for epsilon in ("1e-6", "0.01", "1", "7", "1000"):
        splitting = splitting_for(PureDP(epsilon), ADD_REMOVE, contribution=2, threshold=0)
        assert math.exp(-splitting.decay / splitting.scale) <= 0.5
        assert (
            splitting.decay - 1 < splitting.scale * math.log(2) * (1 + 1e-12)
            or splitting.decay == 1
        )


@pytest.mark.parametrize(
    ("relation", "loss", "spread"),
    [(ADD_REMOVE, SPLITS, SPLITS + 1), (REPLACE_ONE, SPLITS + 1, 2 * SPLITS + 2)],
)
def test_scales_pay_for_loss_and_range(
    relation: Neighbours, loss: Fraction, spread: Fraction
) -> None:
    for c in (1, 4):
        pure = splitting_for(PureDP("0.3"), relation, contribution=c, threshold=0)
        assert loss * c / Fraction(pure.scale) <= Fraction(3, 10)
        assert pure.scale == pytest.approx(float(loss) * c / 0.3)
        zcdp = splitting_for(ZCDP("0.3"), relation, contribution=c, threshold=0)
        assert (spread * c / Fraction(zcdp.scale)) ** 2 / 8 <= Fraction(3, 10)
        assert zcdp.scale == pytest.approx(float(spread) * c / math.sqrt(8 * 0.3))


# ---- what the boxes are ----------------------------------------------------------------------


def by_hand(table: np.ndarray, box: tuple[tuple[int, int], ...], depth: int, decay: int) -> list:
    """The tree without noise, box by box, from the sentence in partition.md."""
    lengths = [high - low for low, high in box]
    rows = int(table[tuple(slice(low, high) for low, high in box)].sum())
    if max(lengths) == 1 or max(rows - depth * decay, -decay) <= 0:
        return [box]
    axis = lengths.index(max(lengths))
    low, high = box[axis]
    middle = low + lengths[axis] // 2
    halves = ((low, middle), (middle, high))
    return [
        found
        for half in halves
        for found in by_hand(table, (*box[:axis], half, *box[axis + 1 :]), depth + 1, decay)
    ]


@given(
    st.lists(st.integers(1, 7), min_size=1, max_size=3), st.integers(0, 2**32), st.integers(1, 9)
)
def test_without_noise_it_is_the_tree_of_the_sentence(
    shape: list[int], seed: int, decay: int
) -> None:
    table = np.random.default_rng(seed).integers(0, 12, shape)
    splitting = Splitting(scale=2.0**-20, decay=decay, threshold=0)
    found = splitting.boxes(Sensitive(table), SystemNoise())
    expected = by_hand(table, tuple((0, size) for size in shape), 0, decay)
    assert sorted(map(tuple, found.reshape(len(found), -1).tolist())) == sorted(
        tuple(end for side in box for end in side) for box in expected
    )


@given(st.lists(st.integers(1, 6), min_size=1, max_size=3), st.integers(0, 100))
def test_boxes_cover_the_grid_once_and_come_in_order(shape: list[int], seed: int) -> None:
    table = np.random.default_rng(seed).poisson(5, shape)
    found = Splitting(1.0, 1, 0).boxes(Sensitive(table), SeededNoise(seed))
    covered = np.zeros(shape, dtype=np.int64)
    for box in found:
        covered[tuple(slice(low, high) for low, high in box)] += 1
    assert (covered == 1).all()
    corners = [tuple(box[:, 0].tolist()) for box in found]
    assert corners == sorted(corners)


def test_boxes_are_small_where_the_rows_are() -> None:
    table = np.zeros((64, 64), dtype=np.int64)
    table[:4, :4] = 1000
    splitting = splitting_for(PureDP(1), ADD_REMOVE, contribution=1, threshold=0)
    found = splitting.boxes(Sensitive(table), SeededNoise(1))
    sizes = np.prod(found[:, :, 1] - found[:, :, 0], axis=1)
    inside = (found[:, :, 0] < 4).all(axis=1)
    assert (sizes[inside] == 1).all()
    assert sizes[~inside].mean() > 50


def test_a_single_cell_draws_nothing() -> None:
    boxes = Splitting(1.0, 1, 0).boxes(Sensitive(np.array([[5]])), ForbiddenNoise())
    assert boxes.tolist() == [[[0, 1], [0, 1]]]


def test_the_verb_refuses_before_it_charges() -> None:
    schema = schema_of(cells("a", 2), cells("b", 2))
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, []), purse, noise=ForbiddenNoise())
    domain = domain_of(schema)
    for threshold in (0.5, True, 2**41):
        with pytest.raises(UsageError, match="threshold"):
            table.partition(domain, ("a",), threshold=threshold, spend=PureDP(1))  # type: ignore[arg-type]
    for spend in (ApproxDP(1, "1e-6"), ZCDP(1, "1e-6"), PureDP(0)):
        with pytest.raises(UsageError):
            table.partition(domain, ("a",), spend=spend)
    with pytest.raises(UsageError, match="different columns"):
        table.partition(domain, ("a", "a"), spend=PureDP(1))
    assert purse.charges == []


def test_grids_that_do_not_fit_are_refused() -> None:
    check_grid((2**13 - 1, 2**14 - 1))
    for shape in ((MOST_CELLS,), (2**14, 2**14), (1,) * 9):
        with pytest.raises(UsageError, match=r"fewer columns|at most"):
            check_grid(shape)


def test_the_journal_answers_again_without_rows_or_noise() -> None:
    schema = schema_of(cells("a", 5))
    domain = domain_of(schema)
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(TinyBackend(schema, [("1",)] * 7), purse)
    first = table.partition(domain, ("a",), spend=PureDP(1))
    again = purse_for(schema, PureDP(1))
    again.answers = purse.answers
    replayed = PrivateTable(SealedBackend(schema, []), again, noise=ForbiddenNoise())
    assert np.array_equal(replayed.partition(domain, ("a",), spend=PureDP(1)), first)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_rows_in_boxes_are_counted_exactly(axes: int) -> None:
    from understudy.gate.partition import _rows_in, _summed

    table = np.random.default_rng(axes).integers(0, 9, (4, 5, 3)[:axes])
    spans = [
        [(low, high) for low in range(size) for high in range(low, size + 1)]
        for size in table.shape
    ]
    boxes = list(product(*spans))
    expected = [table[tuple(slice(*span) for span in box)].sum() for box in boxes]
    assert _rows_in(_summed(table), np.array(boxes)).tolist() == expected
