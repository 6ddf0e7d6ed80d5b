"""Named conversions from one guarantee to another, each with its price in plain words.

    pure_to_zcdp               PureDP  -> ZCDP       rho = epsilon^2 / 2
    pure_to_approx             PureDP  -> ApproxDP   delta = 0
    zcdp_to_approx             ZCDP    -> ApproxDP   at a chosen delta
    approx_to_zcdp             ApproxDP -> ZCDP      the largest rho that stays inside
    gdp_to_zcdp                GDP     -> ZCDP       rho = mu^2 / 2
    gdp_to_approx              GDP     -> ApproxDP   at a chosen delta
    approx_to_gdp              ApproxDP -> GDP       the largest mu that stays inside
    add_remove_to_replace_one  any currency, the other relation between neighbours

**zCDP and (epsilon, delta).** A rho-zCDP mechanism is (epsilon, delta)-DP for every alpha > 1 with

    delta = exp((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) * (1 - 1/alpha)^alpha

(Canonne, Kamath and Steinke 2020, Corollary 13). With b = alpha - 1 and L = ln(1/delta) it reads

    epsilon = alpha rho + g(b),   g(b) = ln(b / alpha) + (L - ln alpha) / b .

**Why the numbers can be trusted.** *Every* alpha gives a true statement, so the search for the best
one may be careless: it costs tightness, never privacy. What must be right is the evaluation of g at
the rational b that was found. It is done in exact fractions, except for three logarithms, each
enclosed between two rationals (``log_bounds``); the result is rounded outwards: epsilon and delta
up, rho down. ``approx_to_zcdp`` returns only a rho that ``zcdp_to_approx`` confirms.

The conversions of Gaussian differential privacy are exact but for rounding (gaussian.py), and start
their search from what the Renyi orders prove.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, Final, Generic, ParamSpec, TypeVar, final

from understudy.errors import UsageError
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, Exact, PureDP, exact
from understudy.privacy.gaussian import largest_mu_squared, least_epsilon

P = ParamSpec("P")
B = TypeVar("B", bound=Budget)

_DIGITS: Final = 80
_SLACK: Final = Fraction(1, 10**70)
_SEARCH_DIGITS: Final = 30
_SEARCH_STEPS: Final = 64
_RHO_DIGITS: Final = 15
_EPSILON_DIGITS: Final = 18


@final
@dataclass(frozen=True)
class Conversion(Generic[P, B]):
    """A function between guarantees, with the name and the price that cards and ledgers show."""

    name: str
    price: str
    rule: Callable[P, B]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> B:
        """Convert; the result is never stronger than what was proven for the argument."""
        return self.rule(*args, **kwargs)


def log_bounds(value: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals on either side of ln(value), at most 2e-70 (1 + |ln value|) apart.

    ``Decimal.ln`` is correctly rounded, by its specification: with 80 digits, rounding the argument
    moves the logarithm by less than 1e-78 and rounding the result by less than 1e-79 of itself.
    The slack of 1e-70 is a hundred million times that.
    """
    context = Context(prec=_DIGITS)
    near = Fraction(context.ln(_decimal(value, context)))
    slack = (1 + abs(near)) * _SLACK
    return near - slack, near + slack


def _pure_to_zcdp(budget: PureDP) -> ZCDP:
    _check(budget, PureDP)
    return ZCDP(budget.epsilon**2 / 2)


def _pure_to_approx(budget: PureDP) -> ApproxDP:
    _check(budget, PureDP)
    return ApproxDP(budget.epsilon, Fraction(0))


def _zcdp_to_approx(budget: ZCDP, *, delta: Exact) -> ApproxDP:
    _check(budget, ZCDP)
    whole = exact(delta, name="delta")
    tail = _tail(whole, budget.delta)
    if not budget.rho:
        return ApproxDP(Fraction(0), whole)
    rho = _decimal(budget.rho, Context(prec=_SEARCH_DIGITS))
    b = _order(tail, lambda b, logs: logs - rho * b * b)
    epsilon = (1 + b) * budget.rho + _price(b, tail)
    return ApproxDP(max(Fraction(0), _round_up(epsilon)), whole)


def _approx_to_zcdp(budget: ApproxDP, *, reserve_delta: Exact = 0) -> ZCDP:
    _check(budget, ApproxDP)
    reserve = exact(reserve_delta, name="reserve_delta")
    if reserve < 0:
        raise UsageError("reserve_delta must not be negative")
    tail = _tail(budget.delta, reserve)
    epsilon = _decimal(budget.epsilon, Context(prec=_SEARCH_DIGITS))

    # At the best order both rho b^2 = L - ln alpha and epsilon = alpha rho + g(b) hold.
    def excess(b: Decimal, logs: Decimal) -> Decimal:
        return (b / (1 + b)).ln() + logs * (1 + 2 * b) / (b * b) - epsilon

    b = _order(tail, excess)
    best = max(Fraction(0), (budget.epsilon - _price(b, tail)) / (1 + b))
    candidates = (ZCDP(rho, reserve) for rho in _from(best))
    return next(
        inside
        for inside in candidates
        if budget.covers(_zcdp_to_approx(inside, delta=budget.delta))
    )


def _gdp_to_zcdp(budget: GDP) -> ZCDP:
    _check(budget, GDP)
    return ZCDP(budget.mu_squared / 2)


def _gdp_to_approx(budget: GDP, *, delta: Exact) -> ApproxDP:
    _check(budget, GDP)
    whole = exact(delta, name="delta")
    by_renyi = _zcdp_to_approx(_gdp_to_zcdp(budget), delta=whole).epsilon
    least = least_epsilon(budget.mu_squared, delta=_tail(whole, Fraction(0)), at_most=by_renyi)
    return ApproxDP(_round_up(least), whole)


def _approx_to_gdp(budget: ApproxDP) -> GDP:
    _check(budget, ApproxDP)
    by_renyi = 2 * _approx_to_zcdp(budget).rho
    if not by_renyi:
        return GDP(by_renyi)
    tail = _tail(budget.delta, Fraction(0))
    best = largest_mu_squared(budget.epsilon, delta=tail, at_least=by_renyi)
    candidates = (GDP(max(mu_squared, by_renyi)) for mu_squared in _from(best))
    return next(
        inside for inside in candidates if budget.covers(_gdp_to_approx(inside, delta=budget.delta))
    )


def _add_remove_to_replace_one(budget: B) -> B:
    """Replacing is removing and adding: two steps, each paid."""
    match budget:
        case PureDP():
            return budget * 2
        case GDP():
            return budget * 4
        case ZCDP() if not budget.delta:
            return budget * 4
        case ApproxDP():
            delta = _replaced(budget.epsilon, budget.delta)
            if delta < 1:
                return type(budget)(2 * budget.epsilon, delta)
            raise UsageError(
                f"{budget} for adding or removing promises nothing for replacing: "
                "its delta becomes (1 + e^epsilon) delta, which is 1 or more; ask for less"
            )
    raise UsageError(
        f"no price is proven for taking {budget} from add-remove to replace-one; "
        "convert it to (epsilon, delta) first"
    )


pure_to_zcdp: Final = Conversion(
    name="pure-to-zcdp",
    price="rho = epsilon^2 / 2; nothing is lost while composing, but the way back to epsilon "
    "needs a delta and is wider",
    rule=_pure_to_zcdp,
)
pure_to_approx: Final = Conversion(
    name="pure-to-approx",
    price="free: delta stays 0",
    rule=_pure_to_approx,
)
zcdp_to_approx: Final = Conversion(
    name="zcdp-to-approx",
    price="the smallest epsilon that the Renyi orders of zCDP prove at this delta, rounded up; "
    "the price is the delta",
    rule=_zcdp_to_approx,
)
approx_to_zcdp: Final = Conversion(
    name="approx-to-zcdp",
    price="the largest rho whose Renyi orders prove this epsilon and delta, rounded down; what a "
    "Gaussian could do beyond zCDP is given up",
    rule=_approx_to_zcdp,
)
gdp_to_zcdp: Final = Conversion(
    name="gdp-to-zcdp",
    price="rho = mu^2 / 2, which is exact; the way from rho to epsilon and delta is wider than "
    "that from mu",
    rule=_gdp_to_zcdp,
)
gdp_to_approx: Final = Conversion(
    name="gdp-to-approx",
    price="the smallest epsilon of a normal variable moved by mu at this delta, rounded up; the "
    "price is the delta",
    rule=_gdp_to_approx,
)
approx_to_gdp: Final = Conversion(
    name="approx-to-gdp",
    price="the largest mu that stays inside this epsilon and delta, rounded down; nothing is "
    "given up for normal noise, and a choice costs 1.6 times what it does in zCDP",
    rule=_approx_to_gdp,
)
add_remove_to_replace_one: Final[Conversion[[Any], Any]] = Conversion(
    name="add-remove-to-replace-one",
    price="replacing one unit is removing it and adding another: epsilon doubles, delta becomes "
    "(1 + e^epsilon) delta, rho is multiplied by 4, mu doubles",
    rule=_add_remove_to_replace_one,
)

CONVERSIONS: Final[tuple[Conversion[Any, Any], ...]] = (
    pure_to_zcdp,
    pure_to_approx,
    zcdp_to_approx,
    approx_to_zcdp,
    gdp_to_zcdp,
    gdp_to_approx,
    approx_to_gdp,
    add_remove_to_replace_one,
)


def _from(best: Fraction) -> Iterator[Fraction]:
    """The best amount, rounded down, and less and less, down to nothing.

    The way back from an amount searches anew and rounds up, so it may overshoot by the last digit.
    """
    steps = (Fraction(4**step - 1, 10**_RHO_DIGITS) for step in range(26))
    return (_round_down(best * max(Fraction(0), 1 - step)) for step in steps)


def _check(budget: Budget, kind: type[Budget]) -> None:
    if not isinstance(budget, kind):
        found = budget.currency if isinstance(budget, Budget) else type(budget).__name__
        raise UsageError(f"this conversion starts from {kind.currency}, not from {found}")


def _tail(delta: Fraction, reserved: Fraction) -> Fraction:
    """What is left of delta for the conversion itself: deltas of two causes add.

    What holds at delta = 1/2 holds above it; nobody needs more, and the search stays well behaved.
    """
    if not reserved < delta < 1:
        raise UsageError(
            f"delta must lie strictly between {float(reserved):.3g} (already promised elsewhere) "
            f"and 1, not {float(delta):.3g}: without a delta zCDP has no epsilon"
        )
    return min(delta - reserved, Fraction(1, 2))


def _price(b: Fraction, delta: Fraction) -> Fraction:
    """An upper bound of g(b): what the conversion at order 1 + b adds to alpha rho."""
    alpha = 1 + b
    _, ratio = log_bounds(b / alpha)
    _, tail = log_bounds(1 / delta)
    order, _ = log_bounds(alpha)
    return ratio + (tail - order) / b


def _order(delta: Fraction, slope: Callable[[Decimal, Decimal], Decimal]) -> Fraction:
    """Where ``slope(b, ln(1 / delta) - ln(1 + b))``, which falls from above 0, meets 0.

    The root lies below 1/delta - 1, where the second argument is 0. Approximate on purpose.
    """
    with localcontext(Context(prec=_SEARCH_DIGITS)) as context:
        start = _decimal(1 / delta - 1, context)
        tail = (1 + start).ln()

        def above(b: Decimal) -> bool:
            return slope(b, tail - (1 + b).ln()) > 0

        low = start
        while not above(low):
            low /= 16
        high = 16 * low
        for _ in range(_SEARCH_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if above(middle) else (low, middle)
        return Fraction(low)


def _replaced(epsilon: Fraction, delta: Fraction) -> Fraction:
    """(1 + e^epsilon) delta, rounded up; 1 where that is certainly reached.

    ``Decimal.exp`` is correctly rounded too. No delta has 4000 digits (``exact`` refuses it), so
    that e^10000 delta is above 1 unless delta is 0.
    """
    if not delta:
        return delta
    if epsilon > 10_000:
        return Fraction(1)
    context = Context(prec=_DIGITS)
    near = Fraction(context.exp(_decimal(epsilon, context)))
    return _round_up((1 + near * (1 + (1 + epsilon) * _SLACK)) * delta)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _round_up(value: Fraction) -> Fraction:
    return Fraction(_decimal(value, Context(prec=_EPSILON_DIGITS, rounding=ROUND_CEILING)))


def _round_down(value: Fraction) -> Fraction:
    return Fraction(_decimal(value, Context(prec=_RHO_DIGITS, rounding=ROUND_FLOOR)))
