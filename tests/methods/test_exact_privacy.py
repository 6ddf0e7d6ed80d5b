"""Every method, whole, on tiny tables: the exact law of its model keeps the promise.

Each fit is run once for every outcome of its noise, with that outcome's exact probability, on every
pair of neighbours. The model as it is saved, and its size, are the outcome.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest

from tests.gate.mechanisms import Law, pairs_of_laws
from tests.gate.promises import share_used
from tests.methods.subjects import essence, subject_of
from tests.noise_sources import max_log_ratio, renyi
from tests.tables import cells, universe
from understudy import methods
from understudy.gate.private_table import PrivateTable
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours

ALPHAS = (1.1, 2.0, 10.0)
USED = 0.3
USED_WALKING_FEW = 0.1
"""Of what is left of a promise when every noisy count is clamped to 0 or 1."""
USED_IN_TURNS = 0.2
"""Of what is left when what was clamped is bought in turns and put together in a model."""
USED_OF_MU = 0.5
"""Clamped counts hide more of mu, which looks at every test, than of the worst divergence."""
IN_TURNS = ("aim", "auto", "mst")
TABLES = {
    # name: columns, rows, rows of other units, window of noisy counts
    "one column": ([cells("a", 3)], universe(3), 2, (-1, 3)),
    "two columns": ([cells("a", 2), cells("b", 2)], universe(2, 2), 1, (-1, 2)),
}
CASES = [
    (name, relation, contribution, table)
    for name in methods.names()
    for relation in sorted(methods.get(name).neighbours, key=lambda relation: relation.value)
    for contribution, table in ((1, "one column"), (2, "one column"), (1, "two columns"))
    # of one column auto makes an ``independent``, call for call
    if name != methods.AUTO or table != "one column"
]


def walks_few(name: str, table: str) -> bool:
    """Whether it asks so much in a row that only a smaller tree can be walked."""
    return subject_of(name).asks_much and len(TABLES[table][0]) > 1


def least_used(name: str, table: str) -> float:
    """The share of a promise that must show on some pair of tables, so that no noise is wasted."""
    if walks_few(name, table):
        return USED_WALKING_FEW
    return USED_IN_TURNS if name in IN_TURNS else USED


def laws(
    name: str, relation: Neighbours, contribution: int, table: str, budget: Budget
) -> list[tuple[Law, Law]]:
    columns, rows, others, window = TABLES[table]
    if walks_few(name, table):
        others, window = 0, (0, 1)

    def fit(private: PrivateTable, spend: Budget) -> Hashable:
        domain = domain_of(private.schema)
        method = subject_of(name).with_rows(2).tiny().make()
        model = method.fit(private, domain, spend, np.random.default_rng(0))
        return essence(model), model.total

    return list(
        pairs_of_laws(
            fit,
            columns,
            rows,
            budget,
            relation=relation,
            contribution=contribution,
            others=others,
            window=window,
        )
    )


@pytest.mark.parametrize(("name", "relation", "contribution", "table"), CASES)
def test_methods_keep_a_pure_promise(
    name: str, relation: Neighbours, contribution: int, table: str
) -> None:
    if PureDP not in methods.get(name).accepts:
        return
    costs = [
        max_log_ratio(p, q) for p, q in laws(name, relation, contribution, table, PureDP("3/2"))
    ]
    assert max(costs) <= 1.5 + 1e-9
    assert max(costs) >= least_used(name, table) * 1.5


@pytest.mark.parametrize(("name", "relation", "contribution", "table"), CASES)
def test_methods_keep_a_concentrated_promise(
    name: str, relation: Neighbours, contribution: int, table: str
) -> None:
    if ZCDP not in methods.get(name).accepts:
        return
    used = 0.0
    for p, q in laws(name, relation, contribution, table, ZCDP("2/5")):
        for alpha in ALPHAS:
            for one, two in ((p, q), (q, p)):
                divergence = renyi(one, two, alpha)
                assert divergence <= 0.4 * alpha * (1.0 + 1e-9)
                used = max(used, divergence / (0.4 * alpha))
    assert used >= least_used(name, table)


@pytest.mark.parametrize(("name", "relation", "contribution", "table"), CASES)
def test_methods_keep_a_gaussian_promise(
    name: str, relation: Neighbours, contribution: int, table: str
) -> None:
    if GDP not in methods.get(name).accepts:
        return
    budget = GDP("4/5")
    used = share_used(laws(name, relation, contribution, table, budget), budget)
    assert used <= 1.0 + 1e-9
    assert used >= least_used(name, table) * USED_OF_MU
