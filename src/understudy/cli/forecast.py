"""A rough forecast of a run's time and memory, from public numbers only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from understudy.planning import Plan
    from understudy.schema.schema import Schema

START_SECONDS: Final = 3.0
SECONDS_PER_VALUE: Final = 1.2e-6
START_MEGABYTES: Final = 182.0
"""Libraries and a table that hardly counts, handed over as a dataframe; from a file it is less."""
BYTES_PER_VALUE: Final = 24.0
LEARNING_MEGABYTES: Final = 180.0
"""Compiled code, and a model of many relations. There may be as many as there are pairs of columns:
on a stand-in without any a method may measure the same few again and again."""
FEW_COLUMNS: Final = 4
BYTES_PER_CANDIDATE: Final = 370.0
"""Each choice keeps a receipt that names all tables among which it chose."""
BYTES_PER_MARGINAL: Final = 7_000.0


@dataclass(frozen=True)
class Forecast:
    """Rough figures for one run: wall seconds on one core, peak memory in megabytes."""

    seconds: float
    megabytes: float


def forecast(schema: Schema, plan: Plan) -> Forecast:
    """Reading, coding, drawing and writing every value costs about the same; starting up costs. The
    fit takes at least what the rehearsed one took: relations that are there keep it busy longer.
    Memory was measured for methods that buy tables (``python -m benchmarks.memory``)."""
    values = plan.rows * len(schema.released)
    bought = [table for charge in plan.charges for table in charge.detail.get("marginals", ())]
    candidates = sum(_length(charge.detail.get("candidates")) for charge in plan.charges)
    related = any(len(table) > 1 for table in bought)
    many = len({name for table in bought for name in table}) > FEW_COLUMNS
    return Forecast(
        seconds=START_SECONDS + plan.seconds + SECONDS_PER_VALUE * values,
        megabytes=START_MEGABYTES
        + (LEARNING_MEGABYTES if related and many else 0.0)
        + BYTES_PER_VALUE * values / 1e6
        + BYTES_PER_CANDIDATE * candidates / 1e6
        + BYTES_PER_MARGINAL * len(bought) / 1e6,
    )


def _length(candidates: Any) -> int:
    """How many candidates a receipt names; those of a list of releases are only a number."""
    return len(candidates) if isinstance(candidates, list) else 0
