"""Independent columns: what the noisy histograms become, against projections done by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.noise_sources import SeededNoise
from tests.tables import Row, TinyBackend, cells, purse_for, schema_of
from understudy.errors import UsageError
from understudy.gate.noise import SystemNoise
from understudy.gate.private_table import PrivateTable
from understudy.methods.independent import Independent, distribution
from understudy.models.product import ProductModel
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Fake


def fit(
    rows: list[Row], budget: Budget, *, public: bool, noise: object = None
) -> tuple[ProductModel, PrivateTable]:
    schema = schema_of(cells("a", 2), cells("b", 3), rows=len(rows) if public else None)
    table = PrivateTable(
        TinyBackend(schema, rows),
        purse_for(schema, budget),  # type: ignore[arg-type]
        noise=noise or SeededNoise(1),  # type: ignore[arg-type]
    )
    rng = np.random.default_rng(0)
    return Independent().fit(table, domain_of(schema), budget, rng), table


def projected(cells: np.ndarray, total: float) -> np.ndarray:
    """The nearest point with sum ``total`` and no negative part, found by bisection."""
    low, high = float(cells.min()) - total, float(cells.max())
    for _ in range(200):
        middle = (low + high) / 2.0
        low, high = (middle, high) if np.maximum(cells - middle, 0).sum() > total else (low, middle)
    return np.maximum(cells - low, 0.0)


@given(st.lists(st.integers(-1000, 5000), min_size=1, max_size=9), st.floats(0, 10_000))
def test_shares_are_the_nearest_distribution(noisy: list[int], size: float) -> None:
    shares = distribution(np.array(noisy), size=size)
    assert shares.sum() == pytest.approx(1.0, abs=1e-12)
    assert (shares >= 0).all()
    total = max(size, 1.0)
    assert shares == pytest.approx(projected(np.array(noisy, dtype=float), total) / total, abs=1e-9)


@pytest.mark.parametrize("extreme", [2**63 - 1, -(2**63), 2**50])
def test_the_wildest_noise_still_gives_a_distribution(extreme: int) -> None:
    for cells_ in ([extreme, 0, -5], [extreme] * 3, [extreme, -extreme - 1, 1]):
        for size in (0.0, 1.0, 1e18):
            shares = distribution(np.array(cells_), size=size)
            assert shares.sum() == pytest.approx(1.0)
            assert (shares >= 0).all()


@pytest.mark.parametrize("budget", [PureDP(1), ZCDP("1/8")])
@pytest.mark.parametrize("public", [True, False])
def test_the_model_follows_from_the_measurements(budget: Budget, public: bool) -> None:
    rows: list[Row] = [("0", "1")] * 30 + [("1", "2")] * 10
    model, table = fit(rows, budget, public=public)
    one, two = table.measured(model.domain)
    assert (one.columns, two.columns) == (("a",), ("b",))
    if public:
        assert model.total == 40.0
    else:  # equal noise in every cell, so sums weigh as the inverse of their numbers of cells
        expected = (one.values.sum() / 2 + two.values.sum() / 3) / (1 / 2 + 1 / 3)
        assert model.total == pytest.approx(max(expected, 0.0))
    for noisy in (one, two):
        shares = projected(noisy.values.astype(float), max(model.total, 1.0))
        assert model.probabilities[noisy.columns[0]] == pytest.approx(shares / shares.sum())


def test_both_marginals_carry_half_of_the_budget_each() -> None:
    for budget, stddev in ((PureDP(1), 2.79918), (ZCDP("1/4"), 2.0)):
        model, table = fit([("0", "0")], budget, public=False, noise=SystemNoise())
        for noisy in table.measured(model.domain):
            assert noisy.stddev == pytest.approx(stddev, rel=1e-4)


def test_a_table_with_nothing_to_learn_is_refused() -> None:
    schema = schema_of(Fake(name="id"))
    purse = purse_for(schema, PureDP(1))
    table = PrivateTable(TinyBackend(schema, []), purse)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="at least one marginal"):
        Independent().fit(table, domain_of(schema), PureDP(1), np.random.default_rng(0))
    assert not purse.charges
