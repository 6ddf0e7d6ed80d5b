"""``prepare``: the one place that buys what a schema leaves open.

How the budget is shared depends on the schema alone. Levels are discovered; bounds are quantiles
on a public log grid, widened by a public rule; under ADD_REMOVE the number of rows is bought
first, because how far into the tails a noisy quantile can look depends on it.
"""

from __future__ import annotations

from fractions import Fraction
from math import asinh, log, sinh
from statistics import NormalDist
from typing import Final

import numpy as np

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.gate.quantiles import grid_domain, log_grid
from understudy.gate.scale import gumbel_scale, selection_scale
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Number, Real
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema
from understudy.schema.values import LARGEST_REAL

SIZE_WEIGHT: Final = Fraction(1, 5)
"""The size's share of the budget for bounds, against 1 for each open column."""
DEEPEST_TAIL: Final = Fraction(1, 200)
SHALLOWEST_TAIL: Final = Fraction(1, 4)
STRAY: Final = 1e-3
"""How often, at most, noise may put a bound outside the values if the grid has a point at the tail.

Where the nearest points lie far from it (narrow columns, far from zero) it happens more often. The
leaning keeps such a bound near: two points further out, the chance is less by a factor of e.
"""
MOST_LEAN: Final = Fraction(1, 2)
"""How many scales of the noise a point of the grid costs for every point between it and zero."""
REACH: Final = 3.0
"""Bounds are widened to where 3 standard deviations of a normal column would lie."""


def prepare(schema: Schema, table: PrivateTable, budget: Budget | None) -> Domain:
    """Buy levels and bounds that the schema leaves open; spends all of ``budget``, or nothing.

    ``budget`` is None exactly when nothing is open. A delta in it is spent on discovery alone.
    """
    levels = [name for name in schema.open_columns if not _is_number(schema, name)]
    numbers = [name for name in schema.open_columns if _is_number(schema, name)]
    if not levels and not numbers:
        if budget is not None:
            raise UsageError("nothing in this schema is open; there is nothing to buy")
        return domain_of(schema)
    if budget is None:
        raise UsageError(
            f"the schema leaves {', '.join(map(repr, schema.open_columns))} open; "
            "give a budget to buy them, or declare their levels and bounds"
        )
    found = {}
    rest = budget
    if levels:
        for_levels, rest = _levels_share(budget, len(levels), len(numbers))
        found = table.discover(levels, spend=for_levels)
    return domain_of(schema, levels=found, bounds=_buy_bounds(table, numbers, rest))


def _is_number(schema: Schema, name: str) -> bool:
    return isinstance(schema.columns[name], Number)


def _levels_share(budget: Budget, levels: int, numbers: int) -> tuple[Budget, Budget]:
    """The budget for discovery, with the whole delta, and what remains, without any."""
    if not isinstance(budget, ZCDP):
        raise UsageError(
            "levels can be discovered only with a delta; give delta, or declare the levels of "
            "every category column in the schema"
        )
    share = Fraction(levels, levels + numbers)
    return ZCDP(budget.rho * share, budget.delta), ZCDP(budget.rho * (1 - share))


def _buy_bounds(
    table: PrivateTable, columns: list[str], budget: Budget
) -> dict[str, tuple[float, float]]:
    if not columns:
        return {}
    size = table.schema.rows
    if size is None:
        weights = {"size": SIZE_WEIGHT, "bounds": Fraction(len(columns))}
        parts = budget.split(**weights)
        size, budget = _buy_size(table, columns[0], parts["size"]), parts["bounds"]
    part = budget * Fraction(1, len(columns))
    return {column: _bounds(table, column, max(size, 1), part) for column in columns}


def _buy_size(table: PrivateTable, column: str, spend: Budget) -> int:
    """A noisy number of rows: the sum of one coarse noisy marginal."""
    coarse = grid_domain(table.schema, column, (-1.0, 1.0))
    (noisy,) = table.count(coarse, [(column,)], spend=spend)
    return int(noisy.values.sum())


def _bounds(table: PrivateTable, column: str, size: int, spend: Budget) -> tuple[float, float]:
    """Noisy tail quantiles, as deep as the noise allows, widened by the public rule."""
    kind = table.schema.columns[column]
    assert isinstance(kind, Number)
    grid = _grid(kind)
    sides = [side for side in ("min", "max") if getattr(kind, side) is None]
    tail = _tail(spend * Fraction(1, len(sides)), len(grid), size, table.schema.contribution)
    wanted = [tail if side == "min" else 1 - tail for side in sides]
    lean = _lean(spend * Fraction(1, len(sides)), len(grid), size, table.schema.contribution, tail)
    points = table.quantiles(column, probabilities=wanted, grid=grid, lean=lean, spend=spend)
    bought = dict(zip(sides, points, strict=True))
    low = kind.min if kind.min is not None else bought["min"]
    high = kind.max if kind.max is not None else bought["max"]
    wide_low, wide_high = _widen(low, high, tail, log_scale=kind.scale == "log")
    if isinstance(kind, Real):
        return wide_low, wide_high
    return float(np.floor(wide_low)), float(np.ceil(wide_high))


def _grid(kind: Number) -> tuple[float, ...]:
    """The public log grid inside the bound that is declared, if one is."""
    low = -np.inf if kind.min is None else kind.min
    high = np.inf if kind.max is None else kind.max
    inside = tuple(point for point in log_grid() if low <= point <= high)
    return inside if len(inside) >= 4 else log_grid()


def _tail(spend: Budget, points: int, size: int, contribution: int) -> Fraction:
    """The deepest tail that a noisy quantile still finds: its noise, as a share of the rows.

    All points beyond the largest value score the tail's number of rows below the best. Divided by
    the scale that must outweigh the logarithm of how many such points there are.
    """
    share = Fraction(_scale(spend, contribution) * log(points / STRAY) / size)
    return min(max(share.limit_denominator(1000), DEEPEST_TAIL), SHALLOWEST_TAIL)


def _lean(spend: Budget, points: int, size: int, contribution: int, tail: Fraction) -> Fraction:
    """How many scales of the noise each point away from zero costs: less where ranks tell less.

    All points of the grid together cost no more than the ranks between the two tails weigh, so that
    a bound is never drawn past the middle of the values.
    """
    ranks = (1.0 - 2.0 * float(tail)) * size / _scale(spend, contribution)
    return min(Fraction(ranks / points).limit_denominator(1000), MOST_LEAN)


def _scale(spend: Budget, contribution: int) -> float:
    """The scale of the noise on ranks, in rows."""
    match spend:
        case PureDP():
            return selection_scale(contribution, spend.epsilon, monotone=False)
        case ZCDP():
            return gumbel_scale(contribution, spend.rho, monotone=False)
    raise UsageError(f"bounds are bought with PureDP or ZCDP, not {spend}")


def _widen(low: float, high: float, tail: Fraction, *, log_scale: bool) -> tuple[float, float]:
    """Bounds further out than the quantiles found, on the column's scale; never across zero."""
    low, high = min(low, high), max(low, high)
    found = -NormalDist().inv_cdf(float(tail))
    there, back = (asinh, sinh) if log_scale else (float, float)
    margin = (there(high) - there(low)) * max(REACH - found, 0.0) / (2.0 * found)
    most = there(LARGEST_REAL)
    wide_low = back(max(there(low) - margin, -most))
    wide_high = back(min(there(high) + margin, most))
    if low >= 0.0:
        wide_low = max(wide_low, 0.0)
    if high <= 0.0:
        wide_high = min(wide_high, 0.0)
    return (wide_low, wide_high) if wide_low < wide_high else (wide_low, wide_low + 1.0)
