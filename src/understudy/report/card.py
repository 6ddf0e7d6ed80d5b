"""``Card``: what was promised, to whom, what it cost, and what the promise does not cover.

A card is made of public facts only: the schema, the arguments, the charges and the bought domain.
It is written to ``card.json`` and shown as text (``to_text``) or as one offline page (``to_html``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Final, Literal, Protocol, Self

from understudy.errors import ReleaseError

CARD_FORMAT: Final = 1
JSON = Any
Origin = Literal["declared", "bought", "invented", "left out"]
MAIN_PART: Final = {
    "pure": "epsilon",
    "zcdp": "rho",
    "gdp": "mu_squared",
    "approx": "epsilon",
}
IN_PRINT: Final = {"mu_squared": "mu^2"}
RowsReason = Literal["declared", "requested", "estimated"]


class BudgetLike(Protocol):
    """A budget as the card sees it: a currency and exact, named parts."""

    currency: ClassVar[str]


class _Strict:
    """Reading refuses unknown keys (pydantic reads this attribute)."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}


@dataclass(frozen=True)
class Amount(_Strict):
    """A budget written down: its currency and its parts as exact rationals, such as "1/3"."""

    currency: Literal["pure", "zcdp", "gdp", "approx"]
    parts: dict[str, str]

    def __post_init__(self) -> None:
        for name, text in self.parts.items():
            try:
                valid = Fraction(text) >= 0
            except (ValueError, ZeroDivisionError):
                valid = False
            if not valid:
                raise ValueError(f"{name} must be a non-negative rational number")

    @classmethod
    def of(cls, budget: BudgetLike) -> Self:
        """The exact amount of a budget in any of the currencies."""
        parts = {field.name: str(getattr(budget, field.name)) for field in fields(budget)}  # type: ignore[arg-type]
        return cls(budget.currency, parts)  # type: ignore[arg-type]

    def part(self, name: str) -> float:
        """One part as a number; 0 if the currency does not have it."""
        return float(Fraction(self.parts.get(name, "0")))

    @property
    def main(self) -> Fraction:
        """The part that is shared out, exactly: epsilon, rho or mu^2."""
        return Fraction(self.parts.get(MAIN_PART[self.currency], "0"))

    def __str__(self) -> str:
        shown = (
            f"{IN_PRINT.get(name, name)} = {self.part(name):.6g}"
            for name in self.parts
            if name != "delta" or self.part(name) or self.currency == "approx"
        )
        return ", ".join(shown)


@dataclass(frozen=True, kw_only=True)
class Guarantee(_Strict):
    """The promise in numbers: the budget asked for and the one the method worked in.

    ``conversion`` names the step between the two and its price; it is empty if they are the same.
    """

    asked: Amount
    worked: Amount
    conversion: str = ""
    neighbours: Literal["add-remove", "replace-one"]
    neighbours_sentence: str
    unit: str
    status: Literal["proven", "caller-owes", "ideal-numbers"]


@dataclass(frozen=True, kw_only=True)
class MethodNote(_Strict):
    """Which method ran, with which hyper-parameters, and why it, if ``auto`` chose it."""

    name: str
    summary: str
    paper: str
    options: dict[str, JSON]
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class ChargeNote(_Strict):
    """One payment: the verb of the gate, what was asked, what it cost."""

    verb: str
    detail: dict[str, JSON]
    cost: Amount


@dataclass(frozen=True, kw_only=True)
class ColumnNote(_Strict):
    """What anyone may know about a column, and where that knowledge comes from."""

    name: str
    kind: str
    origin: Origin
    public: str
    missing: bool


@dataclass(frozen=True, kw_only=True)
class OutputNote(_Strict):
    """How many rows were written, why that number is safe, how many tables from how many fits, and
    whether their columns are known to be independent."""

    rows: int
    reason: RowsReason
    copies: int = 1
    refit: bool = False
    independent: bool = False


@dataclass(frozen=True)
class LedgerNote(_Strict):
    """The ledger in which the run is entered: its file name, its table and the run's id."""

    file: str
    table: str
    run: str


@dataclass(frozen=True, kw_only=True)
class Card(_Strict):
    """Everything a reader must know to judge a release. Made of public facts only."""

    format: int = CARD_FORMAT
    table: str
    description: str
    guarantee: Guarantee
    method: MethodNote
    charges: tuple[ChargeNote, ...]
    columns: tuple[ColumnNote, ...]
    declared_rows: int | None
    declared_units: int | None
    rules: tuple[str, ...]
    dialect: dict[str, JSON]
    output: OutputNote
    ledger: LedgerNote | None
    not_covered: tuple[str, ...]
    seed: int | None
    versions: dict[str, str]
    created: str

    def to_dict(self) -> dict[str, JSON]:
        """The card as plain JSON values. The details of its charges are not copied: those of a
        hundred choices among thousands of tables are long."""
        charges = tuple(
            asdict(replace(charge, detail={})) | {"detail": charge.detail}
            for charge in self.charges
        )
        return asdict(replace(self, charges=())) | {"charges": charges}

    def to_json(self) -> str:
        """The card as JSON text; ``from_json`` gives back an equal card."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes) -> Card:
        """Read a card; refuses unknown keys, wrong types and formats newer than this version."""
        _refuse_newer(text)
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(Card).validate_json(text, strict=True)
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ReleaseError(f"the card is damaged at {place}: {first['msg']}") from None

    def to_text(self, *, width: int = 88) -> str:
        """The card in plain words for a terminal."""
        from understudy.report.text import card_text

        return card_text(self, width=width)

    def to_html(self) -> str:
        """The card as one HTML page that needs no network and no other file."""
        from understudy.report.page import card_page

        return card_page(self)


def _refuse_newer(text: str | bytes) -> None:
    try:
        head = json.loads(text)
    except (ValueError, RecursionError):
        raise ReleaseError("the card is damaged: it is not JSON") from None
    version = head.get("format") if isinstance(head, Mapping) else None
    if isinstance(version, int) and version > CARD_FORMAT:
        raise ReleaseError(
            f"the card has format {version}, this version reads up to {CARD_FORMAT}; "
            "install a newer understudy"
        )
