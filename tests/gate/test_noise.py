"""Noise: never copied, never out of range, values kept apart; its laws are in verification/."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from tests.noise_sources import EnumeratingNoise, KeyedNoise, SeededNoise, Walk
from understudy.gate.noise import Noise, OpenDPNoise, SystemNoise
from understudy.gate.private_table import PrivateTable

SOURCES = [SystemNoise, OpenDPNoise]
BIG, SMALL = 2**63 - 1, -(2**63)


@pytest.mark.parametrize("source", [*SOURCES, KeyedNoise])
def test_no_copy_could_draw_the_same_noise_twice(source: type[Noise]) -> None:
    noise = source()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="never pickled"):
            pickle.dumps(noise, protocol)
    with pytest.raises(TypeError, match="never pickled"):
        copy.copy(noise)
    with pytest.raises(TypeError, match="never pickled"):
        copy.deepcopy([noise])


@pytest.mark.parametrize("source", SOURCES)
def test_there_is_no_seed_and_no_state(source: type[Noise]) -> None:
    with pytest.raises(TypeError):
        source(1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        source(seed=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("draw", ["laplace", "gaussian", "rounded_gaussian"])
@pytest.mark.parametrize("count", [1, 30_000])
def test_sums_saturate_and_never_wrap_round(source: type[Noise], draw: str, count: int) -> None:
    values = np.array([BIG, SMALL] * count)
    noisy = getattr(source(), draw)(values, scale=50.0)
    assert noisy.dtype == np.int64
    assert (noisy[::2] > 2**61).all()
    assert (noisy[1::2] < -(2**61)).all()
    assert values[0] == BIG, "the exact values must not be changed in place"


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("draw", ["laplace", "gaussian", "rounded_gaussian"])
@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0, 2), (2, 3, 4), (40, 50, 10)])
def test_arrays_keep_their_shape_and_order(
    source: type[Noise], draw: str, shape: tuple[int, ...]
) -> None:
    values = np.arange(np.prod(shape), dtype=np.int64).reshape(shape) * 10**6
    for layout in (values, np.asfortranarray(values), values[::-1]):
        noisy = getattr(source(), draw)(layout, scale=0.5)
        assert noisy.shape == shape
        assert np.abs(noisy - layout).max(initial=0) < 100


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("draw", ["laplace", "gaussian", "rounded_gaussian"])
def test_every_value_gets_noise_of_its_own(source: type[Noise], draw: str) -> None:
    noisy = [getattr(source(), draw)(np.zeros(500, np.int64), scale=1e9) for _ in range(2)]
    assert len(set(noisy[0].tolist()) | set(noisy[1].tolist())) > 990


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("draw", ["permute_and_flip", "gumbel_max"])
def test_selections_compare_the_exact_integers(source: type[Noise], draw: str) -> None:
    """2^60 and 2^60 + 60 are the same float32 and nearly the same float64."""
    choose = getattr(source(), draw)
    for offset in (0, 2**60, -(2**60)):
        scores = np.array([offset, offset + 60, offset - 7])
        assert [choose(scores, scale=0.5) for _ in range(50)] == [1] * 50
    assert choose(np.array([SMALL, BIG]), scale=2.0**50) == 1
    assert choose(np.array([5]), scale=1.0) == 0


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("draw", ["permute_and_flip", "gumbel_max"])
def test_selections_are_random(source: type[Noise], draw: str) -> None:
    """Each of two equal candidates is missed in 60 draws with probability 2^-60."""
    chosen = {getattr(source(), draw)(np.array([0, 0]), scale=1.0) for _ in range(60)}
    assert chosen == {0, 1}


def test_products_run_on_the_operating_systems_noise() -> None:
    defaults: Any = PrivateTable.__init__.__kwdefaults__
    assert defaults == {"noise": None}


# ---- the test sources themselves ---------------------------------------------------------------


def test_the_walk_takes_every_path_once_with_its_probability() -> None:
    walk, seen = Walk(), []
    while True:
        first = walk.choose([0.5, 0.0, 0.5])
        path = (first,) if first == 0 else (first, walk.choose([0.25, 0.75]))
        seen.append((path, walk.probability))
        if not walk.advance():
            break
    assert seen == [((0,), 0.5), ((2, 0), 0.125), ((2, 1), 0.375)]


def test_the_enumerated_window_carries_the_whole_tails() -> None:
    walk, law = Walk(), {}
    while True:
        (value,) = EnumeratingNoise(walk, window=(-1, 1)).gaussian(np.array([3]), scale=1.0)
        law[int(value)] = walk.probability
        if not walk.advance():
            break
    z = np.exp(-(np.arange(-40, 41) ** 2) / 2.0)
    z /= z.sum()
    assert law == pytest.approx({-1: z[:37].sum(), 0: z[37], 1: z[38:].sum()}, rel=1e-12)


def test_seeded_noise_is_reproducible_and_keyed_noise_follows_the_value() -> None:
    values = np.array([[1, 2], [2, 1]])
    for draw in ("laplace", "gaussian", "rounded_gaussian"):
        first, second = (getattr(SeededNoise(3), draw)(values, scale=9.0) for _ in range(2))
        assert np.array_equal(first, second)
        keyed = getattr(KeyedNoise(), draw)(values, scale=9.0)
        assert np.array_equal(keyed, keyed.T)
    for draw in ("permute_and_flip", "gumbel_max"):
        chosen = [getattr(SeededNoise(3), draw)(np.arange(9), scale=4.0) for _ in range(2)]
        assert chosen[0] == chosen[1]
        one = getattr(KeyedNoise(), draw)(np.arange(9), scale=4.0)
        assert one == 8 - getattr(KeyedNoise(), draw)(np.arange(9)[::-1].copy(), scale=4.0)
