"""Acceptance criteria: limits that every synthetic table must keep to, in a TOML file.

::

    version = 1
    [limits]
    "tvd.2.mean" = { max = 0.05 }
    "auc.logistic" = { min = 0.85, from_ceiling = 0.05 }

``max`` and ``min`` bound the figure, ``from_ceiling`` its distance from the ceiling. A figure
without a value fails. To publish because a table passed is unpaid selection: the limits see the
real rows, and the decision tells something about them. Use them to stop accidents, and the gate's
paid selection to choose.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from understudy.errors import QualityGateFailed, SourceError, UsageError
from understudy.evaluate.comparison import Comparison, Figure
from understudy.schema.values import guess, shown

VERSION: Final = 1
KEYS: Final = ("max", "min", "from_ceiling")
_ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Failure:
    """A limit that was not kept, and by which value."""

    figure: str
    value: float | None
    limit: str

    def __str__(self) -> str:
        value = "does not exist" if self.value is None else f"is {self.value:.4g}"
        return f"{self.figure} {value}, allowed: {self.limit}"


@dataclass(frozen=True)
class Criteria:
    """Limits by figure name; each maps some of ``KEYS`` to a number."""

    limits: Mapping[str, Mapping[str, float]]

    def __post_init__(self) -> None:
        limits = {name: _checked(name, limit) for name, limit in self.limits.items()}
        object.__setattr__(self, "limits", MappingProxyType(limits))

    @classmethod
    def load(cls, path: str | Path) -> Criteria:
        """Read criteria from a TOML file."""
        try:
            found = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as problem:
            raise SourceError(
                f"cannot read the criteria {str(path)!r}: {problem.strerror}"
            ) from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise UsageError(f"the criteria {str(path)!r} are not valid TOML: {problem}") from None
        if found.pop("version", None) != VERSION:
            raise UsageError(f"the criteria {str(path)!r} must say version = {VERSION}")
        limits = found.pop("limits", None)
        if found or not isinstance(limits, dict) or not limits:
            raise UsageError(f"the criteria {str(path)!r} must have one table, [limits], not empty")
        return cls(limits)

    def check(self, comparison: Comparison) -> tuple[Failure, ...]:
        """The limits that some synthetic table does not keep to."""
        failures: list[Failure] = []
        for name, limit in self.limits.items():
            figure = comparison.figures.get(name)
            if figure is None:
                raise UsageError(
                    f"the comparison has no figure {shown(name)}."
                    + (guess(name, comparison.figures) or " Ask for JSON to see all figures.")
                )
            failures += _failures(figure, limit)
        return tuple(failures)

    def enforce(self, comparison: Comparison) -> None:
        """Raise ``QualityGateFailed``, naming every limit that is not kept."""
        failures = self.check(comparison)
        if failures:
            listed = "; ".join(map(str, failures))
            raise QualityGateFailed(f"{len(failures)} of the criteria not met: {listed}")


def _failures(figure: Figure, limit: Mapping[str, float]) -> list[Failure]:
    found = []
    ceiling = figure.to_dict()["ceiling"]
    for key, bound in limit.items():
        broken = [value for value in figure.values if not _keeps(value, key, bound, ceiling)]
        if broken:
            worst = max(broken) if key == "max" else min(broken)
            known = worst if math.isfinite(worst) else None
            found.append(Failure(figure.name, known, f"{key} {bound:g}"))
    return found


def _keeps(value: float, key: str, bound: float, ceiling: float | None) -> bool:
    match key:
        case "max":
            return value <= bound + _ROUNDING
        case "min":
            return value >= bound - _ROUNDING
    return ceiling is not None and abs(value - ceiling) <= bound + _ROUNDING


def _checked(name: str, limit: Any) -> Mapping[str, float]:
    wanted = f"the limit of {shown(name)} must be a table of {', '.join(KEYS)} with numbers"
    if not isinstance(limit, Mapping) or not limit or set(limit) - set(KEYS):
        raise UsageError(wanted)
    for value in limit.values():
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise UsageError(wanted)
    return MappingProxyType(dict(limit))
