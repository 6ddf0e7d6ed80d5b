"""The rounded normal law: every word's value against decimals of eighty digits, at every scale."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import chain, repeat

import numpy as np
import pytest

from tests.noise_sources import misfit, rounded_gaussian
from understudy.errors import UsageError
from understudy.gate import noise as noise_module
from understudy.gate import rounded as rounded_module
from understudy.gate.noise import OpenDPNoise, SystemNoise
from understudy.gate.rounded import decide, rounded
from understudy.privacy.normal import upper_tail

SCALES = [2.0**-20, 0.1, 0.5, 1.0, math.pi, 30.0, 1000.1, 1e5, 2.0**30, 2.0**44, 2.0**50]
DIGITS = 80
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
Given = Callable[[], int]


def both_tails(z: Decimal) -> Decimal:
    """P(|Z| > z) by the series of exp(-t^2 / 2), integrated term by term."""
    with localcontext() as context:
        context.prec = DIGITS + 40  # for terms up to exp(z^2 / 2), which take turns in sign
        term, total, n = z, z, 0
        while abs(term) > Decimal(10) ** -DIGITS:
            n += 1
            term *= -z * z / (2 * n)
            total += term / (2 * n + 1)
        return 1 - total * (2 / PI).sqrt()


def reaching(size: int, scale: float) -> Decimal:
    """P(|X| >= size)."""
    with localcontext() as context:
        context.prec = DIGITS + 40
        distance = (Decimal(size) - Decimal("0.5")) / Decimal(scale)
        return both_tails(distance) if size else Decimal(1)


def is_the_size(size: int, scale: float, part: int, bits: int) -> bool:
    """Whether a Q in the middle of this part has just this size."""
    with localcontext() as context:
        context.prec = DIGITS + 40
        q = (Decimal(part) + Decimal("0.5")) / 2**bits
        return reaching(size + 1, scale) < q <= reaching(size, scale)


def then(*words: int) -> Given:
    """These words and then ever 2^63, which is Q in the middle of what came before."""
    given: Iterator[int] = chain(words, repeat(2**63))
    return lambda: next(given)


def sizes_to_try(scale: float) -> list[int]:
    """From the middle of the law to beyond the table."""
    return sorted({max(1, round(scale * z)) for z in (0, 0.01, 0.7, 1.9, 3.3, 4.8, 5.5, 8.0)})


def boundary(size: int, scale: float, bits: int) -> int:
    """floor(2^bits P(|X| >= size)): where the size begins."""
    with localcontext() as context:
        context.prec = DIGITS + 40
        return int(reaching(size, scale) * 2**bits)


def words_at_boundaries(scale: float) -> list[int]:
    """First words around every boundary, where more bits must be drawn, with either sign."""
    parts = [
        boundary(size, scale, 63) + step
        for size in sizes_to_try(scale)
        if size < 9.0 * scale
        for step in (-1, 0, 1)
    ]
    return [2 * part + sign for part in parts if part >= 0 for sign in (0, 1)]


@pytest.mark.parametrize("scale", SCALES[1:])
def test_words_at_a_boundary_are_decided_as_the_real_number_would_be(scale: float) -> None:
    for word in words_at_boundaries(scale):
        size = decide(word, then(), scale=scale)
        assert is_the_size(abs(size), scale, (word >> 1 << 64) + 2**63, 127)
        assert size * (-1) ** (word & 1) >= 0


@pytest.mark.parametrize("scale", SCALES[1:])
@pytest.mark.parametrize("step", [-1, 1])
def test_bits_are_drawn_until_nothing_is_in_doubt(scale: float, step: int) -> None:
    size = max(1, round(scale))
    digits = boundary(size, scale, 191) + step  # apart from the boundary in the third word only
    word, *others = [digits >> 128 << 1, digits >> 64 & 2**64 - 1, digits & 2**64 - 1]
    given = iter(others)
    assert decide(word, lambda: next(given), scale=scale) == (size if step < 0 else size - 1)
    assert next(given, None) is None


@pytest.mark.parametrize("scale", SCALES)
def test_the_table_says_what_the_exact_decision_says(scale: float) -> None:
    rng = np.random.default_rng(5)
    edges = np.array([], dtype=np.uint64)
    for octave in range(40, 63):
        cells = np.arange(32, 64, 9, dtype=np.uint64) << np.uint64(octave - 5)
        edges = np.concatenate([edges, cells - np.uint64(1), cells, cells + np.uint64(1)])
    words = np.concatenate(
        [
            rng.integers(2**64, size=30 if scale > 2.0**40 else 150, dtype=np.uint64),
            rng.integers(2**46, size=30, dtype=np.uint64),
            2 * edges[:: 7 if scale > 2.0**40 else 1],
            np.array([w for w in words_at_boundaries(scale) if w < 2**64], dtype=np.uint64),
            np.array([0, 1, 2, 3, 2**44 - 1, 2**44, 2**63, 2**64 - 2, 2**64 - 1], dtype=np.uint64),
        ]
    )
    found = rounded(words, lambda: 2**62 + 3, scale=scale)
    assert found.tolist() == [decide(int(w), lambda: 2**62 + 3, scale=scale) for w in words]
    assert rounded(words ^ np.uint64(1), lambda: 2**62 + 3, scale=scale).tolist() == (
        (-found).tolist()
    )


def test_every_cell_of_the_table_is_as_near_as_the_proof_says() -> None:
    """At both ends and in the middle of each cell, and for the last Q of a word."""
    edges = [32 + cell % 32 << 38 + cell // 32 for cell in range(641)]
    parts = sorted({*edges[:-1], *(e - 1 for e in edges[1:]), *(e + e // 80 for e in edges[:-1])})
    sizes, beyond = rounded_module._near(np.array(parts, dtype=np.uint64) * np.uint64(2))
    assert not beyond.any()
    slack = Fraction(rounded_module.SLACK)
    for part, size in zip(parts, map(Fraction, sizes.tolist()), strict=True):
        assert upper_tail(size + slack, digits=25)[1] * 2**64 <= part
        assert upper_tail(size - slack, digits=25)[0] * 2**64 >= part + 1


def test_no_table_is_made_of_points_that_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = rounded_module._quantile
    monkeypatch.setattr(rounded_module, "_quantile", lambda tail: exact(tail) * (1 + 1e-5))
    rounded_module._table.cache_clear()
    with pytest.raises(ArithmeticError, match="no noise is drawn"):
        rounded(np.array([2**40], dtype=np.uint64), then(), scale=1.0)


def test_doubt_is_rare_at_the_scales_that_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(rounded_module, "decide", lambda word, *_, **__: asked.append(word) or 0)
    words = np.random.default_rng(1).integers(2**64, size=100_000, dtype=np.uint64)
    rounded(words, then(), scale=1e5)
    assert len(asked) <= 5  # 0.1 are expected beyond the table, and 0.001 in doubt
    rounded(words[:100], then(), scale=2.0**44)
    assert len(asked) >= 100


def test_no_tail_is_cut_off() -> None:
    """A word of nothing but zeros says only that more are needed, thirty times here."""
    zeros = then(*[0] * 29, 5)
    found = decide(1, zeros, scale=3.5)
    q = Fraction(11, 2 ** (63 + 30 * 64 + 1))
    low, high = (
        (Fraction(-found) + half) / Fraction(3.5) for half in (-Fraction(1, 2), Fraction(1, 2))
    )
    assert 2 * upper_tail(low, digits=30)[0] > q > 2 * upper_tail(high, digits=30)[1]
    assert found < -150


def test_a_guess_that_is_far_off_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.random.default_rng(2).integers(2**64, size=20, dtype=np.uint64).tolist()
    expected = [decide(word, then(), scale=1000.0) for word in words]
    for guess in (0.0, 0.2, 9.0):
        monkeypatch.setattr(rounded_module, "_quantile", lambda _, guess=guess: guess)
        assert [decide(word, then(), scale=1000.0) for word in words] == expected


@pytest.mark.parametrize("source", [SystemNoise, OpenDPNoise])
@pytest.mark.parametrize("scale", [0.3, 1.0, 12.25])
def test_samples_follow_the_law(source: type[SystemNoise | OpenDPNoise], scale: float) -> None:
    draws, reach = 100_000, 200
    noisy = source().rounded_gaussian(np.full(draws, 7), scale=scale) - 7
    expected = draws * np.array([rounded_gaussian(k, scale) for k in range(-reach, reach + 1)])
    observed = np.bincount(noisy + reach, minlength=2 * reach + 1)
    assert misfit(observed, expected) < 6


def test_every_value_gets_the_noise_of_its_own_word(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = iter(np.random.default_rng(3).integers(2**64, size=20, dtype=np.uint64))
    handed: list[int] = []

    def words(count: int) -> np.ndarray:
        handed.extend(int(next(fresh)) for _ in range(count))
        return np.array(handed[-count:], dtype=np.uint64)

    monkeypatch.setattr(noise_module, "_words", words)
    monkeypatch.setattr(noise_module, "ROUNDED_BLOCK", 8)
    values = np.arange(20).reshape(4, 5) * 1000
    noisy = SystemNoise().rounded_gaussian(values, scale=50.0)
    expected = [1000 * i + decide(word, then(), scale=50.0) for i, word in enumerate(handed)]
    assert noisy.ravel().tolist() == expected


def test_more_bits_come_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [2 * boundary(30, 30.0, 63)]
    monkeypatch.setattr(noise_module, "_words", lambda _: np.array(words, dtype=np.uint64))
    found = []
    for word in (0, 2**64 - 1):
        monkeypatch.setattr(noise_module, "_word", lambda word=word: word)
        found += SystemNoise().rounded_gaussian(np.array([0]), scale=30.0).tolist()
    assert found == [30, 29]


@pytest.mark.parametrize("scale", [0.0, -1.0, 2.0**-21, 2.0**51, math.inf, math.nan])
def test_scales_that_the_proof_does_not_cover_are_refused(scale: float) -> None:
    with pytest.raises(UsageError, match="between"):
        SystemNoise().rounded_gaussian(np.array([0]), scale=scale)
