"""Budgets: how much a run may spend, as exact rationals in one of three currencies.

    PureDP(epsilon)            pure differential privacy
    ZCDP(rho, delta=0)         (delta-approximate) zero-concentrated differential privacy
    ApproxDP(epsilon, delta)   what people ask for; methods work in ZCDP and convert once

Budgets add, compare and split exactly: ``sum(b.split(a=1, b=2).values())`` is ``b`` itself, so no
rounding error can refuse a budget its own shares. Different currencies never mix silently;
``understudy.privacy.convert`` names every conversion and its price.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from math import isfinite
from typing import ClassVar, Self, final

from understudy.errors import UsageError

Exact = Fraction | int | float | str


def exact(value: Exact, *, name: str) -> Fraction:
    """The rational that a person means by ``value``: 0.1 is one tenth, not its binary neighbour."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise UsageError(f"{name} must be a number, not {type(value).__name__}")
    if isinstance(value, float) and not isfinite(value):
        raise UsageError(f"{name} must be a finite number")
    try:
        return Fraction(repr(float(value)) if isinstance(value, float) else value)
    except (ValueError, ZeroDivisionError):
        raise UsageError(f"{name} must be a number such as 0.5 or '1/3'") from None


@dataclass(frozen=True)
class Budget(ABC):
    """An amount of privacy loss: non-negative in every part."""

    currency: ClassVar[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = exact(getattr(self, field.name), name=field.name)
            if value < 0:
                raise UsageError(f"{field.name} must not be negative")
            object.__setattr__(self, field.name, value)
        delta = getattr(self, "delta", Fraction(0))
        if delta >= 1:
            raise UsageError("delta must be below 1")

    @property
    @abstractmethod
    def parts(self) -> tuple[Fraction, ...]:
        """The amounts, in a fixed order."""

    def _like(self, parts: tuple[Fraction, ...]) -> Self:
        return type(self)(*parts)

    def _same(self, other: Budget) -> None:
        if type(self) is not type(other):
            raise UsageError(
                f"cannot combine {self.currency} with {other.currency}; "
                "convert one of them by a named conversion first"
            )

    @final
    def __add__(self, other: Budget) -> Self:
        self._same(other)
        return self._like(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    @final
    def __sub__(self, other: Budget) -> Self:
        self._same(other)
        return self._like(tuple(a - b for a, b in zip(self.parts, other.parts, strict=True)))

    @final
    def __mul__(self, share: Fraction | int) -> Self:
        return self._like(tuple(part * share for part in self.parts))

    @final
    def covers(self, other: Budget) -> bool:
        """Whether ``other`` fits into this budget, exactly."""
        self._same(other)
        return all(a >= b for a, b in zip(self.parts, other.parts, strict=True))

    @property
    def is_zero(self) -> bool:
        return not any(self.parts)

    @final
    def zero(self) -> Self:
        """Nothing spent, in the same currency."""
        return self * 0

    @final
    def split(self, **weights: Exact) -> dict[str, Self]:
        """Shares in proportion to the weights; together they are exactly the whole."""
        amounts = {name: exact(weight, name=name) for name, weight in weights.items()}
        total = sum(amounts.values())
        if total <= 0 or min(amounts.values()) < 0:
            raise UsageError("weights must not be negative and their sum must be positive")
        return {name: self * (amount / total) for name, amount in amounts.items()}

    @final
    def shares(self, count: int) -> list[Self]:
        """``count`` equal shares; together they are exactly the whole."""
        if count < 1:
            raise UsageError("a budget is split into at least one share")
        return [self * Fraction(1, count)] * count


@final
@dataclass(frozen=True)
class PureDP(Budget):
    """Pure epsilon-differential privacy."""

    currency = "pure"
    epsilon: Fraction

    @property
    def parts(self) -> tuple[Fraction, ...]:
        return (self.epsilon,)

    def __str__(self) -> str:
        return f"epsilon = {float(self.epsilon):.6g}"


@final
@dataclass(frozen=True)
class ZCDP(Budget):
    """rho-zero-concentrated differential privacy, up to an event of probability delta."""

    currency = "zcdp"
    rho: Fraction
    delta: Fraction = Fraction(0)

    @property
    def parts(self) -> tuple[Fraction, ...]:
        return (self.rho, self.delta)

    def __str__(self) -> str:
        tail = f", delta = {float(self.delta):.3g}" if self.delta else ""
        return f"rho = {float(self.rho):.6g}{tail}"


@final
@dataclass(frozen=True)
class ApproxDP(Budget):
    """(epsilon, delta)-differential privacy."""

    currency = "approx"
    epsilon: Fraction
    delta: Fraction

    @property
    def parts(self) -> tuple[Fraction, ...]:
        return (self.epsilon, self.delta)

    def __str__(self) -> str:
        return f"epsilon = {float(self.epsilon):.6g}, delta = {float(self.delta):.3g}"


CURRENCIES: dict[str, type[Budget]] = {kind.currency: kind for kind in (PureDP, ZCDP, ApproxDP)}
