"""Every noisy table on the page, with its own share and noise."""

from __future__ import annotations

from html import unescape
from math import sqrt
from typing import get_args

import pytest

from tests.report.cards import WORKED, ToyCharge, a_card, pure_card
from understudy.gate.count import CountNoise, Law
from understudy.privacy.budget import ZCDP
from understudy.report.tables import bought_tables


def counted(**changes: object) -> ToyCharge:
    detail = {
        "marginals": [["age"], ["age", "city"]],
        "shares": ["1/4", "3/4"],
        "noise": ["gaussian 40.0", "laplace 10.0"],
    }
    return ToyCharge("count", {**detail, **changes}, ZCDP(WORKED.rho / 2))


def test_each_table_has_its_share_of_the_budget_and_its_noise() -> None:
    one, two = bought_tables(a_card(charges=(counted(),)))
    assert (one.columns, two.columns) == ("age", "age × city")
    assert (one.percent, two.percent) == pytest.approx((12.5, 37.5))
    assert (one.noise, two.noise) == ("40 rows", f"{10 * sqrt(2):.3g} rows")


def test_the_noise_of_every_law_is_told_in_rows() -> None:
    """A law of the gate without a place here would be shown as the ledger writes it."""
    for law in get_args(Law):
        for scale in (1.0, 2.0, 40.0):
            names = {"noise": [f"{law} {scale!r}", f"{law} {scale!r}"]}
            one, _ = bought_tables(a_card(charges=(counted(**names),)))
            number, unit = one.noise.split()
            true = CountNoise(law, scale).stddev
            assert unit == "rows"
            assert float(number) == pytest.approx(true, rel=0.05)


def test_the_page_lists_tables_that_the_line_of_a_charge_cuts() -> None:
    names = [[f"c{number}"] for number in range(9)]
    many = {"marginals": names, "shares": ["1/9"] * 9, "noise": ["gaussian 4.5"] * 9}
    page = unescape(a_card(charges=(counted(**many),)).to_html())
    assert "Every noisy table, one by one" in page
    for (name,) in names:
        assert f'<th scope="row">{name}</th><td class="number">4.5 rows</td>' in page


@pytest.mark.parametrize(
    "changes",
    [{"noise": ["<b>", "gaussian x"]}, {"shares": ["1/0", "x"]}, {"marginals": 3}, {"noise": None}],
)
def test_a_card_from_elsewhere_is_shown_as_far_as_it_goes(changes: dict[str, object]) -> None:
    page = a_card(charges=(counted(**changes),)).to_html()
    assert "<b>" not in page


def test_a_single_table_needs_no_list() -> None:
    assert "one by one" not in pure_card().to_html()
