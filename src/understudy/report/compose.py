"""From a finished run to its card: gathers public facts, computes nothing from rows."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from sys import intern
from typing import Any, Final, Protocol

from understudy.report.card import (
    Amount,
    BudgetLike,
    Card,
    ChargeNote,
    Guarantee,
    LedgerNote,
    MethodNote,
    OutputNote,
)
from understudy.report.columns import column_notes
from understudy.report.words import not_covered
from understudy.schema.domain import Domain

NAMED_PACKAGES: Final = ("understudy", "numpy", "opendp", "duckdb")


class ChargeLike(Protocol):
    """A ledger's charge as the card sees it."""

    @property
    def verb(self) -> str: ...
    @property
    def detail(self) -> Mapping[str, Any]: ...
    @property
    def cost(self) -> Any: ...


class MethodLike(Protocol):
    """A synthesizer as the card sees it: a dataclass of hyper-parameters with its facts."""

    @property
    def summary(self) -> str: ...
    @property
    def paper(self) -> str: ...
    @property
    def status(self) -> Any: ...


def card_of(
    domain: Domain,
    *,
    name: str,
    method: MethodLike,
    reason: str = "",
    asked: BudgetLike,
    worked: BudgetLike,
    conversion: str = "",
    charges: Sequence[ChargeLike],
    output: OutputNote,
    ledger: LedgerNote | None = None,
    seed: int | None = None,
    created: str,
) -> Card:
    """The card of a run of the method called ``name``.

    ``reason`` says why it is this method, if it was chosen for the caller. ``asked`` is the budget
    as the caller stated it, ``worked`` the one that was spent, and ``conversion`` the name and
    price of the step between them. ``created`` is the time in UTC.
    """
    schema = domain.schema
    return Card(
        table=schema.name,
        description=schema.description,
        guarantee=Guarantee(
            asked=Amount.of(asked),
            worked=Amount.of(worked),
            conversion=conversion,
            neighbours=schema.neighbours.value,
            neighbours_sentence=schema.neighbours.sentence,
            unit=schema.unit.name,
            status=method.status,
        ),
        method=MethodNote(
            name=name,
            summary=method.summary,
            paper=method.paper,
            options=_options(method),
            reason=reason,
        ),
        charges=tuple(_charge(charge) for charge in charges),
        columns=column_notes(domain),
        declared_rows=schema.rows,
        declared_units=schema.unit.persons,
        rules=tuple(rule.require for rule in schema.rules),
        dialect={field.name: getattr(schema.csv, field.name) for field in fields(schema.csv)},
        output=output,
        ledger=ledger,
        not_covered=not_covered(schema, seeded=seed is not None),
        seed=seed,
        versions=_versions(),
        created=created,
    )


def _charge(charge: ChargeLike) -> ChargeNote:
    return ChargeNote(
        verb=charge.verb, detail=_plain(dict(charge.detail)), cost=Amount.of(charge.cost)
    )


def _options(method: MethodLike) -> dict[str, Any]:
    settings: Any = method
    return {field.name: _plain(getattr(method, field.name)) for field in fields(settings)}


def _plain(value: Any) -> Any:
    """A JSON value that reads back equal: tuples become lists, anything odd becomes its text.

    Equal texts become one: a column stands in thousands of candidates.
    """
    if type(value) is str:
        return intern(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    return str(value)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in NAMED_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found
