"""Paid rows: each is used as often as any other, nothing else is drawn, and files are checked."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.tables import cells, schema_of
from understudy.errors import ReleaseError, UsageError
from understudy.models import base, get
from understudy.models.paid_rows import PaidRows
from understudy.schema.axes import domain_of

DOMAIN = domain_of(schema_of(cells("a", 3), cells("b", 2, missing=("?",)), cells("x", 300)))
ROWS = np.array([[0, 1, 2, 2], [2, 0, 1, 1], [5, 6, 7, 8]], dtype=np.int64)


def drawn(model: PaidRows, rows: int, seed: int = 0) -> list[tuple[int, ...]]:
    codes = model.draw(rows, np.random.default_rng(seed))
    assert codes.rows == rows
    return list(zip(*(codes.columns[name].tolist() for name in DOMAIN.columns), strict=True))


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 8, 11, 400])
def test_rows_are_repeated_as_evenly_as_they_can_be(rows: int) -> None:
    counted = Counter(drawn(PaidRows(DOMAIN, 4.0, ROWS), rows))
    assert set(counted) <= set(map(tuple, ROWS.T.tolist()))
    often = [counted[tuple(row)] for row in ROWS.T.tolist()]
    assert max(often) - min(often) <= 1
    assert sum(often) == rows


def test_rows_that_depend_on_each_other_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PIECE", 2)
    (piece,) = PaidRows(DOMAIN, 4.0, ROWS).pieces(4, np.random.default_rng(0))
    assert sorted(piece.columns["x"].data.tolist()) == [5, 6, 7, 8]


def test_which_rows_and_in_which_order_is_chance() -> None:
    """2000 draws of 1 of 4: a share 6 standard deviations off has probability below 1e-8."""
    model = PaidRows(DOMAIN, 4.0, ROWS)
    first = Counter(drawn(model, 1, seed)[0] for seed in range(2000))
    assert all(abs(count - 500) < 6 * np.sqrt(2000 * 3 / 16) for count in first.values())
    orders = {tuple(drawn(model, 4, seed)) for seed in range(500)}
    assert len(orders) == 24  # one missing has probability below 24 * exp(-500 / 24) = 2e-8


def test_codes_have_the_smallest_types_of_their_axes() -> None:
    codes = PaidRows(DOMAIN, 4.0, ROWS).draw(2, np.random.default_rng(0))
    assert [codes.columns[name].dtype for name in "abx"] == [np.uint8, np.uint8, np.uint16]


def test_more_rows_than_were_paid_for_can_be_refused() -> None:
    model = PaidRows(DOMAIN, 4.0, ROWS, beyond="refuse")
    assert len(drawn(model, 4)) == 4
    with pytest.raises(UsageError, match="5 rows were asked for and 4 paid for"):
        drawn(model, 5)


def test_it_comes_back_from_its_parts() -> None:
    model = PaidRows(DOMAIN, 17.0, ROWS, beyond="refuse")
    again = get("paid-rows").restore(DOMAIN, model.describe(), model.arrays())
    assert isinstance(again, PaidRows)
    assert (again.total, again.beyond, again.paid) == (17.0, "refuse", 4)
    assert np.array_equal(again.rows, ROWS)


@pytest.mark.parametrize(
    "change",
    [
        {"size": -1.0},
        {"size": np.inf},
        {"size": np.nan},
        {"beyond": "guess"},
        {"rows": ROWS.astype(np.int32)},
        {"rows": ROWS[:2]},
        {"rows": ROWS[0]},
        {"rows": ROWS[:, :0]},
        {"rows": ROWS - 1},
        {"rows": ROWS + np.array([[0], [1], [0]])},
    ],
    ids=repr,
)
def test_rows_that_do_not_fit_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError):
        PaidRows(**{"domain": DOMAIN, "size": 4.0, "rows": ROWS, **change})


@pytest.mark.parametrize(
    ("description", "arrays"),
    [
        ({"beyond": "refuse"}, {"rows": ROWS}),
        ({"size": "4", "beyond": "refuse"}, {"rows": ROWS}),
        ({"size": True, "beyond": "refuse"}, {"rows": ROWS}),
        ({"size": 4.0, "beyond": "refuse"}, {}),
        ({"size": 4.0, "beyond": "refuse"}, {"rows": ROWS, "more": ROWS}),
        ({"size": 4.0, "beyond": ["refuse"]}, {"rows": ROWS}),
        ({"size": 4.0}, {"rows": ROWS}),
    ],
)
def test_parts_of_something_else_are_refused(description: Any, arrays: Any) -> None:
    with pytest.raises(ReleaseError):
        PaidRows.restore(DOMAIN, description, arrays)
