"""Methods to be judged, and the toy tables that they are judged on."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from tests.noise_sources import SeededNoise
from tests.tables import Purse, Row, TinyBackend, cells, purse_for
from understudy import methods
from understudy.gate.noise import Noise
from understudy.gate.private_table import PrivateTable
from understudy.methods.base import Synthesizer
from understudy.models.base import Model
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.domain import Domain
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema, Unit

BUDGETS: dict[type[Budget], Budget] = {
    PureDP: PureDP("3/2"),
    ZCDP: ZCDP("1/3"),
    GDP: GDP("2/3"),
}


@dataclass(frozen=True)
class Subject:
    """A method and the file it was written in."""

    kind: type[Synthesizer]
    module: ModuleType
    options: Mapping[str, Any] = field(default_factory=dict)
    numeric: bool = False
    """Whether it takes numbers and dates only."""
    shaped: bool = False
    """Whether its numbers have the shape of its model, not that of the table."""

    sampled: bool = False
    """Whether its choice rests on a sample of rows, which another order of columns changes."""

    @property
    def source(self) -> Path:
        return Path(inspect.getfile(self.module))

    def budgets(self) -> list[Budget]:
        """One budget in each currency that the method accepts."""
        return [BUDGETS[currency] for currency in self.kind.accepts]

    def make(self) -> Synthesizer:
        return self.kind(**self.options)

    def with_rows(self, rows: int) -> Subject:
        """If its rows are paid for one by one: with so many that their chance does not show."""
        return replace(self, options={"rows": rows}) if self.releases_a_draw else self

    def tiny(self) -> Subject:
        """With so few candidates to choose from that every choice can be walked through."""
        return replace(self, options={**self.options, "candidates": 2}) if self.chooses else self

    def settled(self) -> Subject:
        """Without a choice, if that would fall otherwise for another order of columns."""
        return replace(self, options={**self.options, "candidates": 1}) if self.sampled else self

    def over(self, columns: Sequence[Column]) -> Subject:
        """For a table of other columns than the mixed one."""
        return replace(self, options={**self.options, "columns": None}) if self.numeric else self

    def column(self, name: str, count: int, **options: Any) -> Column:
        """A column of so many values, of a kind that it takes."""
        if self.numeric:
            return Integer(name=name, min=0, max=count - 1, **options)
        return cells(name, count, **options)

    @property
    def chooses(self) -> bool:
        """Whether it chooses among candidates, as many as one likes."""
        return "candidates" in {option.name for option in fields(self.kind)}  # type: ignore[arg-type]

    @property
    def asks_much(self) -> bool:
        """Whether so many noisy counts come together that only few values of each can be walked
        through."""
        return self.chooses or methods.name_of(self.make()) in ("planned", methods.AUTO)

    @property
    def releases_a_draw(self) -> bool:
        """Whether its privacy section says that the rows themselves are the noisy answer."""
        return re.search(r"^\d+\. ``draw``", self.module.__doc__ or "", re.MULTILINE) is not None


NUMBERS = ("age", "cost", "day")
QUICK = {"candidates": 40, "cells": 8, "simulated": 2000}
VARIANTS: dict[str, dict[str, Any]] = {
    "pmse:normal": {
        "options": {"model": "normal", "columns": NUMBERS, **QUICK},
        **{"numeric": True, "shaped": True},
    },
    "pmse:general-location": {
        "options": {"model": "general-location", **QUICK, "candidates": 8, "simulated": 500},
        "shaped": True,
    },
    "pmse:reweighted": {
        "options": {"model": "reweighted", "base": "independent", **QUICK, "candidates": 8},
        "sampled": True,
    },
    "pmse:chain": {
        "options": {"model": "chain", "columns": NUMBERS, **QUICK},
        **{"numeric": True, "shaped": True},
    },
}
"""Settings that make another method of one: every check is for them too."""


def subject_names() -> tuple[str, ...]:
    """All methods, and the variants of those that have some."""
    return (*methods.names(), *VARIANTS)


def subject_of(name: str) -> Subject:
    """The method, or variant of one, of this name."""
    kind = methods.get(name.partition(":")[0])
    return Subject(kind, sys.modules[kind.__module__], **VARIANTS.get(name, {}))


@dataclass(frozen=True)
class Run:
    """A fit and everything that went through its hands: the domain that it was asked about, and
    that of its model, which may have finer cells."""

    model: Model
    asked: Domain
    domain: Domain
    purse: Purse
    backend: TinyBackend
    table: PrivateTable


def fitted(
    subject: Subject,
    schema: Schema,
    rows: Sequence[Row],
    budget: Budget,
    *,
    noise: Noise | None = None,
    seed: int = 0,
    purse: Purse | None = None,
    backend: TinyBackend | None = None,
) -> Run:
    """One fit of the method on a toy table, with reproducible noise unless told otherwise."""
    diary: list[str] = []
    schema = subject.make().scope(schema)
    purse = purse or purse_for(schema, budget * 2, diary=diary)
    backend = backend or TinyBackend(schema, rows, diary=diary)
    noise = SeededNoise(seed) if noise is None else noise
    table = PrivateTable(backend, purse, noise=noise)  # type: ignore[arg-type]
    domain = domain_of(schema)
    model = subject.make().fit(table, domain, budget, np.random.default_rng(seed))
    return Run(model, domain, model.domain, purse, backend, table)


def essence(model: Model) -> tuple[Any, ...]:
    """Everything that a model is, in a form that can be compared."""
    arrays = {name: (a.dtype.str, a.shape, a.tobytes()) for name, a in model.arrays().items()}
    return type(model), repr(model.describe()), tuple(arrays.items())


MIXED: tuple[Column, ...] = (
    Fake(name="id"),
    Category(name="ward", levels=("north", "south", "east"), other="elsewhere", missing=("",)),
    Ordinal(name="grade", levels=("low", "middle", "high")),
    Boolean(name="back", missing=("",)),
    Integer(name="age", min=0, max=9, missing=("?",)),
    Real(name="cost", min=0.0, max=50.0, bins=5, decimals=2),
    Date(name="day", min=date(2020, 1, 1), max=date(2020, 1, 6)),
    Drop(name="note"),
)


def schema_like(
    relation: Neighbours,
    *,
    columns: Sequence[Column] = MIXED,
    rows: int = 60,
    contribution: int = 1,
) -> Schema:
    """A schema whose guarantee is about this relation; units have a column if they have rows."""
    named = {column.name: column for column in columns}
    if contribution == 1:
        public = rows if relation is Neighbours.REPLACE_ONE else None
        return Schema(name="toy", columns=named, rows=public)
    persons = 20 if relation is Neighbours.REPLACE_ONE else None
    unit = Unit(column="person", max_rows=contribution, persons=persons)
    return Schema(name="toy", columns={**named, "person": Drop(name="person")}, unit=unit)


def mixed_rows(count: int = 60, *, seed: int = 5) -> list[Row]:
    """Rows of the mixed table: dependent columns, missing, undeclared and unreadable cells."""
    rng = np.random.default_rng(seed)
    return [_mixed_row(rng) for _ in range(count)]


def _mixed_row(rng: np.random.Generator) -> Row:
    age = int(rng.integers(0, 12))
    ward = str(rng.choice(["north", "south", "east", "", "attic"], p=[0.4, 0.2, 0.2, 0.1, 0.1]))
    return (
        f"secret-{rng.integers(10**9)}",
        ward,
        ("low", "middle", "high")[min(age // 4, 2)],
        str(rng.choice(["true", "false", ""])),
        str(rng.choice([str(age), "?", "unreadable"], p=[0.8, 0.1, 0.1])),
        f"{rng.gamma(2.0, 8.0):.4f}",
        f"2020-01-0{rng.integers(1, 7)}",
        "never read",
    )


def same_schema_other_rows(count: int = 60) -> list[list[Row]]:
    """Tables that differ in everything that is not public."""
    plain: Row = ("x", "north", "low", "true", "0", "0", "2020-01-01", "")
    blank: Row = (None,) * len(MIXED)
    return [mixed_rows(count), [plain] * count, [blank] * count]
