"""Noise for long vectors: the right law, the right values, no shortcut in doubtful cases."""

from __future__ import annotations

import os

import numpy as np
import pytest

from tests.noise_sources import misfit
from understudy.gate import noise as noise_module
from understudy.gate.law import Law
from understudy.gate.noise import SystemNoise


def weights(kind: str, scale: float, reach: int) -> np.ndarray:
    x = np.arange(-reach, reach + 1)
    log = -np.abs(x) / scale if kind == "laplace" else -(x**2) / (2 * scale**2)
    mass = np.exp(log)
    return mass / mass.sum()


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("scale", [0.4, 1.5, 12.25])
def test_long_vectors_follow_the_exact_law(kind: str, scale: float) -> None:
    draws = 200_000
    noisy = getattr(SystemNoise(), kind)(np.zeros(draws, dtype=np.int64), scale=scale)
    reach = 400
    expected = weights(kind, scale, reach) * draws
    observed = np.bincount(noisy + reach, minlength=2 * reach + 1)
    assert misfit(observed, expected) < 6


def test_noise_is_added_to_each_value_and_keeps_the_shape() -> None:
    values = np.arange(60_000).reshape(200, 300) * 1000
    noisy = SystemNoise().gaussian(values, scale=3.0)
    assert noisy.shape == values.shape
    assert noisy.dtype == np.int64
    assert np.abs(noisy - values).max() < 60
    assert (noisy != values).mean() > 0.5


def test_sums_saturate_instead_of_wrapping_round() -> None:
    ends = np.array([2**63 - 1, -(2**63)] * 5000)
    noisy = SystemNoise().laplace(ends, scale=2.0)
    assert (noisy[::2] > 2**61).all()
    assert (noisy[1::2] < -(2**61)).all()


@pytest.mark.parametrize(("draws", "tabled"), [(10, False), (100_000, True)])
def test_short_vectors_stay_with_opendp(
    draws: int, tabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    original = noise_module._tabled

    def watched(law: Law, values: np.ndarray) -> np.ndarray:
        made.append(law)
        return original(law, values)

    monkeypatch.setattr(noise_module, "_tabled", watched)
    SystemNoise().gaussian(np.zeros(draws, dtype=np.int64), scale=5.0)
    assert bool(made) is tabled


def test_no_table_is_made_for_absurd_scales() -> None:
    assert not noise_module._pays(Law("laplace", 1e9), 10**12)


def test_words_come_from_the_system_and_are_never_used_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def counted(size: int) -> bytes:
        asked.append(size)
        return original(size)

    original = os.urandom
    monkeypatch.setattr(noise_module.os, "urandom", counted)
    monkeypatch.setattr(noise_module, "BLOCK", 3000)
    SystemNoise().laplace(np.zeros(10_000, dtype=np.int64), scale=1.0)
    assert asked == [24_000, 24_000, 24_000, 8_000]


def test_a_word_that_equals_a_floor_is_decided_with_more_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    law = Law("gaussian", 1.5)
    first, table = law.table
    middle = len(table) // 2
    words = np.array([table[middle], table[middle] - np.uint64(1), table[middle] + np.uint64(1)])
    expected = first + middle
    monkeypatch.setattr(noise_module, "_word", lambda: 0)
    low = noise_module._noise_of(law, words)
    monkeypatch.setattr(noise_module, "_word", lambda: 2**64 - 1)
    high = noise_module._noise_of(law, words)
    assert low.tolist() == [expected, expected, expected + 1]
    assert high.tolist() == [expected + 1, expected, expected + 1]


def test_the_next_word_is_64_bits_of_the_systems_randomness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(noise_module.os, "urandom", lambda size: b"\x01" + b"\x00" * (size - 1))
    assert noise_module._word() == 1
