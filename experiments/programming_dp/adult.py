"""The Adult train file: where it is, its two columns that the chapter uses, and their schema."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import understudy as us
from understudy.schema.columns import Category, Integer

FILE: Final = Path("adult", "adult_train.csv.gz")
PLACES: Final = {"age": 0, "occupation": 6}
AGES: Final = range(100)
OCCUPATIONS: Final = (
    *("Adm-clerical", "Armed-Forces", "Craft-repair", "Exec-managerial", "Farming-fishing"),
    *("Handlers-cleaners", "Machine-op-inspct", "Other-service", "Priv-house-serv"),
    *("Prof-specialty", "Protective-serv", "Sales", "Tech-support", "Transport-moving"),
)
MISSING: Final = "?"

Texts = NDArray[Any]
Whole = NDArray[np.int64]


class AbsentTableError(Exception):
    """The table is not where it was looked for."""


@dataclass(frozen=True)
class Adult:
    """Age and occupation of everybody; an occupation may be missing ("?")."""

    ages: Whole
    occupations: Texts

    def __len__(self) -> int:
        return len(self.ages)

    @property
    def by_age(self) -> Whole:
        """How many people have each age from 0 to 99."""
        return np.bincount(self.ages, minlength=len(AGES)).astype(np.int64)

    def table(self, occupations: Sequence[str] = OCCUPATIONS) -> Whole:
        """People by age (rows, 0 to 99) and occupation (columns)."""
        return np.stack(
            [np.bincount(self.ages[self.occupations == o], minlength=100) for o in occupations], 1
        ).astype(np.int64)

    def write(self, path: Path) -> Path:
        """A CSV file with a header, as Understudy reads it."""
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(PLACES)
            writer.writerows(zip(self.ages.tolist(), self.occupations.tolist(), strict=True))
        return path


def schema(*, rows: int | None = None) -> us.Schema:
    """What anyone may know of the two columns: ages below 100, the fourteen occupations."""
    columns = {
        "age": Integer(name="age", min=AGES[0], max=AGES[-1]),
        "occupation": Category(name="occupation", levels=OCCUPATIONS, missing=(MISSING,)),
    }
    return us.Schema(name="adult", columns=columns, rows=rows)


def find(named: str | None, environment: Mapping[str, str] = os.environ) -> Path:
    """The train file: named on the command line, or below the folder in UNDERSTUDY_DATA."""
    if named is not None:
        given = Path(named)
        path = given / FILE if given.is_dir() else given
    elif environment.get("UNDERSTUDY_DATA"):
        path = Path(environment["UNDERSTUDY_DATA"]) / FILE
    else:
        raise AbsentTableError(
            "this experiment needs the Adult train file: give --data FILE, or set "
            f"UNDERSTUDY_DATA to a folder that holds {FILE}"
        )
    if not path.is_file():
        raise AbsentTableError(
            f"there is no file {path}; give --data FILE (adult.data, also gzipped)"
        )
    return path


def load(path: Path) -> Adult:
    """The two columns of the file, which has no header and spaces after its commas."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    return of(csv.reader(text.splitlines(), skipinitialspace=True))


def of(rows: Iterable[Sequence[str]]) -> Adult:
    """The two columns of rows as they stand in the file; empty lines are none."""
    pairs = [tuple(row[place] for place in PLACES.values()) for row in rows if row]
    ages, occupations = zip(*pairs, strict=True)
    return Adult(np.array(ages, dtype=np.int64), np.array(occupations, dtype=object))
