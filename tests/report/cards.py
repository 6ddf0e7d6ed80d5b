"""A card of a small, made-up run, with anything in it replaced on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any

from understudy.privacy.budget import ZCDP, ApproxDP, Budget, PureDP
from understudy.report.card import Card, OutputNote
from understudy.report.compose import card_of
from understudy.schema.axes import domain_of
from understudy.schema.columns import (
    Boolean,
    Category,
    Column,
    Date,
    Drop,
    Fake,
    Integer,
    Real,
)
from understudy.schema.domain import Domain
from understudy.schema.schema import Rule, Schema, Unit

WORKED = ZCDP("1/20", "1/1000000")
HOSTILE = "<script>alert('x')</script>\u202e\x1b[31m\"&"


@dataclass(frozen=True)
class ToyMethod:
    """The public face of a method."""

    rounds: int = 3
    weights: tuple[float, ...] = (0.5, 0.25)
    summary = "counts every column"
    paper = "A paper (2020)"
    status = "proven"


@dataclass(frozen=True)
class ToyCharge:
    """A charge as a ledger keeps it."""

    verb: str
    detail: dict[str, Any]
    cost: Budget


def a_schema(*extra: Column, **changes: Any) -> Schema:
    columns: list[Column] = [
        Fake(name="person", style="id"),
        Integer(name="age", min=0, max=100),
        Category(name="city", levels="discover", missing=("",)),
        Real(name="cost", missing=("", "?")),
        Date(name="admitted", min=date(2020, 1, 1), max=date(2024, 12, 31)),
        Boolean(name="smoker"),
        Drop(name="notes"),
        *extra,
    ]
    facts: dict[str, Any] = {"name": "toy", "description": "A toy table."}
    return Schema(columns={column.name: column for column in columns}, **(facts | changes))


def a_domain(schema: Schema | None = None, *, cities: int = 12) -> Domain:
    return domain_of(
        schema or a_schema(),
        levels={"city": [f"Town{number}" for number in range(cities)]},
        bounds={"cost": (0.0, 65536.0)},
    )


CHARGES = (
    ToyCharge("discover", {"columns": ["city"], "least": 40}, ZCDP("1/200", "1/1000000")),
    ToyCharge("quantiles", {"column": "cost", "grid": 40}, ZCDP("1/200")),
    ToyCharge("count", {"marginals": [["age"], ["age", "city"]]}, ZCDP("1/25")),
)


def a_card(schema: Schema | None = None, **changes: Any) -> Card:
    """``changes`` replaces arguments of ``card_of``."""
    facts: dict[str, Any] = {
        "name": "toy-method",
        "method": ToyMethod(),
        "asked": ApproxDP(1, "1e-6"),
        "worked": WORKED,
        "conversion": "worked by the tight conversion",
        "charges": CHARGES,
        "created": "2026-01-31T12:00:00Z",
    }
    output = {
        "rows": 1234,
        "reason": "estimated",
        "copies": 1,
        "refit": False,
        "independent": False,
    }
    output |= {key: changes.pop(key) for key in output if key in changes}
    return card_of(a_domain(schema), output=OutputNote(**output), **(facts | changes))


def person_schema() -> Schema:
    unit = Unit(column="person", max_rows=5, persons=900)
    return a_schema(unit=unit, rules=(Rule(require="age >= 0"),))


def hostile_card() -> Card:
    """Every text that a schema or a charge can bring is an attack."""
    hostile = Category(name=HOSTILE, levels=(HOSTILE + "1", "b"))
    card = a_card(a_schema(hostile, name=HOSTILE, description=HOSTILE))
    charge = replace(card.charges[2], verb=HOSTILE, detail={HOSTILE: HOSTILE})
    return replace(card, charges=(*card.charges, charge), rules=(HOSTILE,))


def pure_card() -> Card:
    budget = PureDP(Fraction(1, 3))
    charge = ToyCharge("count", {"marginals": [["age"]]}, budget)
    return a_card(asked=budget, worked=budget, conversion="", charges=(charge,))
