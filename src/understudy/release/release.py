"""``Release``: what may leave the house after a run. ``folder.py`` says how it is kept on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from understudy.errors import UsageError
from understudy.models.base import Model
from understudy.report.card import Card
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.table.kinds import TableKind
from understudy.table.table import Table


@final
@dataclass(frozen=True)
class ReleasedModel:
    """A fitted model as its reader uses it: draw as many rows as wanted, at no cost."""

    fitted: Model
    kind: TableKind = "understudy"

    def __repr__(self) -> str:
        schema = self.domain.schema
        size = f"{len(schema.columns)} columns, about {self.total:,.0f} rows"
        return f"ReleasedModel({schema.name!r}: {size})"

    @property
    def domain(self) -> Domain:
        """The public cells of every column."""
        return self.fitted.domain

    @property
    def total(self) -> float:
        """The estimated (or public) number of rows; never the private one."""
        return self.fitted.total

    def sample(self, n: int, *, seed: int | None = None) -> Any:
        """``n`` new synthetic rows, in the kind of table that the release was made from."""
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise UsageError("the number of rows to sample must be a whole number, 0 or more")
        return same_kind(self.fitted.sample(n, np.random.default_rng(seed)), self.kind)


@final
@dataclass(frozen=True, kw_only=True)
class Release:
    """Synthetic tables, the models they came from, the paid noisy counts, and the card.

    ``synthetic`` holds at least one table, ``models`` one model per fit. ``kind`` is the kind of
    table that ``table`` and ``tables`` hand out: the kind that came in.
    """

    synthetic: tuple[Table, ...]
    models: tuple[Model, ...]
    measurements: list[Noisy]
    card: Card
    kind: TableKind = "understudy"

    def __post_init__(self) -> None:
        if not self.synthetic or not self.models:
            raise UsageError("a release holds at least one table and one model")

    def __repr__(self) -> str:
        asked, method = self.card.guarantee.asked, self.card.method.name
        rows = f"{self.synthetic[0].rows:,} rows"
        many = f"{len(self.synthetic)} tables of {rows}" if len(self.synthetic) > 1 else rows
        return f"Release({self.card.table!r}: {many}, {method}, {asked})"

    @property
    def tables(self) -> list[Any]:
        """Every copy, in the kind of table that came in."""
        return [same_kind(table, self.kind) for table in self.synthetic]

    @property
    def table(self) -> Any:
        """The first copy, in the kind of table that came in."""
        return same_kind(self.synthetic[0], self.kind)

    @property
    def model(self) -> ReleasedModel:
        """The (first) fitted model."""
        return ReleasedModel(self.models[0], self.kind)

    def save(self, directory: str | Path, *, force: bool = False) -> Path:
        """Write the release folder; ``force`` replaces an existing release, and nothing else."""
        from understudy.release.folder import write_release

        return write_release(self, Path(directory), force=force)


def load(directory: str | Path) -> Release:
    """The release that ``save`` wrote to this folder; refuses damaged and newer ones."""
    from understudy.release.folder import read_release

    return read_release(Path(directory))


def same_kind(table: Table, kind: TableKind) -> Any:
    """The table itself, or as a pandas, polars or arrow table."""
    match kind:
        case "pandas":
            return table.to_pandas()
        case "polars":
            return table.to_polars()
        case "arrow":
            return table.to_arrow()
    return table
