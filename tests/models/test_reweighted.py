"""Reweighted models: exactly the tilted law, candidates that tilt it, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tables import cells, numbers, schema_of
from understudy.errors import ReleaseError
from understudy.models.cloud import Cloud, CloudPlan
from understudy.models.histogram import HistogramModel
from understudy.models.product import ProductModel
from understudy.models.reweighted import Reweighted
from understudy.models.reweighted_family import ReweightedCloud, ReweightedFamily
from understudy.schema.axes import domain_of

PLAN = CloudPlan(50, cells=4, simulated=20_000, base="independent")
DOMAIN = domain_of(schema_of(cells("b", 3), numbers("x", 0, 9), cells("a", 2)))
PRODUCT = ProductModel(
    DOMAIN,
    70.0,
    {"b": np.array([0.5, 0.3, 0.2]), "x": np.full(10, 0.1), "a": np.array([0.6, 0.4])},
)
TILT = np.array([[0.0, 1.0], [2.0, -1.0], [0.5, 0.0]])


def cloud_around(model: Any) -> ReweightedCloud:
    asking = ReweightedFamily().ask(model.domain, PLAN)
    question = next(asking)
    assert (question.method, question.share) == ("independent", 1)
    with pytest.raises(StopIteration) as done:
        asking.send(model)
    return done.value.value


def test_rows_follow_the_tilted_law_exactly() -> None:
    """100,000 rows: 6 standard deviations of a share are below 0.01."""
    expected = np.outer([0.5, 0.3, 0.2], [0.6, 0.4]) * np.exp(TILT)
    expected /= expected.sum()
    drawn = Reweighted(PRODUCT, ("b", "a"), TILT).draw(100_000, np.random.default_rng(0))
    found = np.zeros((3, 2))
    np.add.at(found, (drawn.columns["b"], drawn.columns["a"]), 1e-5)
    assert np.abs(found - expected).max() < 0.01
    assert np.abs(np.bincount(drawn.columns["x"]) / 1e5 - 0.1).max() < 0.01


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_so_many_rows_come_as_were_asked_for(rows: int) -> None:
    drawn = Reweighted(PRODUCT, ("b", "a"), TILT).draw(rows, np.random.default_rng(0))
    assert [len(column) for column in drawn.columns.values()] == [rows] * 3


def test_the_first_candidate_is_the_model_and_the_others_tilt_it() -> None:
    cloud = cloud_around(PRODUCT)
    assert cloud.candidates == 50
    assert not np.any(cloud.model(0).tilt)
    assert all(np.ptp(cloud.model(m).tilt) > 0.05 for m in range(1, 50))
    assert cloud.size == 70.0


def test_what_candidates_expect_is_what_they_draw() -> None:
    """Against 20,000 rows drawn anew: 6 standard deviations of a difference are below 0.03."""
    cloud = cloud_around(PRODUCT)
    tables = [("a", "b"), ("a", "x"), ("b", "x")]
    expected = cloud.shares(tables, 0, 9)
    assert np.allclose(expected.sum(axis=1), 3.0)
    assert np.abs(expected - Cloud.shares(cloud, tables, 0, 9)).max() < 0.03


def test_a_tilt_leaves_each_column_nearly_alone() -> None:
    cloud = cloud_around(PRODUCT)
    moved = [
        np.abs(row - cloud.shares([(n,)], 0, 1)).max()
        for n in "abx"
        for row in cloud.shares([(n,)], 0, 50)
    ]
    joint = cloud.shares([("a", "b")], 0, 50)
    assert max(moved) < 0.06
    assert np.abs(joint - joint[0]).max() > 0.08


def test_all_candidates_are_scored_on_the_same_rows() -> None:
    cloud = cloud_around(PRODUCT)
    table = [("a", "b")]
    assert np.array_equal(cloud.shares(table, 3, 5)[0], cloud.shares(table, 3, 4)[0])
    again = cloud_around(PRODUCT)
    assert np.array_equal(cloud.shares(table, 0, 50), again.shares(table, 0, 50))


def test_one_column_is_tilted_alone_and_one_cell_not_at_all() -> None:
    alone = domain_of(schema_of(cells("a", 3)))
    model = ProductModel(alone, 5.0, {"a": np.array([0.2, 0.3, 0.5])})
    assert {cloud_around(model).model(m).columns for m in range(50)} == {("a",)}
    family = ReweightedFamily()
    assert family.choosable(alone)
    assert not family.choosable(domain_of(schema_of(cells("a", 1), cells("wide", 65))))


@pytest.mark.parametrize(
    "changes",
    [
        {"columns": ("b", "c")},
        {"columns": ("a", "b")},
        {"tilt": TILT.astype(np.float32)},
        {"tilt": np.where(TILT == 2.0, np.nan, TILT)},
        {"tilt": TILT * 10.0},
        {"inner": Reweighted(PRODUCT, ("b", "a"), TILT)},
    ],
    ids=["unknown", "shape", "type", "nan", "steep", "nested"],
)
def test_what_is_no_reweighted_model_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError):
        replace(Reweighted(PRODUCT, ("b", "a"), TILT), **changes)


def test_a_saved_model_with_other_parts_is_refused() -> None:
    counts = np.arange(60).reshape(3, 10, 2)
    inner = HistogramModel.of(DOMAIN, counts, size=9.0, negatives="clip")
    model = Reweighted(inner, ("b", "a"), TILT)
    description, arrays = model.describe(), model.arrays()
    again = Reweighted.restore(DOMAIN, description, arrays)
    assert again.total == 9.0
    assert np.array_equal(again.inner.arrays()["cells"], inner.cells)
    for wrong in ({"tilt": TILT}, {**arrays, "more": TILT}, {"inner-cells": inner.cells}):
        with pytest.raises(ReleaseError):
            Reweighted.restore(DOMAIN, description, wrong)
    nested = {**description, "inner": {"kind": "reweighted", "model": description}}
    with pytest.raises(ReleaseError, match="once"):
        Reweighted.restore(DOMAIN, nested, arrays)
