"""The product model: its law, its files, and everything a damaged file might hold."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import cells, numbers, schema_of
from understudy import models
from understudy.errors import ReleaseError, UsageError
from understudy.models.base import Model
from understudy.models.product import ProductModel
from understudy.schema.axes import domain_of
from understudy.schema.columns import Drop, Fake

SCHEMA = schema_of(
    cells("a", 2), Fake(name="id"), numbers("x", 0, 2), cells("b", 3, missing=("",)), Drop(name="z")
)
DOMAIN = domain_of(SCHEMA)
GOOD = {
    "a": np.array([0.25, 0.75]),
    "x": np.array([0.0, 0.5, 0.5]),
    "b": np.array([0.1, 0.2, 0.3, 0.4]),
}
MODEL = ProductModel(DOMAIN, 12.5, GOOD)


def test_columns_follow_their_law_independently() -> None:
    """Every cell of the joint table within 6 standard deviations: false alarms below 1e-7."""
    rows = 200_000
    codes = MODEL.draw(rows, np.random.default_rng(4))
    assert codes.rows == rows
    assert codes.domain is DOMAIN
    joint = np.zeros((2, 3, 4))
    np.add.at(joint, tuple(codes.columns[name] for name in DOMAIN.columns), 1)
    expected = np.einsum("i,j,k->ijk", *GOOD.values()) * rows
    assert (np.abs(joint - expected) <= 6 * np.sqrt(expected)).all()


def test_no_rows_are_no_rows() -> None:
    codes = MODEL.draw(0, np.random.default_rng(4))
    assert codes.rows == 0
    assert all(len(column) == 0 for column in codes.columns.values())


def test_its_total_is_the_size_and_samples_carry_released_columns_only() -> None:
    assert MODEL.total == 12.5
    table = MODEL.sample(7, np.random.default_rng(4))
    assert len(table) == 7
    assert tuple(table.columns) == ("a", "id", "x", "b")


def test_evidence_leaves_the_columns_independent() -> None:
    allowed = {"a": np.array([False, True]), "b": np.array([True, False, True, False])}
    found = MODEL.given(allowed)
    assert found.total == pytest.approx(12.5 * 0.75 * 0.4)
    assert found.probabilities["a"].tolist() == [0.0, 1.0]
    assert np.allclose(found.probabilities["b"], [0.25, 0.0, 0.75, 0.0])
    assert np.array_equal(found.probabilities["x"], GOOD["x"])
    with pytest.raises(UsageError, match="impossible that 'x'"):
        MODEL.given({"x": np.array([True, False, False])})
    with pytest.raises(UsageError, match="one true or false per cell"):
        MODEL.given({"a": np.array([True])})


@given(
    st.floats(0, 1e15),
    st.lists(st.integers(0, 50), min_size=9, max_size=9).filter(
        lambda weights: any(weights[:2]) and any(weights[2:5]) and any(weights[5:])
    ),
)
def test_describe_and_arrays_are_the_whole_model(size: float, weights: list[int]) -> None:
    parts = np.split(np.array(weights, dtype=float), [2, 5])
    laws = {name: part / part.sum() for name, part in zip(GOOD, parts, strict=True)}
    model = ProductModel(DOMAIN, size, laws)
    description = json.loads(json.dumps(model.describe()))
    again = ProductModel.restore(DOMAIN, description, model.arrays())
    assert again.total == size
    assert all(np.array_equal(again.probabilities[name], laws[name]) for name in laws)
    drawn = [m.draw(50, np.random.default_rng(1)).columns for m in (model, again)]
    assert all(np.array_equal(drawn[0][name], drawn[1][name]) for name in laws)


@pytest.mark.parametrize(
    ("size", "changes", "message"),
    [
        (-1.0, {}, "size"),
        (np.nan, {}, "size"),
        (np.inf, {}, "size"),
        (1.0, {"a": np.array([0.5, 0.6])}, "no distribution"),
        (1.0, {"a": np.array([1.5, -0.5])}, "no distribution"),
        (1.0, {"a": np.array([np.nan, 1.0])}, "no distribution"),
        (1.0, {"a": np.array([0.2, 0.3, 0.5])}, "wrong shape"),
        (1.0, {"a": np.array([[0.5, 0.5]])}, "wrong shape"),
        (1.0, {"a": np.array([1, 0])}, "wrong shape"),
        (1.0, {"a": np.array([1, 0], dtype=object)}, "wrong shape"),
        (1.0, {"c": np.array([1.0])}, "columns"),
    ],
)
def test_what_is_no_distribution_over_the_domain_is_refused(
    size: float, changes: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(ReleaseError, match=message):
        ProductModel(DOMAIN, size, {**GOOD, **changes})


@pytest.mark.parametrize(
    ("description", "drop"),
    [
        ({}, None),
        ({"size": "12"}, None),
        ({"size": None}, None),
        ({"size": True}, None),
        ({"size": 1.0}, "probabilities-1"),
        ({"size": 1.0}, "add"),
    ],
)
def test_files_of_something_else_are_refused(
    description: dict[str, object], drop: str | None
) -> None:
    arrays = MODEL.arrays()
    if drop == "add":
        arrays["probabilities-3"] = np.array([1.0])
    elif drop:
        del arrays[drop]
    with pytest.raises(ReleaseError):
        ProductModel.restore(DOMAIN, description, arrays)


def test_models_are_found_by_their_kind() -> None:
    assert models.get("product") is ProductModel
    for kind in ("base", "__init__", "size", "", "../product", "Product", "os"):
        with pytest.raises(ReleaseError, match="no model of kind"):
            models.get(kind)


def test_a_model_is_abstract() -> None:
    with pytest.raises(TypeError):
        Model()  # type: ignore[abstract]
