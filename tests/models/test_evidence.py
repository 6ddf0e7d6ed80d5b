"""Conditioning a graphical model against the joint table, cut down and scaled up."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.graphs import CLIQUES, DOMAIN, joint_of, marginal_of, random_model
from tests.tables import cells, schema_of
from understudy.errors import UsageError
from understudy.models.graphical import GraphicalModel
from understudy.schema.axes import domain_of

MASKS = {
    name: st.lists(st.booleans(), min_size=size, max_size=size).filter(any)
    for name, size in zip(DOMAIN.columns, DOMAIN.shape(DOMAIN.columns), strict=True)
}
EVIDENCE = st.sets(st.sampled_from(DOMAIN.columns)).flatmap(
    lambda names: st.fixed_dictionaries({name: MASKS[name] for name in sorted(names)})
)


@settings(max_examples=200)
@given(st.integers(0, 20), EVIDENCE)
def test_it_is_the_joint_table_cut_down(seed: int, evidence: dict[str, list[bool]]) -> None:
    model = random_model(seed)
    allowed = {name: np.array(mask) for name, mask in evidence.items()}
    law = joint_of(model)
    for name, mask in allowed.items():
        law = np.einsum(f"abcdef,{name}->abcdef", law, mask.astype(float))
    probability = law.sum()
    if probability == 0:
        with pytest.raises(UsageError, match="impossible"):
            model.given(allowed)
        return
    found = model.given(allowed)
    assert np.isclose(found.total, model.total * probability)
    assert np.allclose(joint_of(found), law / probability, atol=1e-12)
    for clique, belief in zip(CLIQUES, found.beliefs, strict=True):
        assert np.allclose(belief, marginal_of(law / probability, clique), atol=1e-12)


@pytest.mark.parametrize("sampling", ["alias", "systematic"])
def test_rows_lie_in_the_allowed_cells(sampling: Any) -> None:
    allowed = {"d": np.array([False, True, True]), "a": np.array([False, True])}
    model = random_model(1, sampling=sampling).given(allowed)
    assert model.sampling == sampling
    codes = model.draw(2_000, np.random.default_rng(0)).columns
    assert set(codes["a"].tolist()) == {1}
    assert set(codes["d"].tolist()) <= {1, 2}


def test_nothing_known_changes_nothing() -> None:
    model = random_model(2)
    again = model.given({})
    assert again.total == pytest.approx(model.total)
    for one, two in zip(model.beliefs, again.beliefs, strict=True):
        assert np.allclose(one, two)


def test_much_evidence_does_not_underflow() -> None:
    """400 links of a chain, each of probability about 1e-3: the product is below every double."""
    names = [f"c{place}" for place in range(401)]
    domain = domain_of(schema_of(*(cells(name, 2) for name in names)))
    pair = np.array([[0.998, 0.001], [0.001, 0.0]])
    cliques = tuple(pairwise(names))
    model = GraphicalModel(domain, 10.0, cliques, (pair,) * 400)
    rare = {name: np.array([False, True]) for name in names[::2]}
    found = model.given(rare)
    assert found.total < 1e-300
    assert np.allclose(found.beliefs[0], [[0.0, 0.0], [1.0, 0.0]])
    assert np.isclose(found.marginal(["c399"])[0], 1.0)


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        ({"q": np.array([True])}, "no modelled column"),
        ({"a": np.array([True])}, "one true or false per cell"),
        ({"a": np.array([1.0, 0.0])}, "one true or false per cell"),
        ({"a": np.array([False, False])}, "impossible"),
    ],
)
def test_evidence_that_is_none_is_refused(allowed: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        random_model(0).given(allowed)
