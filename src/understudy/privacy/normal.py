"""The normal distribution's upper tail, enclosed between two rationals.

The tail is density times Mills' ratio, 1 - Phi(x) = phi(x) M(x). For x below ``SMALL``

    M(x) = 1 / (2 phi(x)) - (x + x^3 / 3 + x^5 / (3 * 5) + ...) ,

a series of positive terms; from there on the continued fraction 1 / (x + 1 / (x + 2 / (x + ...))),
whose convergents lie on either side of M in turn, since all its terms are positive.

**Rounding.** ``Decimal`` rounds every operation correctly, exp and sqrt too: a relative error of
at most 10^(1 - digits). Sums, products and quotients of positive numbers add such errors up and
never magnify them; the one difference, at small x, is of numbers below 200. An exponent y turns a
relative error e into y e. So n operations on x are off by less than (n + x^2) 10^(1 - digits), and
``_enclosed`` widens by a thousand times more.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

SMALL: Final = 3
FAR: Final = Fraction(200)
"""Where the density is below 10^-8000, less than any delta: exact digits would fill the memory."""
GUARD: Final = 16
"""Digits beyond those asked for."""
PI_ROUNDED_UP: Final = Fraction(31415926535897932385, 10**19)

Bounds = tuple[Fraction, Fraction]


def upper_tail(x: Fraction, *, digits: int) -> Bounds:
    """Rationals on either side of P(Z > x), 10^-digits of it apart for x in [0, FAR]."""
    if x < 0:
        low, high = upper_tail(-x, digits=digits)
        return 1 - high, 1 - low
    low, high = mills(x, digits=digits)
    least, most = density(x, digits=digits)
    return low * least, high * most


def density(x: Fraction, *, digits: int) -> Bounds:
    """Rationals on either side of phi(x) = exp(-x^2 / 2) / sqrt(2 pi); 0 and phi(FAR) beyond."""
    if abs(x) > FAR:
        return Fraction(0), density(FAR, digits=digits)[1]
    with localcontext(_context(digits)):
        square = _decimal(x * x)
        near = (-square / 2).exp() / (2 * _pi(digits + GUARD)).sqrt()
        return _enclosed(near, effort=square + 100, digits=digits)


def mills(x: Fraction, *, digits: int) -> Bounds:
    """Rationals on either side of M(x) = (1 - Phi(x)) / phi(x), for x >= 0."""
    return _by_series(x, digits) if x < SMALL else _by_fraction(x, digits)


def _by_series(x: Fraction, digits: int) -> Bounds:
    with localcontext(_context(digits)):
        square = _decimal(x * x)
        term = total = _decimal(x)
        odd = 1
        while term > total * Decimal(10) ** -(digits + GUARD):  # the rest is less than this term
            odd += 2
            term = term * square / odd
            total += term
        half = (square / 2).exp() * (2 * _pi(digits + GUARD)).sqrt() / 2
        low, high = _enclosed(half, effort=square + 100, digits=digits)
        least, most = _enclosed(total, effort=Decimal(4 * odd), digits=digits)
        return low - most, high - least


def _by_fraction(x: Fraction, digits: int) -> Bounds:
    levels = 16 + int(digits**2 / x**2)  # about as many as it takes; each convergent is a bound
    with localcontext(_context(digits)):
        near = _decimal(x)
        while True:
            pair = sorted(_convergent(near, levels + more) for more in (0, 1))
            if pair[1] - pair[0] <= pair[0] * Decimal(10) ** -(digits + 2):
                effort = 4 * levels + near * near
                low, _ = _enclosed(pair[0], effort=effort, digits=digits)
                _, high = _enclosed(pair[1], effort=effort, digits=digits)
                return low, high
            levels *= 2


def _convergent(x: Decimal, levels: int) -> Decimal:
    value = x
    for level in range(levels, 0, -1):
        value = x + level / value
    return 1 / value


def _enclosed(near: Decimal, *, effort: Decimal, digits: int) -> Bounds:
    """A positive number that came out of so much rounding, with room on either side."""
    slack = Fraction(effort) * Fraction(1, 10 ** (digits + GUARD - 4))
    value = Fraction(near)
    return value * (1 - slack), value * (1 + slack)


@lru_cache(maxsize=16)
def _pi(digits: int) -> Decimal:
    """Pi by Machin's formula, in whole numbers with ten digits to spare."""
    unit = 10 ** (digits + 10)
    return Decimal(16 * _arctan(5, unit) - 4 * _arctan(239, unit)).scaleb(-digits - 10)


def _arctan(inverse: int, unit: int) -> int:
    """arctan(1 / inverse) in units of 1 / unit, off by less than two for each of its terms."""
    power = total = unit // inverse
    odd, sign = 1, 1
    while power:
        power //= inverse * inverse
        odd, sign = odd + 2, -sign
        total += sign * (power // odd)
    return total


def _context(digits: int) -> Context:
    return Context(prec=digits + GUARD, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
