"""``--set``: types as declared, names as known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from understudy import methods
from understudy.cli.budget import budget_options
from understudy.cli.settings import described, options_of, settings_of
from understudy.errors import UsageError


@dataclass(frozen=True)
class Toy:
    """A method with settings of every type."""

    rounds: int = 10
    share: float = 0.5
    max_cells: int | None = None
    fast: bool = False
    score: Literal["gap", "rank"] = "gap"
    columns: tuple[str, ...] | None = None
    edges: tuple[float, ...] = ()
    bins: int | Literal["domain", "scott"] = "domain"


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], {}),
        (["rounds=3"], {"rounds": 3}),
        (["share=0.25", "rounds = 7"], {"share": 0.25, "rounds": 7}),
        (["max-cells=100"], {"max_cells": 100}),
        (["fast=true"], {"fast": True}),
        (["score=rank"], {"score": "rank"}),
        (["columns=age"], {"columns": ("age",)}),
        (["columns=age, marital status"], {"columns": ("age", "marital status")}),
        (["edges=0,0.5,2"], {"edges": (0.0, 0.5, 2.0)}),
        (["bins=12"], {"bins": 12}),
        (["bins=scott"], {"bins": "scott"}),
    ],
)
def test_values_have_their_types(pairs: list[str], expected: dict[str, Any]) -> None:
    found = settings_of(Toy, pairs)
    assert found == expected
    assert {key: type(value) for key, value in found.items()} == {
        key: type(value) for key, value in expected.items()
    }


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("rounds=many", "takes a whole number, not 'many'"),
        ("rounds=1.5", "whole number"),
        ("rounds=", "whole number"),
        ("share=nan", "finite"),
        ("share=inf", "finite"),
        ("share=half", "number"),
        ("fast=maybe", "true or false"),
        ("score=best", "'gap' or 'rank'"),
        ("edges=0,half", "a number, or several"),
        ("bins=fd", "a whole number or 'domain' or 'scott'"),
        ("round=3", "did you mean 'rounds'"),
        ("colour=red", "it has rounds, share"),
        ("rounds", "key=value"),
        ("=3", "key=value"),
        ("", "key=value"),
    ],
)
def test_wrong_values_say_what_is_right(pair: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        settings_of(Toy, [pair])


def test_settings_are_described_in_words() -> None:
    told = dict(line.split(": ", 1) for line in described(Toy))
    assert told == {
        "rounds": "a whole number (default: 10)",
        "share": "a number (default: 0.5)",
        "max_cells": "a whole number",
        "fast": "true or false (default: false)",
        "score": "'gap' or 'rank' (default: gap)",
        "columns": "one or more names, between commas",
        "edges": "a number, or several",
        "bins": "a whole number or 'domain' or 'scott' (default: domain)",
    }


def test_every_setting_of_every_method_has_words() -> None:
    for name in methods.names():
        for line in described(methods.get(name)):
            assert line.partition(": ")[2], line
            assert "typing" not in line
            assert "class" not in line


def test_a_setting_is_given_once() -> None:
    with pytest.raises(UsageError, match="twice"):
        settings_of(Toy, ["max_cells=1", "max-cells=2"])


def test_methods_are_found_by_name() -> None:
    assert options_of("auto", []) == options_of("independent", []) == {}
    with pytest.raises(UsageError, match="it has none"):
        options_of("independent", ["rounds=1"])


def test_budgets_stay_exact_texts() -> None:
    options = budget_options("1/3", "1e-6", None)
    assert options == {"epsilon": "1/3", "delta": "1e-6", "rho": None}


@pytest.mark.parametrize("text", ["1e101", "1e-101", "1E+999999999", "0" * 41, "1/" + "3" * 40])
def test_absurd_numbers_are_refused_at_once(text: str) -> None:
    with pytest.raises(UsageError, match="huge or tiny"):
        budget_options(text, None, None)
