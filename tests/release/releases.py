"""A small release made without any private table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.report.cards import a_card, a_schema
from understudy.models.product import ProductModel
from understudy.release import Release
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Datetime, Integer, Ordinal
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.schema.schema import Schema
from understudy.table.table import Table

ODD = "../../odd name\"'\n,"


def odd_schema() -> Schema:
    """Every kind, with names that would be dangerous as paths."""
    from datetime import datetime

    return a_schema(
        Category(name=ODD, levels=("a,b", 'say "x"', "../c"), missing=("NA",)),
        Ordinal(name="grade", levels=("low", "high"), missing=("",)),
        Integer(name="visits", min=0, max=9, missing=("-1",)),
        Datetime(name="seen", min=datetime(2020, 1, 1), max=datetime(2020, 1, 2), missing=("",)),
    )


def a_model(schema: Schema | None = None, *, seed: int = 1) -> ProductModel:
    rng = np.random.default_rng(seed)
    domain = domain_of(
        schema or odd_schema(),
        levels={"city": ("Aa", "Bb", "Ünï")},
        bounds={"cost": (0.0, 100.0)},
    )
    cells = {name: rng.dirichlet(np.ones(axis.size)) for name, axis in domain.axes.items()}
    return ProductModel(domain, 123.5, cells)


def measured(domain: Domain, *, seed: int = 2) -> list[Noisy]:
    rng = np.random.default_rng(seed)
    sets = [(name,) for name in domain.columns]
    sets += [("age", "city"), (ODD, "age", "smoker")] if ODD in domain.axes else []
    return [
        Noisy(names, rng.integers(-9, 2**50, domain.shape(names)), 0.1 + len(names))
        for names in sets
    ]


def a_release(*, fits: int = 1, rows: int = 50, **changes: Any) -> Release:
    rng = np.random.default_rng(3)
    models = tuple(a_model(seed=number) for number in range(fits))
    tables = tuple(model.sample(rows, rng) for model in models)
    facts: dict[str, Any] = {
        "synthetic": tables,
        "models": models,
        "measurements": measured(models[0].domain),
        "card": a_card(),
    }
    return Release(**(facts | changes))


def assert_same_table(left: Table, right: Table) -> None:
    assert left.rows == right.rows
    assert list(left.columns) == list(right.columns)
    for name, one in left.columns.items():
        two = right.columns[name]
        assert one.levels == two.levels, name
        assert (one.missing is None) == (two.missing is None), name
        here = np.ones(left.rows, bool) if one.missing is None else ~one.missing
        if one.missing is not None and two.missing is not None:
            np.testing.assert_array_equal(one.missing, two.missing)
        np.testing.assert_array_equal(one.data[here], two.data[here], err_msg=name)
        assert one.data.dtype.kind == two.data.dtype.kind, name
