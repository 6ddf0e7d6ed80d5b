"""Values inside bins: what ``decode`` draws for numbers, dates and datetimes.

Each bin has a lowest and a highest value that may be released: inside the bin, inside the schema's
bounds, whole for whole columns, with ``decimals`` decimals for reals that ask for them. A bin so
narrow that it holds no such decimal number is filled with unrounded numbers: the cell of a value
matters more than its looks. A value that would read as a missing code gives way to another value of
its bin, if there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.schema.axes import day_number, second_number
from understudy.schema.columns import Column, Date, Datetime, Number, Real
from understudy.schema.domain import BinAxis
from understudy.table.reading import place_in

Floats = NDArray[np.float64]
LARGEST_EXACT = 2.0**53
MOST_CHOICES = 2**32
"""Up to here a share of 53 bits picks a whole number: none is off by more than 2**-21 of itself."""


def limits(column: Column) -> tuple[float, float]:
    """The declared bounds as places on the column's line, infinite where the schema is silent."""
    match column:
        case Number():
            low = -np.inf if column.min is None else float(column.min)
            return low, np.inf if column.max is None else float(column.max)
        case Date():
            return float(day_number(column.min)), float(day_number(column.max))
        case Datetime():
            return float(second_number(column.min)), float(second_number(column.max))
    return -np.inf, np.inf


def sentinels(column: Column) -> Floats:
    """The places that mean "missing" because a missing code reads as them."""
    places = [place_in(column, code) for code in column.missing]
    return np.unique(np.array([place for place in places if place is not None], dtype=np.float64))


def draw_inside(
    column: Column, axis: BinAxis, bins: NDArray[Any], rng: np.random.Generator
) -> NDArray[Any]:
    """One value per entry of ``bins``, drawn inside that bin, in the type of the column."""
    if isinstance(column, Real):
        return _reals(column, axis, bins, rng)
    whole = _whole(column, axis, bins, rng)
    match column:
        case Date():
            return whole.astype("datetime64[D]")
        case Datetime():
            return whole.astype("datetime64[s]")
    return whole


def _whole(
    column: Column, axis: BinAxis, bins: NDArray[Any], rng: np.random.Generator
) -> NDArray[np.int64]:
    low, high = limits(column)
    edges = np.ceil(np.array(axis.edges, dtype=np.float64))
    first = np.clip(edges[:-1], low, high)
    last = np.maximum(first, np.clip(edges[1:] - 1, low, high))
    first, last = _around(first, last, sentinels(column), step=1.0)
    smallest, largest = first.astype(np.int64), last.astype(np.int64)
    values = smallest[bins]
    choices = last - first + 1
    if choices.max() > MOST_CHOICES:
        values = rng.integers(values, largest[bins], endpoint=True)
    elif choices.max() > 1:
        values += (rng.random(len(bins)) * choices[bins]).astype(np.int64)
    return _avoid(values, smallest[bins], sentinels(column))


def _reals(column: Real, axis: BinAxis, bins: NDArray[Any], rng: np.random.Generator) -> Floats:
    first, last = _ends(column, axis)
    first, last = _around(first, last, sentinels(column), step=0.0)
    share = rng.random(len(bins))
    with np.errstate(over="ignore"):  # the ends of the largest doubles, clipped at once
        drawn = _between(first[bins], last[bins], share, log=column.scale == "log")
        drawn = np.clip(drawn, first[bins], last[bins])
        if column.decimals is not None:
            scale = float(10**column.decimals)
            drawn = _rounded(drawn, (first, last), bins, sentinels(column), scale)
    return _avoid(drawn, first[bins], sentinels(column))


def _between(low: Floats, high: Floats, share: Floats, *, log: bool) -> Floats:
    if not log:
        return low * (1 - share) + high * share
    return np.sinh(np.arcsinh(low) * (1 - share) + np.arcsinh(high) * share)


def _ends(column: Real, axis: BinAxis) -> tuple[Floats, Floats]:
    """The lowest and highest number of each bin; only the last bin includes its upper edge."""
    low, high = limits(column)
    edges = np.array(axis.edges, dtype=np.float64)
    upper = np.nextafter(edges[1:], -np.inf)
    upper[-1] = edges[-1]
    first = np.clip(edges[:-1], low, high)
    return first, np.maximum(first, np.clip(upper, low, high))


def _around(first: Floats, last: Floats, codes: Floats, *, step: float) -> tuple[Floats, Floats]:
    """Ends that are no missing code themselves, where the bin has another value."""
    for _ in codes:
        higher = first + step if step else np.nextafter(first, np.inf)
        first = np.where(np.isin(first, codes) & (first < last), higher, first)
    return first, last


def _avoid(values: NDArray[Any], instead: NDArray[Any], codes: Floats) -> NDArray[Any]:
    """``values``, with what reads as a missing code replaced."""
    if not len(codes):
        return values
    return np.where(np.isin(values, codes), instead, values)


def _rounded(
    drawn: Floats, ends: tuple[Floats, Floats], bins: NDArray[Any], codes: Floats, scale: float
) -> Floats:
    """``drawn`` to the decimal grid, never leaving the bin; bins without a grid point keep it."""
    first, last = ends
    low, high = np.ceil(first * scale), np.floor(last * scale)
    low += low / scale < first  # the product above may have been rounded across the edge
    high -= high / scale > last
    low, high = _off_codes(low, high, codes, scale)
    fits = (low <= high) & (np.maximum(abs(low), abs(high)) < LARGEST_EXACT)
    low, high = np.where(fits, low, 0), np.where(fits, high, 0)
    grid = np.clip(np.rint(drawn * scale), low[bins], high[bins]) / scale
    grid = _avoid(grid, (low / scale)[bins], codes)
    return np.where(fits[bins], grid, drawn)


def _off_codes(low: Floats, high: Floats, codes: Floats, scale: float) -> tuple[Floats, Floats]:
    for _ in codes:
        low = low + np.isin(low / scale, codes)
    return low, high
