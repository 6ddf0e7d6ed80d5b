"""The pMSE mechanism as a whole. Its loss is attacked in ``tests/gate/test_impurity.py``, its
candidates in ``tests/models``; every kind of model passes the common checks as a variant."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.gate.mechanisms import pairs_of_laws
from tests.gate.promises import TOLERANCE, share_used
from tests.methods.privacy_section import section_of
from tests.methods.subjects import (
    Subject,
    essence,
    fitted,
    mixed_rows,
    same_schema_other_rows,
    schema_like,
)
from tests.tables import cells, numbers, schema_of, universe
from understudy import methods
from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.methods import pmse
from understudy.methods.pmse import FAMILIES, PMSE
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

WALKED: Mapping[str, Mapping[str, Any]] = {
    "general-location": {"guess": 0.3},
    "reweighted": {"base": "independent", "guess": 0.7, "simulated": 50},
}
"""Of these every outcome can be walked through; what they have in common with the others is ``fit``
and the gate's verbs, each of which has exact laws of its own."""


def subject(model: str, **options: Any) -> Subject:
    """The method with this kind of model, quick."""
    quick = {"candidates": 30, "cells": 6, "simulated": 500, "model": model, **options}
    return Subject(PMSE, pmse, quick, numeric=model in {"normal", "chain"})  # type: ignore[arg-type]


@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize("budget", [PureDP(Fraction(3, 2)), ZCDP(Fraction(2, 5))], ids=str)
@pytest.mark.parametrize("model", WALKED)
def test_the_whole_mechanism_keeps_its_promise_and_uses_it(
    model: str, budget: Budget, relation: Neighbours
) -> None:
    """Guess, cloud and choice, with the exact chance of every model, on all neighbours."""
    method = PMSE(model=model, candidates=3, **WALKED[model])  # type: ignore[arg-type]

    def fit(private: PrivateTable, spend: Budget) -> Hashable:
        domain = domain_of(private.schema)
        model = method.fit(private, domain, spend, np.random.default_rng(0))
        return essence(model), model.total

    pairs = pairs_of_laws(
        fit,
        [cells("a", 2)],
        universe(2),
        budget,
        relation=relation,
        contribution=1,
        others=2,
        window=(-1, 3),
    )
    least = 0.4 if isinstance(budget, PureDP) else 0.15
    assert least <= share_used(list(pairs), budget) <= 1 + TOLERANCE


@pytest.mark.parametrize("base", ["independent", "mst", "aim", "marginal"])
def test_reweighting_pays_what_its_base_pays_and_the_choice(base: str) -> None:
    columns = (cells("a", 3), cells("b", 2))
    schema = schema_of(*columns)
    rows = [(str(i % 3), str(i % 2)) for i in range(30)]
    run = fitted(subject("reweighted", base=base), schema, rows, PureDP(2))
    verbs = [charge.verb for charge in run.purse.charges]
    assert verbs[-1] == "minimise"
    assert section_of(pmse.__doc__).describes(verbs), verbs
    alone = fitted(Subject(methods.get(base), pmse), schema, rows, PureDP(1))
    assert [charge.verb for charge in alone.purse.charges] == verbs[:-1]
    assert run.purse.spent == PureDP(2)


@pytest.mark.parametrize("model", FAMILIES)
def test_candidates_are_scored_with_twice_the_public_or_bought_size(model: str) -> None:
    """Never with a function of the private one: it is the model's own size that is doubled."""
    columns = (numbers("x", 0, 9), numbers("y", 0, 9))
    rows = [(str(i % 10), str(i % 7)) for i in range(40)]
    for relation, size in ((Neighbours.REPLACE_ONE, 40.0), (Neighbours.ADD_REMOVE, None)):
        schema = schema_like(relation, columns=columns, rows=40)
        run = fitted(subject(model, base="independent"), schema, rows, PureDP(4))
        scored = run.purse.charges[-1].detail["rows"]
        assert scored == 2.0 * (run.model.total if size is None else size)
        assert (scored == 80.0) == (size is not None)


@pytest.mark.parametrize("model", FAMILIES)
def test_candidates_do_not_know_the_table_that_they_are_scored_on(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answers, other rows: the same expected tables, to the last bit."""
    seen: list[np.ndarray] = []
    loss = pmse.TreeImpurity

    def watched(*arguments: Any, **named: Any) -> Any:
        made = loss(*arguments, **named)
        seen.append(made.expected.shares(made.marginals, 0, made.candidates))
        return made

    monkeypatch.setattr(pmse, "TreeImpurity", watched)
    columns = ("age", "cost", "day") if model in {"normal", "chain"} else None
    one = subject(model, base="independent", columns=columns)
    schema, budget = schema_like(Neighbours.ADD_REMOVE), PureDP(2)
    first = fitted(one, schema, mixed_rows(), budget)
    for rows in same_schema_other_rows()[1:]:
        purse = type(first.purse)(**{**vars(first.purse), "charges": []})
        fitted(one, schema, rows, budget, purse=purse)
    assert len(seen) == 3
    assert all(np.array_equal(seen[0], other) for other in seen[1:])


@pytest.mark.parametrize(
    "options",
    [
        {"model": "gan"},
        {"base": "pmse"},
        {"base": "smoothed-histogram"},
        {"leaves": "twigs"},
        {"candidates": 0},
        {"candidates": True},
        {"depth": 4},
        {"cells": 1},
        {"simulated": 0},
        {"guess": 0.0},
        {"guess": 1.0},
        {"synthetic": 0.5},
        {"synthetic": float("nan")},
        {"columns": ("a", "a")},
    ],
    ids=str,
)
def test_settings_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        PMSE(**options)


def test_a_base_that_cannot_take_the_schema_refuses_before_anything_is_spent() -> None:
    schema = schema_of(*(cells(name, 200) for name in "abcd"))
    with pytest.raises(UsageError, match="joint table of 4 columns"):
        PMSE(model="reweighted", base="marginal").scope(schema)
    assert PMSE(model="reweighted", base="marginal", columns=("a", "b")).scope(schema).modelled
