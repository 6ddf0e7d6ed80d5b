"""``planned``: stated errors against brute force, what a huge budget finds, what is refused."""

from __future__ import annotations

from html import unescape
from itertools import product

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.methods.subjects import (
    fitted,
    schema_like,
    subject_of,
)
from tests.noise_sources import SeededNoise
from tests.tables import Row, TinyBackend, cells, numbers, purse_for, schema_of
from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.methods.planned import Planned
from understudy.models.answers import Answers
from understudy.models.blueprint import Blueprint
from understudy.models.product import ProductModel
from understudy.models.workload import Workload
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.report.spending import ALONE, HIDDEN
from understudy.schema.axes import domain_of
from understudy.schema.columns import Column, Fake
from understudy.schema.domain import Domain
from understudy.schema.measurement import Noisy
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

COLUMNS = (cells("a", 2), cells("b", 3), numbers("x", 0, 9), cells("one", 1))
BUDGETS = [PureDP("3/2"), ZCDP("1/3")]


def shape_of(domain: Domain, blueprint: Blueprint, question: object) -> tuple[int, ...]:
    over = blueprint.coarse if question.in_groups else domain  # type: ignore[attr-defined]
    return over.shape(question.columns)  # type: ignore[attr-defined]


def linear_map(domain: Domain, plan: Blueprint, stddevs: list[float]) -> list[np.ndarray]:
    """For every member a matrix from all noisy cells to the cells of its answer, a public total
    taken off."""
    shapes = [shape_of(domain, plan, question) for question in plan.questions]
    cells_of_all = np.cumsum([int(np.prod(shape)) for shape in shapes])

    def answered(cells: np.ndarray) -> list[np.ndarray]:
        pieces = zip(
            np.split(cells, cells_of_all[:-1]), plan.questions, shapes, stddevs, strict=True
        )
        told = plan.answers(
            [Noisy(one.columns, piece.reshape(to), stddev) for piece, one, to, stddev in pieces]
        )
        return [told.marginal(plan.number(member)).ravel() for member in plan.members]

    nothing = answered(np.zeros(cells_of_all[-1], dtype=np.int64))
    units = [answered(unit) for unit in np.eye(cells_of_all[-1], dtype=np.int64)]
    return [
        np.stack([unit[place] for unit in units], axis=1) - nothing[place][:, None]
        for place in range(len(plan.members))
    ]


def measured(
    method: Planned, schema: Schema, rows: list[Row], budget: Budget
) -> tuple[Domain, Blueprint, list[Noisy]]:
    """A run's plan and the answers to its questions, in their order."""
    domain = domain_of(schema)
    table = PrivateTable(
        TinyBackend(schema, rows),
        purse_for(schema, budget),  # type: ignore[arg-type]
        noise=SeededNoise(2),
    )
    method.answers(table, domain, budget)
    plan = method.blueprint(domain, budget)
    found = {(noisy.columns, bool(noisy.groups)): noisy for noisy in table.measured(domain)}
    noisy = [found[question.columns, question.in_groups] for question in plan.questions]
    return domain, plan, noisy


@pytest.mark.parametrize("rows", [None, 40])
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_stated_errors_are_the_exact_ones_of_what_is_answered(
    budget: Budget, rows: int | None
) -> None:
    """The covariance of every answer by brute force, cell by cell, from the noise really drawn."""
    schema = schema_of(*COLUMNS, rows=rows)
    method = Planned(workload=("a*b*x", "pairs"), groups=3)
    domain, plan, noisy = measured(method, schema, [("1", "2", "7", "0")] * 40, budget)
    assert plan.wide == ("x",)
    stddevs = [one.stddev for one in noisy]
    spread = np.concatenate([np.full(one.values.size, one.stddev**2) for one in noisy])
    told = method.foretell(domain, budget)
    assert [one.columns for one in told] == list(plan.members)
    for one, matrix in zip(told, linear_map(domain, plan, stddevs), strict=True):
        assert (matrix**2) @ spread == pytest.approx(one.stddev**2, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_answers_are_the_best_that_the_measurements_allow(budget: Budget) -> None:
    """Generalised least squares over the whole joint table, which knows nothing of residuals."""
    schema = schema_of(*COLUMNS[:2], cells("c", 2))
    method = Planned(workload=("a*b", "b*c"))
    domain, plan, noisy = measured(method, schema, [("1", "2", "0")] * 40, budget)
    joint = list(product(*map(range, domain.shape(domain.columns))))

    def counting(columns: tuple[str, ...]) -> np.ndarray:
        picked = [domain.columns.index(name) for name in columns]
        marginal = product(*map(range, domain.shape(columns)))
        return np.array(
            [[float(tuple(cell[i] for i in picked) == one) for cell in joint] for one in marginal]
        )

    asked = np.vstack([counting(one.columns) / one.stddev for one in noisy])
    values = np.concatenate([one.values.ravel() / one.stddev for one in noisy])
    inverse = np.linalg.pinv(asked.T @ asked)
    told = plan.answers(noisy)
    for one in method.foretell(domain, budget):
        wanted = counting(one.columns)
        answer = told.marginal(plan.number(one.columns)).ravel()
        assert answer == pytest.approx(wanted @ inverse @ asked.T @ values)
        assert np.diag(wanted @ inverse @ wanted.T) == pytest.approx(one.stddev**2)


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("contribution", [1, 3])
def test_what_is_foretold_is_what_the_measurements_say_afterwards(
    relation: Neighbours, contribution: int
) -> None:
    schema = schema_like(relation, columns=COLUMNS, rows=30, contribution=contribution)
    rows: list[Row] = [("1", "2", "7", "0", "p")[: len(schema.columns)]] * 30  # type: ignore[list-item]
    for budget in BUDGETS:
        method = Planned(groups=4)
        domain, plan, noisy = measured(method, schema, rows, budget)
        variances = plan.variances([one.stddev for one in noisy])
        told = method.foretell(domain, budget)
        assert [one.stddev**2 for one in told] == pytest.approx(variances, rel=1e-12)
        answers = Answers(plan, noisy)
        assert [one.stddev for one in told] == [answers.stddev(one.columns) for one in told]
        assert [one.shape for one in told] == [answers.marginal(m).shape for m in plan.members]


def test_every_column_and_every_pair_is_foretold() -> None:
    domain = domain_of(schema_of(*COLUMNS))
    told = Planned().foretell(domain, ZCDP(10))
    pairs = set(Workload(("pairs",)).members(domain.columns))
    assert {one.columns for one in told} == {(name,) for name in domain.columns} | pairs
    assert {one.columns: one.shape for one in told}[("x",)] == (10,)


def test_more_budget_and_a_smaller_workload_mean_less_noise() -> None:
    domain = domain_of(schema_of(*COLUMNS))
    few, many = (
        {one.columns: one.stddev for one in Planned(w, groups=3).foretell(domain, ZCDP("1/400"))}
        for w in (("a*b",), ("pairs",))
    )
    assert few["a", "b"] < many["a", "b"]
    told = Planned(groups=3).foretell(domain, ZCDP("1/100"))
    twice = {one.columns: one.stddev for one in told}
    assert all(many[columns] == pytest.approx(2 * twice[columns]) for columns in many)


def test_a_huge_budget_recovers_every_marginal_of_the_workload() -> None:
    rng = np.random.default_rng(7)
    rows: list[Row] = [
        (str(i % 2), str(rng.integers(i % 2, 3)), str(i % 7), "0") for i in range(90)
    ]
    for budget in (PureDP(10**6), ZCDP(10**10)):
        run = fitted(subject_of("planned"), schema_of(*COLUMNS), rows, budget)
        drawn = run.model.draw(60_000, np.random.default_rng(1)).columns
        for one in Planned().foretell(run.asked, budget):
            assert one.shape == run.asked.shape(one.columns)
            (exact,) = run.backend.count(run.asked, [one.columns])
            found = np.zeros(one.shape)
            np.add.at(found, tuple(drawn[name] for name in one.columns), 1 / 60_000)
            assert np.abs(found - exact / exact.sum()).sum() / 2 < 0.02, one.columns


def test_a_budget_too_small_for_relations_buys_the_columns_alone() -> None:
    schema = schema_of(*COLUMNS)
    budget = ZCDP("1/100000000")
    told = Planned().foretell(domain_of(schema), budget)
    assert [one.columns for one in told] == [("a",), ("b",), ("x",), ("one",)]
    run = fitted(subject_of("planned"), schema, [("1", "2", "7", "0")], budget)
    assert isinstance(run.model, ProductModel)
    named = Planned(workload=("a*b",)).foretell(domain_of(schema), budget)
    assert ("a", "b") in {one.columns for one in named}, "what is named is answered all the same"


@pytest.mark.parametrize(
    ("epsilon", "related", "sentence"),
    [("0.0001", True, ALONE), ("0.1", False, HIDDEN), ("2", True, "")],
)
def test_the_card_and_the_report_say_whether_relations_were_learned(
    epsilon: str, related: bool, sentence: str
) -> None:
    """Too small a budget buys none; what is bought may show none."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(0, 8, 3000) for _ in range(3))
    frame = pd.DataFrame({"a": a, "b": (a + 1) % 8 if related else b, "c": c}).astype(str)
    schema = schema_of(*(cells(name, 8) for name in "abc"))
    made = us.synthesize(frame, schema, epsilon=epsilon, delta="1e-6", method="planned", seed=1)
    assert made.models[0].independent is bool(sentence)
    for text in (made.card.to_text(width=1000), unescape(made.card.to_html())):
        assert [told for told in (ALONE, HIDDEN) if told in text] == [sentence][: bool(sentence)]


def test_relations_that_would_drown_are_left_out_unless_they_are_named() -> None:
    domain = domain_of(schema_of(cells("many", 10_000), cells("a", 2), cells("b", 2)))
    told = {one.columns for one in Planned().foretell(domain, ZCDP("1/30"))}
    assert told == {("many",), ("a",), ("b",), ("a", "b")}
    named = {one.columns for one in Planned(("a*many",)).foretell(domain, ZCDP("1/10"))}
    assert ("a", "many") in named


def test_groups_follow_from_the_guess_of_the_size_and_from_nothing_private() -> None:
    domain = domain_of(schema_of(numbers("x", 0, 99), numbers("y", 0, 99)))

    def groups(method: Planned) -> tuple[int, ...]:
        return {one.columns: one.shape for one in method.foretell(domain, ZCDP("1/100"))}["x", "y"]

    assert groups(Planned(size_guess=100_000)) > groups(Planned()) > groups(Planned(groups=5))
    assert groups(Planned(groups=5)) == (5, 5)


def test_all_pairs_of_many_columns_are_foretold() -> None:
    domain = domain_of(schema_of(*(cells(f"c{place:03}", 2) for place in range(50))))
    told = Planned().foretell(domain, ZCDP(1))
    assert len(told) == 50 + 1225
    assert len({round(one.stddev, 6) for one in told}) == 2, "alike columns are answered alike"


@pytest.mark.parametrize(
    ("method", "problem"),
    [
        (Planned(workload=("a*zip",)), "no modelled column is named 'zip'"),
        (Planned(workload=("quads",)), "no modelled column is named 'quads'"),
        (Planned(workload=("a*a",)), "different columns"),
    ],
)
def test_a_workload_of_unknown_columns_is_refused_by_the_schema_alone(
    method: Planned, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        method.scope(schema_of(*COLUMNS))


def test_a_named_relation_too_large_for_memory_is_refused_before_anything_is_spent() -> None:
    wide: list[Column] = [cells(name, 6000) for name in "ab"]
    schema = schema_of(*wide)
    purse = purse_for(schema, ZCDP(1))
    table = PrivateTable(TinyBackend(schema, []), purse, noise=SeededNoise(1))  # type: ignore[arg-type]
    method = Planned(workload=("a*b",))
    with pytest.raises(UsageError, match="36,000,000 cells"):
        method.fit(table, domain_of(schema), ZCDP(1), np.random.default_rng(0))
    assert not purse.charges
    with pytest.raises(UsageError, match="36,000,000 cells"):
        method.foretell(domain_of(schema), ZCDP(1))


def test_a_table_with_nothing_to_learn_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one"):
        Planned().foretell(domain_of(schema_of(Fake(name="id"))), ZCDP(1))


@pytest.mark.parametrize(
    "settings",
    [{"groups": 1}, {"groups": 2.5}, {"size_guess": 0}, {"size_guess": True}, {"most_cells": 0}],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="whole number"):
        Planned(**settings)  # type: ignore[arg-type]
