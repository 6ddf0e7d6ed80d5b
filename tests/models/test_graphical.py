"""The graphical model: its law, its marginals, its files, and what a damaged file might hold."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.chains import counted, follows
from tests.models.graphs import (
    CLIQUES,
    DOMAIN,
    SCHEMA,
    joint_of,
    marginal_of,
    random_joint,
    random_model,
)
from tests.tables import cells, schema_of
from understudy import models
from understudy.errors import ReleaseError, UsageError
from understudy.models import base
from understudy.models.graphical import GraphicalModel, Sampling
from understudy.models.separators import links
from understudy.release.model_files import read_model, write_model
from understudy.schema.axes import domain_of
from understudy.table.table import Codes

MODEL = random_model(0)
WITHOUT_FAKES = schema_of(*(SCHEMA.columns[name] for name in DOMAIN.columns))


def cells_of(codes: Codes) -> np.ndarray[Any, Any]:
    """The rows counted over the joint table."""
    columns = [codes.columns[name] for name in DOMAIN.columns]
    return counted(columns, DOMAIN.shape(DOMAIN.columns))


@pytest.mark.parametrize("seed", range(3))
def test_rows_follow_the_joint_table(seed: int) -> None:
    model = random_model(seed)
    drawn = model.draw(200_000, np.random.default_rng(seed))
    assert tuple(drawn.columns) == DOMAIN.columns
    assert follows(cells_of(drawn), random_joint(seed, empty=0.25))


@pytest.mark.parametrize("seed", range(3))
def test_systematic_rows_are_closer_to_the_beliefs_and_never_impossible(seed: int) -> None:
    model = random_model(seed, sampling="systematic")
    law = random_joint(seed, empty=0.25)
    counts = cells_of(model.draw(20_000, np.random.default_rng(seed)))
    assert not counts[law == 0].any()
    assert np.allclose(counts.sum(axis=(3, 4, 5)), 20_000 * law.sum(axis=(3, 4, 5)), atol=8)
    spread = np.sqrt(20_000 * law * (1 - law))
    assert (np.abs(counts - 20_000 * law) <= 6 * spread + 8).all()


def test_the_beliefs_of_the_tests_make_up_their_joint_table() -> None:
    for seed in range(3):
        assert np.allclose(joint_of(random_model(seed)), random_joint(seed, empty=0.25))


@pytest.mark.parametrize("sampling", ["alias", "systematic"])
def test_no_rows_are_no_rows(sampling: Sampling) -> None:
    codes = random_model(0, sampling=sampling).draw(0, np.random.default_rng(4))
    assert codes.rows == 0
    assert all(len(column) == 0 for column in codes.columns.values())


def test_its_total_is_the_size_and_samples_carry_released_columns_only() -> None:
    assert MODEL.total == 100.0
    table = MODEL.sample(7, np.random.default_rng(4))
    assert tuple(table.columns) == ("a", "b", "id", "c", "d", "e", "f")


def test_types_do_not_depend_on_the_rows() -> None:
    few, many = (MODEL.draw(rows, np.random.default_rng(1)).columns for rows in (1, 5_000))
    assert [column.dtype for column in few.values()] == [c.dtype for c in many.values()]


def test_many_rows_come_in_pieces_that_are_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PIECE", 4_096)
    model = replace(MODEL, domain=domain_of(WITHOUT_FAKES))
    pieces = list(model.pieces(10_000, np.random.default_rng(1)))
    assert [piece.rows for piece in pieces] == [4_096, 4_096, 1_808]
    whole = model.sample(10_000, np.random.default_rng(1))
    for name, values in whole.columns.items():
        parts = [piece.columns[name] for piece in pieces]
        assert np.array_equal(values.data, np.concatenate([part.data for part in parts]))
        assert values.levels == parts[0].levels
        assert (values.missing is None) == (parts[0].missing is None)
    assert [piece.rows for piece in model.pieces(0, np.random.default_rng(1))] == [0]


def test_fakes_are_made_up_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "PIECE", 4_096)
    (piece,) = MODEL.pieces(10_000, np.random.default_rng(1))
    assert len(set(piece.columns["id"].data.tolist())) == 10_000


def test_marginals_within_a_clique_in_any_order() -> None:
    law = random_joint(0, empty=0.25)
    for clique in CLIQUES:
        for count in range(len(clique) + 1):
            for columns in permutations(clique, count):
                assert np.allclose(MODEL.marginal(columns), marginal_of(law, columns))


@pytest.mark.parametrize("columns", [("a", "d"), ("a", "a"), ("a", "unknown")])
def test_other_marginals_are_refused(columns: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=r"one clique|no modelled column"):
        MODEL.marginal(columns)


@pytest.mark.parametrize("sampling", ["alias", "systematic"])
def test_a_saved_model_is_the_same_model(sampling: Sampling, tmp_path: Path) -> None:
    model = random_model(5, sampling=sampling)
    write_model(model, tmp_path / "model")
    again = read_model(tmp_path / "model")
    assert isinstance(again, GraphicalModel)
    assert json.dumps(again.describe()) == json.dumps(model.describe())
    drawn = [m.draw(5_000, np.random.default_rng(1)).columns for m in (model, again)]
    assert all(np.array_equal(drawn[0][name], drawn[1][name]) for name in DOMAIN.columns)


def test_beliefs_that_disagree_by_a_rounding_still_give_every_row_a_law() -> None:
    """The child holds the parent's rarest cell impossible: there its law is that of all rows."""
    domain = domain_of(schema_of(cells("a", 2), cells("b", 2)))
    beliefs = (np.array([1e-6, 1 - 1e-6]), np.array([[0.0, 0.0], [0.3, 0.7]]))
    model = GraphicalModel(domain, 1.0, (("a",), ("a", "b")), beliefs)
    rare = model.given({"a": np.array([True, False])})
    assert np.allclose(rare.marginal(["b"]), [0.3, 0.7])
    drawn = rare.draw(1_000, np.random.default_rng(0)).columns
    assert set(drawn["a"].tolist()) == {0}
    assert set(drawn["b"].tolist()) == {0, 1}


def _belief(place: int, change: Any) -> dict[str, Any]:
    beliefs = list(MODEL.beliefs)
    beliefs[place] = change(beliefs[place])
    return {"beliefs": tuple(beliefs)}


def _moved(belief: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Still a distribution, yet another one about the separator."""
    return np.asarray(np.flip(belief, axis=1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"size": -1.0}, "size"),
        ({"size": float("nan")}, "size"),
        ({"sampling": "sorted"}, "samples by"),
        ({"cliques": CLIQUES[:-1]}, "one belief per clique"),
        ({"cliques": CLIQUES[:-1], "beliefs": MODEL.beliefs[:-1]}, "columns of its domain"),
        ({"cliques": (*CLIQUES[:-1], ())}, "empty or names"),
        ({"cliques": (*CLIQUES[:-1], ("f", "f"))}, "empty or names"),
        ({"cliques": (*CLIQUES[:-1], ("q",))}, "columns of its domain"),
        (_belief(0, lambda b: b[:, :, :2]), "wrong shape"),
        (_belief(0, lambda b: b.astype(np.float32)), "wrong shape"),
        (_belief(4, lambda b: b.astype(object)), "wrong shape"),
        (_belief(4, lambda b: b * 1.1), "no distribution"),
        (_belief(4, lambda b: b - 0.5), "no distribution"),
        (_belief(4, lambda b: b * np.nan), "no distribution"),
        (_belief(4, lambda b: b + np.inf), "no distribution"),
        (_belief(1, _moved), "disagree"),
    ],
)
def test_what_is_no_model_of_the_domain_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ReleaseError, match=message):
        replace(MODEL, **changes)


def test_an_order_without_running_intersection_is_refused() -> None:
    """The last clique shares a with the first and d with the second, and no clique holds both."""
    with pytest.raises(ReleaseError, match="running-intersection"):
        links([("a", "b"), ("b", "d"), ("d", "a")])


def test_parents_are_found_and_roots_have_none() -> None:
    assert [link.parent for link in links(CLIQUES)] == [None, 0, 0, 0, None]
    assert links(CLIQUES)[1].separator == ("c", "b")


@pytest.mark.parametrize(
    "change",
    [
        {"size": "12"},
        {"size": True},
        {"size": None},
        {"cliques": None},
        {"cliques": "abc"},
        {"cliques": [["a"], "b"]},
        {"cliques": [["a", 1]]},
        {"cliques": [[]] * 5},
        {"cliques": [*map(list, CLIQUES), ["a"]]},
        {"sampling": None},
        {"sampling": ["alias"]},
        {"sampling": "os.system"},
    ],
)
def test_descriptions_of_something_else_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError):
        GraphicalModel.restore(DOMAIN, {**MODEL.describe(), **change}, MODEL.arrays())


@pytest.mark.parametrize("key", ["size", "cliques", "sampling"])
def test_descriptions_with_a_part_missing_are_refused(key: str) -> None:
    content = {name: value for name, value in MODEL.describe().items() if name != key}
    with pytest.raises(ReleaseError):
        GraphicalModel.restore(DOMAIN, content, MODEL.arrays())


def test_arrays_of_something_else_are_refused() -> None:
    arrays = MODEL.arrays()
    lacking = {name: arrays[name] for name in list(arrays)[1:]}
    for found in (lacking, {**arrays, "belief-5": arrays["belief-4"]}, {}):
        with pytest.raises(ReleaseError):
            GraphicalModel.restore(DOMAIN, MODEL.describe(), found)


def test_it_is_found_by_its_kind() -> None:
    assert models.get("graphical") is GraphicalModel
