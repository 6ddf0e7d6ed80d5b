"""Charges in words, in exact shares."""

from __future__ import annotations

from html import unescape

import pytest

from tests.report.cards import ToyCharge, a_card, pure_card
from understudy.privacy.budget import ZCDP, PureDP
from understudy.report.spending import (
    ALONE,
    HIDDEN,
    independence,
    spending,
    spending_in_short,
    unspent,
)


def test_shares_are_of_the_budget_worked_in() -> None:
    assert [spent.percent for spent in spending(a_card())] == pytest.approx([10, 10, 80])
    assert [spent.percent for spent in spending(pure_card())] == [100.0]


def test_what_was_asked_is_said_in_a_line() -> None:
    told = [spent.what for spent in spending(a_card())]
    assert told == ["levels of city", "bounds of cost", "2 tables: age, age × city"]


def test_long_lists_are_cut_and_counted() -> None:
    marginals = [[f"c{number}"] for number in range(9)]
    charge = ToyCharge("count", {"marginals": marginals}, ZCDP("1/20"))
    (spent,) = spending(a_card(charges=(charge,)))
    assert spent.what == "9 tables: c0, c1, c2, c3, c4, c5 and 3 more"


def test_an_unknown_verb_shows_its_detail() -> None:
    charge = ToyCharge("gradients", {"steps": 4, "clip": 1.5}, ZCDP("1/20"))
    (spent,) = spending(a_card(charges=(charge,)))
    assert spent.what == "steps: 4; clip: 1.5"


@pytest.mark.parametrize(
    ("verb", "detail", "words"),
    [
        ("draw", {"marginal": ["age", "city"], "rows": 500}, "500 rows of age × city"),
        ("partition", {"marginal": ["age", "cost"]}, "boxes of age × cost"),
        ("sums", {"moments": [[["age", None, 0.0]]]}, "1 sum: age"),
        (
            "sums",
            {"moments": [[], [["age", None, 0.0], ["city", 1, 0.0]]]},
            "2 sums: rows, age × city",
        ),
        ("statistic", {"statistic": "CellsHolding", "columns": ["a"]}, "CellsHolding of a"),
        ("minimise", {"marginal": ["a"], "candidates": 9}, "best of 9 candidates for a"),
        (
            "select",
            {"candidates": [["a", "b"], ["a", "c"]], "score": "L1Gap"},
            "which of 2 tables to measure",
        ),
        ("select", {"candidates": [], "score": "Novel"}, "one of 0 tables, by Novel"),
        ("select", {}, "one of some tables, by a score"),
        ("draw", {}, "some rows of the table"),
        ("sums", {}, "0 sums: "),
        ("statistic", {}, "a statistic of the table"),
        ("minimise", {"columns": ["a", "b"], "candidates": 9}, "best of 9 candidates for a × b"),
        ("minimise", {}, "best of some candidates for the table"),
    ],
)
def test_each_verb_has_its_words(verb: str, detail: dict[str, object], words: str) -> None:
    (spent,) = spending(a_card(charges=(ToyCharge(verb, detail, ZCDP("1/20")),)))
    assert spent.what == words


def test_what_cost_something_never_shows_as_nothing() -> None:
    small = ToyCharge("count", {}, ZCDP("1/100000"))
    (spent,) = spending(a_card(charges=(small,)))
    assert spent.share == "<0.1 %"
    (free,) = spending(a_card(charges=(ToyCharge("count", {}, ZCDP(0)),)))
    assert free.share == "0.0 %"
    assert [spent.share for spent in spending(a_card())] == ["10.0 %", "10.0 %", "80.0 %"]


def rounds(number: int) -> tuple[ToyCharge, ...]:
    choice = {"candidates": [["a", "b"], ["a", "c"]], "score": "L1Gap"}
    opening = ToyCharge("count", {"marginals": [["a"], ["b"]]}, ZCDP("1/100"))
    pairs = [
        (
            ToyCharge("select", choice, ZCDP("1/10000")),
            ToyCharge("count", {"marginals": [["a", f"b{at // 2}"]]}, ZCDP("1/1000")),
        )
        for at in range(number)
    ]
    return (opening, *(charge for pair in pairs for charge in pair))


def test_many_rounds_are_told_in_three_lines_that_sum_to_the_same() -> None:
    card = a_card(charges=rounds(8))
    first, select, count = spending_in_short(card)
    assert first == spending(card)[0]
    assert (select.verb, select.what) == ("select, 8 times", "which of 2 tables to measure")
    assert (count.verb, count.what) == ("count, 8 times", "a × b0, a × b1, a × b2, a × b3")
    assert (select.cost, count.cost) == ("rho = 0.0008", "rho = 0.008")
    every = sum(spent.percent for spent in spending(card))
    assert first.percent + select.percent + count.percent == pytest.approx(every)


def test_few_charges_are_all_told() -> None:
    for card in (a_card(charges=rounds(5)), a_card(), a_card(charges=rounds(0) * 20)):
        assert spending_in_short(card) == spending(card)


def test_one_table_is_one_table() -> None:
    (spent,) = spending(pure_card())
    assert spent.what == "1 table: age"


def test_what_is_left_is_exact() -> None:
    assert unspent(a_card()) == ""
    assert unspent(a_card(charges=())) == "rho = 0.05, delta = 1e-06"
    third = ToyCharge("count", {}, PureDP("1/3"))
    card = a_card(asked=PureDP(1), worked=PureDP(1), charges=(third,) * 3)
    assert unspent(card) == ""


def test_another_currency_takes_no_share() -> None:
    foreign = ToyCharge("count", {}, PureDP(1))
    (spent,) = spending(a_card(charges=(foreign,)))
    assert spent.percent == 0.0


def test_a_card_says_that_only_single_columns_were_bought() -> None:
    alone = ToyCharge("count", {"marginals": [["age"], ["city"]]}, ZCDP("1/40"))
    again = ToyCharge("count", {"marginals": [["age"], ["city"]]}, ZCDP("1/40"))
    assert independence(a_card(charges=(alone, again))) == ALONE
    pair = ToyCharge("count", {"marginals": [["age", "city"]]}, ZCDP("1/40"))
    chosen = ToyCharge("select", {"candidates": [["age", "city"]]}, ZCDP("1/40"))
    assert independence(a_card(charges=(alone, pair))) == ""
    assert independence(a_card(charges=(alone, chosen))) == ""
    assert independence(pure_card()) == "", "one column has no relations"
    assert independence(a_card(charges=())) == ""


def test_a_card_says_that_the_bought_tables_show_no_relation() -> None:
    pair = ToyCharge("count", {"marginals": [["age", "city"]]}, ZCDP("1/40"))
    card = a_card(charges=(pair,), independent=True)
    assert independence(card) == HIDDEN
    for text in (card.to_text(width=1000), card.to_html()):
        assert HIDDEN in unescape(text)
    alone = ToyCharge("count", {"marginals": [["age"], ["city"]]}, ZCDP("1/40"))
    assert independence(a_card(charges=(alone,), independent=True)) == ALONE
