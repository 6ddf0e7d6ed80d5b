"""Where the budget went, ready to be shown: every charge in words and as a share of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from understudy.report.card import Amount, Card, ChargeNote
from understudy.report.compose import ChargeLike

SHOWN: Final = 6
LISTED: Final = 12
"""More charges than these are told in short where a person reads lines."""
ALONE: Final = (
    "No table of two or more columns was bought: the columns of the synthetic rows are independent "
    "of each other. A method that learns relations does this if the budget is too small for them."
)
HIDDEN: Final = (
    "No table of two or more columns that was bought shows a relation beyond its noise: the "
    "columns of the synthetic rows are independent of each other. Either there is no relation, or "
    "the budget is too small to see it."
)


@dataclass(frozen=True)
class Spent:
    """One charge: its verb, what was asked, its cost, and its share of the budget in percent."""

    verb: str
    what: str
    cost: str
    percent: float

    @property
    def share(self) -> str:
        """The share in print; what cost something never shows as nothing."""
        return "<0.1 %" if 0 < self.percent < 0.05 else f"{self.percent:.1f} %"


def spending(card: Card) -> tuple[Spent, ...]:
    """Every charge of the run, in order."""
    whole = card.guarantee.worked
    return tuple(
        Spent(charge.verb, _what(charge), str(charge.cost), percent_of(charge.cost, whole))
        for charge in card.charges
    )


def spending_in_short(card: Card) -> tuple[Spent, ...]:
    """The same in few lines: of many charges, those from the first choice on, one line a verb."""
    verbs = [charge.verb for charge in card.charges]
    if len(verbs) <= LISTED or "select" not in verbs:
        return spending(card)
    rest = card.charges[verbs.index("select") :]
    together = [
        [charge for charge in rest if charge.verb == verb]
        for verb in dict.fromkeys(charge.verb for charge in rest)
    ]
    return (
        *spending(card)[: verbs.index("select")],
        *(_together(charges, card.guarantee.worked) for charges in together),
    )


def _together(charges: Sequence[ChargeNote], whole: Amount) -> Spent:
    """Several charges of one verb as one."""
    first = charges[0]
    names = dict.fromkeys(name for charge in charges for name in charge.cost.parts)
    parts = {
        name: str(sum(Fraction(charge.cost.parts.get(name, "0")) for charge in charges))
        for name in names
    }
    asked = [each for charge in charges for each in charge.detail.get("marginals", [])]
    what = _listed(list(dict.fromkeys(map(crossed, asked)))) if asked else _what(first)
    cost = Amount(first.cost.currency, parts)
    times = f", {len(charges):,} times" if len(charges) > 1 else ""
    return Spent(f"{first.verb}{times}", what, str(cost), percent_of(cost, whole))


def unspent(card: Card) -> str:
    """What was left of the budget the run worked in, or the empty string."""
    whole = card.guarantee.worked
    left = {
        name: str(rest)
        for name, amount in whole.parts.items()
        if (rest := Fraction(amount) - _total(card, name)) > 0
    }
    return str(Amount(whole.currency, left)) if left else ""


def independence(card: Card) -> str:
    """That nothing was bought but single columns, or nothing else was of use; else empty."""
    if single_columns(card.charges):
        return ALONE
    return HIDDEN if card.output.independent else ""


def single_columns(charges: Iterable[ChargeLike]) -> bool:
    """Whether the charges bought several columns, each alone, and no table of several."""
    tables: set[tuple[str, ...]] = set()
    for charge in charges:
        if charge.verb not in ("count", "discover", "quantiles"):
            return False
        marginals = charge.detail.get("marginals")
        if charge.verb == "count" and isinstance(marginals, list):
            tables |= {tuple(marginal) for marginal in marginals}
    return len(tables) > 1 and all(len(table) == 1 for table in tables)


def _total(card: Card, name: str) -> Fraction:
    return sum((Fraction(charge.cost.parts.get(name, "0")) for charge in card.charges), Fraction(0))


def percent_of(cost: Amount, whole: Amount) -> float:
    """What part of the whole it is; 0 in another currency."""
    if cost.currency != whole.currency or not whole.main:
        return 0.0
    return float(100 * cost.main / whole.main)


def _what(charge: ChargeNote) -> str:
    """The detail of a charge in a line; the full detail stands in ``card.json``."""
    detail = charge.detail
    if charge.verb in _WORDS:
        return _WORDS[charge.verb](detail)
    marginals = detail.get("marginals")
    if isinstance(marginals, list):
        return _marginals(marginals)
    if isinstance(detail.get("columns"), list):
        return f"levels of {_listed([str(name) for name in detail['columns']])}"
    if charge.verb == "quantiles":
        return f"bounds of {detail.get('column', 'a column')}"
    return "; ".join(f"{key}: {value}" for key, value in detail.items())


def _drawn(detail: Mapping[str, Any]) -> str:
    return f"{detail.get('rows', 'some')} rows of {crossed(detail.get('marginal'))}"


def _partitioned(detail: Mapping[str, Any]) -> str:
    return f"boxes of {crossed(detail.get('marginal'))}"


def _summed(detail: Mapping[str, Any]) -> str:
    """Each moment by the columns that it multiplies."""
    moments = detail.get("moments", [])
    names = [" × ".join(str(feature[0]) for feature in moment) or "rows" for moment in moments]
    return f"{'1 sum' if len(names) == 1 else f'{len(names):,} sums'}: {_listed(names)}"


def _statistic(detail: Mapping[str, Any]) -> str:
    return f"{detail.get('statistic', 'a statistic')} of {crossed(detail.get('columns'))}"


def _minimised(detail: Mapping[str, Any]) -> str:
    fits = crossed(detail.get("marginal", detail.get("columns")))
    return f"best of {detail.get('candidates', 'some')} candidates for {fits}"


def _selected(detail: Mapping[str, Any]) -> str:
    """A method may choose among thousands: how many, and by what."""
    candidates = detail.get("candidates")
    number = f"{len(candidates):,}" if isinstance(candidates, list) else "some"
    if detail.get("score") == "L1Gap":
        return f"which of {number} tables to measure"
    return f"one of {number} tables, by {detail.get('score', 'a score')}"


def _candidate(detail: Mapping[str, Any]) -> str:
    """What a release cost that was in the list of a choice; places are counted from 0."""
    return f"all of release {detail.get('number', '?')} of the list, by {detail.get('method')}"


_WORDS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "draw": _drawn,
    "partition": _partitioned,
    "sums": _summed,
    "statistic": _statistic,
    "minimise": _minimised,
    "select": _selected,
    "candidate": _candidate,
}


def crossed(columns: object) -> str:
    """A table in words: the columns that it crosses."""
    return " × ".join(map(str, columns)) if isinstance(columns, list) else "the table"


def _marginals(marginals: list[Any]) -> str:
    names = [crossed(marginal) for marginal in marginals]
    counted = "1 table" if len(names) == 1 else f"{len(names):,} tables"
    return f"{counted}: {_listed(names)}"


def _listed(names: list[str]) -> str:
    more = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")
