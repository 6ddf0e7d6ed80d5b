"""Adult, 14 coded columns: the table on which engines of the field are compared.

Train then test file, 48,842 rows, without ``education``; codes over public bounds only. The split
is fixed. The same definition as the published runs of the peers, up to the edges of four binned
columns. "?" is a level of its own.
"""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Column, Integer
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema
from understudy.table.codec import encode
from understudy.table.table import Codes

NAME = "adult14"
TARGET = "income>50K"
TRAIN_ROWS = 39_073
FILE_COLUMNS = ["age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income>50K"]

LEVELS = {
    "workclass": "Private Self-emp-not-inc Self-emp-inc Federal-gov Local-gov State-gov "
    "Without-pay Never-worked ?",
    "marital-status": "Married-civ-spouse Divorced Never-married Separated Widowed "
    "Married-spouse-absent Married-AF-spouse",
    "occupation": "Tech-support Craft-repair Other-service Sales Exec-managerial Prof-specialty "
    "Handlers-cleaners Machine-op-inspct Adm-clerical Farming-fishing Transport-moving "
    "Priv-house-serv Protective-serv Armed-Forces ?",
    "relationship": "Wife Own-child Husband Not-in-family Other-relative Unmarried",
    "race": "White Asian-Pac-Islander Amer-Indian-Eskimo Other Black",
    "sex": "Female Male",
    "native-country": "United-States Cambodia England Puerto-Rico Canada Germany "
    "Outlying-US(Guam-USVI-etc) India Japan Greece South China Cuba Iran Honduras Philippines "
    "Italy Poland Jamaica Vietnam Mexico Portugal Ireland France Dominican-Republic Laos Ecuador "
    "Taiwan Haiti Columbia Hungary Guatemala Nicaragua Scotland Thailand Yugoslavia El-Salvador "
    "Trinadad&Tobago Peru Hong Holand-Netherlands ?",
    "income>50K": "<=50K >50K",
}
NUMBERS: dict[str, tuple[int, int, int | None]] = {
    "age": (0, 84, None),
    "fnlwgt": (0, 2_000_000, 100),
    "education-num": (1, 16, None),
    "capital-gain": (0, 99_999, 100),
    "capital-loss": (0, 99_999, 100),
    "hours-per-week": (1, 99, None),
}


@dataclass(frozen=True)
class Table:
    """A benchmark's public domain and its coded rows. ``test`` is never given to an engine."""

    domain: Domain
    train: Codes
    test: Codes | None
    target: str


def load(data: Path) -> Table:
    """The table from the folder of public tables."""
    domain = domain_of(Schema(name=NAME, columns=_columns(), rows=TRAIN_ROWS))
    texts = _read(data / "adult" / "adult_train.csv.gz", skip=0)
    texts += _read(data / "adult" / "adult_test.csv.gz", skip=1)
    rows = np.array(texts, dtype=object)
    order = np.random.default_rng(20260101).permutation(len(rows))
    train, test = rows[order[:TRAIN_ROWS]], rows[order[TRAIN_ROWS:]]
    return Table(domain, _code(domain, train), _code(domain, test), TARGET)


def _columns() -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for name in FILE_COLUMNS:
        if name in LEVELS:
            columns[name] = Category(name=name, levels=tuple(LEVELS[name].split()))
        elif name in NUMBERS:
            low, high, bins = NUMBERS[name]
            columns[name] = Integer(name=name, min=low, max=high, bins=bins)
    return columns


def _read(path: Path, *, skip: int) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, skipinitialspace=True))[skip:]
    return [[text.rstrip(".") for text in row] for row in rows if len(row) == len(FILE_COLUMNS)]


def _code(domain: Domain, rows: NDArray[Any]) -> Codes:
    place = {name: i for i, name in enumerate(FILE_COLUMNS)}
    columns = {
        name: encode(domain.schema.columns[name], axis, rows[:, place[name]])
        for name, axis in domain.axes.items()
    }
    return Codes(domain, columns, len(rows))
