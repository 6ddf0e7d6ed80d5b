"""``auto`` decides by columns, size and budget, says why, and by nothing else."""

from __future__ import annotations

from html import unescape
from math import comb

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.methods.privacy_section import section_of
from tests.methods.subjects import Run, fitted, schema_like, subject_of
from tests.noise_sources import SeededNoise
from tests.tables import Row, TinyBackend, cells, numbers, purse_for
from understudy.gate.private_table import PrivateTable
from understudy.methods import auto
from understudy.methods.auto import Auto
from understudy.methods.base import Settled
from understudy.privacy.budget import ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

SCHEMA = Schema(name="t", columns={name: cells(name, 4) for name in "abc"})


def frame(rows: int, *, seed: int = 0) -> pd.DataFrame:
    a = np.random.default_rng(seed).integers(0, 4, rows)
    return pd.DataFrame({"a": a, "b": (a + 1) % 4, "c": a // 2}).astype(str)


def settled(
    columns: int,
    rows: int,
    budget: Budget,
    *,
    relation: Neighbours = Neighbours.REPLACE_ONE,
    levels: int = 2,
) -> Settled:
    """What is chosen for a table of so many columns and rows; every row is the same."""
    named = [cells(f"c{number:03}", levels) for number in range(columns)]
    schema = schema_like(relation, columns=named, rows=rows)
    found: list[Row] = [("1",) * columns] * rows
    table = PrivateTable(
        TinyBackend(schema, found),
        purse_for(schema, budget),  # type: ignore[arg-type]
        noise=SeededNoise(0),
    )
    return Auto().settle(table, domain_of(schema), budget)


@pytest.mark.parametrize(
    ("columns", "rows", "budget", "chosen"),
    [
        (1, 400, ZCDP(1), us.Independent),
        (3, 400, ZCDP(1), us.AIM),
        (3, 400, ZCDP("1/100"), us.Independent),
        (3, 4000, ZCDP("1/10"), us.AIM),
        (3, 4000, PureDP("1/10"), us.Independent),
        (3, 4000, PureDP(2), us.AIM),
        (auto.MOST_FOR_AIM, 400, ZCDP(100), us.AIM),
        (auto.MOST_FOR_AIM + 1, 400, ZCDP(100), us.Planned),
        (auto.MOST_FOR_AIM + 1, 400, ZCDP(20), us.MST),
        (auto.MOST_FOR_MST, 400, ZCDP(100), us.MST),
        (auto.MOST_FOR_MST + 1, 400, ZCDP(100), us.Independent),
        (auto.MOST_FOR_PLANNED, 400, ZCDP(10_000), us.Planned),
        (auto.MOST_FOR_PLANNED + 1, 400, ZCDP(10_000), us.Independent),
    ],
)
def test_columns_size_and_budget_choose(
    columns: int, rows: int, budget: Budget, chosen: type
) -> None:
    found = settled(columns, rows, budget)
    assert type(found.method) is chosen
    assert found.budget == budget, "a declared size costs nothing"
    assert found.reason
    assert found.method.status == "proven", "auto never picks less"


def test_the_limit_is_where_it_is_said_to_be() -> None:
    """Gaussian noise, one of 400 rows replaced: sigma = sqrt(columns / rho)."""
    rows, columns = 400, 3
    limit = columns * (auto.ENOUGH[ZCDP] / rows) ** 2
    below, above = (settled(columns, rows, ZCDP(limit * part)) for part in (0.99, 1.01))
    assert type(below.method) is us.Independent
    assert type(above.method) is us.AIM
    assert "1 row of noise per 149 rows" in below.reason
    assert "1 row of noise per 151 rows" in above.reason


def test_a_private_size_is_bought_and_decides() -> None:
    budget = ZCDP(2)
    few, many = (settled(3, rows, budget, relation=Neighbours.ADD_REMOVE) for rows in (20, 900))
    assert type(few.method) is us.Independent
    assert type(many.method) is us.AIM
    assert few.budget == many.budget == budget * (1 - auto.SIZE_SHARE)


def test_all_pairs_are_counted_from_where_it_is_said_to_pay() -> None:
    """The budget is shared by 820 pairs: sigma = sqrt(pairs / rho)."""
    rows, columns = 400, auto.MOST_FOR_AIM + 1
    limit = comb(columns, 2) * (auto.ENOUGH_FOR_ALL / rows) ** 2
    below, above = (settled(columns, rows, ZCDP(limit * part)) for part in (0.97, 1.03))
    assert (type(below.method), type(above.method)) == (us.MST, us.Planned)
    assert "would carry 1 per 98" in below.reason
    assert "would carry 1 per 101, enough to count them all (from 100 on)" in above.reason
    assert above.method.get_params()["size_guess"] == rows


def test_where_choosing_takes_too_long_all_pairs_pay_sooner() -> None:
    rows, columns = 400, auto.MOST_FOR_MST + 1
    limit = comb(columns, 2) * (auto.BETTER_THAN_NONE / rows) ** 2
    below, above = (settled(columns, rows, ZCDP(limit * part)) for part in (0.97, 1.03))
    assert (type(below.method), type(above.method)) == (us.Independent, us.Planned)
    assert "would carry 1 per 59, too few" in below.reason


@pytest.mark.parametrize(("levels", "chosen"), [(8, us.Planned), (16, us.MST)])
def test_pairs_of_too_many_cells_are_chosen_among(levels: int, chosen: type) -> None:
    """Two rows of noise in each of 64 cells, and half of one in each of 256."""
    rows, columns = 400, auto.MOST_FOR_AIM + 1
    budget = ZCDP(comb(columns, 2) * (128 / rows) ** 2)
    assert type(settled(columns, rows, budget, levels=levels).method) is chosen


def test_pairs_whose_counts_do_not_fit_are_chosen_among() -> None:
    columns = auto.MOST_FOR_AIM + 1
    for levels, chosen in ((50, us.Planned), (51, us.MST)):
        found = settled(columns, 400, ZCDP(10**9), levels=levels)
        assert type(found.method) is chosen, levels


def test_tables_too_large_to_choose_among_are_not() -> None:
    columns = auto.MOST_FOR_AIM + 1
    for levels, chosen in ((150, us.MST), (250, us.Independent)):
        found = settled(columns, 400, ZCDP(10**9), levels=levels)
        assert type(found.method) is chosen, levels
    assert "too many to choose pairs" in found.reason


def test_ordered_columns_have_as_many_groups_as_memory_allows() -> None:
    for columns, groups in ((60, 34), (auto.MOST_FOR_PLANNED, 11)):
        found = settled(columns, 400, ZCDP(10**6))
        assert found.method.get_params()["groups"] == groups


def test_the_calls_of_a_plan_are_among_those_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ordered columns have two calls: their own cells, and pairs of groups."""
    monkeypatch.setattr(auto, "MOST_FOR_AIM", 2)
    monkeypatch.setattr(auto, "ENOUGH_FOR_ALL", 10)
    subject = subject_of("auto")
    columns = [numbers(name, 0, 99) for name in "abc"]
    rows = [(str(i % 100), str(i % 90), str(i % 80)) for i in range(900)]
    for relation in Neighbours:
        schema = schema_like(relation, columns=columns, rows=900)
        run = fitted(subject, schema, rows, ZCDP("1/2"))
        verbs = [charge.verb for charge in run.purse.charges]
        assert verbs == ["count"] * (3 if relation is Neighbours.ADD_REMOVE else 2)
        assert ["a", "b"] in rows_of(run)[-1]
        assert section_of(auto.__doc__).describes(verbs)


@pytest.mark.parametrize("columns", [1, auto.MOST_FOR_PLANNED + 1])
def test_a_size_on_which_nothing_hangs_is_not_bought(columns: int) -> None:
    assert settled(columns, 50, ZCDP(1), relation=Neighbours.ADD_REMOVE).budget == ZCDP(1)


def rows_of(run: Run) -> list[list[str]]:
    return [charge.detail["marginals"] for charge in run.purse.charges if charge.verb == "count"]


def test_what_lies_in_the_cells_decides_nothing() -> None:
    """As many rows, dependent or not, in one cell or in all: the same calls until relations."""
    subject, schema = subject_of("auto"), SCHEMA
    spread = [(str(i % 4), str(i // 4 % 4), str(i // 16 % 4)) for i in range(640)]
    for rows in (spread, [("0", "0", "0")] * 640):
        run = fitted(subject, schema, rows, ZCDP("1/2"))
        assert rows_of(run)[:2] == [[["a"]], [["a"], ["b"], ["c"]]]
        assert len(rows_of(run)) > 2, "aim goes on"


def test_the_release_and_its_card_say_what_was_chosen_and_why() -> None:
    made = us.synthesize(frame(900), SCHEMA, epsilon=3, delta="1e-6", seed=1)
    assert made.card.method.name == "aim"
    assert made.card.method.options["workload"] == ["pairs"]
    assert "3 columns" in made.card.method.reason
    for text in (made.card.to_text(width=500), unescape(made.card.to_html())):
        assert "Chosen by auto" in text
        assert made.card.method.reason in text
    assert us.Card.from_json(made.card.to_json()) == made.card
    assert "aim" in repr(made)


def test_a_method_that_was_asked_for_needs_no_reason() -> None:
    card = us.synthesize(frame(50), SCHEMA, epsilon=1, method="independent").card
    assert card.method.reason == ""
    assert "Chosen by auto" not in card.to_text() + card.to_html()


def test_without_a_delta_all_of_it_is_pure() -> None:
    card = us.synthesize(frame(900), SCHEMA, epsilon=20).card
    assert card.method.name == "aim"
    assert {charge.cost.currency for charge in card.charges} == {"pure"}


def test_refits_share_one_choice() -> None:
    made = us.synthesize(frame(900), SCHEMA, epsilon=5, delta="1e-6", copies=2, refit=True)
    sized = [c for c in made.card.charges if c.detail.get("marginals") == [["a"]]]
    assert len(sized) == 1
    assert len(made.models) == 2
