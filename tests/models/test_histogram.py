"""The joint model: exact small cases, drawing against its own law, and files that do not fit."""

from __future__ import annotations

from itertools import product
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.errors import ReleaseError, UsageError
from understudy.models import get
from understudy.models.histogram import HistogramModel, Negatives, shares_of
from understudy.schema.axes import domain_of
from understudy.schema.columns import Boolean, Integer, Ordinal
from understudy.schema.domain import Domain
from understudy.schema.schema import Schema

FALSE_ALARM = 1e-7


def domain() -> Domain:
    columns = {
        "ill": Boolean(name="ill", missing=("?",)),
        "grade": Ordinal(name="grade", levels=("low", "high")),
        "age": Integer(name="age", min=0, max=3, bins=2),
    }
    return domain_of(Schema(name="toy", columns=columns))


def counts(*cells: int) -> np.ndarray:
    return np.array(cells, dtype=np.int64)


def a_model() -> HistogramModel:
    table = np.zeros((3, 2, 2), dtype=np.int64)
    table[0, 1, 0], table[2, 0, 1], table[2, 1, 1] = 5, 3, 2
    return HistogramModel.of(domain(), table, size=10.0, negatives="project")


def test_evidence_keeps_the_allowed_cells() -> None:
    found = a_model().given({"ill": np.array([False, False, True])})
    assert found.total == pytest.approx(5.0)
    drawn = found.draw(1_000, np.random.default_rng(1)).columns
    assert set(drawn["ill"].tolist()) == {2}
    assert np.allclose(found.shares, [0.6, 0.4])
    both = {"ill": np.array([True, False, False]), "grade": np.array([True, False])}
    with pytest.raises(UsageError, match="impossible that 'ill', 'grade'"):
        a_model().given(both)
    with pytest.raises(UsageError, match="one true or false per cell"):
        a_model().given({"ill": np.array([1, 0, 1])})


@pytest.mark.parametrize(
    ("noisy", "size", "negatives", "expected"),
    [
        # already counts: nothing to repair
        (counts(6, 4), 10.0, "project", [0.6, 0.4]),
        (counts(6, 4), 10.0, "clip", [0.6, 0.4]),
        # nearest to (8, 4, -2) with sum 10 and no negative: (7, 3, 0)
        (counts(8, 4, -2), 10.0, "project", [0.7, 0.3, 0.0]),
        (counts(8, 4, -2), 10.0, "clip", [8 / 12, 4 / 12, 0.0]),
        # a public size pulls every cell by the same amount
        (counts(2, 2), 8.0, "project", [0.5, 0.5]),
        (counts(5, 1), 2.0, "project", [1.0, 0.0]),
        # nothing left: all cells alike
        (counts(-3, -3), 0.0, "clip", [0.5, 0.5]),
        (counts(0, 0, 0, 0), 0.0, "clip", [0.25] * 4),
        (counts(0, 0, 0, 0), 0.0, "project", [0.25] * 4),
        (counts(-5, -5), 0.0, "project", [0.5, 0.5]),
        (counts(-9), 0.0, "clip", [1.0]),
    ],
)
def test_what_becomes_of_noisy_counts(
    noisy: np.ndarray, size: float, negatives: Negatives, expected: list[float]
) -> None:
    assert shares_of(noisy, size=size, negatives=negatives) == pytest.approx(expected)


@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=12),
    st.sampled_from(["project", "clip"]),
    st.floats(0, 200),
)
def test_shares_are_always_a_distribution(
    cells: list[int], negatives: Negatives, size: float
) -> None:
    shares = shares_of(counts(*cells), size=size, negatives=negatives)
    assert (shares >= 0).all()
    assert shares.sum() == pytest.approx(1.0)
    order = np.argsort(cells, kind="stable")
    assert (np.diff(shares[order]) >= -1e-12).all(), "a larger count never gets a smaller share"


def test_clipping_favours_empty_cells_and_projection_does_not() -> None:
    # 1000 empty cells and one with 1000 rows: what chance do the papers give to empty cells?
    noise = np.random.default_rng(3).laplace(0.0, 1.0, 1001)
    noisy = np.rint(np.r_[1000.0, np.zeros(1000)] + noise).astype(np.int64)
    clipped = shares_of(noisy, size=1000.0, negatives="clip")[0]
    projected = shares_of(noisy, size=1000.0, negatives="project")[0]
    assert clipped < 0.75
    assert projected > 0.98


def test_only_cells_that_can_be_drawn_are_kept() -> None:
    model = a_model()
    assert model.cells.tolist() == [2, 9, 11]  # of 12; the last column counts fastest
    assert model.shares.tolist() == pytest.approx([0.5, 0.3, 0.2])
    assert model.total == 10.0


def test_draws_follow_the_joint_law_and_no_other() -> None:
    model, rows = a_model(), 20_000
    codes = model.draw(rows, np.random.default_rng(5))
    assert tuple(codes.columns) == ("ill", "grade", "age")
    found: dict[tuple[int, ...], int] = {}
    for row in zip(*(column.tolist() for column in codes.columns.values()), strict=True):
        found[row] = found.get(row, 0) + 1
    law = {(0, 1, 0): 0.5, (2, 0, 1): 0.3, (2, 1, 1): 0.2}
    assert found.keys() == law.keys()
    reach = sqrt(rows * log(2 * len(law) / FALSE_ALARM) / 2)  # Hoeffding
    for row, share in law.items():
        assert abs(found[row] - rows * share) <= reach


def test_every_cell_has_its_own_place() -> None:
    over = domain()
    for place, cell in enumerate(product(range(3), range(2), range(2))):
        model = HistogramModel(over, 1.0, counts(place), np.array([1.0]))
        codes = model.draw(2, np.random.default_rng(0))
        assert [int(column[0]) for column in codes.columns.values()] == list(cell)
        assert {column.dtype for column in codes.columns.values()} == {np.dtype(np.uint8)}


def test_no_rows_are_a_table_too() -> None:
    table = a_model().sample(0, np.random.default_rng(0))
    assert table.rows == 0
    assert tuple(table.columns) == ("ill", "grade", "age")


def test_it_is_found_by_its_kind_and_restored() -> None:
    model = a_model()
    kind = get("histogram")
    assert kind is HistogramModel
    again = kind.restore(model.domain, model.describe(), model.arrays())
    for rng in (7, 8):
        one = model.draw(50, np.random.default_rng(rng))
        two = again.draw(50, np.random.default_rng(rng))
        assert all((one.columns[name] == two.columns[name]).all() for name in one.columns)
    assert again.total == model.total


GOOD: dict[str, Any] = {
    "size": 10.0,
    "cells": counts(2, 9),
    "shares": np.array([0.25, 0.75]),
}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"size": -1.0}, "not negative"),
        ({"size": float("nan")}, "not negative"),
        ({"size": float("inf")}, "not negative"),
        ({"cells": np.array([2.0, 9.0])}, "whole numbers"),
        ({"shares": np.array([1, 0])}, "whole numbers"),
        ({"cells": counts(), "shares": np.array([])}, "at least one cell"),
        ({"cells": counts(2)}, "one share for each"),
        ({"cells": counts(9, 2)}, "in their order"),
        ({"cells": counts(2, 2)}, "in their order"),
        ({"cells": counts(-1, 2)}, "cells of its domain"),
        ({"cells": counts(2, 12)}, "cells of its domain"),
        ({"shares": np.array([0.0, 1.0])}, "no distribution"),
        ({"shares": np.array([0.5, 0.6])}, "no distribution"),
        ({"shares": np.array([-0.5, 1.5])}, "no distribution"),
        ({"shares": np.array([np.nan, 1.0])}, "no distribution"),
    ],
)
def test_what_is_no_histogram_is_refused(change: dict[str, Any], complaint: str) -> None:
    assert HistogramModel(domain(), **GOOD).total == 10.0
    with pytest.raises(ReleaseError, match=complaint):
        HistogramModel(domain(), **{**GOOD, **change})


@pytest.mark.parametrize(
    ("description", "names"),
    [({"size": 1.0}, ["cells"]), ({"size": "1"}, ["cells", "shares"]), ({}, ["cells", "shares"])],
)
def test_files_of_another_model_are_refused(description: dict[str, Any], names: list[str]) -> None:
    arrays = {name: GOOD[name] for name in names}
    with pytest.raises(ReleaseError, match="do not belong"):
        HistogramModel.restore(domain(), description, arrays)
