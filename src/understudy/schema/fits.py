"""Whether a table's header is the one that a schema speaks of.

Messages show names that were found. So this is for headers known to be headers, such as those of
synthetic or public tables; what ``data/`` reads may turn out to be a person's row, and is matched
there without being shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from understudy.errors import TableMismatch
from understudy.schema import values
from understudy.schema.schema import Schema


def fits(schema: Schema, header: Sequence[str]) -> None:
    """Refuse a header with missing, unexpected or repeated columns; their order is free.

    Columns that are never read (``drop``, ``fake``) may be absent, except the unit column.
    """
    problems = [
        *_repeated(header),
        *_missing(schema, header),
        *_unexpected(schema, header),
    ]
    if problems:
        raise TableMismatch(
            "the table does not fit the schema: "
            + "; ".join(problems)
            + ". Change the schema or the table's header so that they name the same columns"
        )


def _repeated(header: Sequence[str]) -> list[str]:
    twice = [name for name, times in Counter(header).items() if times > 1]
    return [f"the table has more than one column named {values.listed(twice)}"] if twice else []


def _missing(schema: Schema, header: Sequence[str]) -> list[str]:
    there = set(header)
    needed = {*schema.modelled, schema.unit.column}
    absent = [name for name in schema.columns if name in needed and name not in there]
    return [f"the table has no column {values.listed(absent)}"] if absent else []


def _unexpected(schema: Schema, header: Sequence[str]) -> list[str]:
    extra = [name for name in dict.fromkeys(header) if name not in schema.columns]
    if not extra:
        return []
    there = set(header)
    nearest = values.guess(extra[0], [name for name in schema.columns if name not in there])
    hint = nearest.replace(" Did", "; did")
    return [f"the schema has no column {values.listed(extra)}{hint}"]
