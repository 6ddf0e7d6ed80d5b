"""General location: means by category come back, tables by formula are those that are drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.models.test_clouds import PLAN, ROWS, domain_for, run
from tests.tables import cells
from understudy.errors import ReleaseError, UsageError
from understudy.models import general_location_family
from understudy.models.cloud import Cloud
from understudy.models.general_location import GeneralLocation
from understudy.models.general_location_cloud import CategoryCells
from understudy.models.general_location_family import GeneralLocationFamily
from understudy.schema.columns import Column, Real

COLUMNS: tuple[Column, ...] = (
    Real(name="x", min=-6.0, max=6.0),
    cells("b", 3),
    Real(name="y", min=-5.0, max=5.0, missing=("",)),
    cells("a", 2),
)


def rows_of() -> pd.DataFrame:
    """Numbers correlated at 0.5 around means that categories move; categories depend too."""
    rng = np.random.default_rng(8)
    a = rng.integers(0, 2, ROWS)
    b = (a + rng.integers(0, 2, ROWS)) % 3
    numbers = rng.multivariate_normal([0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]], ROWS)
    x = numbers[:, 0] + 2.0 * a - np.array([0.0, 1.0, 2.0])[b]
    y = np.where(rng.random(ROWS) < 0.2, np.nan, numbers[:, 1] - 1.5 * a)
    return pd.DataFrame({"x": x, "b": b, "y": y, "a": a})


@pytest.fixture(scope="module")
def cloud() -> Any:
    return run(GeneralLocationFamily(), domain_for(*COLUMNS), rows_of())


def test_cells_their_means_and_what_is_left_come_back(cloud: Any) -> None:
    rows, model = rows_of(), cloud.model(0)
    drawn = model.sample(40_000, np.random.default_rng(0)).to_pandas().astype(float)
    for a, b in ((0, 0), (0, 1), (1, 1), (1, 2)):
        of_real, of_drawn = ((one[(one.a == a) & (one.b == b)]) for one in (rows, drawn))
        assert abs(len(of_real) / ROWS - len(of_drawn) / 40_000) < 0.02
        assert np.abs(of_real[["x", "y"]].mean() - of_drawn[["x", "y"]].mean()).max() < 0.2
    assert np.abs(drawn[["x", "y"]].std() - rows[["x", "y"]].std()).max() < 0.05
    assert abs(model.correlation[0, 1] - 0.5) < 0.08
    assert abs(drawn.y.isna().mean() - rows.y.isna().mean()) < 0.02


@pytest.mark.parametrize("tables", [[("a",), ("x",), ("y",)], [("a", "b"), ("a", "x"), ("b", "y")]])
def test_what_is_expected_by_formula_is_what_is_simulated(
    cloud: Any, tables: list[tuple[str, ...]]
) -> None:
    """50,000 simulated rows: 6 standard deviations of a share are below 0.014."""
    found = cloud.shares(tables, 1, 4)
    assert np.abs(found - Cloud.shares(cloud, tables, 1, 4)).max() < 0.014
    assert np.allclose(found.sum(axis=1), len(tables))


def test_tables_of_two_numbers_stand_between_the_others(cloud: Any) -> None:
    tables = [("a", "x"), ("x", "y"), ("b", "y")]
    apart = [cloud.shares([one], 0, 2) for one in tables]
    assert np.array_equal(cloud.shares(tables, 0, 2), np.concatenate(apart, axis=1))


def test_a_rare_level_takes_no_effect_from_noise() -> None:
    """The only row at level 2 says little: its mean is that of all, not the noise's."""
    rng = np.random.default_rng(1)
    a = np.append(rng.integers(0, 2, ROWS - 1), 2)
    rows = pd.DataFrame({"x": rng.normal(size=ROWS) + a, "a": a})
    cloud = run(GeneralLocationFamily(), domain_for(COLUMNS[0], cells("a", 3)), rows)
    places = cloud.model(1).places * 6.0
    assert abs(places[1, 0] - places[0, 0] - 1.0) < 0.3
    assert abs(places[2, 0] - 0.5) < 0.5


def test_many_cells_mean_fewer_candidates_not_more_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(general_location_family, "MOST_SHARES", 200)
    domain = domain_for(cells("a", 3), cells("b", 7))
    rows = pd.DataFrame({"a": [2] * 10, "b": [5] * 10})
    assert run(GeneralLocationFamily(), domain, rows).candidates == 200 // 21


def test_a_joint_table_that_would_be_noise_is_refused_before_anything_is_asked() -> None:
    domain = domain_for(cells("a", 200), cells("b", 200), COLUMNS[0])
    with pytest.raises(UsageError, match=r"'a' has 200.*Choose columns"):
        GeneralLocationFamily().scope(domain.schema)
    with pytest.raises(UsageError, match="32,768 cells are allowed"):
        next(GeneralLocationFamily().ask(domain, PLAN))


def test_levels_of_wide_columns_tell_nothing_about_numbers() -> None:
    table = CategoryCells(("a", "b"), (2, 65))
    assert table.telling == {"a": 2}
    assert table.members.shape == (130, 2)
    assert table.members.sum(axis=0).tolist() == [65.0, 65.0]


@pytest.mark.parametrize(
    "changes",
    [
        {"size": -1.0},
        {"cells": np.array([1, 0, 2, 3, 4, 5])},
        {"cells": np.array([0, 1, 2, 3, 4, 6])},
        {"cells": np.arange(6.0)},
        {"shares": np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])},
        {"shares": np.full(6, 0.5)},
        {"places": np.zeros((6, 1))},
        {"places": np.full((6, 2), np.nan)},
        {"spreads": np.array([1.0, 0.0])},
        {"missing": np.array([0.0, 2.0])},
        {"correlation": np.eye(1)},
        {"correlation": np.array([[1.0, 2.0], [2.0, 1.0]])},
        {"cuts": (np.zeros(3), np.zeros(3))},
        {"cuts": (np.zeros((255, 2)), np.zeros(255))},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_is_no_general_location_model_is_refused(cloud: Any, changes: dict[str, Any]) -> None:
    tables = np.maximum(cloud.tables, 1e-6)
    cloud = replace(cloud, tables=tables / tables.sum(axis=1, keepdims=True))
    model = cloud.model(0)
    assert len(model.cells) == 6
    with pytest.raises(ReleaseError):
        replace(model, **changes)


def test_a_saved_model_with_other_parts_is_refused(cloud: Any) -> None:
    model = cloud.model(0)
    arrays = model.arrays()
    again = GeneralLocation.restore(model.domain, model.describe(), arrays)
    assert again.size == model.size
    del arrays["places"]
    with pytest.raises(ReleaseError, match="do not belong"):
        GeneralLocation.restore(model.domain, model.describe(), arrays)
