"""A small table with its schema, in a folder of its own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.program import OPEN_SCHEMA, SCHEMA, run, write_table


@dataclass(frozen=True)
class Home:
    """A keeper's folder."""

    folder: Path

    def __truediv__(self, name: str) -> Path:
        return self.folder / name

    @property
    def table(self) -> Path:
        return self.folder / "table.csv"

    @property
    def schema(self) -> Path:
        return self.folder / "schema.toml"

    @property
    def open_schema(self) -> Path:
        return self.folder / "open.toml"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    found = Home(tmp_path)
    found.schema.write_text(SCHEMA)
    found.open_schema.write_text(OPEN_SCHEMA)
    write_table(found.table)
    return found


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release folder made by the program; not to be changed.

    The promise is so weak that no cell of the five rows can drown in its noise.
    """
    folder = tmp_path_factory.mktemp("released")
    (folder / "schema.toml").write_text(SCHEMA)
    write_table(folder / "table.csv")
    made = run(
        *("synthesize", folder / "table.csv", "--schema", folder / "schema.toml"),
        *("--epsilon", "60", "--release", folder / "release", "--rows", "30"),
    )
    assert made.code == 0, made.err
    return folder / "release"
