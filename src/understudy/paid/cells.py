"""Releases as candidates for the gate: their rows on public cells, and what tells them apart.

The cells are those of the unprotected comparison: at most 32 and "missing" a column. For a column
whose levels or bounds were bought they are made of what the first release bought.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from understudy.errors import UsageError
from understudy.evaluate.grid import Grid
from understudy.gate.impurity import TreeImpurity
from understudy.kernels.count import count_marginals
from understudy.kernels.impurity import tables_of
from understudy.models.known import KnownTables
from understudy.release.release import Release
from understudy.schema.axes import axis_of
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema
from understudy.table.codec import encode_table
from understudy.table.table import Table

MOST_CELLS: Final = 2**27
"""Cells of all candidates' tables together: 1 GiB."""


def common_cells(schema: Schema, first: Release) -> Domain:
    """The cells on which releases are scored, coarse and public."""
    bought = first.models[0].domain.fine.axes
    absent = [name for name in schema.modelled if name not in bought]
    if absent or not schema.modelled:
        raise UsageError(
            f"the release has no column {', '.join(map(repr, absent)) or 'to score'}; give a "
            "schema whose modelled columns it has, or none"
        )
    axes = {
        name: bought[name] if column.is_open else axis_of(column)
        for name, column in schema.columns.items()
        if column.modelled
    }
    grid = Grid.of(Domain(schema, axes))
    wide = [name for name, axis in axes.items() if grid.coarse(name)[1] < axis.size]
    return grid.domain.grouped({name: grid.coarse(name)[0].tolist() for name in wide})


@final
@dataclass(frozen=True)
class Scored:
    """Releases on common cells, ready to be judged by the gate: made of public facts only."""

    domain: Domain
    score: TreeImpurity

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The hash of each release's rows, in order."""
        return tuple(self.score.expected.names)


def scored(releases: Sequence[Release], schema: Schema, *, depth: int, rows: float) -> Scored:
    """These releases, each as if it had ``rows`` rows, for trees of this depth."""
    domain = common_cells(schema, releases[0])
    names = sorted(domain.columns)
    sizes = domain.shape(names)
    chosen = tables_of(len(names), depth)
    cells = sum(prod(sizes[place] for place in table) for table in chosen)
    if cells * len(releases) > MOST_CELLS:
        raise UsageError(
            f"{len(releases)} releases have {cells:,} cells each in tables of depth {depth}, more "
            f"than {MOST_CELLS:,} together; take a smaller depth, fewer releases or fewer columns"
        )
    lines = [_shares(release, domain, names, chosen) for release in releases]
    tables = tuple(tuple(names[place] for place in table) for table in chosen)
    prints = tuple(fingerprint(release) for release in releases)
    known = KnownTables(tables, np.stack(lines), prints)
    return Scored(domain, TreeImpurity(tuple(names), sizes, known, rows=rows, depth=depth))


def schema_of(release: object) -> Schema:
    """The schema that a release was made with, as far as its columns go."""
    if not isinstance(release, Release):
        raise UsageError(
            f"what is judged and paid for is a release, not a {type(release).__name__}; load it "
            "with us.load or make it with us.synthesize"
        )
    return release.models[0].domain.schema


def check_made_from(releases: Sequence[Release], schema: Schema) -> None:
    """Refuse releases about another table, unit or relation between neighbours, or without rows."""
    ours = (schema.name, schema.unit.name, schema.neighbours.value)
    for place, release in enumerate(releases):
        schema_of(release)
        made = release.card
        theirs = (made.table, made.guarantee.unit, made.guarantee.neighbours)
        if theirs != ours:
            raise UsageError(
                f"release {place} promises privacy of {theirs[1]} in table {theirs[0]!r} under "
                f"{theirs[2]}, the schema of {ours[1]} in table {ours[0]!r} under {ours[2]}; "
                "judge a release by the table that it was made from, with the schema it was made "
                "with"
            )
        rows_of(release)


def rows_of(release: Release) -> int:
    """How many rows it has, all copies together; a release without rows is refused."""
    rows = sum(table.rows for table in release.synthetic)
    if rows == 0:
        raise UsageError("a release without rows cannot be scored; sample some first")
    return rows


def fingerprint(release: Release) -> str:
    """The SHA-256 of the rows of all copies: the same before saving and after loading."""
    found = hashlib.sha256()
    for table in release.synthetic:
        _digest(table, found)
    return found.hexdigest()


def _digest(table: Table, into: Any) -> None:
    """Names, levels and values in one form for each kind, whatever width they were read with."""
    into.update(f"rows {table.rows}".encode())
    for name, values in table.columns.items():
        words = "\0".join([name, *(values.levels or ())])
        into.update(f"\0column {words}\0".encode("utf-8", "surrogatepass"))
        data = np.asarray(values.data)
        if values.missing is not None:
            into.update(values.missing.tobytes())
            data = data[~values.missing]
        into.update(_plain(data))


def _plain(data: NDArray[Any]) -> bytes:
    match data.dtype.kind:
        case "f":
            return data.astype("<f8").tobytes()
        case "M":
            return data.astype("<M8[s]").tobytes()
        case "i" | "u" | "b":
            return data.astype("<i8").tobytes()
    return "\0".join(map(str, data.tolist())).encode("utf-8", "surrogatepass")


def _shares(
    release: Release, domain: Domain, names: Sequence[str], chosen: Sequence[tuple[int, ...]]
) -> NDArray[np.float64]:
    """The share of rows in each cell of each table, all copies together."""
    total: NDArray[Any] | int = 0
    for table in release.synthetic:
        codes = encode_table(domain, table).columns
        rows = [codes[name] for name in names]
        counted = count_marginals(rows, domain.shape(names), chosen)
        total = total + np.concatenate([one.ravel() for one in counted])
    return np.asarray(total / rows_of(release))
