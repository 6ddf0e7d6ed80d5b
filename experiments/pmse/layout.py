"""Markdown tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any

from experiments.pmse.figures import Figure

NOT_MEASURED = "not measured"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a heading line."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def picture(figure: Figure) -> str:
    """A figure and its caption."""
    return f"![{figure.alt}]({figure.file})\n\n*{figure.caption}*"


def mean(found: dict[str, Any] | None, *, digits: int = 4) -> str:
    """A mean and its standard error."""
    if found is None:
        return NOT_MEASURED
    error = sqrt(found["variance"] / found["repeats"])
    return f"{found['mean']:.{digits}f} ± {error:.{digits}f}"
