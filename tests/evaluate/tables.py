"""Small schemas and coded tables for the tests of this room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from understudy.evaluate.grid import Grid, Sample
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Category, Date, Integer, Ordinal, Real
from understudy.schema.schema import Rule, Schema
from understudy.table.codec import encode
from understudy.table.table import Codes

COLUMNS = {
    "age": Integer(name="age", min=0, max=99),
    "income": Real(name="income", min=0, max=1000, missing=("",)),
    "city": Category(name="city", levels=("A", "B", "C", "D"), missing=("?",)),
    "grade": Ordinal(name="grade", levels=("low", "mid", "high")),
    "member": Boolean(name="member"),
    "joined": Date(name="joined", min=date(2000, 1, 1), max=date(2020, 12, 31)),
}
RULES = ("age >= 18 or member == 'false'", "income is not missing")


def schema(rules: Sequence[str] = (), columns: Mapping[str, object] = COLUMNS) -> Schema:
    return Schema(
        name="people",
        columns=columns,  # type: ignore[arg-type]
        rules=tuple(Rule(require=rule) for rule in rules),
    )


def grid(rules: Sequence[str] = ()) -> Grid:
    return Grid.of(domain_of(schema(rules)))


def code(on: Grid, values: Mapping[str, Sequence[object]]) -> Codes:
    """Rows of values (None: missing) as cells of the fine grid."""
    columns = {
        name: encode(on.domain.schema.columns[name], axis, np.array(list(values[name]), object))
        for name, axis in on.fine.axes.items()
    }
    return Codes(on.fine, columns, len(next(iter(values.values()))))


def sample(on: Grid, values: Mapping[str, Sequence[object]]) -> Sample:
    return Sample(on, dict(code(on, values).columns), len(next(iter(values.values()))))


def people(rows: int, *, seed: int = 0, linked: bool = True) -> dict[str, list[object]]:
    """Random people; if ``linked``, columns depend on each other."""
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 100, rows)
    pull = age if linked else rng.permutation(age)
    income = np.clip(5 * pull + rng.normal(0, 80, rows), 0, 1000)
    gone = rng.random(rows) < 0.1
    city = np.array(list("ABCD"))[np.clip(pull // 25 + rng.integers(-1, 2, rows), 0, 3)]
    grade = np.array(["low", "mid", "high"])[np.clip(income // 200, 0, 2).astype(int)]
    member = np.where(rng.random(rows) < pull / 100, "true", "false")
    joined = np.datetime64("2000-01-01") + rng.integers(0, 7600, rows)
    return {
        "age": [str(a) for a in age],
        "income": [None if g else repr(float(i)) for i, g in zip(income, gone, strict=True)],
        "city": [None if r else str(c) for c, r in zip(city, rng.random(rows) < 0.05, strict=True)],
        "grade": grade.tolist(),
        "member": member.tolist(),
        "joined": [str(day) for day in joined],
    }
