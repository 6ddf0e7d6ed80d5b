"""What a person may name as a table: a file, a DuckDB table, standard input or a dataframe.

``parse`` looks at the name only. Nothing is opened here, and what cannot be read is refused with
the list of what can be.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from understudy.errors import SourceError, UsageError


class Form(Enum):
    """How the rows are stored."""

    CSV = "CSV"
    CSV_GZ = "gzipped CSV"
    JSONL = "JSON lines"
    PARQUET = "Parquet"
    FEATHER = "Feather"
    DUCKDB = "DuckDB table"
    STDIN = "standard input"
    FRAME = "dataframe"


SUFFIXES: Final = {
    ".csv": Form.CSV,
    ".csv.gz": Form.CSV_GZ,
    ".jsonl": Form.JSONL,
    ".parquet": Form.PARQUET,
    ".feather": Form.FEATHER,
    ".arrow": Form.FEATHER,
}
ALLOWED: Final = (
    f"a file ending in {', '.join(SUFFIXES)}; duckdb:FILE?table=NAME; - for CSV on standard "
    "input; or a dataframe (pandas, polars, pyarrow and others)"
)


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where private rows are. ``name`` is what the caller called it, for messages."""

    form: Form
    name: str
    path: Path | None = None
    table: str | None = None
    frame: Any = field(default=None, repr=False, compare=False)

    def unreadable(self, reason: str = "") -> SourceError:
        """The error for a source that cannot be read. ``reason`` must be a public fact."""
        absent = f", or has no table {self.table!r}" if self.table is not None else ""
        usual = f"it is damaged, in another format or too large{absent}"
        return SourceError(f"cannot read {self.name} as {self.form.value}: {reason or usual}")


def parse(source: Any) -> Source:
    """What ``source`` names. Refuses by name alone, before anything is opened."""
    if isinstance(source, Path):
        return _file(source, name=str(source))
    if not isinstance(source, str):
        return _frame(source)
    if source == "-":
        return Source(form=Form.STDIN, name="standard input")
    if source.startswith("duckdb:"):
        return _duckdb_table(source)
    _refuse_engines_to_come(source)
    return _file(Path(source), name=source)


def _file(path: Path, *, name: str) -> Source:
    lowered = path.name.lower()
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if lowered.endswith(suffix):
            return Source(form=SUFFIXES[suffix], name=name, path=path)
    raise UsageError(f"cannot tell the format of {name} from its name; give {ALLOWED}")


def _frame(source: Any) -> Source:
    if source is None or isinstance(source, bool | int | float | bytes):
        raise UsageError(f"a table is needed, not {type(source).__name__}; give {ALLOWED}")
    return Source(form=Form.FRAME, name=f"the {type(source).__name__} given", frame=source)


def _duckdb_table(source: str) -> Source:
    file, _, query = source.removeprefix("duckdb:").rpartition("?")
    tables = parse_qs(query).get("table", [])
    if not file or len(tables) != 1:
        raise UsageError(f"write duckdb:FILE?table=NAME, with one table, instead of {source}")
    return Source(form=Form.DUCKDB, name=source, path=Path(file), table=tables[0])


def _refuse_engines_to_come(source: str) -> None:
    if source.startswith(("postgresql:", "postgres:")):
        engine = "tables in PostgreSQL"
    elif source.startswith("spark:"):
        engine = "Spark tables"
    else:
        return
    raise UsageError(
        f"this version cannot read {engine} yet; export the table to Parquet or CSV and give "
        "that file"
    )
