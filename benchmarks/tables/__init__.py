"""Public tables that engines are measured on. They lie outside the repository."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from understudy.schema.domain import Domain
from understudy.table.codec import encode
from understudy.table.table import Codes


@dataclass(frozen=True)
class PublicTable:
    """A public domain and coded rows; ``test`` is never given to an engine."""

    domain: Domain
    train: Codes
    test: Codes | None
    target: str


def read(path: Path) -> list[list[str]]:
    """The lines of a compressed CSV file as texts, without spaces after the commas."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.reader(file, skipinitialspace=True))


def code(domain: Domain, rows: NDArray[Any], header: list[str]) -> Codes:
    """Rows of texts as cells; ``header`` names the texts of a row."""
    columns = {
        name: encode(domain.schema.columns[name], axis, rows[:, header.index(name)])
        for name, axis in domain.axes.items()
    }
    return Codes(domain, columns, len(rows))
