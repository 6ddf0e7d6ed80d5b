"""Exact noise laws: every tabulated floor, and every doubtful word, against plain decimals."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from itertools import chain, repeat

import numpy as np
import pytest

from understudy.gate import law as law_module
from understudy.gate.law import Law

LAWS = [
    Law("laplace", 0.05),
    Law("laplace", 0.7),
    Law("laplace", 1.0),
    Law("laplace", 20.0),
    Law("laplace", 37.123456789),
    Law("gaussian", 0.1),
    Law("gaussian", 0.5),
    Law("gaussian", 1.0),
    Law("gaussian", 3.75),
    Law("gaussian", 42.407184560886186),
]
DIGITS = 120


@cache
def distribution(law: Law) -> dict[int, Decimal]:
    """F(x) by summing exp directly, each term computed on its own."""
    with localcontext() as context:
        context.prec = DIGITS
        scale = Decimal(law.scale)  # exact: a float is a decimal fraction
        reach = int(law.scale * (260 if law.kind == "laplace" else 24)) + 60

        def weight(x: int) -> Decimal:
            exponent = abs(x) / scale if law.kind == "laplace" else x * x / (2 * scale * scale)
            return (-exponent).exp()

        terms = {x: weight(x) for x in range(-reach, reach + 1)}
        mass = sum(terms.values(), Decimal(0))
        below = Decimal(0)
        found = {}
        for x, term in terms.items():
            below += term
            found[x] = below / mass
        return found


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_every_floor_is_the_floor_of_the_true_distribution_function(law: Law) -> None:
    first, table = law.table
    exact = distribution(law)
    with localcontext() as context:
        context.prec = DIGITS
        expected = [int(exact[first + i] * 2**64) for i in range(len(table))]
    assert table.tolist() == expected


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_what_the_table_leaves_out_is_in_doubt_for_its_first_or_last_word(law: Law) -> None:
    first, table = law.table
    exact = distribution(law)
    assert table[0] == 0
    assert table[-1] == 2**64 - 1
    assert (np.diff(table.astype(object)) >= 0).all()
    assert 0 not in table[1:]
    assert 2**64 - 1 not in table[:-1]
    assert exact[first] < Decimal(2) ** -64 <= exact[first + 1]
    assert 1 - exact[first + len(table) - 1] <= Decimal(2) ** -64


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("which", ["first", "low", "middle", "high", "last"])
@pytest.mark.parametrize("next_word", [0, 1, 2**63, 2**64 - 2])
def test_a_doubtful_word_is_decided_as_the_whole_number_would_be(
    law: Law, which: str, next_word: int
) -> None:
    first, table = law.table
    place = {
        "first": 0,
        "low": min(1, len(table) - 1),
        "middle": len(table) // 2,
        "high": max(len(table) - 2, 0),
        "last": len(table) - 1,
    }[which]
    word = int(table[place])
    words = chain([next_word], repeat(2**63))
    found = law.decide(word, lambda: next(words))
    exact = distribution(law)
    with localcontext() as context:
        context.prec = DIGITS
        u = ((Decimal(word) * 2**64 + next_word) * 2**64 + 2**63) / Decimal(2) ** 192
        expected = min(x for x, below in exact.items() if u < below)
    assert found == expected
    assert first <= found or word == 0


def test_bits_are_drawn_until_nothing_is_in_doubt() -> None:
    law = Law("gaussian", 3.75)
    first, table = law.table
    x = first + len(table) // 2
    with localcontext() as context:
        context.prec = DIGITS
        digits = int(distribution(law)[x] * 2**256)
    words = [(digits >> shift) & (2**64 - 1) for shift in (128, 64, 0)]
    words[-1] -= 1  # just below F(x) in the fourth word
    given = iter(words)
    assert law.decide(digits >> 192, lambda: next(given)) == x
    assert next(given, None) is None


def test_too_few_guard_bits_are_noticed_and_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    law = Law("gaussian", 20.0)
    enough = law._floors(64)
    asked = []
    certain = law_module._certain_floors

    def watched(of: Law, bits: int, guard: int) -> list[int] | None:
        asked.append(guard)
        return certain(of, bits, guard)

    monkeypatch.setattr(law_module, "GUARD", 8)
    monkeypatch.setattr(law_module, "_certain_floors", watched)
    found = law._floors(64)
    assert asked[:2] == [8, 16]
    middle = len(found) // 2
    assert found[middle - 50 : middle + 50] == enough[len(enough) // 2 - 50 :][:100]


def test_effort_is_the_number_of_weights() -> None:
    law = Law("laplace", 20.0)
    assert law.effort == len(law_module._weights(law, 64 + law_module.GUARD))
    assert Law("gaussian", 1000.0).effort < Law("laplace", 1000.0).effort
