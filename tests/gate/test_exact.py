"""Exact tables: a hinted workload is counted in one pass, within the cap, nothing mixed up."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables import TinyBackend, cells, purse_for, schema_of
from understudy.errors import UsageError
from understudy.gate.exact import ExactTables
from understudy.gate.private_table import PrivateTable
from understudy.gate.sensitive import Sensitive, reveal
from understudy.privacy.budget import PureDP
from understudy.schema.axes import domain_of
from understudy.schema.domain import Domain

SCHEMA = schema_of(cells("a", 2), cells("b", 3), cells("c", 4))
ROWS = [("0", "1", "2"), ("1", "1", "3"), ("1", "2", "3")]
A, B, C = ("a",), ("b",), ("c",)


class Watched(TinyBackend):
    """Notes which marginals each pass over the rows counted."""

    def __init__(self) -> None:
        super().__init__(SCHEMA, ROWS)
        self.passes: list[tuple[tuple[str, ...], ...]] = []

    def count(self, domain: Domain, marginals: object) -> list[np.ndarray]:
        self.passes.append(tuple(marginals))  # type: ignore[arg-type]
        return super().count(domain, marginals)  # type: ignore[arg-type]


def counts(tables: list[Sensitive[np.ndarray]]) -> list[list[int]]:
    return [reveal(table).ravel().tolist() for table in tables]


def test_a_hint_reads_nothing_and_saves_passes() -> None:
    backend = Watched()
    exact, domain = ExactTables(backend), domain_of(SCHEMA)
    exact.hint(domain, [A, B, A, ("b", "a")])
    assert backend.passes == []
    assert counts(exact.tables(domain, [B])) == [[0, 2, 1]]
    assert counts(exact.tables(domain, [("b", "a"), A])) == [[0, 0, 1, 1, 0, 1], [1, 2]]
    assert backend.passes == [(A, B, ("b", "a"))]
    assert counts(exact.tables(domain, [A, C, B])) == [[1, 2], [0, 0, 1, 2], [0, 2, 1]]
    assert backend.passes[1:] == [(C,)]


def test_without_a_hint_each_question_is_one_pass() -> None:
    backend = Watched()
    exact, domain = ExactTables(backend), domain_of(SCHEMA)
    assert counts(exact.tables(domain, [A, B])) == [[1, 2], [0, 2, 1]]
    assert backend.passes == [(A, B)]


def test_a_question_outside_the_hint_does_not_count_the_hint() -> None:
    backend = Watched()
    exact, domain = ExactTables(backend), domain_of(SCHEMA)
    exact.hint(domain, [A])
    exact.tables(domain, [C])
    assert backend.passes == [(C,)]


@pytest.mark.parametrize(
    ("cells_allowed", "kept"),
    [(9, [A, B, C]), (8, [A, B]), (6, [A, C]), (5, [A, B]), (3, [A]), (1, [])],
)
def test_the_cache_keeps_what_fits(cells_allowed: int, kept: list[tuple[str, ...]]) -> None:
    backend = Watched()
    exact, domain = ExactTables(backend, cache_cells=cells_allowed), domain_of(SCHEMA)
    order = [A, C, B] if cells_allowed == 6 else [A, B, C]
    exact.hint(domain, order)
    exact.tables(domain, [A])
    exact.tables(domain, [A])
    assert backend.passes == ([tuple(kept)] if kept else [(A,), (A,)])


def test_another_domain_of_the_same_columns_is_another_question() -> None:
    backend = Watched()
    exact, domain = ExactTables(backend), domain_of(SCHEMA)
    exact.hint(domain, [A])
    exact.tables(domain, [A])
    exact.tables(domain_of(SCHEMA), [A])
    assert backend.passes == [(A,), (A,)]
    exact.hint(domain, [B])
    exact.tables(domain, [A])
    assert backend.passes[2:] == [(A,)], "a new hint forgets the old tables"


def test_hints_are_checked_and_free() -> None:
    backend, purse = Watched(), purse_for(SCHEMA, PureDP(1))
    table, domain = PrivateTable(backend, purse), domain_of(SCHEMA)
    table.prepare(domain, [A, ["b", "c"]])
    for wrong in ([("a", "a")], [()], [("nowhere",)]):
        with pytest.raises(UsageError):
            table.prepare(domain, wrong)
    assert not purse.charges
    assert not backend.passes
    table.count(domain, [A], spend=PureDP("1/2"))
    table.count(domain, [("b", "c")], spend=PureDP("1/2"))
    assert backend.passes == [(A, ("b", "c"))]
