"""Where the needed columns stand in a table. Messages name the schema's columns only.

A header is public, but a file that was declared to have one and has none would show a person's
row here. So no name that was found is ever repeated: only which of the schema's are missing, and
how many others there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from understudy.errors import TableMismatch
from understudy.schema.schema import Schema
from understudy.schema.values import listed


def needed(schema: Schema) -> tuple[str, ...]:
    """The columns that are read at all: the learned ones and the unit's, in schema order."""
    wanted = {*schema.modelled, schema.unit.column}
    return tuple(name for name in schema.columns if name in wanted)


def positions(schema: Schema, header: Sequence[Hashable], *, found_in: str) -> dict[str, int]:
    """Where each needed column stands in a table whose columns are named ``header``.

    The order may differ. Each needed column must be there once, none twice, and no column that the
    schema does not know; columns that are never read may be absent.
    """
    times = Counter(header)
    missing = [name for name in needed(schema) if not times[name]]
    twice = [name for name in schema.columns if times[name] > 1]
    others = sum(count for name, count in times.items() if name not in schema.columns)
    problems = [
        *([f"it lacks {listed(missing)}"] if missing else []),
        *([f"it has more than one column named {listed(twice)}"] if twice else []),
        *([_others(others)] if others else []),
    ]
    if problems:
        raise TableMismatch(
            f"{found_in} does not have the columns of the schema: {'; '.join(problems)}. "
            "Make the header and the schema name the same columns, each once; columns that are "
            f'not wanted may be declared as kind = "drop"{_delimiter(schema, header)}'
        )
    places = {name: place for place, name in enumerate(header)}
    return {name: places[name] for name in needed(schema)}


def _delimiter(schema: Schema, header: Sequence[Hashable]) -> str:
    """A hint for the commonest reason why a file seems to have one column."""
    if len(header) != 1 or len(needed(schema)) < 2:
        return ""
    return (
        ". It has a single column: if its cells are separated otherwise, name the delimiter under "
        "[table.csv] in the schema"
    )


def _others(count: int) -> str:
    return f"{count} of its columns {'is' if count == 1 else 'are'} not in the schema"
