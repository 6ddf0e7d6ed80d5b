"""The ledger that is kept unless somebody says otherwise."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

from tests.privacy.conftest import TOY
from understudy.errors import LedgerError
from understudy.privacy.budget import ZCDP, PureDP
from understudy.privacy.ledger import Ledger
from understudy.privacy.ledger_place import LedgerPlace


def test_it_lies_beside_the_schema() -> None:
    assert LedgerPlace.beside("data/adult.toml").path == Path("data/adult.ledger")
    assert LedgerPlace.beside(Path("adult.v2.json")).path == Path("adult.v2.ledger")


def test_it_is_made_once_and_records_every_currency(tmp_path: Path) -> None:
    place = LedgerPlace(tmp_path / "x.ledger")
    first = place.open(**TOY)
    first.reserve(PureDP(100), purpose="a")
    again = place.open(**TOY)
    assert again.total is None
    again.reserve(ZCDP(7, Fraction(1, 10**6)), purpose="b")
    state = Ledger.open(place.path).state()
    assert [run.purpose for run in state.runs] == ["a", "b"]
    assert state.reserved == ZCDP(5007, Fraction(1, 10**6))
    assert [path.name for path in tmp_path.iterdir()] == ["x.ledger"]


def test_a_ledger_with_a_total_is_taken_as_it_is(tmp_path: Path) -> None:
    Ledger.init(tmp_path / "x.ledger", **TOY, total=PureDP(1))
    assert LedgerPlace(tmp_path / "x.ledger").open(**TOY).total == PureDP(1)


def test_many_first_uses_at_once_make_one_ledger(tmp_path: Path) -> None:
    place = LedgerPlace(tmp_path / "x.ledger")

    def use(number: int) -> None:
        place.open(**TOY).record(ZCDP(1), purpose=f"run {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(16)))
    assert Ledger.open(place.path).state().spent == ZCDP(16)
    assert [path.name for path in tmp_path.iterdir()] == ["x.ledger"]


def test_where_no_ledger_can_be_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"cannot be made: no such file"):
        LedgerPlace(tmp_path / "no" / "x.ledger").open(**TOY)
    (tmp_path / "link.ledger").symlink_to(tmp_path / "nowhere")
    with pytest.raises(LedgerError, match="link"):
        LedgerPlace(tmp_path / "link.ledger").open(**TOY)
    assert not os.path.lexists(tmp_path / "nowhere")
