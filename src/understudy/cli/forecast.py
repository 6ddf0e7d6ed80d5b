"""A rough forecast of a run's time and memory, from public numbers only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from understudy.planning import Plan
    from understudy.schema.schema import Schema

START_SECONDS: Final = 3.0
SECONDS_PER_VALUE: Final = 1.2e-6
START_MEGABYTES: Final = 250.0
BYTES_PER_VALUE: Final = 24.0


@dataclass(frozen=True)
class Forecast:
    """Rough figures for one run: wall seconds on one core, peak memory in megabytes."""

    seconds: float
    megabytes: float


def forecast(schema: Schema, plan: Plan) -> Forecast:
    """Reading, coding, drawing and writing every value costs about the same; starting up costs. The
    fit takes at least what the rehearsed one took: relations that are there keep it busy longer."""
    values = plan.rows * len(schema.released)
    return Forecast(
        seconds=START_SECONDS + plan.seconds + SECONDS_PER_VALUE * values,
        megabytes=START_MEGABYTES + BYTES_PER_VALUE * values / 1e6,
    )
