"""A card survives JSON unchanged, and nothing but a card is read as one."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.cards import ToyCharge, a_card, a_schema, hostile_card, person_schema, pure_card
from understudy.errors import ReleaseError
from understudy.privacy.budget import ZCDP, ApproxDP, PureDP
from understudy.report.card import CARD_FORMAT, Amount, Card, LedgerNote

CARDS = {
    "approximate": a_card(),
    "pure": pure_card(),
    "persons": a_card(person_schema()),
    "hostile": hostile_card(),
    "ledger": a_card(ledger=LedgerNote("x.ledger", "toy", "run-0001"), seed=7),
}


@pytest.mark.parametrize("card", CARDS.values(), ids=CARDS)
def test_json_gives_back_the_same_card(card: Card) -> None:
    assert Card.from_json(card.to_json()) == card
    assert Card.from_json(card.to_json().encode()) == card


@given(st.text(), st.text(), st.integers(0, 10**12))
def test_any_text_survives(name: str, description: str, rows: int) -> None:
    card = replace(a_card(), table=name, description=description)
    card = replace(card, output=replace(card.output, rows=rows))
    try:
        text = card.to_json()
        text.encode()
    except UnicodeEncodeError:
        return
    assert Card.from_json(text) == card


def test_equal_cards_have_equal_bytes() -> None:
    assert a_card().to_json() == a_card().to_json()


def test_the_exact_budget_is_in_the_json() -> None:
    told = json.loads(a_card(asked=ApproxDP("1/3", "1e-6")).to_json())["guarantee"]["asked"]
    assert told == {"currency": "approx", "parts": {"epsilon": "1/3", "delta": "1/1000000"}}


def changed(path: str, value: Any) -> str:
    content = a_card().to_dict()
    *outer, last = path.split(".")
    place: Any = content
    for key in outer:
        place = place[int(key) if key.isdigit() else key]
    place[last] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("table", 3),
        ("extra", "key"),
        ("guarantee.extra", 1),
        ("guarantee.status", "surely"),
        ("guarantee.asked", "epsilon 1"),
        ("guarantee.asked.currency", "gold"),
        ("guarantee.asked.parts", {"epsilon": "-1"}),
        ("guarantee.asked.parts", {"epsilon": "1/0"}),
        ("guarantee.asked.parts", {"epsilon": "nan"}),
        ("guarantee.asked.parts", {"epsilon": 1}),
        ("output.rows", "12"),
        ("output.rows", 1.5),
        ("output.reason", "because"),
        ("charges", {}),
        ("charges.0.cost", None),
        ("columns.0.origin", "stolen"),
        ("columns.0.missing", "yes"),
        ("seed", "7"),
    ],
)
def test_a_damaged_card_is_refused_with_its_place(path: str, value: Any) -> None:
    with pytest.raises(ReleaseError, match="damaged at") as refusal:
        Card.from_json(changed(path, value))
    assert path.split(".", maxsplit=1)[0] in str(refusal.value)


@pytest.mark.parametrize("text", ["", "[", "\x00", "nonsense", "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_json_is_refused(text: str | bytes) -> None:
    with pytest.raises(ReleaseError, match="not JSON"):
        Card.from_json(text)


@pytest.mark.parametrize("text", ["[]", "3", "null", '"card"'])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ReleaseError, match="damaged"):
        Card.from_json(text)


def test_a_missing_fact_is_refused() -> None:
    content = a_card().to_dict()
    del content["not_covered"]
    with pytest.raises(ReleaseError, match="not_covered"):
        Card.from_json(json.dumps(content))


def test_a_newer_card_says_what_to_do() -> None:
    newer = changed("format", CARD_FORMAT + 1)
    with pytest.raises(ReleaseError, match="install a newer understudy"):
        Card.from_json(newer)


@pytest.mark.parametrize(
    ("budget", "shown", "main"),
    [
        (PureDP("1/3"), "epsilon = 0.333333", 1 / 3),
        (ZCDP("1/8"), "rho = 0.125", 0.125),
        (ZCDP("1/8", "1e-6"), "rho = 0.125, delta = 1e-06", 0.125),
        (ApproxDP(2, 0), "epsilon = 2, delta = 0", 2.0),
    ],
)
def test_amounts_say_what_budgets_say(budget: Any, shown: str, main: float) -> None:
    amount = Amount.of(budget)
    assert str(amount) == shown
    assert float(amount.main) == pytest.approx(main)
    for name, text in amount.parts.items():
        assert Fraction(text) == getattr(budget, name)


def test_a_part_that_a_currency_lacks_is_nothing() -> None:
    assert Amount.of(PureDP(1)).part("delta") == 0.0


def test_options_become_plain_values() -> None:
    assert a_card().method.options == {"rounds": 3, "weights": [0.5, 0.25]}


def test_columns_come_in_the_order_of_the_schema() -> None:
    names = [column.name for column in a_card().columns]
    assert names == list(a_schema().columns)


def test_a_card_repeats_no_name_and_copies_no_detail() -> None:
    """A hundred choices among thousands of tables would fill the memory otherwise."""
    candidates = [["".join(("ci", "ty")), "age"], ["".join(("ci", "ty")), "day"]]
    card = a_card(charges=(ToyCharge("select", {"candidates": candidates}, ZCDP("1/40")),))
    detail = card.charges[0].detail
    (one, _), (other, _) = detail["candidates"]
    assert one is other
    assert card.to_dict()["charges"][0]["detail"] is detail
    assert list(card.to_dict()) == [field.name for field in fields(card)]
    assert Card.from_json(card.to_json()) == card
