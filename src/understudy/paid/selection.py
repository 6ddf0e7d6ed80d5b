"""A private choice among releases: the one that trees tell from the real rows worst.

The list is fixed before anything is read: the hash of every candidate's rows stands in the charge.
All are scored as if they had one common number of rows, which is public. Whoever publishes the
choice has spent what *all* candidates cost and the choice itself; the card of the chosen release
says so.

Privacy: one ``minimise`` with the whole budget (``gate/minimise.md``, ``gate/impurity.md``); the
candidates are made from bought answers, so all costs add up. All else is post-processing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from understudy.errors import UsageError
from understudy.gate.private_table import PrivateTable
from understudy.paid.cells import Scored, check_made_from, scored
from understudy.paid.total import Total
from understudy.privacy.budget import Budget
from understudy.privacy.state import Charge
from understudy.release.release import Release
from understudy.report.card import Amount, Card, ChargeNote, Guarantee, LedgerNote
from understudy.schema.schema import Schema

ROWS_PER_REAL_ROW: Final = 2.0
"""Near the truth twice as many synthetic as real rows tell the most."""
MOST_CANDIDATES: Final = 10_000
LARGEST_SIZE: Final = 2.0**40


@final
@dataclass(frozen=True, kw_only=True)
class Selection:
    """What a private choice among releases gave.

    ``release`` is the chosen one; its card states the guarantee of the whole: every candidate and
    the choice. ``index`` is its place in the list, ``fingerprints`` the SHA-256 of each candidate's
    rows as the ledger has them, ``rows`` the common number of rows at which all were scored.
    ``cost`` was charged for the choice alone, ``total`` is what all cost together.
    """

    release: Release
    index: int
    fingerprints: tuple[str, ...]
    rows: float
    depth: int
    cost: Budget
    total: Budget


def to_choose(
    candidates: Sequence[Release], schema: Schema, *, depth: int, rows: float | None
) -> Scored:
    """The whole list on common cells; refuses a list that cannot be chosen from."""
    if not 2 <= len(candidates) <= MOST_CANDIDATES:
        raise UsageError(
            f"a choice needs from 2 to {MOST_CANDIDATES:,} releases, not {len(candidates)}; list "
            "every release that was made, also those that you do not like"
        )
    check_made_from(candidates, schema)
    size = common_rows(candidates, schema, rows)
    return scored(candidates, schema, depth=depth, rows=size)


def common_rows(candidates: Sequence[Release], schema: Schema, rows: float | None) -> float:
    """The public number of rows at which all are scored: given, or twice the table's.

    Where the table's size is private, the largest candidate stands for it.
    """
    if rows is None:
        size = schema.rows or max(release.synthetic[0].rows for release in candidates)
        rows = ROWS_PER_REAL_ROW * size
    if isinstance(rows, bool) or not 1.0 <= rows <= LARGEST_SIZE:
        raise UsageError("rows is the public number of rows to score at, 1 or more")
    return float(rows)


def choose(table: PrivateTable, listed: Scored, *, spend: Budget) -> int:
    """The place of the chosen release, for ``spend``, PureDP, ZCDP or GDP."""
    return table.minimise(listed.domain, listed.score, spend=spend)


def selection(
    candidates: Sequence[Release],
    index: int,
    charges: Sequence[Charge],
    *,
    listed: Scored,
    total: Total,
    ledger: LedgerNote | None,
) -> Selection:
    """Everything that a choice leaves, with the promise of all that led to it."""
    card = replace(
        candidates[index].card,
        guarantee=_promise(candidates[index].card, total),
        charges=(*_made(candidates, index, listed, total), *_choice(charges, total)),
        ledger=ledger,  # never the candidate's: that run has not paid for this
    )
    return Selection(
        release=replace(candidates[index], card=card),
        index=index,
        fingerprints=listed.fingerprints,
        rows=listed.score.rows,
        depth=listed.score.depth,
        cost=total.choice,
        total=total.worked,
    )


def _promise(chosen: Card, total: Total) -> Guarantee:
    return replace(
        chosen.guarantee,
        asked=Amount.of(total.asked),
        worked=Amount.of(total.worked),
        conversion=total.words,
        status=total.status,
    )


def _made(
    candidates: Sequence[Release], index: int, listed: Scored, total: Total
) -> Iterator[ChargeNote]:
    """What the chosen release paid for, then every other run of the list in a line."""
    cards = [release.card for release in candidates]
    if total.plain:
        yield from cards[index].charges
    for place, card in enumerate(cards):
        own = total.first[place] == total.first[index]
        if (place == index and not total.plain) or (place == total.first[place] and not own):
            yield _line(card, total, place, listed.fingerprints[place])


def _choice(charges: Sequence[Charge], total: Total) -> Iterator[ChargeNote]:
    for one in charges:
        cost = Amount.of(total.enter(one.cost))
        yield ChargeNote(verb=one.verb, detail=dict(one.detail), cost=cost)


def _line(card: Card, total: Total, place: int, name: str) -> ChargeNote:
    """A candidate's whole cost as one charge."""
    detail = {"number": place, "method": card.method.name, "sha256": name}
    if card.ledger is not None:
        detail["run"] = card.ledger.run
    return ChargeNote(verb="candidate", detail=detail, cost=Amount.of(total.cost_of(card)))
