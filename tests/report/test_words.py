"""The sentences say what the numbers mean, and are there when they must be."""

from __future__ import annotations

from math import exp

import pytest

from tests.report.cards import a_card, a_schema, person_schema, pure_card
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, PureDP
from understudy.report.card import LedgerNote
from understudy.report.words import (
    NO_LEDGER,
    SEED,
    copies_sentence,
    ledger_sentence,
    promise,
    size_sentence,
)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_a_pure_promise_states_its_factor(epsilon: str) -> None:
    text = promise(a_card(asked=PureDP(epsilon)).guarantee)
    assert f"a factor of {exp(float(epsilon)):,.3g}" in text
    assert "plus" not in text


def test_an_approximate_promise_states_both_numbers() -> None:
    text = promise(a_card(asked=ApproxDP(1, "1e-6")).guarantee)
    assert "a factor of 2.72, plus 1 in 1,000,000" in text


def test_a_huge_epsilon_is_not_written_out() -> None:
    assert "e^1000" in promise(a_card(asked=PureDP(1000)).guarantee)


def test_a_concentrated_promise_states_mean_and_variance() -> None:
    text = promise(a_card(asked=ZCDP("0.25")).guarantee)
    assert "mean 0.25" in text
    assert "variance 0.5" in text
    assert "failure" not in text
    assert "1 in 1,000" in promise(a_card(asked=ZCDP("0.25", "1e-3")).guarantee)


def test_a_gaussian_promise_states_how_far_the_means_lie_apart() -> None:
    text = promise(a_card(asked=GDP("0.25")).guarantee)
    assert "at least as hard to tell" in text
    assert text.endswith("whether its mean is 0 or 0.5.")


def test_the_relation_is_named() -> None:
    assert "Leaving one row out" in promise(pure_card().guarantee)
    public = a_card(a_schema(rows=100))
    assert "Replacing one row" in promise(public.guarantee)
    assert "at most 5 rows" in promise(a_card(person_schema()).guarantee)


def test_the_size_is_private_unless_declared() -> None:
    assert "private" in size_sentence(a_card())
    assert "rows as public: 48,842" in size_sentence(a_card(a_schema(rows=48842)))
    assert "persons as public: 900" in size_sentence(a_card(person_schema()))


def test_copies_say_whether_they_share_a_fit() -> None:
    assert copies_sentence(a_card()) == "One table was drawn."
    assert "one fit" in copies_sentence(a_card(copies=3))
    assert "3 fits" in copies_sentence(a_card(copies=3, refit=True))


def test_a_ledger_or_its_absence_is_named() -> None:
    assert ledger_sentence(a_card()) == NO_LEDGER
    named = ledger_sentence(a_card(ledger=LedgerNote("x.ledger", "toy", "run-0007")))
    assert "x.ledger" in named
    assert "run-0007" in named


def test_what_is_not_covered_is_listed_always() -> None:
    told = " ".join(a_card().not_covered)
    for topic in ("Timing", "real table", "Choosing among", "Other releases", "Groups", "schema"):
        assert topic in told
    assert SEED not in a_card().not_covered
    assert SEED in a_card(seed=0).not_covered
