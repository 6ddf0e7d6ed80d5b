"""Budgets: how much a run may spend, as exact rationals in one of four currencies.

    PureDP(epsilon)            pure differential privacy
    ZCDP(rho, delta=0)         (delta-approximate) zero-concentrated differential privacy
    GDP(mu_squared)            Gaussian differential privacy: the squares add up, so they are kept
    ApproxDP(epsilon, delta)   what people ask for; methods work in GDP or ZCDP and convert once

Budgets add, compare and split exactly: ``sum(b.split(a=1, b=2).values())`` is ``b`` itself, so no
rounding error can refuse a budget its own shares. Different currencies never mix silently;
``understudy.privacy.convert`` names every conversion and its price. Budgets are only partly
ordered (more epsilon, less delta), so there is ``covers`` and no ``<``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from decimal import Context, Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, ClassVar, Final, Self, TypeVar, final

from understudy.errors import UsageError

Kind = TypeVar("Kind", bound="Budget")
Exact = Fraction | int | float | str | Decimal

# Python writes no integer of more than 4300 digits as text; ledgers and cards store text.
_LONGEST_BITS: Final = 13_000
_LONGEST_EXPONENT: Final = 5


def exact(value: Exact, *, name: str) -> Fraction:
    """The rational that a person means by ``value``: 0.1 is one tenth, not its binary neighbour.

    Takes whole numbers, fractions, decimals, floats (NumPy's too) and text such as "1/3".
    """
    if isinstance(value, bool) or not isinstance(value, Real | Decimal | str):
        raise UsageError(f"{name} must be a number, not {type(value).__name__}")
    if isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
    else:
        number = _parsed(str(value), name=name)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _LONGEST_BITS:
        raise UsageError(f"{name} has too many digits; use a shorter number")
    return number


def _parsed(text: str, *, name: str) -> Fraction:
    # A short text can stand for a number too large for memory: "1e999999999".
    exponent = text.strip().lower().partition("e")[2]
    try:
        if len(exponent) <= _LONGEST_EXPONENT:
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise UsageError(f"{name} must be a finite number such as 0.5 or '1/3'") from None


@dataclass(frozen=True)
class Budget(ABC):
    """An amount of privacy loss: non-negative in every part, and delta below 1."""

    currency: ClassVar[str]

    def __post_init__(self) -> None:
        for field in fields(self):
            value = exact(getattr(self, field.name), name=field.name)
            if value < 0:
                raise UsageError(f"{field.name} must not be negative")
            if field.name == "delta" and value >= 1:
                raise UsageError("delta must be below 1; at 1 nothing is promised")
            object.__setattr__(self, field.name, value)

    @property
    @abstractmethod
    def parts(self) -> tuple[Fraction, ...]:
        """The amounts, in a fixed order."""

    @final
    def __add__(self, other: Budget) -> Self:
        same = self._same(other)
        return self._like(a + b for a, b in zip(self.parts, same.parts, strict=True))

    @final
    def __radd__(self, other: object) -> Self:
        """Let ``sum(budgets)`` start from its 0, and from nothing else."""
        return self if type(other) is int and other == 0 else self + self._same(other)

    @final
    def __sub__(self, other: Budget) -> Self:
        if not self.covers(other):
            raise UsageError(f"cannot take {other} from {self}: it is more than there is")
        return self._like(a - b for a, b in zip(self.parts, other.parts, strict=True))

    @final
    def __mul__(self, share: Exact) -> Self:
        factor = exact(share, name="share")
        return self._like(part * factor for part in self.parts)

    __rmul__ = __mul__

    @final
    def covers(self, other: Budget) -> bool:
        """Whether ``other`` fits into this budget, exactly."""
        same = self._same(other)
        return all(a >= b for a, b in zip(self.parts, same.parts, strict=True))

    @final
    def beyond(self, other: Budget) -> Self:
        """What of this does not fit into ``other``, part by part."""
        same = self._same(other)
        pairs = zip(self.parts, same.parts, strict=True)
        return self._like(max(a - b, Fraction(0)) for a, b in pairs)

    @property
    def is_zero(self) -> bool:
        """Whether nothing at all may be spent."""
        return not any(self.parts)

    @final
    @classmethod
    def zero(cls) -> Self:
        """Nothing spent, in this currency."""
        return cls(*(0 for _ in fields(cls)))

    @final
    def split(self, /, **weights: Exact) -> dict[str, Self]:
        """Shares in proportion to the weights; together they are exactly the whole."""
        amounts = {name: exact(weight, name=name) for name, weight in weights.items()}
        total = sum(amounts.values())
        if total <= 0 or min(amounts.values()) < 0:
            raise UsageError("weights must not be negative and their sum must be positive")
        return {name: self * (amount / total) for name, amount in amounts.items()}

    @final
    def shares(self, count: int) -> list[Self]:
        """``count`` equal shares; together they are exactly the whole."""
        whole = exact(count, name="the number of shares")
        if whole < 1 or whole.denominator != 1:
            raise UsageError("a budget is split into a whole number of shares, at least one")
        return [self * (1 / whole)] * int(whole)

    @final
    def to_json(self) -> dict[str, str]:
        """The currency and each part as exact "p/q" text, for ledgers and cards."""
        amounts = {field.name: str(getattr(self, field.name)) for field in fields(self)}
        return {"currency": self.currency, **amounts}

    def _like(self, parts: Any) -> Self:
        return type(self)(*parts)

    def _same(self, other: object) -> Self:
        if isinstance(other, type(self)):
            return other
        found = other.currency if isinstance(other, Budget) else type(other).__name__
        raise UsageError(
            f"cannot combine {self.currency} with {found}; "
            "convert one of them by a named conversion first"
        )


@final
@dataclass(frozen=True)
class PureDP(Budget):
    """Pure epsilon-differential privacy."""

    currency = "pure"
    epsilon: Fraction

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """The amounts, in a fixed order."""
        return (self.epsilon,)

    def __str__(self) -> str:
        return f"epsilon = {_plain(self.epsilon, digits=6)}"


@final
@dataclass(frozen=True)
class ZCDP(Budget):
    """rho-zero-concentrated differential privacy, up to an event of probability delta."""

    currency = "zcdp"
    rho: Fraction
    delta: Fraction = Fraction(0)

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """The amounts, in a fixed order."""
        return (self.rho, self.delta)

    def __str__(self) -> str:
        tail = f", delta = {_plain(self.delta, digits=3)}" if self.delta else ""
        return f"rho = {_plain(self.rho, digits=6)}{tail}"


@final
@dataclass(frozen=True)
class GDP(Budget):
    """Gaussian differential privacy: neighbours are as hard to tell apart as two normal variables
    of variance 1 whose means lie mu apart."""

    currency = "gdp"
    mu_squared: Fraction

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """The amounts, in a fixed order."""
        return (self.mu_squared,)

    def __str__(self) -> str:
        return f"mu^2 = {_plain(self.mu_squared, digits=6)}"


@final
@dataclass(frozen=True)
class ApproxDP(Budget):
    """(epsilon, delta)-differential privacy."""

    currency = "approx"
    epsilon: Fraction
    delta: Fraction

    @property
    def parts(self) -> tuple[Fraction, ...]:
        """The amounts, in a fixed order."""
        return (self.epsilon, self.delta)

    def __str__(self) -> str:
        delta = _plain(self.delta, digits=3)
        return f"epsilon = {_plain(self.epsilon, digits=6)}, delta = {delta}"


CURRENCIES: Final[dict[str, type[Budget]]] = {
    kind.currency: kind for kind in (PureDP, ZCDP, GDP, ApproxDP)
}


def known_currency(currency: type[Kind]) -> type[Kind]:
    """``currency`` itself, if it is one of the four; anything else is refused."""
    if currency not in CURRENCIES.values():
        names = ", ".join(kind.__name__ for kind in CURRENCIES.values())
        raise UsageError(f"a currency is one of {names}, not {currency!r}")
    return currency


def budget_from_json(data: Mapping[str, Any]) -> Budget:
    """The budget that ``to_json`` wrote; anything else is refused."""
    amounts = dict(data)
    kind = CURRENCIES.get(str(amounts.pop("currency", None)))
    if kind is None or set(amounts) != {field.name for field in fields(kind)}:
        raise UsageError(f"not a budget; one has a currency of {', '.join(CURRENCIES)}")
    return kind(**amounts)


def _plain(value: Fraction, *, digits: int) -> str:
    """A few digits for a person, also where a float would overflow or vanish."""
    few = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    near = float(few)
    vanished = near == 0 and few != 0
    return f"{few:e}" if vanished or near == float("inf") else f"{near:.{digits}g}"
