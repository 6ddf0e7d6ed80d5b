"""Every declared sensitivity, attacked on neighbouring tables: never exceeded, and attained.

Neighbours differ by one unit with up to c rows, under both relations. Scores are found in
``scores.py`` by themselves: a new one fails here until it has an attack of its own.
"""

from __future__ import annotations

import inspect
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import Row, TinyBackend, numbers, schema_of
from understudy.errors import UsageError
from understudy.gate import scores as scores_module
from understudy.gate import sensitivity
from understudy.gate.quantiles import rank_scores
from understudy.gate.scores import L1Gap, Score
from understudy.gate.select import LARGEST, SLACK, UNITS, on_grid
from understudy.gate.sensitive import Sensitive
from understudy.schema.axes import domain_of
from understudy.schema.domain import BinAxis
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
SHAPE = (3, 2)
CELLS = int(np.prod(SHAPE))
relations = st.sampled_from(list(Neighbours))
Pair = tuple[np.ndarray, np.ndarray]


@st.composite
def neighbours(draw: st.DrawFn, cells: int = CELLS) -> tuple[Neighbours, int, Pair]:
    """A relation, a contribution c and the exact tables of two neighbours."""
    relation, c = draw(relations), draw(st.integers(1, 4))
    rows_of_unit = st.lists(st.integers(0, cells - 1), max_size=c)
    others = np.array(draw(st.lists(st.integers(0, 6), min_size=cells, max_size=cells)))
    added = np.bincount(draw(rows_of_unit), minlength=cells)
    removed = np.bincount(draw(rows_of_unit), minlength=cells)
    if relation is ADD_REMOVE:
        removed = np.zeros_like(removed)
    return relation, c, (others + added, others + removed)


@given(neighbours())
def test_marginals_never_move_further_than_the_table_says(
    case: tuple[Neighbours, int, Pair],
) -> None:
    relation, c, (one, two) = case
    moved = np.abs(one - two)
    assert moved.sum() <= sensitivity.marginal_l1(relation, c)
    assert (moved**2).sum() <= sensitivity.marginal_l2_squared(relation, c)


@pytest.mark.parametrize("c", [1, 2, 5])
def test_marginals_do_move_that_far(c: int) -> None:
    base = np.full(4, 3)
    added, other = np.array([c, 0, 0, 0]), np.array([0, 0, c, 0])
    moved = np.abs((base + added) - base)
    assert moved.sum() == sensitivity.marginal_l1(ADD_REMOVE, c)
    assert (moved**2).sum() == sensitivity.marginal_l2_squared(ADD_REMOVE, c)
    moved = np.abs((base + added) - (base + other))
    assert moved.sum() == sensitivity.marginal_l1(REPLACE_ONE, c)
    assert (moved**2).sum() == sensitivity.marginal_l2_squared(REPLACE_ONE, c)


def test_one_row_moves_one_cell_of_every_marginal_whatever_its_text() -> None:
    schema = schema_of(numbers("x", 0, 3), numbers("y", 0, 1))
    domain = domain_of(schema)
    base: list[Row] = [("0", "0"), ("3", "1")]
    for text in ("1", "-5", "1e99", "nan", "inf", "", "?", "0x1", "٣", None):
        for marginal in (("x",), ("y",), ("y", "x")):
            (before,) = TinyBackend(schema, base).count(domain, [marginal])
            (after,) = TinyBackend(schema, [*base, (text, text)]).count(domain, [marginal])
            assert np.abs(after - before).sum() == 1


probabilities = st.builds(
    lambda a, b: Fraction(min(a, b), max(a, b)), st.integers(1, 999), st.integers(1000, 1200)
)


def rank_of(counts: np.ndarray, probability: Fraction) -> np.ndarray:
    """The score of quantiles.md, from its sentence: one row, one grid point at a time."""
    a, b = probability.numerator, probability.denominator
    scores = []
    for point in range(1, len(counts)):
        below, above = int(counts[:point].sum()), int(counts[point:].sum())
        scores.append(-abs((b - a) * below - a * above))
    return np.array(scores)


@given(neighbours(cells=5), probabilities, st.booleans())
def test_ranks_never_move_further_than_the_table_says(
    case: tuple[Neighbours, int, Pair], probability: Fraction, nullable: bool
) -> None:
    relation, c, tables = case
    axis = BinAxis(nullable=nullable, edges=tuple(map(float, range(6 - nullable))), whole=True)
    one, two = (rank_scores(Sensitive(table), axis, probability) for table in tables)
    proper = tables[0][: axis.proper]
    assert np.array_equal(one, rank_of(proper, probability))
    assert np.abs(one - two).max() <= sensitivity.rank(relation, c, probability)


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("probability", [Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])
def test_ranks_do_move_that_far(c: int, probability: Fraction) -> None:
    axis = BinAxis(nullable=False, edges=(0.0, 1.0, 2.0), whole=True)
    far = 100

    def moved(one: list[int], two: list[int]) -> int:
        scores = [rank_scores(Sensitive(np.array(t)), axis, probability) for t in (one, two)]
        return int(np.abs(scores[0] - scores[1]).max())

    added = max(moved([far, 0], [far + c, 0]), moved([0, far], [0, far + c]))
    assert added == sensitivity.rank(ADD_REMOVE, c, probability)
    assert moved([far + c, 0], [far, c]) == sensitivity.rank(REPLACE_ONE, c, probability)


# ---- scores ----------------------------------------------------------------------------------

ordinary = st.floats(-20, 20).filter(lambda x: x == 0 or abs(x) > 1e-9)
extreme = st.sampled_from(
    [0.5, 1 / 3, -0.1, 2.0**-12, 1e-300, 2.0**30 + 1 / 3, 2.0**39, -(2.0**38) - 0.7, 1e9 + 0.1]
)
weights = st.sampled_from([1.0, 0.0, 0.3, 1e-9, 7.0, 1e5, 2.0**-40, 12345.678])


@st.composite
def l1_gaps(draw: st.DrawFn) -> L1Gap:
    """L1 gaps to two public tables, some of them awkward for floats."""
    numbers_ = draw(st.sampled_from([ordinary, ordinary | extreme]))
    table = st.lists(numbers_, min_size=CELLS, max_size=CELLS)
    estimates = [np.array(draw(table)).reshape(SHAPE) for _ in range(2)]
    chosen = draw(st.none() | st.lists(weights, min_size=2, max_size=2).filter(any))
    return L1Gap(estimates, chosen, draw(st.none() | st.lists(numbers_, min_size=2, max_size=2)))


ATTACKS: dict[type[Score], st.SearchStrategy[Score]] = {L1Gap: l1_gaps()}


def all_scores() -> set[type[Score]]:
    classes = {item for _, item in inspect.getmembers(scores_module, inspect.isclass)}
    return {item for item in classes if issubclass(item, Score) and item is not Score}


def test_every_score_is_attacked() -> None:
    assert all_scores() == set(ATTACKS)


@pytest.mark.parametrize("kind", sorted(ATTACKS, key=lambda kind: kind.__name__))
def test_scores_keep_their_declared_sensitivity_and_direction(kind: type[Score]) -> None:
    @given(ATTACKS[kind], neighbours(), neighbours())
    def attack(
        score: Score, first: tuple[Neighbours, int, Pair], second: tuple[Neighbours, int, Pair]
    ) -> None:
        relation, c, _ = first
        pairs = [first[2], first[2] if second[:2] != first[:2] else second[2]]
        declared = score.sensitivity(relation, c)
        assert declared > 0
        one, two = (
            on_grid(score([pair[side].reshape(SHAPE) for pair in pairs]), declared)
            for side in (0, 1)
        )
        moved = one - two
        assert np.abs(moved).max() <= UNITS + SLACK - 1  # the grid lemma of select.md
        if score.monotone(relation):
            assert moved.max() - moved.min() <= UNITS + SLACK

    attack()


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_l1_gap_does_move_that_far(relation: Neighbours, c: int) -> None:
    score = L1Gap([np.zeros(2), np.array([50.0, 0.0])], weights=[0.5, 2.0])
    one, two = np.array([c, 0]), np.array([0, c if relation is REPLACE_ONE else 0])
    moved = score([one, one]) - score([two, two])
    assert np.abs(moved).max() == score.sensitivity(relation, c)


def test_the_l1_gap_is_not_monotone() -> None:
    score = L1Gap([np.array([0.0, 3.0]), np.array([3.0, 0.0])])
    for relation in Neighbours:
        assert not score.monotone(relation)
    one, two = np.array([1, 0]), np.array([0, 0])
    moved = score([one, one]) - score([two, two])
    assert moved[0] > 0 > moved[1]


def test_the_l1_gap_is_the_weighted_distance_less_the_offset() -> None:
    score = L1Gap([np.array([1.5, 2.0]), np.array([[0.0], [4.0]])], [2.0, 1.0], [1.0, 0.25])
    got = score([np.array([3, 0]), np.array([[1], [1]])])
    assert got.tolist() == [2.0 * (1.5 + 2.0 - 1.0), 1.0 + 3.0 - 0.25]


@pytest.mark.parametrize("exponent", [30, 36, 39])
def test_a_gap_that_crosses_a_power_of_two_does_not_break_the_grid(exponent: int) -> None:
    """There floats become coarser, so that a plain sum rounds the two neighbours differently."""
    for fraction in (1.4 * 2.0**-14, 2.0**-17, 0.3, 2.0 / 3.0):
        score = L1Gap([np.array([-fraction])], offsets=[2.0**exponent])
        tables = (np.array([2**exponent - 1]), np.array([2**exponent]))
        steps = [int(on_grid(score([t]), score.sensitivity(ADD_REMOVE, 1))[0]) for t in tables]
        assert abs(steps[0] - steps[1]) <= UNITS + SLACK - 1


@pytest.mark.parametrize("rows_per_cell", [10, 10**4, 10**7])
def test_large_gaps_that_the_offset_cancels_do_not_break_the_grid(rows_per_cell: int) -> None:
    rng = np.random.default_rng(5)
    estimate = rng.gamma(0.2, rows_per_cell, 65536)
    table = rng.integers(0, 2 * rows_per_cell, 65536)
    offset = float(np.abs(table - estimate).sum()) - 1.0 / 3.0
    score = L1Gap([estimate], offsets=[offset])
    declared = score.sensitivity(ADD_REMOVE, 1)
    before = on_grid(score([table]), declared)[0]
    assert abs(int(before)) < 3 * UNITS
    for cell in rng.integers(0, 65536, 50):
        table[cell] += 1
        after = on_grid(score([table]), declared)[0]
        assert abs(int(after) - int(before)) <= UNITS + SLACK - 1
        before = after


@pytest.mark.parametrize(
    "arguments",
    [
        {"estimates": [np.array([np.nan, 1.0])]},
        {"estimates": [np.array([np.inf, 1.0])]},
        {"estimates": [np.array([2.0**50, 1.0])]},
        {"estimates": [np.ones(2)], "offsets": [2.0**50]},
        {"estimates": [np.ones(2)], "offsets": [np.nan]},
        {"estimates": [np.ones(2)], "weights": [np.inf]},
        {"estimates": [np.ones(2)], "weights": [1e308]},
        {"estimates": [np.ones(2)], "weights": [1e-320]},
        {"estimates": [np.ones(2)], "weights": [0.0]},
        {"estimates": [np.ones(2)], "weights": [-1.0]},
        {"estimates": [np.ones(2)], "weights": [1.0, 1.0]},
        {"estimates": [np.ones(2)], "offsets": []},
    ],
    ids=repr,
)
def test_the_l1_gap_refuses_numbers_that_floats_cannot_carry(arguments: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        L1Gap(**arguments)  # type: ignore[arg-type]


def test_a_score_refuses_tables_of_another_shape() -> None:
    """Numpy would stretch (2,) against (5, 1) to ten cells and count every row five times."""
    for estimate in (np.zeros((5, 1)), np.zeros(()), np.zeros(1), np.zeros((2, 1)), np.zeros(3)):
        with pytest.raises(UsageError, match="shape"):
            L1Gap([estimate]).check([(2,)])
    with pytest.raises(UsageError, match="2 candidates"):
        L1Gap([np.zeros(2)]).check([(2,), (2,)])
    L1Gap([np.zeros(2), np.zeros((2, 3))]).check([(2,), (2, 3)])


@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True, width=64), min_size=1, max_size=4),
    st.fractions(min_value=Fraction(1, 2**30), max_value=2**30),
)
def test_any_score_at_all_has_a_place_on_the_grid(scores: list[float], d: Fraction) -> None:
    steps = on_grid(np.array(scores), d)
    assert steps.dtype == np.int64
    assert (np.abs(steps) <= LARGEST).all()
    for score, step in zip(scores, steps.tolist(), strict=True):
        if np.isnan(score):
            assert step == -LARGEST
        elif abs(score) < float(d) * 2**28:
            assert abs(Fraction(score) / d * UNITS - step) <= Fraction(1, 2) + Fraction(1, 100)
