"""``Comparison``: what ``compare`` found, as figures, as JSON and as text.

JSON (``to_dict``), version 1::

    format, version     "understudy-comparison", 1
    notice              always "UNPROTECTED: computed from the real rows; not for publication"
    table               the schema's name
    target              the predicted column, or null
    rows                {"real": n, "synthetic": [k, ...]}
    figures             by name: {"values": one per synthetic table, "mean", "spread" (null for one
                        table), "ceiling", "floor" (means, null where they make no sense),
                        "ceiling_spread", "floor_spread" (null unless drawn several times),
                        "better": "low" | "high" | "neither"}
    details             by group of figures; one entry per synthetic table where it is a list
    notes               what was sampled or left out, and warnings

A figure that does not exist (a correlation without ordered columns) is null. Every key, those of
``details`` included, is in docs/reference/comparison.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, Final, Literal

from understudy.schema.values import shown

NOTICE: Final = "UNPROTECTED: computed from the real rows; not for publication"
VERSION: Final = 1
HIGH: Final = ("nist.", "auc.", "accuracy.", "regression.overlap")
NEITHER: Final = ("unique_match.", "nearest.", "membership.", "seconds.")

Better = Literal["low", "high", "neither"]


@dataclass(frozen=True)
class Figure:
    """One figure for each synthetic table, beside what is possible and what is trivial."""

    name: str
    values: tuple[float, ...]
    ceiling: tuple[float, ...] = ()
    floor: tuple[float, ...] = ()

    @property
    def mean(self) -> float | None:
        """The mean over the synthetic tables; None if one of them has no such figure."""
        return _mean(self.values)

    @property
    def spread(self) -> float | None:
        """The standard deviation over the synthetic tables; None for one table."""
        return _spread(self.values)

    @property
    def better(self) -> Better:
        """Which way is closer to the real table."""
        if self.name.startswith(HIGH):
            return "high"
        return "neither" if self.name.startswith(NEITHER) else "low"

    def to_dict(self) -> dict[str, Any]:
        """The figure as JSON."""
        return {
            "values": [_finite(value) for value in self.values],
            "mean": self.mean,
            "spread": self.spread,
            "ceiling": _mean(self.ceiling),
            "floor": _mean(self.floor),
            "ceiling_spread": _spread(self.ceiling),
            "floor_spread": _spread(self.floor),
            "better": self.better,
        }


@dataclass(frozen=True)
class Comparison:
    """How close synthetic tables are to a real one. UNPROTECTED: for the keeper's eyes."""

    table: str
    real_rows: int
    synthetic_rows: tuple[int, ...]
    figures: Mapping[str, Figure]
    details: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    target: str | None = None

    notice = NOTICE

    @property
    def scores(self) -> dict[str, float | None]:
        """Each figure's mean over the synthetic tables, by name."""
        return {name: figure.mean for name, figure in self.figures.items()}

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain JSON values."""
        return {
            "format": "understudy-comparison",
            "version": VERSION,
            "notice": self.notice,
            "table": self.table,
            "target": self.target,
            "rows": {"real": self.real_rows, "synthetic": list(self.synthetic_rows)},
            "figures": {name: figure.to_dict() for name, figure in self.figures.items()},
            "details": _plain(self.details),
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """The JSON text; non-ASCII letters and anything hostile are escaped."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False) + "\n"

    def to_html(self) -> str:
        """One offline page, headed in red."""
        from understudy.report.comparison import comparison_page

        return comparison_page(self.to_dict())

    def to_text(self) -> str:
        """A plain-text page: figures beside ceiling and floor, then what fares worst."""
        tables = len(self.synthetic_rows)
        head = [
            self.notice,
            "",
            f"Table {shown(self.table)}: {self.real_rows} real rows, {tables} synthetic "
            f"{'table' if tables == 1 else 'tables'}"
            + (f", target {shown(self.target)}" if self.target is not None else ""),
            "ceiling: a bootstrap of the real rows; floor: independent columns",
            "",
            _line("figure", "synthetic", "ceiling", "floor", "better"),
        ]
        rows = [_figure_line(figure) for figure in self.figures.values()]
        return "\n".join([*head, *rows, *self._worst_groups(), "", *self.notes]) + "\n"

    def _worst_groups(self) -> list[str]:
        groups = (self.details.get("subgroups") or [[]])[0]
        if not groups:
            return []
        head = ["", "groups that fare worst (mean TVD of the other columns, its ceiling)"]
        return head + [
            f"  {shown(group['column'])} = {shown(group['level'])}: "
            f"{group['tvd']:.3f} ({group['ceiling']:.3f}), {group['real_share']:.1%} of real rows"
            for group in groups[:5]
        ]


def _figure_line(figure: Figure) -> str:
    value, ceiling, floor = map(_with_spread, (figure.values, figure.ceiling, figure.floor))
    return _line(figure.name, value, ceiling, floor, figure.better)


def _line(name: str, value: str, ceiling: str, floor: str, better: str) -> str:
    return f"{name:<26} {value:>20} {ceiling:>20} {floor:>20}  {better}"


def _with_spread(values: tuple[float, ...]) -> str:
    mean, spread = _mean(values), _spread(values)
    if mean is None:
        return "-"
    return f"{mean:.4g}" + (f" +- {spread:.2g}" if spread is not None else "")


def _mean(values: tuple[float, ...]) -> float | None:
    return fmean(values) if values and all(map(math.isfinite, values)) else None


def _spread(values: tuple[float, ...]) -> float | None:
    return stdev(values) if len(values) > 1 and all(map(math.isfinite, values)) else None


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    """The same with tuples as lists and what is not finite as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return _finite(value) if isinstance(value, float) else value
