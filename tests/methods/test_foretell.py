"""What methods say of their errors before anything is spent, against what they then measure."""

from __future__ import annotations

import pytest

from tests.methods.subjects import fitted, mixed_rows, schema_like, subject_of
from understudy import methods
from understudy.errors import UsageError
from understudy.methods.base import Foretold
from understudy.methods.marginal import Marginal
from understudy.privacy.budget import PureDP
from understudy.schema.axes import domain_of
from understudy.schema.neighbours import Neighbours


@pytest.mark.parametrize("relation", Neighbours)
@pytest.mark.parametrize("name", ["independent", "marginal"])
def test_plain_counts_are_foretold_to_the_last_digit(name: str, relation: Neighbours) -> None:
    subject = subject_of(name)
    for budget in subject.budgets():
        schema = schema_like(relation)
        run = fitted(subject, schema, mixed_rows(), budget)
        measured = [
            Foretold(noisy.columns, noisy.values.shape, noisy.stddev)
            for noisy in run.table.measured(run.domain)
        ]
        assert subject.make().foretell(domain_of(schema), budget) == tuple(measured)


def test_what_a_fit_refuses_is_not_foretold() -> None:
    schema = schema_like(Neighbours.ADD_REMOVE)
    with pytest.raises(UsageError, match="cells"):
        Marginal(most_cells=2).foretell(domain_of(schema), PureDP(1))


def test_methods_that_find_their_way_foretell_nothing() -> None:
    domain = domain_of(schema_like(Neighbours.ADD_REMOVE))
    for name in ("aim", "mst"):
        assert methods.get(name)().foretell(domain, PureDP(1)) is None


def test_a_marginal_knows_its_number_of_cells() -> None:
    assert Foretold(("a", "b"), (3, 4), 1.0).cells == 12
