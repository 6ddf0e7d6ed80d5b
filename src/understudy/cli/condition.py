"""``--where "column=value"``: rows of a model that lie in one cell of one column.

A model that can say what its rows in that cell look like is asked for it, and nothing is thrown
away. Of any other, rows are drawn and those outside the cell thrown away, at most ``MOST_DRAWN`` in
all; a cell rarer than that needs another model.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from understudy.errors import UsageError
from understudy.models.base import Model
from understudy.schema.columns import Column
from understudy.schema.domain import BinAxis, Domain, LevelAxis
from understudy.table.codec import cell_of, decode
from understudy.table.reading import place_in
from understudy.table.table import Codes, Table

LEVELS_SHOWN: Final = 20
BATCH: Final = 100_000
MOST_DRAWN: Final = 20_000_000


def draw_where(model: Model, rows: int, *, where: str | None, seed: int | None) -> Iterator[Table]:
    """``rows`` rows of the model in pieces, all in the cell of the column that ``where`` names."""
    rng = np.random.default_rng(seed)
    if where is None:
        return model.pieces(rows, rng)
    column, cell = _cell(model.domain, where)
    allowed = np.arange(model.domain.axes[column].size) == cell
    exact = model.given({column: allowed})
    if exact is not None:
        return exact.pieces(rows, rng)
    return iter((_kept_of_many(model, rows, (column, cell), rng),))


def _kept_of_many(
    model: Model, rows: int, wanted: tuple[str, int], rng: np.random.Generator
) -> Table:
    kept = [model.draw(0, rng)]
    found = drawn = 0
    while found < rows:
        if drawn >= MOST_DRAWN:
            raise UsageError(
                f"what was asked of {wanted[0]!r} is too rare: {MOST_DRAWN:,} rows were drawn and "
                "too few have it; ask for fewer rows or a more frequent value"
            )
        batch = _only(model.draw(BATCH, rng), *wanted)
        kept.append(batch)
        found, drawn = found + batch.rows, drawn + BATCH
    return decode(_joined(model.domain, kept, rows), rng=rng)


def _cell(domain: Domain, where: str) -> tuple[str, int]:
    name, equals, value = where.partition("=")
    if not equals or name not in domain.axes:
        raise UsageError(
            f'--where needs "column=value" with one of the columns {", ".join(domain.columns)}'
        )
    column, axis = domain.schema.columns[name], domain.axes[name]
    if value in column.missing:
        return name, cell_of(column, axis, value)
    if isinstance(axis, LevelAxis) and value not in axis.levels:
        shown = ", ".join(axis.levels[:LEVELS_SHOWN])
        raise UsageError(f"column {name!r} has no level {value!r}; it has {shown}")
    if isinstance(axis, BinAxis):
        _check_inside(column, axis, value)
    return name, cell_of(column, axis, value)


def _check_inside(column: Column, axis: BinAxis, value: str) -> None:
    """Refuse a value that no row of the model can have."""
    place = place_in(column, value)
    if place is None:
        raise UsageError(
            f"{value!r} is no value of {column.name!r}, which is of kind {column.kind}"
        )
    above = place >= axis.edges[-1] if axis.whole else place > axis.edges[-1]
    if place < axis.edges[0] or above:
        raise UsageError(
            f"{value!r} is out of the bounds of {column.name!r}, which the release's card shows"
        )


def _only(codes: Codes, column: str, cell: int) -> Codes:
    kept = codes.columns[column] == cell
    columns = {name: values[kept] for name, values in codes.columns.items()}
    return Codes(codes.domain, columns, int(kept.sum()))


def _joined(domain: Domain, parts: list[Codes], rows: int) -> Codes:
    columns = {
        name: np.concatenate([part.columns[name] for part in parts])[:rows]
        for name in domain.columns
    }
    return Codes(domain, columns, rows)
