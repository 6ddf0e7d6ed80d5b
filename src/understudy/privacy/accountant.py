"""The accountant: what several events or budgets cost together. It refuses what it cannot add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from understudy.errors import UsageError
from understudy.privacy.budget import Budget, known_currency
from understudy.privacy.convert import add_remove_to_replace_one
from understudy.privacy.events import Event
from understudy.schema.neighbours import Neighbours

B = TypeVar("B", bound=Budget)


def compose(spent: Iterable[Event | Budget], currency: type[B]) -> B:
    """The plain sum of all costs in one currency, in any order and adaptively chosen.

    A budget counts as it is and must be in that currency; converting is a named step before.
    """
    total = known_currency(currency).zero()
    for item in spent:
        total += item.cost(currency) if isinstance(item, Event) else item
    return total


def parallel(
    blocks: Sequence[B], *, neighbours: Neighbours, within: Sequence[B] | None = None
) -> B:
    """What mechanisms on disjoint blocks of rows cost together.

    ``blocks`` are the costs of the mechanisms under ADD_REMOVE, one each. Then adding or removing a
    unit touches one block: the largest cost. Replacing a unit either moves it between two blocks
    (the two largest costs together) or stays in one, at that block's cost ``within`` under
    REPLACE_ONE; if that is not given, it is bought by the named conversion.
    """
    if not blocks:
        raise UsageError("parallel composition needs at least one block")
    if neighbours is Neighbours.ADD_REMOVE:
        return _worst(blocks)
    if within is None:
        within = [add_remove_to_replace_one(block) for block in blocks]
    if len(within) != len(blocks):
        raise UsageError(f"{len(within)} costs within a block were given for {len(blocks)} blocks")
    return _worst([_two_worst(blocks), *within])


def _worst(budgets: Sequence[B]) -> B:
    """At least as much as each of them, part by part."""
    kind = _one_currency(budgets)
    return kind(*(max(parts) for parts in zip(*(b.parts for b in budgets), strict=True)))


def _two_worst(budgets: Sequence[B]) -> B:
    kind = _one_currency(budgets)
    columns = zip(*(b.parts for b in budgets), strict=True)
    return kind(*(sum(sorted(parts)[-2:]) for parts in columns))


def _one_currency(budgets: Sequence[B]) -> type[B]:
    kind = type(budgets[0])
    compose(budgets, kind)
    return kind
