"""A model over groups of cells, refined: its law against the table it stands for, cell by cell."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tables import cells, schema_of
from understudy.errors import ReleaseError, UsageError
from understudy.models import base
from understudy.models.graphical import GraphicalModel
from understudy.models.refined import RefinedModel
from understudy.schema.axes import domain_of

FINE = domain_of(schema_of(cells("a", 2), cells("d", 3), cells("f", 4)))
GROUPS = {"d": (0, 1, 0), "f": (0, 1, 1, 0)}
COARSE = FINE.grouped(GROUPS)
SIZES = FINE.shape(FINE.columns)
Floats = NDArray[np.float64]


def model_of(seed: int, *, empty: float = 0.3) -> RefinedModel:
    rng = np.random.default_rng(seed)
    belief = rng.exponential(size=(2, 2, 2)) * (rng.random((2, 2, 2)) >= empty)
    belief[0, 0, 0] += 0.1
    shares = {
        name: rng.exponential(size=size) * (rng.random(size) >= empty)
        for name, size in (("d", 3), ("f", 4))
    }
    inner = GraphicalModel(COARSE, 50.0, (("a", "d", "f"),), (belief / belief.sum(),), "alias")
    return RefinedModel(inner, shares)


def law_of(model: RefinedModel) -> Floats:
    """The probability of every fine cell, by the definition."""
    law = np.zeros(SIZES)
    for a, d, f in product(*map(range, SIZES)):
        held = model.inner.beliefs[0][a, GROUPS["d"][d], GROUPS["f"][f]]
        law[a, d, f] = held * share_of(model, "d", d) * share_of(model, "f", f)
    return law


def share_of(model: RefinedModel, name: str, cell: int) -> float:
    groups, shares = GROUPS[name], model.shares[name]
    together = [other for other in range(len(groups)) if groups[other] == groups[cell]]
    whole = sum(shares[other] for other in together)
    return float(shares[cell] / whole if whole > 0 else 1 / len(together))


MASKS = st.fixed_dictionaries(
    {},
    optional={
        name: st.lists(st.booleans(), min_size=size, max_size=size)
        for name, size in zip(FINE.columns, SIZES, strict=True)
    },
)


@given(st.integers(0, 50), MASKS)
def test_what_is_given_cuts_the_fine_table_down(seed: int, masks: dict[str, list[bool]]) -> None:
    model = model_of(seed)
    allowed = {name: np.array(mask) for name, mask in masks.items()}
    law = law_of(model)
    assert law.sum() == pytest.approx(1.0)
    for name, mask in allowed.items():
        law = np.einsum(f"adf,{name}->adf", law, mask.astype(float))
    if law.sum() == 0:
        with pytest.raises(UsageError, match="impossible"):
            model.given(allowed)
        return
    found = model.given(allowed)
    assert found.total == pytest.approx(model.total * law.sum())
    assert np.allclose(law_of(found), law / law.sum(), atol=1e-12)


def test_rows_follow_the_fine_table() -> None:
    """200,000 rows: a share is off by 0.0011 at most as a standard deviation; 6 of them here."""
    for model in (model_of(3), model_of(3).given({"f": np.array([True, True, False, True])})):
        rows = 200_000
        drawn = model.draw(rows, np.random.default_rng(5)).columns
        counted = np.zeros(SIZES)
        np.add.at(counted, (drawn["a"], drawn["d"], drawn["f"]), 1)
        assert np.abs(counted / rows - law_of(model)).max() < 6 * 0.0012
        assert not counted[law_of(model) == 0].any()


def test_it_is_restored_from_what_it_writes() -> None:
    model = model_of(7)
    again = RefinedModel.restore(FINE, model.describe(), model.arrays())
    assert np.array_equal(law_of(again), law_of(model))
    assert again.domain == FINE
    assert again.total == model.total
    with pytest.raises(ReleaseError, match="do not belong"):
        RefinedModel.restore(FINE, model.describe(), model.inner.arrays())


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ({"d": np.ones(3)}, "every grouped column"),
        ({"d": np.ones(2), "f": np.ones(4)}, "wrong shape"),
        ({"d": np.ones(3), "f": np.array([1.0, -1.0, 0.0, 0.0])}, "negative"),
        ({"d": np.ones(3), "f": np.array([1.0, np.nan, 0.0, 0.0])}, "negative"),
    ],
)
def test_shares_that_are_none_are_refused(shares: dict[str, Floats], message: str) -> None:
    with pytest.raises(ReleaseError, match=message):
        RefinedModel(model_of(0).inner, shares)


def test_many_rows_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PIECE", 400)
    pieces = list(model_of(3).pieces(1000, np.random.default_rng(5)))
    assert [piece.rows for piece in pieces] == [400, 400, 200]
