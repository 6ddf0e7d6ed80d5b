"""Exact distribution functions of integer noise, as tables of 64-bit numbers.

A symmetric law on the whole numbers with weights w(0) = 1, w(1), w(2), ... is sampled by inverse
transform: for U uniform on [0, 1), the least x with U < F(x) has exactly this law. The table holds
floor(2^64 F(x)), so the first 64 bits of U decide nearly always; when they do not, ``decide`` takes
as many more bits as it needs. Whole numbers only, every rounding bounded; the proof is in law.md.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal, final

import numpy as np
from numpy.typing import NDArray

WORD: Final = 64
GUARD: Final = 128
"""Bits kept beyond those asked for; ``_floors`` doubles them if ever they do not suffice."""


@final
@dataclass(frozen=True)
class Law:
    """Discrete Laplace, w = exp(-x / scale), or discrete Gaussian, w = exp(-x^2 / (2 scale^2))."""

    kind: Literal["laplace", "gaussian"]
    scale: float

    @property
    def effort(self) -> int:
        """How many weights the table is made from: the work it takes, known before it is done."""
        return _last(self, WORD + GUARD) + 1

    @cached_property
    def table(self) -> tuple[int, NDArray[np.uint64]]:
        """The least value, and floor(2^64 F(x)) for x from there on, until F is 1 in 64 bits."""
        floors = self._floors(WORD)
        middle = len(floors) // 2
        first = bisect_right(floors, 0) - 1  # the last floor that is 0 stays: it marks doubt
        last = bisect_right(floors, 2**WORD - 2) + 1
        return first - middle, np.array(floors[max(first, 0) : last], dtype=np.uint64)

    def decide(self, prefix: int, more: Callable[[], int]) -> int:
        """The value for a U whose first 64 bits are ``prefix``; ``more`` gives 64 at a time."""
        bits = WORD
        while True:
            floors = self._floors(bits)
            place = bisect_right(floors, prefix)
            if place and floors[place - 1] != prefix:
                return place - len(floors) // 2
            prefix, bits = (prefix << WORD) | more(), bits + WORD

    def _floors(self, bits: int) -> list[int]:
        """floor(2^bits F(x)) for x = -b ... b - 1, with less than 2^-bits of mass outside."""
        guard = GUARD
        while (floors := _certain_floors(self, bits, guard)) is None:
            guard *= 2
        return floors


def _certain_floors(law: Law, bits: int, guard: int) -> list[int] | None:
    """The floors, or None if with so few guard bits one of them is not certain."""
    weights = _weights(law, bits + guard)
    slack = 16 * len(weights) ** 3  # bounds the error of every sum below, in last places
    mass = 2 * sum(weights) - weights[0]
    lower: list[int] = []
    upper: list[int] = []
    below = 0
    for weight in reversed(weights[1:]):
        below += weight  # F(-x) = below / mass and, by symmetry, F(x - 1) = 1 - F(-x)
        for part, floors in ((below, lower), (mass - below, upper)):
            least = (max(part - slack, 0) << bits) // (mass + slack)
            most = min(((part + slack) << bits) // (mass - slack), (1 << bits) - 1)  # F < 1
            if least != most:
                return None
            floors.append(least)
    return lower + upper[::-1]


def _weights(law: Law, places: int) -> list[int]:
    """w(0), w(1), ... in units of 2^-places: w(x + 1) = w(x) f(x), f(x + 1) = f(x) q."""
    factor, ratio = (_exponential(exponent, places) for exponent in _exponents(law))
    weights = [1 << places]
    for _ in range(_last(law, places)):
        weights.append((weights[-1] * factor) >> places)
        factor = (factor * ratio) >> places
    return weights


def _exponents(law: Law) -> tuple[Fraction, Fraction]:
    scale = Fraction(law.scale)
    if law.kind == "laplace":
        return 1 / scale, Fraction(0)
    return 1 / (2 * scale * scale), 1 / (scale * scale)


def _last(law: Law, places: int) -> int:
    """An x beyond which all weights together are below 2^-places."""
    exponent = places * math.log(2.0) + math.log(law.scale + 2.0) + 2.0
    reach = exponent if law.kind == "laplace" else math.sqrt(2.0 * exponent)
    return math.ceil(law.scale * reach) + 1


def _exponential(exponent: Fraction, places: int) -> int:
    """exp(-exponent) in units of 2^-places, under 2 units off: ``Decimal`` rounds correctly."""
    context = Context(prec=places // 3 + 30, Emin=-(10**15), Emax=10**15)
    ratio = context.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator))
    return int(context.multiply(context.exp(ratio), Decimal(2**places)))
