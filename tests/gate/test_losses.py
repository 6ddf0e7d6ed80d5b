"""Minimisation over public candidates: sensitivities, directions, exact laws, refusals."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.gate.mechanisms import pairs_of_laws
from tests.gate.neighbours import Pair, neighbouring_tables
from tests.gate.promises import TOLERANCE, share_used
from tests.noise_sources import ForbiddenNoise, exponential_law
from tests.tables import SealedBackend, TinyBackend, cells, numbers, purse_for, schema_of, universe
from understudy.errors import UsageError
from understudy.gate import losses as losses_module
from understudy.gate.losses import STEPS, CellLoss, Loss, minimum_for
from understudy.gate.private_table import PrivateTable
from understudy.gate.sensitivity import loss_of_rows
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
SHAPE = (3, 2)

numbers_ = st.floats(-10, 10) | st.sampled_from([1e300, -1e300, 1e-300, 0.1, 1 / 3])


@st.composite
def cell_losses(draw: st.DrawFn) -> CellLoss:
    candidates = draw(st.integers(1, 4))
    count = candidates * int(np.prod(SHAPE))
    table = np.array(draw(st.lists(numbers_, min_size=count, max_size=count)))
    clip = draw(st.sampled_from([1.0, 0.3, 7.5, 1e-9, 1e100]))
    return CellLoss(("a", "b"), table.reshape(candidates, *SHAPE), clip)


ATTACKS: dict[type[Loss], st.SearchStrategy[Loss]] = {CellLoss: cell_losses()}


def test_every_loss_is_attacked() -> None:
    classes = {item for _, item in inspect.getmembers(losses_module, inspect.isclass)}
    assert {item for item in classes if issubclass(item, Loss) and item is not Loss} == set(ATTACKS)


@pytest.mark.parametrize("kind", sorted(ATTACKS, key=lambda kind: kind.__name__))
def test_losses_keep_their_sensitivity_and_direction(kind: type[Loss]) -> None:
    @given(ATTACKS[kind], neighbouring_tables(SHAPE))
    def attack(loss: Loss, case: tuple[Neighbours, int, Pair]) -> None:
        relation, c, (one, two) = case
        moved = loss([one]) - loss([two])
        assert moved.dtype == np.int64
        assert np.abs(moved).max() <= loss_of_rows(c, STEPS)
        if relation is ADD_REMOVE:
            assert moved.min() >= 0

    attack()


@pytest.mark.parametrize("c", [1, 3])
def test_losses_do_move_that_far(c: int) -> None:
    loss = CellLoss(("a",), np.array([[0.0, 2.0], [2.0, 0.0]]), clip=2.0)
    full, other = np.array([c, 0]), np.array([0, c])
    assert np.abs(loss([full]) - loss([other])).max() == loss_of_rows(c, STEPS)
    assert np.abs(loss([full]) - loss([0 * full])).max() == loss_of_rows(c, STEPS)
    moved = loss([full]) - loss([other])
    assert moved.min() < 0 < moved.max(), "not monotone under REPLACE_ONE"


def test_losses_are_clipped_and_in_whole_steps() -> None:
    table = np.array([[-5.0, 0.25, 99.0], [0.5, 1.0, 1.0 / 3.0]])
    loss = CellLoss(("a",), table, clip=1.0)
    assert loss([np.array([1, 0, 0])]).tolist() == [0, STEPS // 2]
    assert loss([np.array([0, 1, 0])]).tolist() == [STEPS // 4, STEPS]
    assert loss([np.array([0, 0, 3])]).tolist() == [3 * STEPS, 3 * 21845]


def test_adding_needs_half_the_noise_of_replacing() -> None:
    loss = CellLoss(("a",), np.zeros((2, 2)), clip=1.0)
    for spend in (PureDP(1), ZCDP("0.1")):
        add = minimum_for(spend, loss, ADD_REMOVE, contribution=2)
        replace = minimum_for(spend, loss, REPLACE_ONE, contribution=2)
        assert replace.scale == pytest.approx(2 * add.scale)
        assert add.law == replace.law


def nearest_level(table: PrivateTable, budget: Budget) -> int:
    """The level with the least total distance to the rows: a median."""
    distances = np.abs(np.arange(3.0)[:, None] - np.arange(3.0)[None, :])
    loss = CellLoss(("a",), distances, clip=2.0)
    return table.minimise(domain_of(table.schema), loss, spend=budget)


@pytest.mark.parametrize("contribution", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize(
    "budget", [PureDP(Fraction(3, 2)), ZCDP(Fraction(2, 5)), GDP(Fraction(4, 5))], ids=str
)
def test_the_whole_verb_keeps_its_promise(
    budget: Budget, relation: Neighbours, contribution: int
) -> None:
    pairs = pairs_of_laws(
        nearest_level,
        [cells("a", 3)],
        universe(3),
        budget,
        relation=relation,
        contribution=contribution,
        others=3,
    )
    assert 0.15 < share_used(pairs, budget) <= 1 + TOLERANCE


def test_the_choice_is_the_exponential_mechanism_of_the_losses() -> None:
    seen: list[tuple[list[int], float]] = []

    class Watching(ForbiddenNoise):
        def gumbel_max(self, scores: np.ndarray, *, scale: float) -> int:
            seen.append((scores.tolist(), scale))
            return int(np.argmax(exponential_law(scores.tolist(), scale)))

    schema = schema_of(numbers("x", 0, 4))
    purse = purse_for(schema, ZCDP(1))
    rows = [("1",), ("1",), ("4",), ("0",)]
    table = PrivateTable(TinyBackend(schema, rows), purse, noise=Watching())
    squares = np.subtract.outer(np.arange(5.0), np.arange(5.0)) ** 2
    loss = CellLoss(("x",), squares, clip=16.0)
    assert table.minimise(domain_of(schema), loss, spend=ZCDP(1)) in (1, 2)
    expected = [
        -sum((candidate - int(x)) ** 2 for (x,) in rows) * STEPS // 16 for candidate in range(5)
    ]
    assert seen[0][0] == expected
    assert purse.charges[0].detail == {"loss": "CellLoss", "marginal": ["x"], "candidates": 5}


@pytest.mark.parametrize(
    "arguments",
    [
        {"losses": np.zeros((0, 2))},
        {"losses": np.zeros(2)},
        {"losses": np.zeros((1, 2, 2))},
        {"losses": np.array([[np.nan, 0.0]])},
        {"losses": np.array([[np.inf, 0.0]])},
        {"clip": 0.0},
        {"clip": -1.0},
        {"clip": np.nan},
        {"clip": np.inf},
        {"clip": 1e-320},
    ],
    ids=repr,
)
def test_losses_that_are_none_are_refused(arguments: dict[str, object]) -> None:
    usual = {"columns": ("a",), "losses": np.zeros((3, 2)), "clip": 1.0, **arguments}
    with pytest.raises(UsageError):
        CellLoss(**usual)  # type: ignore[arg-type]


class Smuggled(Loss):
    """A loss from outside the gate."""

    marginals = (("a",),)
    candidates = 2
    detail: ClassVar[dict[str, object]] = {}

    def sensitivity(self, neighbours: object, contribution: int) -> int:
        return 1

    def monotone(self, neighbours: object) -> bool:
        return True

    def check(self, domain: object) -> None:
        return

    def __call__(self, exact: Sequence[np.ndarray]) -> np.ndarray:
        raise AssertionError("it saw exact tables")


def test_refusals_come_before_the_charge_and_the_rows() -> None:
    schema = schema_of(cells("a", 2), cells("b", 3))
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, []), purse, noise=ForbiddenNoise())
    domain = domain_of(schema)
    good = CellLoss(("a",), np.zeros((3, 2)), clip=1.0)
    with pytest.raises(UsageError, match="Smuggled is no loss"):
        table.minimise(domain, Smuggled(), spend=PureDP(1))
    with pytest.raises(UsageError, match="no loss"):
        table.minimise(domain, len, spend=PureDP(1))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="shape"):
        table.minimise(domain, CellLoss(("b",), np.zeros((3, 2)), clip=1.0), spend=PureDP(1))
    with pytest.raises(UsageError, match="different columns"):
        table.minimise(domain, CellLoss(("a", "a"), np.zeros((1, 2, 2)), clip=1.0), spend=PureDP(1))
    for spend in (ApproxDP(1, "1e-6"), ZCDP(1, "1e-6"), PureDP(0)):
        with pytest.raises(UsageError):
            table.minimise(domain, good, spend=spend)
    assert purse.charges == []
