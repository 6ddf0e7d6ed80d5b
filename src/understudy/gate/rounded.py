"""The normal law rounded to whole numbers, round(scale Z), drawn exactly at every scale.

A word's lowest bit is the sign and the others begin Q = P(|Z'| > |Z|), uniform on [0, 1). One
table without a scale gives |Z| from Q, off by less than 2^-44, so that its rounding is nearly
always certain; where it is not, ``decide`` compares Q, with as many more bits as that takes, with
certified bounds on P(|scale Z| >= x - 1/2). The proof is in rounded.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from understudy.privacy.normal import Bounds, density, mills, upper_tail

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Words = NDArray[np.uint64]
WORD: Final = 64
PLACES: Final = WORD - 1
"""Bits of Q in the first word."""
OCTAVES: Final = 20
"""The table ends where Q < 2^-OCTAVES, that is beyond |Z| = 4.9."""
LEADING: Final = 5
"""Bits behind the first that name a cell: 32 cells from each power of two to the next."""
MANTISSA: Final = 52
FIRST_CELL: Final = (1023 + PLACES - OCTAVES) << LEADING
TERMS: Final = 6
SLACK: Final = 2.0**-44
DIGITS: Final = 20
FARTHEST: Final = 40.0
"""P(|Z| > 40) is no float, not even a small one."""


def rounded(words: Words, more: Callable[[], int], *, scale: float) -> Integers:
    """round(scale Z) for each word; ``more`` gives 64 bits at a time where one is not enough."""
    sizes, beyond = _near(words)
    sizes *= scale
    sizes += 0.5
    slack = (scale + 1.0) * SLACK
    least, most = np.floor(sizes - slack), np.floor(sizes + slack)
    signs = (words & np.uint64(1)).view(np.int64)
    found = (least.astype(np.int64) ^ -signs) + signs
    for doubtful in np.flatnonzero((least != most) | beyond):
        found[doubtful] = decide(int(words[doubtful]), more, scale=scale)
    return found


def _near(words: Words) -> tuple[Floats, NDArray[np.bool_]]:
    """|Z| for each word, less than SLACK off, and whether the word lies beyond the table."""
    tails = (words >> np.uint64(1)).view(np.int64).astype(np.float64)
    places = (tails.view(np.int64) >> (MANTISSA - LEADING)) - FIRST_CELL
    centres, *powers = (np.take(row, places, mode="clip") for row in _table())
    tails -= centres
    sizes = powers.pop()
    while powers:
        sizes *= tails
        sizes += powers.pop()
    return sizes, places < 0


def decide(word: int, more: Callable[[], int], *, scale: float) -> int:
    """round(scale Z) for one word, in rational arithmetic alone."""
    part, bits = word >> 1, PLACES
    while (size := _size(part, bits, Fraction(scale))) is None:
        part, bits = (part << WORD) | more(), bits + WORD
    return -size if word & 1 else size


def _size(part: int, bits: int, scale: Fraction) -> int | None:
    """The size that every Q from part / 2^bits to (part + 1) / 2^bits has, None if they differ."""
    if part == 0:
        return None

    @cache
    def bounds(size: int) -> Bounds:
        return _reaching((size - Fraction(1, 2)) / scale, bits)

    near = _quantile((2 * part + 1) / 2 ** (bits + 1))
    guess = math.floor(Fraction(near) * scale + Fraction(1, 2))
    least = _last(lambda size: bounds(size)[0] >= part + 1, guess)
    most = _last(lambda size: bounds(size)[1] > part, guess)
    return least if least == most else None


def _reaching(distance: Fraction, bits: int) -> Bounds:
    """2^bits P(|Z| >= distance), enclosed; below 1 is all that is said where it is that."""
    if distance * distance * 5 >= 7 * bits:  # P <= exp(-distance^2 / 2) <= exp(-0.7 bits)
        return Fraction(0), Fraction(1)
    low, high = upper_tail(distance, digits=bits // 3 + 4)
    return low * 2 ** (bits + 1), high * 2 ** (bits + 1)


def _last(holds: Callable[[int], bool], guess: int) -> int:
    """A whole number at which it holds (0 if at none above) and at the next it does not."""
    low, high, stride = guess, guess + 1, 1
    if guess and not holds(guess):
        while low and not holds(low):
            low, high, stride = max(low - stride, 0), low, 2 * stride
    else:
        while holds(high):
            low, high, stride = high, high + stride, 2 * stride
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _quantile(tail: float) -> float:
    """About the z with P(|Z| > z) = tail. Nothing rests on it: bounds judge what it suggests."""
    low, high = 0.0, FARTHEST
    for _ in range(MANTISSA):
        middle = (low + high) / 2.0
        low, high = (middle, high) if math.erfc(middle * math.sqrt(0.5)) > tail else (low, middle)
    return low


@lru_cache(maxsize=1)
def _table() -> Floats:
    """For each cell the tail P(|Z| > z) of a float z near its middle, in units of 2^-63, and the
    first coefficients of |Z| as a series in how far Q is from that tail."""
    edges = np.arange(FIRST_CELL, FIRST_CELL + (OCTAVES << LEADING) + 1) << (MANTISSA - LEADING)
    left, right = (side.view(np.float64) for side in (edges[:-1], edges[1:]))
    middles = (left + right) / 2.0
    points = [_quantile(tail) for tail in np.ldexp(middles, -PLACES).tolist()]
    slopes = [density(Fraction(z), digits=DIGITS)[0] * 2**WORD for z in points]
    ratios = [mills(Fraction(z), digits=DIGITS)[0] for z in points]
    tails = np.array([float(s * ratio) for s, ratio in zip(slopes, ratios, strict=True)])
    if (np.abs(tails - middles) * 2.0**20 > middles).any():
        raise ArithmeticError("this machine's erfc is wrong; no noise is drawn")
    steps = -np.array([float(slope) for slope in slopes])
    series = (p / steps**n for n, p in enumerate(_derivatives(np.array(points)), start=1))
    return np.array([tails, points, *series])


def _derivatives(z: Floats) -> Iterator[Floats]:
    """The derivatives of the normal quantile at z, over n! and without the density's n-th power:
    P_1 = 1, P_(n+1) = P_n' + n z P_n."""
    polynomial = np.polynomial.Polynomial([1.0])
    for n in range(1, TERMS + 1):
        yield polynomial(z) / math.factorial(n)
        polynomial = polynomial.deriv() + polynomial * np.polynomial.Polynomial([0.0, n])
