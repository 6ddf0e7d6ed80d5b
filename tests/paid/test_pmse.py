"""The paid pMSE: the figure it is a noisy version of, its error, its law, what it refuses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.gate.mechanisms import pairs_of_laws
from tests.gate.promises import TOLERANCE, share_used
from tests.noise_sources import SeededNoise
from tests.paid.candidates import candidate
from tests.tables import TinyBackend, cells, purse_for, schema_of, universe
from understudy.errors import BudgetExceeded, LedgerError, TableMismatch, UsageError
from understudy.gate.private_table import PrivateTable
from understudy.paid.pmse import PaidPMSE, paid_pmse, to_score
from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.privacy.convert import approx_to_gdp
from understudy.schema.columns import Category, Integer, Real
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

NOWHERE = "no such file.csv"
HUGE = PureDP(10**7)


def wide_schema(rows: int | None) -> Schema:
    """Columns with more and with fewer cells than are scored, missing cells, bought bounds."""
    columns = (
        Integer(name="age", min=0, max=99, missing=("",)),
        Category(name="kind", levels=("a", "b", "c")),
        Real(name="cost", min=0.0),
    )
    return Schema(name="wide", columns={one.name: one for one in columns}, rows=rows)


def wide_frame(rows: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    kind = rng.integers(0, 3, rows)
    age = pd.array(np.clip(kind * 30 + rng.integers(0, 40, rows), 0, 99), dtype="Int64")
    age[rng.random(rows) < 0.1] = pd.NA
    return pd.DataFrame(
        {"age": age, "kind": np.array(list("abc"))[kind], "cost": kind * 9.0 + rng.random(rows)}
    )


@pytest.mark.parametrize(("rows", "depth"), [(400, 2), (None, 1)])
def test_without_noise_it_would_be_the_unprotected_figure(rows: int | None, depth: int) -> None:
    schema, real = wide_schema(rows), wide_frame()
    release = us.synthesize(real, schema, epsilon=1, rows=300, seed=1)
    bought = us.pmse(real, release, depth=depth, spend=HUGE)
    closed = replace(
        schema, columns={**schema.columns, "cost": Real(name="cost", min=0.0, max=_top(release))}
    )
    exact = us.pmse(real, release.synthetic[0], closed, depth=depth).value
    assert exact > 0.001
    assert bought.value == pytest.approx(exact, abs=1e-6)
    assert bought.rows == pytest.approx(400, abs=0.01)
    assert (bought.synthetic, bought.depth) == (300, depth)


def _top(release: us.Release) -> float:
    axis = release.models[0].domain.fine.axes["cost"]
    return float(axis.edges[-1])  # type: ignore[attr-defined]


PAIR = (cells("a", 3), cells("b", 2))
ROWS = [("0", "0"), ("1", "1"), ("1", "0"), ("2", "1")] * 30
MADE = [(0, 0), (0, 1), (1, 1), (2, 1)] * 25


@pytest.mark.parametrize("spend", [PureDP("1/2"), ZCDP("1/20")], ids=str)
@pytest.mark.parametrize("public", [True, False])
def test_the_standard_error_and_the_interval_are_true(public: bool, spend: Budget) -> None:
    schema = schema_of(*PAIR, rows=len(ROWS) if public else None)
    one = to_score(candidate(schema, *MADE), schema, depth=2)
    backend = TinyBackend(schema, ROWS)

    def bought(budget: Budget, seed: int) -> PaidPMSE:
        table = PrivateTable(backend, purse_for(schema, budget), noise=SeededNoise(seed))  # type: ignore[arg-type]
        return paid_pmse(table, one, spend=budget)

    exact = bought(HUGE, 0).value
    found = [bought(spend, seed) for seed in range(400)]
    errors = np.array([one.value - exact for one in found])
    told = np.sqrt(np.mean([one.stddev**2 for one in found]))
    assert abs(errors.mean()) < 4 * told / np.sqrt(400)
    assert 0.86 * told < errors.std() < 1.14 * told
    covered = np.mean([one.interval[0] <= exact <= one.interval[1] for one in found])
    assert 0.92 <= covered <= 0.99


def test_a_public_size_needs_noise_on_the_score_alone() -> None:
    """Its own sensitivity 1 / (n + k), not that of two answers."""
    schema = schema_of(*PAIR, rows=len(ROWS))
    one = to_score(candidate(schema, *MADE), schema, depth=2)
    table = PrivateTable(TinyBackend(schema, ROWS), purse_for(schema, PureDP(1)))  # type: ignore[arg-type]
    found = paid_pmse(table, one, spend=PureDP(1))
    assert found.rows == len(ROWS)
    assert found.stddev == pytest.approx(np.sqrt(2) / (len(ROWS) + len(MADE)), rel=1e-3)


def value_of(table: PrivateTable, budget: Budget) -> object:
    schema = table.schema
    one = to_score(candidate(schema, (0, 0), (0, 0), (0, 0), (1, 1)), schema, depth=2)
    found = paid_pmse(table, one, spend=budget)
    return found.value, found.stddev, found.rows, found.interval


@pytest.mark.parametrize("contribution", [1, 2])
@pytest.mark.parametrize("relation", list(Neighbours))
def test_everything_that_is_told_keeps_the_promise_and_uses_it(
    relation: Neighbours, contribution: int
) -> None:
    """Under zCDP it is the L2 sensitivity in test_statistics.py that says the same."""
    budget = PureDP(Fraction(3, 2))
    pairs = pairs_of_laws(
        value_of,
        [cells("a", 2), cells("b", 2)],
        universe(2, 2),
        budget,
        relation=relation,
        contribution=contribution,
        others=2 if contribution == 1 else 1,
        window=(-1, 1),
    )
    assert 0.3 <= share_used(pairs, budget) <= 1 + TOLERANCE


@pytest.mark.parametrize("size", [0, 1])
def test_tables_of_no_row_and_of_one_have_a_score(size: int) -> None:
    _, real, release = small()
    found = us.pmse(real.iloc[:size], release, spend=HUGE)
    assert found.rows == pytest.approx(size, abs=1e-3)
    assert found.value == pytest.approx(0, abs=0.01)
    noisy = us.pmse(real.iloc[:size], release, spend=PureDP("1/100"))
    assert noisy.rows >= 0
    assert 0 <= noisy.interval[0] <= noisy.interval[1] <= 0.25


# ---- what is charged, and what a second look costs -------------------------------------------


def small() -> tuple[Schema, pd.DataFrame, us.Release]:
    schema = schema_of(*PAIR)
    real = pd.DataFrame(ROWS, columns=["a", "b"])
    return schema, real, candidate(schema, *MADE)


def ledger_of(schema: Schema, total: Budget, path: Path) -> us.Ledger:
    return us.Ledger.init(
        path, table=schema.name, unit=schema.unit.name, neighbours=schema.neighbours, total=total
    )


def test_the_ledger_pays_one_statistic_with_the_release_s_hash(tmp_path: Path) -> None:
    schema, real, release = small()
    book = ledger_of(schema, PureDP(1), tmp_path / "toy.ledger")
    found = us.pmse(real, release, spend=PureDP("1/4"), ledger=book)
    (run,) = book.entries()
    (charge,) = run.charges
    assert (charge.verb, charge.cost, run.counted) == ("statistic", PureDP("1/4"), PureDP("1/4"))
    assert charge.detail["sized"] is True
    assert len(charge.detail["names"][0]) == 64
    assert found.cost == PureDP("1/4")
    assert found.guarantee == "epsilon = 0.25 for one row, add-remove"
    with pytest.raises(BudgetExceeded, match="nothing was read"):
        us.pmse(NOWHERE, release, spend=PureDP("4/5"), ledger=book)


def test_epsilon_and_delta_are_worked_in_mu_where_the_same_promise_takes_less_noise() -> None:
    _, real, release = small()
    found = us.pmse(real, release, spend=ApproxDP(1, "1e-6"))
    assert found.cost == approx_to_gdp(ApproxDP(1, "1e-6"))


def test_a_resumed_run_repeats_its_answer_and_no_other(tmp_path: Path) -> None:
    schema, real, release = small()
    path = tmp_path / "toy.ledger"
    book = ledger_of(schema, PureDP(1), path)
    first = us.pmse(real, release, spend=PureDP("1/4"), ledger=book)
    (run,) = book.entries()
    other = real.iloc[:7]
    again = us.pmse(other, release, spend=PureDP("1/4"), ledger=path, resume=run.run_id)
    assert again == first
    changed = candidate(schema, *MADE[1:])
    with pytest.raises(LedgerError, match="same schema, arguments"):
        us.pmse(other, changed, spend=PureDP("1/4"), ledger=path, resume=run.run_id)


# ---- refusals, all before the table is looked for --------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"spend": 0.1}, "spend is a budget, such as us.PureDP"),
        ({"spend": PureDP(0)}, "above 0"),
        ({"spend": ZCDP(0, "1e-6")}, "above 0"),
        ({"spend": PureDP(1), "depth": 4}, "one of 1, 2, 3"),
        ({"ledger": "toy.ledger"}, "say with spend="),
        ({}, "give the schema"),
        ({"spend": PureDP(1), "schema": schema_of(*PAIR, rows=9)}, "under replace-one"),
        ({"spend": PureDP(1), "schema": schema_of(*PAIR, cells("c", 2))}, "has no column 'c'"),
    ],
)
def test_what_cannot_be_asked_is_refused_unread(arguments: dict[str, object], message: str) -> None:
    _, _, release = small()
    with pytest.raises(UsageError, match=message):
        us.pmse(NOWHERE, release, **arguments)  # type: ignore[call-overload]


def test_only_releases_with_rows_are_judged() -> None:
    schema, real, _ = small()
    with pytest.raises(UsageError, match="a release, not a DataFrame"):
        us.pmse(NOWHERE, real, spend=PureDP(1))  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="without rows"):
        us.pmse(NOWHERE, candidate(schema), spend=PureDP(1))


def test_a_table_that_does_not_open_costs_nothing(tmp_path: Path) -> None:
    schema, real, release = small()
    book = ledger_of(schema, PureDP(1), tmp_path / "toy.ledger")
    with pytest.raises(TableMismatch):
        us.pmse(real[["a"]], release, spend=PureDP("1/4"), ledger=book)
    assert book.entries()[0].counted == PureDP(0)
