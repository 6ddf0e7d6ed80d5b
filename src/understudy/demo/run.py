"""What ``understudy demo`` does: simulate, synthesize, write everything into one folder."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from understudy.demo import hospital
from understudy.table.replacing import replacing

if TYPE_CHECKING:
    from understudy.release import Release

ROWS: Final = 50_000
EPSILON: Final = 1
DELTA: Final = "1e-6"


@dataclass(frozen=True)
class DemoFiles:
    """Where the demonstration puts things, all in one folder."""

    folder: Path

    @property
    def confidential(self) -> Path:
        """The simulated confidential table."""
        return self.folder / "confidential.csv"

    @property
    def schema(self) -> Path:
        """Its public description."""
        return self.folder / "schema.toml"

    @property
    def synthetic(self) -> Path:
        """The synthetic rows."""
        return self.folder / "synthetic.csv"

    @property
    def release(self) -> Path:
        """The release folder."""
        return self.folder / "release"

    @property
    def report(self) -> Path:
        """The card as a page."""
        return self.release / "report.html"

    @property
    def single(self) -> tuple[Path, ...]:
        """The outputs that are files directly in the folder."""
        return (self.confidential, self.schema, self.synthetic)


def prepare(files: DemoFiles, *, rows: int = ROWS, force: bool = False) -> None:
    """Write the simulated table and its schema, each whole or not at all."""
    with replacing(files.confidential, force=force) as aside:
        hospital.write(hospital.simulate(rows), aside)
    with replacing(files.schema, force=force) as aside:
        shutil.copyfile(Path(__file__).with_name("schema.toml"), aside)


def release(files: DemoFiles, *, force: bool = False) -> Release:
    """Synthesize the simulated table and write rows and release folder."""
    from understudy.api import synthesize
    from understudy.table.write import write_table

    made = synthesize(files.confidential, files.schema, epsilon=EPSILON, delta=DELTA)
    write_table(made.synthetic[0], files.synthetic, force=force)
    made.save(files.release, force=force)
    return made
