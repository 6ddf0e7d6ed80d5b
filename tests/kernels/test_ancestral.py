"""Draws of a chain against its exact law, and the compiled path against the other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.chains import counted, follows, joint, small_chain, weights
from understudy.kernels import ancestral
from understudy.kernels.ancestral import HEIGHT, Chain, Step, fill_with_numpy
from understudy.kernels.ancestral_compiled import fill_compiled


@pytest.fixture(params=[fill_with_numpy, fill_compiled], ids=["numpy", "compiled"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ancestral, "_filler", lambda cells: request.param)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("seed", range(3))
def test_rows_follow_the_joint_law(seed: int) -> None:
    chain = small_chain(seed)
    codes = chain.draw(200_000, np.random.default_rng(seed))
    assert follows(counted(codes, chain.sizes), joint(chain))


def test_the_law_can_be_missed() -> None:
    """The same counts against the law of another chain: the test above has teeth."""
    codes = small_chain(0).draw(200_000, np.random.default_rng(0))
    assert not follows(counted(codes, small_chain(0).sizes), joint(small_chain(1)))


@pytest.mark.parametrize("rows", [0, 1, HEIGHT - 1, HEIGHT, 3 * HEIGHT + 5])
def test_both_paths_draw_the_same(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for fill in (fill_with_numpy, fill_compiled):
        monkeypatch.setattr(ancestral, "_filler", lambda cells, fill=fill: fill)
        found.append(small_chain(1).draw(rows, np.random.default_rng(7)))
    for one, two in zip(*found, strict=True):
        assert len(one) == rows
        assert np.array_equal(one, two)


def test_whole_blocks_in_two_goes_are_the_same_rows() -> None:
    chain, rng = small_chain(2), np.random.default_rng(3)
    whole = chain.draw(3 * HEIGHT, np.random.default_rng(3))
    parts = [chain.draw(HEIGHT, rng), chain.draw(2 * HEIGHT, rng)]
    for column, pair in zip(whole, zip(*parts, strict=True), strict=True):
        assert np.array_equal(column, np.concatenate(pair))


@pytest.mark.usefixtures("either")
def test_a_column_of_ten_thousand_cells() -> None:
    rng = np.random.default_rng(8)
    sizes = (10_000, 2)
    steps = (Step((), 0, weights(rng, 10_000)), Step((0,), 1, weights(rng, 10_000, 2)))
    chain = Chain(sizes, steps)
    first, second = chain.draw(400_000, rng)
    assert (first.dtype, second.dtype) == (np.uint16, np.uint8)
    assert follows(np.bincount(first, minlength=10_000), steps[0].weights)
    law = steps[0].weights[:, None] * steps[1].weights
    law /= steps[1].weights.sum(axis=1, keepdims=True)
    assert follows(counted([first, second], sizes), law)


@pytest.mark.usefixtures("either")
def test_a_column_wider_than_sixteen_bits() -> None:
    law = np.zeros(70_000)
    law[[3, 65_536, 69_999]] = 1.0
    (codes,) = Chain((70_000,), (Step((), 0, law),)).draw(9_000, np.random.default_rng(2))
    assert codes.dtype == np.uint32
    assert follows(np.bincount(codes, minlength=70_000), law)


def test_columns_of_one_cell_only() -> None:
    chain = Chain((1, 1), (Step((), 1, np.ones(1)), Step((1,), 0, np.ones((1, 1)))))
    codes = chain.draw(5, np.random.default_rng(0))
    assert [column.tolist() for column in codes] == [[0] * 5, [0] * 5]


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([((), 0, np.ones(2))], "needs a step"),
        ([((), 0, np.ones(2)), ((), 0, np.ones(2))], "drawn once"),
        ([((1,), 0, np.ones((3, 2))), ((), 1, np.ones(3))], "after those"),
        ([((), 0, np.ones(3)), ((), 1, np.ones(3))], "shaped"),
        ([((), 0, np.zeros(2)), ((), 1, np.ones(3))], "positive"),
        ([((), 0, np.array([1.0, -1.0])), ((), 1, np.ones(3))], "not negative"),
        ([((), 0, np.array([1.0, np.nan])), ((), 1, np.ones(3))], "finite"),
    ],
)
def test_steps_that_make_no_chain_are_refused(steps: list[tuple], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chain((2, 3), tuple(Step(*step) for step in steps))
