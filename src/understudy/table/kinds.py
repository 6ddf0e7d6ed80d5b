"""Which kind of table came in, so that the same kind can go out."""

from __future__ import annotations

from typing import Any, Literal

TableKind = Literal["understudy", "pandas", "polars", "arrow"]
LIBRARIES: dict[str, TableKind] = {"pandas": "pandas", "polars": "polars", "pyarrow": "arrow"}


def kind_of(source: Any) -> TableKind:
    """The kind of dataframe that ``source`` is; ``understudy`` for paths and everything else."""
    library = type(source).__module__.partition(".")[0]
    return LIBRARIES.get(library, "understudy")
