"""The smoothed histogram: what it pays for, how much it smooths, what it refuses, and Adult."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import understudy as us
from tests.methods.adult import adult_schema
from tests.noise_sources import ForbiddenNoise
from tests.tables import (
    Purse,
    Row,
    SealedBackend,
    TinyBackend,
    cells,
    numbers,
    purse_for,
    schema_of,
)
from understudy.gate.private_table import PrivateTable
from understudy.methods import facts
from understudy.methods.smoothed_histogram import SmoothedHistogram, volumes_of
from understudy.models.paid_rows import PaidRows
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Real
from understudy.schema.schema import Schema

PAIR = (cells("a", 2), cells("b", 3))
ROWS: list[Row] = [("0", "0")] * 40 + [("1", "2")] * 60


def fitted(
    private: list[Row],
    budget: Budget,
    *,
    schema: Schema | None = None,
    **settings: Any,
) -> tuple[PaidRows, Purse]:
    schema = schema or schema_of(*PAIR)
    purse = purse_for(schema, budget)
    table = PrivateTable(TinyBackend(schema, private), purse)
    rng = np.random.default_rng(0)
    return SmoothedHistogram(**settings).fit(table, domain_of(schema), budget, rng), purse


@pytest.mark.parametrize("budget", [PureDP("2/3"), ZCDP("1/7")])
def test_one_charge_of_the_whole_budget_for_all_rows(budget: Budget) -> None:
    model, purse = fitted(ROWS, budget, rows=30)
    (charge,) = purse.charges
    assert (charge.verb, charge.cost) == ("draw", budget)
    assert (charge.detail["marginal"], charge.detail["rows"]) == (["a", "b"], 30)
    assert model.paid == 30


@pytest.mark.parametrize(
    ("public", "asked", "paid", "total"),
    [
        (None, None, 1000, 1000),
        (100, None, 100, 100),
        (100, 7, 7, 100),
        (None, 7, 7, 7),
        (0, None, 1, 0),
    ],
)
def test_the_public_size_or_the_wish_says_how_many_rows_are_paid_for(
    public: int | None, asked: int | None, paid: int, total: int
) -> None:
    rows = ROWS if public is None else ROWS[:public]
    model, _ = fitted(rows, PureDP(1), schema=schema_of(*PAIR, rows=public), rows=asked)
    assert (model.paid, model.total) == (paid, total)


def test_with_a_large_budget_rows_are_rows_of_the_table() -> None:
    """A cell is wrong with a chance of 6e-7 a row; 400 of 1000 within 6 standard deviations."""
    model, _ = fitted(ROWS * 1000, PureDP(10**4))
    counted = Counter(map(tuple, model.rows.T.tolist()))
    assert counted[0, 0] + counted[1, 2] == 1000
    assert abs(counted[0, 0] - 400) < 6 * np.sqrt(240)


def test_with_a_small_budget_cells_are_alike_or_follow_their_volume() -> None:
    """With next to no budget a row says nothing: 6000 rows from six cells (or 1 : 3 : 6)."""
    model, _ = fitted(ROWS, PureDP("1e-3"), rows=6000)
    counted = Counter(map(tuple, model.rows.T.tolist()))
    assert all(
        abs(counted[a, b] - 1000) < 6 * np.sqrt(6000 * 5 / 36) for a in (0, 1) for b in range(3)
    )
    schema = schema_of(Real(name="x", bins=(0.0, 1.0, 4.0, 10.0)))
    model, _ = fitted([("0.5",)], PureDP("1e-3"), schema=schema, rows=6000, smoothing="volume")
    shares = np.bincount(model.rows[0], minlength=3) / 6000
    assert np.abs(shares - [0.1, 0.3, 0.6]).max() < 6 * np.sqrt(0.24 / 6000)


def test_volumes_multiply_and_missing_is_as_wide_as_the_mean() -> None:
    domain = domain_of(
        schema_of(
            cells("a", 2), Real(name="x", bins=(0.0, 1.0, 4.0), missing=("",)), numbers("n", 0, 1)
        )
    )
    expected = np.ones((2, 3, 2)) * np.array([1.0, 3.0, 2.0])[None, :, None]
    assert np.array_equal(volumes_of(domain), expected)


def test_zcdp_smooths_with_the_root_of_the_rows_only() -> None:
    """At about the same promise (epsilon 1 against rho 0.02) ten thousand rows keep the shape."""
    table = [("0",)] * 900 + [("1",)] * 100
    schema = schema_of(cells("a", 2))
    shares = []
    for budget in (PureDP(1), ZCDP("0.02")):
        model, _ = fitted(table, budget, schema=schema, rows=10_000)
        shares.append(float(np.mean(model.rows[0] == 0)))
    # (900 + A) / (1000 + 2 A) with A = 10,000 and 250; 6 standard deviations of 10,000 draws
    assert shares[0] == pytest.approx(10_900 / 21_000, abs=0.03)
    assert shares[1] == pytest.approx(1150 / 1500, abs=0.03)


def test_columns_that_are_not_chosen_are_neither_read_nor_released() -> None:
    model, purse = fitted(ROWS, PureDP(1), columns=("b",), rows=5)
    assert purse.charges[0].detail["marginal"] == ["b"]
    assert model.domain.columns == ("b",)
    assert SmoothedHistogram(columns=("b",)).scope(schema_of(*PAIR)).modelled == ("b",)


def test_too_large_a_table_is_refused_before_anything_is_bought() -> None:
    schema = schema_of(cells("a", 2), cells("b", 1000))
    method = SmoothedHistogram(most_cells=1999)
    with pytest.raises(us.UsageError, match="2,000 cells"):
        method.scope(schema)
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(SealedBackend(schema, []), purse, noise=ForbiddenNoise())
    with pytest.raises(us.UsageError, match="2,000 cells"):
        method.fit(table, domain_of(schema), PureDP(1), np.random.default_rng(0))
    assert purse.charges == []


@pytest.mark.parametrize(
    "settings",
    [
        {"rows": 0},
        {"rows": -5},
        {"rows": 2.0},
        {"rows": True},
        {"smoothing": "none"},
        {"beyond": "invent"},
        {"columns": ()},
        {"columns": ("a", "a")},
        {"most_cells": 0},
        {"most_cells": 1.5},
    ],
    ids=repr,
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(us.UsageError):
        SmoothedHistogram(**settings)


def test_it_is_listed_as_proven_for_both_currencies_and_relations() -> None:
    listed = facts("smoothed-histogram")
    assert listed["status"] == "proven"
    assert listed["guarantee"] == ["pure", "zcdp"]
    assert listed["neighbours"] == ["add-remove", "replace-one"]


def test_copies_of_one_release_are_made_of_the_same_rows() -> None:
    import pandas as pd

    frame = pd.DataFrame({"a": ["0", "1"] * 50, "b": ["2"] * 100})
    release = us.synthesize(
        frame,
        schema_of(*PAIR),
        epsilon=2,
        method="smoothed-histogram",
        options={"rows": 80},
        rows=80,
        copies=2,
    )
    one, two = (Counter(map(tuple, table.to_numpy().tolist())) for table in release.tables)
    assert one == two
    assert sum(one.values()) == 80


def test_a_plan_tells_the_charge_and_that_no_error_is_known() -> None:
    plan = us.plan(schema_of(*PAIR), epsilon=1, method="smoothed-histogram")
    assert [charge.verb for charge in plan.charges] == ["draw"]
    assert plan.mean_tvd is None
    assert "no errors known" in repr(plan)
    with pytest.raises(us.UsageError, match="no marginals"):
        us.plan(schema_of(*PAIR), want_error=0.1, method="smoothed-histogram")


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_adult_is_fitted_sampled_saved_and_loaded(
    data_dir: Path, relation: str, tmp_path: Path
) -> None:
    schema, frame = adult_schema(data_dir, rows=None if relation == "add-remove" else 32_561)
    options = {"columns": ("age", "occupation", "sex", "income"), "rows": 10_000}
    release = us.synthesize(
        frame, schema, epsilon=1, delta=1e-6, method="smoothed-histogram", options=options, seed=1
    )
    release.model.sample(50_000, seed=0)
    release.save(tmp_path / "release")
    again = us.load(tmp_path / "release").model.fitted
    assert isinstance(again, PaidRows)
    assert again.paid == 10_000
