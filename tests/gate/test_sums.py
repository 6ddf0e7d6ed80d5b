"""Noisy sums: sensitivities row by row and attained, exact laws, and what comes back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.data.contract import ENGINES, Engine, opened
from tests.data.oracle import headed
from tests.gate.mechanisms import pairs_of_laws
from tests.gate.promises import TOLERANCE, share_used
from tests.noise_sources import ForbiddenNoise
from tests.tables import (
    Row,
    SealedBackend,
    TinyBackend,
    cells,
    numbers,
    purse_for,
    schema_of,
    universe,
)
from understudy.data.backend import Backend, Capability
from understudy.data.open import open_source
from understudy.data.standin import StandIn
from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.gate.sums import LARGEST_GRANULARITY, groups_of, sensitivities, summing_for
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.columns import Integer
from understudy.schema.domain import Domain
from understudy.schema.moment import Feature, Moment
from understudy.schema.neighbours import Neighbours

ADD_REMOVE, REPLACE_ONE = Neighbours.ADD_REMOVE, Neighbours.REPLACE_ONE
SCHEMA = schema_of(
    Integer(name="x", min=0, max=4, missing=("?",)),
    numbers("y", -2, 2),
    cells("u", 3),
    cells("v", 2, missing=("?",)),
)
DOMAIN = domain_of(SCHEMA)
X, Y = Feature("x"), Feature("y")
FEATURES = [
    *(X, Feature("x", missing=1.0), Y, Feature("x", cell=0)),
    *(Feature("u", cell=cell) for cell in range(3)),
    *(Feature("v", cell=cell) for cell in range(3)),
]


def every_moment() -> list[Moment]:
    made = [Moment(), *(Moment((one,)) for one in FEATURES)]
    for pair in combinations_with_replacement(FEATURES, 2):
        try:
            made.append(Moment(pair))
        except UsageError:
            continue
    return made


MOMENTS = every_moment()
rows_of_all = st.tuples(
    st.sampled_from(["0", "1", "2", "3", "4", "?"]),
    st.sampled_from(["-2", "-1", "0", "1", "2"]),
    st.sampled_from("012"),
    st.sampled_from("01?"),
)


def exact_sums(
    rows: Sequence[Row], moments: Sequence[Moment], *, granularity: int
) -> list[Fraction]:
    """Sums in units of the moments, row by row."""
    found = TinyBackend(SCHEMA, rows).sums(DOMAIN, moments, granularity=granularity)
    return [
        Fraction(int(total), granularity ** len(moment.features))
        for total, moment in zip(found, moments, strict=True)
    ]


@given(
    st.lists(st.sampled_from(MOMENTS), min_size=1, max_size=8, unique=True),
    st.integers(1, 3),
    st.sampled_from(list(Neighbours)),
    st.data(),
)
def test_sums_never_move_further_than_declared(
    moments: list[Moment], c: int, relation: Neighbours, data: st.DataObject
) -> None:
    rows_of_unit = st.lists(rows_of_all, max_size=c)
    added = exact_sums(data.draw(rows_of_unit), moments, granularity=8)
    removed = exact_sums(data.draw(rows_of_unit), moments, granularity=8)
    if relation is ADD_REMOVE:
        removed = [Fraction(0)] * len(moments)
    moved = [a - b for a, b in zip(added, removed, strict=True)]
    l1, l2_squared = sensitivities(moments, relation, contribution=c)
    assert sum(map(abs, moved)) <= l1
    assert sum(m * m for m in moved) <= l2_squared


def moved(
    moments: Sequence[Moment], one: Row, two: Row | None, c: int
) -> tuple[Fraction, Fraction]:
    ends = [exact_sums([row] * c if row else [], moments, granularity=8) for row in (one, two)]
    change = [a - b for a, b in zip(*ends, strict=True)]
    return sum(map(abs, change), Fraction(0)), sum((m * m for m in change), Fraction(0))


U = [Moment((Feature("u", cell=cell),)) for cell in range(3)]


@pytest.mark.parametrize("c", [1, 3])
@pytest.mark.parametrize(
    ("moments", "one", "two"),
    [
        ([Moment((X,))], ("4", "0", "0", "0"), ("0", "0", "0", "0")),
        ([Moment((X,)), Moment((Y,))], ("4", "2", "0", "0"), ("0", "-2", "0", "0")),
        ([Moment((X, Y))], ("4", "2", "0", "0"), ("4", "-2", "0", "0")),
        ([Moment((X, X))], ("4", "0", "0", "0"), ("2", "0", "0", "0")),
        (U, ("0", "0", "1", "0"), ("0", "0", "2", "0")),
        ([U[0]], ("0", "0", "0", "0"), ("0", "0", "2", "0")),
        (
            [Moment((X, Feature("u", cell=cell))) for cell in range(3)],
            ("4", "0", "1", "0"),
            ("0", "0", "1", "0"),
        ),
        (
            [
                Moment((Feature("u", cell=a), Feature("v", cell=b)))
                for a in range(3)
                for b in range(2)
            ],
            ("0", "0", "1", "0"),
            ("0", "0", "2", "1"),
        ),
        ([*U, Moment((Y,))], ("0", "2", "0", "0"), ("0", "-2", "1", "0")),
    ],
)
def test_sums_do_move_that_far(moments: list[Moment], one: Row, two: Row, c: int) -> None:
    assert moved(moments, one, two, c) == sensitivities(moments, REPLACE_ONE, contribution=c)
    assert moved(moments, one, None, c) == sensitivities(moments, ADD_REMOVE, contribution=c)


def test_a_row_is_in_one_cell_so_many_cells_cost_no_more_than_one() -> None:
    one = sensitivities(U[:1], ADD_REMOVE, contribution=1)
    assert sensitivities(U, ADD_REMOVE, contribution=1) == one == (1, 1)
    pairs = [Moment((a.features[0], Feature("v", cell=cell))) for a in U for cell in range(3)]
    assert sensitivities(pairs, ADD_REMOVE, contribution=1) == (1, 1)
    assert len(groups_of([*U, *pairs])) == 2


# ---- the whole verb --------------------------------------------------------------------------


def signed_sums(table: PrivateTable, budget: Budget) -> tuple[float, ...]:
    domain = domain_of(table.schema)
    moments = [Moment((Feature("x"),)), Moment((Feature("x"), Feature("x")))]
    answer = table.sums(domain, moments, granularity=1, spend=budget)
    return tuple(answer.values.tolist())


def counts_by_cell(table: PrivateTable, budget: Budget) -> tuple[float, ...]:
    domain = domain_of(table.schema)
    moments = [Moment((Feature("a", cell=cell),)) for cell in range(2)]
    return tuple(table.sums(domain, moments, granularity=1, spend=budget).values.tolist())


def one_mean(table: PrivateTable, budget: Budget) -> float:
    moments = [Moment((Feature("x"),))]
    answer = table.sums(domain_of(table.schema), moments, granularity=2, spend=budget)
    return float(answer.values[0])


NUMBER = ([numbers("x", 0, 2)], universe(3))
CASES = {
    "signed sums": (signed_sums, *NUMBER, 1, (-3, 4)),
    "counts by cell": (counts_by_cell, [cells("a", 2)], universe(2), 2, (-2, 5)),
    "one mean": (one_mean, *NUMBER, 2, (-12, 12)),
}


@pytest.mark.parametrize("contribution", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbours))
@pytest.mark.parametrize(
    "budget", [PureDP(Fraction(3, 2)), ZCDP(Fraction(2, 5)), GDP(Fraction(4, 5))], ids=str
)
@pytest.mark.parametrize("name", CASES)
def test_the_whole_verb_keeps_its_promise(
    name: str, budget: Budget, relation: Neighbours, contribution: int
) -> None:
    mechanism, columns, rows, others, window = CASES[name]
    pairs = pairs_of_laws(
        mechanism,
        columns,
        rows,
        budget,
        relation=relation,
        contribution=contribution,
        others=others,
        window=window,
    )
    assert 0.3 < share_used(pairs, budget) <= 1 + TOLERANCE


def asked(backend: Backend, moments: Sequence[Moment], spend: Budget, **options: int) -> np.ndarray:
    purse = purse_for(backend.schema, spend)
    table = PrivateTable(backend, purse)
    return table.sums(domain_of(backend.schema), moments, spend=spend, **options).values


def test_sums_come_back_in_their_own_units() -> None:
    """Noise of 1e-9: what is left is the rounding to the grid, at most 1 / 2G for each row."""
    rows: list[Row] = [("4", "-2", "1", "0"), ("1", "2", "1", "?"), ("?", "1", "0", "1")]
    moments = [
        Moment(),
        Moment((X,)),
        Moment((X, Y)),
        Moment((Feature("u", cell=1),)),
        Moment((Y, Y)),
    ]
    found = asked(TinyBackend(SCHEMA, rows), moments, PureDP(10**10))
    assert found == pytest.approx([3, 1 - 0.5, -1 - 0.5, 2, 1 + 1 + 0.25], abs=1e-3)
    coarse = asked(TinyBackend(SCHEMA, rows), [Moment((X,))], PureDP(10**10), granularity=1)
    assert coarse.tolist() == [1 + 0]  # -1/2 is rounded up to 0


@pytest.mark.parametrize("spend", [PureDP(2), ZCDP("0.1"), GDP("0.2")])
def test_the_stated_deviation_is_the_noise(spend: Budget) -> None:
    """2000 draws: a variance off by 5.5 of its standard errors has probability below 1e-7."""
    moments = [*U, *(Moment((Y, u.features[0])) for u in U)]
    backend = TinyBackend(SCHEMA, [])
    purse = purse_for(SCHEMA, spend * 400)
    table = PrivateTable(backend, purse)
    answers = [table.sums(DOMAIN, moments, spend=spend) for _ in range(400)]
    values = np.concatenate([answer.values for answer in answers])
    kurtosis = 6.0 if isinstance(spend, PureDP) else 3.0
    error = 5.5 * math.sqrt((kurtosis - 1) / len(values))
    assert np.mean(values**2) == pytest.approx(answers[0].stddev ** 2, rel=error)
    expected = 2 * math.sqrt(2) / 2 if isinstance(spend, PureDP) else math.sqrt(2 / 0.2)
    assert answers[0].stddev == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_engines_sum_as_the_definition_does(engine: Engine, tmp_path: Path) -> None:
    @settings(max_examples=60)
    @given(st.lists(rows_of_all, max_size=12), st.integers(1, 2**15))
    def check(rows: list[Row], granularity: int) -> None:
        content = headed(SCHEMA, [",".join(map(str, row)) for row in rows])
        backend = opened(engine, tmp_path, content, SCHEMA)
        if Capability.SUMS not in backend.capabilities:
            return
        found = backend.sums(DOMAIN, MOMENTS, granularity=granularity)
        assert found.dtype == np.int64
        expected = TinyBackend(SCHEMA, rows).sums(DOMAIN, MOMENTS, granularity=granularity)
        assert found.tolist() == expected.tolist()

    check()


def test_a_rehearsal_sums_nothing() -> None:
    assert StandIn(SCHEMA, rows=100).sums(DOMAIN, MOMENTS, granularity=4).tolist() == [0] * len(
        MOMENTS
    )


class CountsOnly(TinyBackend):
    """An engine without sums."""

    capabilities = frozenset({Capability.COUNT})


def test_refusals_come_before_the_charge_and_the_rows() -> None:
    purse = purse_for(SCHEMA, PureDP(1))
    table = PrivateTable(SealedBackend(SCHEMA, []), purse, noise=ForbiddenNoise())
    wrong: list[tuple[list[Moment], dict[str, object]]] = [
        ([], {}),
        ([Moment((X,)), Moment((X,))], {}),
        ([Moment((Feature("z"),))], {}),
        ([Moment((Feature("u"),))], {}),
        ([Moment((Feature("u", cell=3),))], {}),
        ([Moment()], {"granularity": 0}),
        ([Moment()], {"granularity": LARGEST_GRANULARITY + 1}),
        ([Moment()], {"granularity": 2.0}),
        ([Moment()], {"granularity": True}),
        ([Moment()], {"spend": ZCDP(1, "1e-6")}),
        ([Moment()], {"spend": ApproxDP(1, "1e-6")}),
        ([Moment()], {"spend": PureDP(0)}),
        ([Moment((X, X))], {"spend": PureDP("1e-12")}),
    ]
    for moments, options in wrong:
        with pytest.raises(UsageError):
            table.sums(DOMAIN, moments, **{"spend": PureDP(1), **options})  # type: ignore[arg-type]
    other = PrivateTable(CountsOnly(SCHEMA, []), purse, noise=ForbiddenNoise())
    with pytest.raises(UsageError, match="cannot sum"):
        other.sums(DOMAIN, [Moment()], spend=PureDP(1))
    with pytest.raises(UsageError, match="cannot sum"):
        Backend.sums(other._backend, DOMAIN, [Moment()], granularity=1)
    assert purse.charges == []


def test_the_ledger_tells_what_was_summed() -> None:
    purse = purse_for(SCHEMA, PureDP(1))
    table = PrivateTable(TinyBackend(SCHEMA, []), purse)
    table.sums(DOMAIN, [Moment((X, Feature("u", cell=1)))], granularity=7, spend=PureDP(1))
    detail = purse.charges[0].detail
    assert detail["moments"] == [[["u", 1, 0.0], ["x", None, 0.0]]] or detail["moments"] == [
        [["x", None, 0.0], ["u", 1, 0.0]]
    ]
    assert detail["granularity"] == 7
    assert detail["noise"] == "laplace 49.0"


def test_all_moments_share_one_scale_in_whole_units() -> None:
    summing = summing_for(
        PureDP(1),
        REPLACE_ONE,
        contribution=2,
        moments=[Moment((X,)), Moment((Y, Y))],
        granularity=10,
    )
    assert summing.order == 2
    assert summing.noise.scale == 100 * (2 * 2 + 2)
    found = summing.values(TinyBackend(SCHEMA, []), DOMAIN, _Silent())
    assert summing.released(found).stddev == pytest.approx(summing.noise.stddev / 100)


class _Silent(ForbiddenNoise):
    """Adds nothing; shows what would be noised."""

    def laplace(self, values: np.ndarray, *, scale: float) -> np.ndarray:
        return values


def test_sums_are_brought_to_one_unit_before_the_noise() -> None:
    moments = [Moment(), Moment((Y,)), Moment((Y, Y))]
    summing = summing_for(PureDP(1), ADD_REMOVE, contribution=1, moments=moments, granularity=10)
    rows: list[Row] = [("0", "1", "0", "0")]
    assert summing.values(TinyBackend(SCHEMA, rows), DOMAIN, _Silent()).tolist() == [100, 50, 25]


def test_a_domain_narrower_than_the_schema_clips() -> None:
    schema = schema_of(Integer(name="x"))
    domain = domain_of(schema, bounds={"x": (0, 10)})
    assert isinstance(domain, Domain)
    backend = open_source(pd.DataFrame({"x": [-5, 5, 10, 99]}), schema)
    assert backend.sums(domain, [Moment((X,))], granularity=100).tolist() == [-100 + 0 + 100 + 100]
