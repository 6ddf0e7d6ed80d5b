"""What the cells add up to: ``results.json``, from which page, figures and verdicts are made."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np

from experiments.pmse import comparison, larger
from experiments.pmse.cells import Cell, measured

SMALLEST_SHOWN: Final = 2e-7
"""The first figure leaves out changes below a thousandth of the paper's bound."""
SPREAD: Final = ("intercept", "slope")
"""The measures whose quartiles are shown."""
Results = dict[str, Any]


def summarise(plan: Iterable[Cell], folder: Path) -> Results:
    """All that was measured, and how many repetitions are still missing where some are."""
    cells = list(plan)
    parts = {cell.part for cell in cells}
    found = {
        part: measured((one for one in cells if one.part == part), folder) for part in sorted(parts)
    }
    return {
        "violations": _rows(found["violations"].get("all rows", [])),
        "worst case": next(iter(found["worst case"].get("exclusive or", [])), None),
        "comparison": _labels(found[comparison.PART], quartiles=SPREAD),
        "larger": _labels(found.get(larger.PART, {})),
        "unfinished": _unfinished(cells, folder),
    }


def _unfinished(cells: Iterable[Cell], folder: Path) -> dict[str, list[int]]:
    """Repetitions measured and planned, for what is not complete."""
    counts: dict[str, list[int]] = {}
    for cell in cells:
        both = counts.setdefault(f"{cell.part}: {cell.label}", [0, 0])
        both[0] += cell.repeats * (folder / cell.file).is_file()
        both[1] += cell.repeats
    return {name: both for name, both in sorted(counts.items()) if both[0] < both[1]}


def _rows(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts added up over pieces, the largest change of all, and points for the figure."""
    rows: dict[str, Any] = {}
    for name in pieces[0] if pieces else ():
        of_row = [piece[name] for piece in pieces]
        rows[name] = {
            **{key: sum(one[key] for one in of_row) for key in ("repeats", "over", "over tight")},
            "largest": max(one["largest"] for one in of_row),
            "shown": _visible(chain.from_iterable(one["shown"] for one in of_row)),
        }
    return rows


def _visible(changes: Iterable[float]) -> list[list[float]]:
    """Place and size of the changes that a logarithmic axis can show."""
    points = list(changes)
    places = (place / len(points) for place in range(len(points)))
    return [
        [round(place, 3), change]
        for place, change in zip(places, points, strict=True)
        if change >= SMALLEST_SHOWN
    ]


def _labels(found: dict[str, list[Any]], quartiles: Sequence[str] = ()) -> dict[str, Any]:
    """Moments of each measure under each label, and quartiles of some."""
    summaries = {}
    for label, pieces in sorted(found.items()):
        repeats = list(chain.from_iterable(pieces))
        numbers = {name: [one[name] for one in repeats] for name in repeats[0]}
        summaries[label] = {name: moments(values) for name, values in numbers.items()}
        for name in quartiles:
            ends = np.quantile(numbers[name], (0.0, 0.25, 0.5, 0.75, 1.0))
            summaries[label][name]["quartiles"] = [_short(one) for one in ends]
    return summaries


def moments(numbers: list[float]) -> dict[str, Any]:
    """Of one list of numbers."""
    values = np.array(numbers)
    spread = values - values.mean()
    variance = float((spread**2).mean())
    return {
        "repeats": len(values),
        "mean": _short(values.mean()),
        "variance": _short(variance),
        "kurtosis": _short((spread**4).mean() / variance**2) if variance else 1.0,
    }


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def text(results: Results) -> str:
    """As JSON, one line per entry, so that two runs can be compared."""
    parts = []
    for part, found in results.items():
        entries = found.items() if isinstance(found, dict) else ()
        lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in entries]
        body = "{\n" + ",\n".join(lines) + "\n }" if lines else json.dumps(found)
        parts.append(f" {json.dumps(part)}: {body}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
