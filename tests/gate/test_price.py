"""The noise that is foretold for a price is the noise that is answered at it."""

from __future__ import annotations

import pytest

from tests.methods.subjects import schema_like
from tests.noise_sources import SeededNoise
from tests.tables import TinyBackend, cells, purse_for
from understudy.gate.price import stddev_bought
from understudy.gate.private_table import PrivateTable
from understudy.privacy.budget import GDP, ZCDP, Budget, PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours


@pytest.mark.parametrize("contribution", [1, 3])
@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("budget", [PureDP("3/7"), PureDP(900), ZCDP("1/30"), ZCDP(50), GDP(9)])
def test_the_price_is_that_of_count(
    budget: Budget, relation: Neighbours, contribution: int
) -> None:
    schema = schema_like(relation, columns=[cells("a", 3)], rows=0, contribution=contribution)
    table = PrivateTable(
        TinyBackend(schema, []),
        purse_for(schema, budget),  # type: ignore[arg-type]
        noise=SeededNoise(1),
    )
    (noisy,) = table.count(domain_of(schema), [("a",)], spend=budget)
    assert stddev_bought(budget, schema) == noisy.stddev
