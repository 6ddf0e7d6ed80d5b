"""From what a person asks for to what a run works with: checked, converted, shared out.

Everything here follows from the arguments and the schema; no row is read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from understudy.errors import UsageError
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, Exact, PureDP, exact
from understudy.privacy.convert import approx_to_gdp, approx_to_zcdp
from understudy.schema.columns import Category
from understudy.schema.schema import Schema

LARGEST_DELTA: Final = Fraction(1, 10)
DOMAIN_SHARE: Final = Fraction(1, 5)
"""What buying open levels and bounds may cost, as a share of the whole budget."""


def requested(
    *, epsilon: Exact | None = None, delta: Exact | None = None, rho: Exact | None = None
) -> Budget:
    """The budget that a person named: epsilon, epsilon and delta, rho, or rho and delta."""
    if (epsilon is None) == (rho is None):
        raise UsageError("give either epsilon (with or without delta) or rho; there is no default")
    tail = None if delta is None else exact(delta, name="delta")
    if tail is not None and not 0 < tail < LARGEST_DELTA:
        raise UsageError(
            f"delta must lie strictly between 0 and 0.1, not be {delta}, and should be far "
            "below 1 / the number of people; leave it out for pure differential privacy"
        )
    name, amount = ("rho", rho) if epsilon is None else ("epsilon", epsilon)
    assert amount is not None
    value = exact(amount, name=name)
    if value <= 0:
        raise UsageError(f"{name} must be above 0, not {value}")
    if epsilon is None:
        return ZCDP(value, tail or Fraction(0))
    return PureDP(value) if tail is None else ApproxDP(value, tail)


@dataclass(frozen=True)
class Allotment:
    """A run's budget in its working currency: the whole, what buys the domain, what fits."""

    asked: Budget
    working: Budget
    for_domain: Budget | None
    for_fit: Budget

    @property
    def conversion(self) -> str:
        """The step from the budget asked for to the working one, in words; empty if none."""
        if type(self.asked) is type(self.working):
            return ""
        exactly = isinstance(self.working, GDP)
        how = "exact conversion of normal noise" if exactly else "tight Renyi conversion"
        return f"{self.asked} worked as {self.working} by the {how}"


def allot(asked: Budget, schema: Schema, *, accepts: Collection[type[Budget]]) -> Allotment:
    """Convert to the working currency and set aside what the schema's open columns need.

    Epsilon and delta are worked in GDP where ``accepts`` names it: that gives noisy counts the
    least noise. Open columns are bought by choices, which are dearer there, or with a delta.
    """
    if isinstance(asked, ApproxDP) and GDP in accepts and not schema.open_columns:
        gdp = approx_to_gdp(asked)
        return Allotment(asked, gdp, None, gdp)
    discovers = any(isinstance(schema.columns[name], Category) for name in schema.open_columns)
    working = _working(asked, discovers=discovers)
    if not schema.open_columns:
        return Allotment(asked, working, None, _without_delta(working))
    fit = _without_delta(working) * (1 - DOMAIN_SHARE)
    return Allotment(asked, working, working - fit, fit)


def granted(spend: Budget, *, gaussian: bool = False) -> Allotment:
    """A budget in its working currency, for a run that finds its domain made.

    ``gaussian`` works epsilon and delta in GDP: for noisy sums, and for a choice that is added to
    other costs in it.
    """
    if not isinstance(spend, Budget):
        raise UsageError(
            "spend is a budget, such as us.PureDP(0.1) or us.ZCDP(0.01); there is no default"
        )
    if not spend.parts[0]:
        raise UsageError(f"a question needs a budget above 0, not {spend}")
    if gaussian and isinstance(spend, ApproxDP):
        gdp = approx_to_gdp(spend)
        return Allotment(spend, gdp, None, gdp)
    working = _working(spend, discovers=False)
    return Allotment(spend, working, None, working)


def _working(asked: Budget, *, discovers: bool) -> Budget:
    match asked:
        case ApproxDP():
            reserve = asked.delta / 2 if discovers else Fraction(0)
            return approx_to_zcdp(asked, reserve_delta=reserve)
        case ZCDP() if discovers and asked.delta:
            return asked
        case ZCDP() if not discovers:
            return _without_delta(asked)
        case PureDP() | GDP() if not discovers:
            return asked
    raise UsageError(
        "the schema has columns whose levels are to be discovered, which needs a delta: a level "
        "that only one person holds must stay hidden with probability 1 - delta. Give delta, or "
        "declare the levels"
    )


def _without_delta(budget: Budget) -> Budget:
    return ZCDP(budget.rho) if isinstance(budget, ZCDP) else budget
