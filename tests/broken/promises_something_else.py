"""Announces a selection and makes a count.

Privacy
-------
Gate calls, in this order:

1. ``select`` of the best column, at half of the budget.
2. ``count`` of that column.

Composition: the plain sum.
Neighbours: REPLACE_ONE. Lemma: ``gate/select.md``, ``gate/unwritten.md``.
All else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from tests.broken.method import Sound

CAUGHT_BY = ("has_a_privacy_section", "ledger_equals_the_privacy_section")


@final
@dataclass(frozen=True)
class Broken(Sound):
    """Sound, but not as announced."""


METHOD = Broken
