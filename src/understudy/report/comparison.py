"""A comparison as one HTML page, headed in red: it was computed from the real rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.report.page import render


def comparison_page(content: Mapping[str, Any]) -> str:
    """The page of a comparison, given as its JSON values."""
    return render(
        "comparison.html.j2",
        notice=content["notice"],
        table=content["table"],
        target=content["target"],
        real_rows=content["rows"]["real"],
        synthetic_rows=content["rows"]["synthetic"],
        figures=[_figure(name, figure) for name, figure in content["figures"].items()],
        groups=_worst_groups(content["details"]),
        notes=content["notes"],
    )


def _figure(name: str, figure: Mapping[str, Any]) -> dict[str, Any]:
    """A figure with its place between floor (0) and ceiling (100), where the ceiling is better."""
    return {"name": name, **figure, "place": _place(figure)}


def _place(figure: Mapping[str, Any]) -> float | None:
    mean, floor, ceiling = (figure[key] for key in ("mean", "floor", "ceiling"))
    if figure["better"] == "neither" or None in (mean, floor, ceiling):
        return None
    if floor == ceiling or (ceiling > floor) != (figure["better"] == "high"):
        return None  # single columns: drawing them independently is no floor but the best there is
    return float(min(max(100 * (mean - floor) / (ceiling - floor), 0), 100))


def _worst_groups(details: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    tables = details.get("subgroups") or [[]]
    return list(tables[0] or [])[:10]
