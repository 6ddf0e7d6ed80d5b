"""Events: frozen facts of what was done to private rows, and what each costs in each currency.

    Laplace(epsilon)               discrete Laplace noise
    Gaussian(rho)                  discrete Gaussian noise
    RoundedGaussian(mu_squared)    normal noise, rounded to whole numbers
    PermuteAndFlip(epsilon)        a choice by exponential noise
    ExponentialMechanism(epsilon)  a choice by Gumbel noise
    Threshold(inner, delta)        an event whose answer also shows which levels are held at all
    Repeated(event, count)         the same event ``count`` times, each after seeing the others

An event lists its price only where a proof gives one; a currency that it does not list is refused,
never guessed. To extend: add a frozen dataclass with ``prices``; the tests find it by themselves
and demand that n at once cost exactly as much as n times one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, TypeVar, final

from understudy.errors import UsageError
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP, exact, known_currency
from understudy.privacy.convert import gdp_to_zcdp, pure_to_approx, pure_to_zcdp
from understudy.privacy.normal import PI_ROUNDED_UP

B = TypeVar("B", bound=Budget)
Prices = Mapping[type[Budget], Budget]


@dataclass(frozen=True)
class Event(ABC):
    """Something that was done; says what it costs and refuses where it does not know."""

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "Fraction":
                value = exact(getattr(self, field.name), name=field.name)
                object.__setattr__(self, field.name, value)
        self.prices()  # refuses what no budget can be

    @abstractmethod
    def prices(self) -> Prices:
        """What this costs, in each currency in which a proof says so."""

    @final
    def cost(self, currency: type[B]) -> B:
        """The cost in one currency, or a refusal."""
        price = self.prices().get(known_currency(currency))
        if isinstance(price, currency):
            return price
        known = ", ".join(kind.__name__ for kind in self.prices())
        raise UsageError(
            f"no cost in {currency.__name__} is proven for {self}; it is known in {known or 'none'}"
        )

    @final
    def times(self, count: int) -> Repeated:
        """This event ``count`` times."""
        return Repeated(self, count)


def _pure(epsilon: Fraction, *, zcdp: ZCDP | None = None) -> Prices:
    whole = PureDP(epsilon)
    return {
        PureDP: whole,
        ZCDP: pure_to_zcdp(whole) if zcdp is None else zcdp,
        ApproxDP: pure_to_approx(whole),
    }


@final
@dataclass(frozen=True)
class Laplace(Event):
    """Laplace noise whose scale is the L1 sensitivity over epsilon."""

    epsilon: Fraction

    def prices(self) -> Prices:
        """Pure epsilon; rho = epsilon^2 / 2."""
        return _pure(self.epsilon)


@final
@dataclass(frozen=True)
class Gaussian(Event):
    """Gaussian noise whose variance is the squared L2 sensitivity over 2 rho."""

    rho: Fraction

    def prices(self) -> Prices:
        """Exactly rho; no finite epsilon without a delta."""
        return {ZCDP: ZCDP(self.rho)}


@final
@dataclass(frozen=True)
class RoundedGaussian(Event):
    """Normal noise whose variance is the squared L2 sensitivity over mu^2, rounded.

    On whole numbers round(m + N) = m + round(N), so it is post-processing of a normal variable.
    Discrete Gaussian noise is not, and has no price in Gaussian differential privacy.
    """

    mu_squared: Fraction

    def prices(self) -> Prices:
        """Exactly mu^2; no finite epsilon without a delta."""
        whole = GDP(self.mu_squared)
        return {GDP: whole, ZCDP: gdp_to_zcdp(whole)}


@final
@dataclass(frozen=True)
class PermuteAndFlip(Event):
    """A choice by noisy maximum with exponential noise.

    Its log-probabilities do *not* stay in a range of epsilon, so the small zCDP price of the
    exponential mechanism is false here: the true one comes near epsilon^2 / 2 for small epsilon.
    """

    epsilon: Fraction

    def prices(self) -> Prices:
        """Pure epsilon; rho = epsilon^2 / 2."""
        return _pure(self.epsilon)


@final
@dataclass(frozen=True)
class ExponentialMechanism(Event):
    """A choice by noisy maximum with Gumbel noise: all log-ratios lie in a range of epsilon."""

    epsilon: Fraction

    def prices(self) -> Prices:
        """Pure epsilon; from the bounded range rho = epsilon^2 / 8 (Cesar and Rogers 2021) and
        mu^2 = pi epsilon^2 / 8 (gate/select.md)."""
        gdp = GDP(self.epsilon**2 * PI_ROUNDED_UP / 8)
        return {**_pure(self.epsilon, zcdp=ZCDP(self.epsilon**2 / 8)), GDP: gdp}


@final
@dataclass(frozen=True)
class Threshold(Event):
    """An event whose noisy answer is shown only above a threshold, since the levels are private.

    With probability 1 - delta the levels of one unit alone stay hidden, and then only ``inner``
    was done.
    """

    inner: Event
    delta: Fraction

    def prices(self) -> Prices:
        """The price of ``inner`` and delta on top; none in pure differential privacy."""
        tails = (ZCDP(Fraction(0), self.delta), ApproxDP(Fraction(0), self.delta))
        inner = self.inner.prices()
        return {type(tail): inner[type(tail)] + tail for tail in tails if type(tail) in inner}


@final
@dataclass(frozen=True)
class Repeated(Event):
    """The same event several times in a row, each choice free to depend on earlier answers."""

    event: Event
    count: int

    def prices(self) -> Prices:
        """``count`` times the price of one, in every currency that one has."""
        times = exact(self.count, name="count")
        if times < 1 or times.denominator != 1:
            raise UsageError("an event is repeated a whole number of times, at least once")
        return {kind: price * times for kind, price in self.event.prices().items()}


def cost(event: Any, currency: type[B]) -> B:
    """What ``event`` costs in ``currency``; anything that is not a known event is refused."""
    if not isinstance(event, Event):
        raise UsageError(f"a cost is known for events, not for {type(event).__name__}")
    return event.cost(currency)
