"""Releases with known rows, as if a method had made them for a stated budget."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.report.cards import ToyCharge, a_card
from understudy.models.product import ProductModel
from understudy.privacy.budget import Budget, PureDP
from understudy.release import Release
from understudy.report.card import LedgerNote
from understudy.schema.axes import domain_of
from understudy.schema.schema import Schema
from understudy.table.codec import decode
from understudy.table.table import Codes


def candidate(
    schema: Schema,
    *rows: Sequence[int],
    cost: Budget | None = None,
    asked: Budget | None = None,
    run: str | None = None,
    copies: int = 1,
) -> Release:
    """A release whose rows lie in these cells of the schema's closed columns."""
    domain = domain_of(schema)
    table = np.array(rows, dtype=np.uint8).reshape(len(rows), len(domain.columns))
    codes = Codes(domain, dict(zip(domain.columns, table.T, strict=True)), len(rows))
    even = {name: np.full(axis.size, 1.0 / axis.size) for name, axis in domain.axes.items()}
    worked = PureDP(1) if cost is None else cost
    card = a_card(
        schema,
        asked=asked or worked,
        worked=worked,
        conversion="",
        charges=(ToyCharge("count", {"marginals": [["a"]]}, worked),),
        ledger=None if run is None else LedgerNote("toy.ledger", schema.name, run),
    )
    return Release(
        synthetic=(decode(codes, rng=np.random.default_rng(1)),) * copies,
        models=(ProductModel(domain, float(len(rows)), even),),
        measurements=[],
        card=card,
    )
