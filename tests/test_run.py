"""One run, step by step: shares, seeds, sizes, and what a failure leaves spent."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.methods.subjects import essence
from tests.noise_sources import SeededNoise
from tests.tables import Purse, Row, TinyBackend, cells, purse_for, schema_of
from understudy import run
from understudy.errors import UnderstudyError, UsageError
from understudy.methods.base import Synthesizer
from understudy.methods.independent import Independent
from understudy.methods.marginal import Marginal
from understudy.methods.mst import MST
from understudy.methods.planned import Planned
from understudy.models.product import ProductModel
from understudy.privacy.budget import GDP, ZCDP, ApproxDP, Budget, PureDP
from understudy.privacy.exchange import enter
from understudy.privacy.ledger import Ledger
from understudy.privacy.request import allot
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Real
from understudy.schema.schema import Schema

CLOSED = schema_of(cells("a", 2), cells("b", 3))
OPEN = schema_of(cells("a", 2), Category(name="city", levels="discover"), Real(name="r"))
ROWS: list[Row] = [("0", "1"), ("1", "2"), ("1", "2")] * 20
OPEN_ROWS: list[Row] = [("0", "Ulm", "3.5"), ("1", "Bonn", "-2")] * 40


def fitted(
    schema: Schema, rows: list[Row], asked: Budget, *, fits: int = 1, seed: int = 1
) -> tuple[run.Fitted, Purse]:
    allotment = allot(asked, schema, accepts=Independent.accepts)
    purse = purse_for(schema, allotment.working)
    done = run.fit(
        TinyBackend(schema, rows),
        purse,  # type: ignore[arg-type]
        method=Independent(),
        allotment=allotment,
        fits=fits,
        rng=np.random.default_rng(seed),
        noise=SeededNoise(9),
    )
    return done, purse


@pytest.mark.parametrize(
    ("schema", "rows", "asked"),
    [
        (CLOSED, ROWS, PureDP(1)),
        (CLOSED, ROWS, ZCDP("1/3")),
        (CLOSED, ROWS, ApproxDP(1, "1e-6")),
        (OPEN, OPEN_ROWS, ApproxDP(3, "1e-3")),
        (OPEN, OPEN_ROWS, ZCDP("1/3", "1e-3")),
    ],
)
@pytest.mark.parametrize("fits", [1, 3, 7])
def test_a_run_spends_exactly_its_working_budget(
    schema: Schema, rows: list[Row], asked: Budget, fits: int
) -> None:
    done, purse = fitted(schema, rows, asked, fits=fits)
    assert purse.spent == purse.budget
    assert len(done.models) == fits
    assert purse.budget == allot(asked, schema, accepts=Independent.accepts).working


def test_levels_and_bounds_are_bought_once_for_all_fits() -> None:
    done, purse = fitted(OPEN, OPEN_ROWS, ZCDP(1, "1e-3"), fits=3)
    assert [charge.verb for charge in purse.charges] == [
        *("discover", "count", "quantiles"),
        *("count", "count", "count"),
    ]
    assert all(model.domain is done.domain for model in done.models)
    assert len(done.measured) == 9
    costs = {charge.cost for charge in purse.charges[3:]}
    assert costs == {ZCDP("4/15")}


def test_refits_are_independent_and_measured_in_order() -> None:
    done, _ = fitted(CLOSED, ROWS, ZCDP(1), fits=2)
    assert essence(done.models[0]) != essence(done.models[1])
    assert [noisy.columns for noisy in done.measured] == [("a",), ("b",)] * 2


def model(size: float) -> ProductModel:
    shares: Mapping[str, np.ndarray] = {"a": np.array([0.5, 0.5]), "b": np.array([0.2, 0.3, 0.5])}
    return ProductModel(domain_of(CLOSED), size, shares)


def test_copies_come_from_one_fit_and_refits_from_their_own() -> None:
    one = run.sample((model(10.4),), copies=3, rows=None, rng=np.random.default_rng(1))
    assert [table.rows for table in one] == [10, 10, 10]
    texts = [np.concatenate([v.data for v in table.columns.values()]).tolist() for table in one]
    assert len({tuple(text) for text in texts}) == 3
    two = run.sample((model(10), model(99)), copies=2, rows=None, rng=np.random.default_rng(1))
    assert [table.rows for table in two] == [10, 10]


@pytest.mark.parametrize(
    ("size", "asked", "rows"),
    [(10.4, None, 10), (10.6, None, 11), (0.2, None, 0), (9.0, 4, 4), (9.0, 0, 0)],
)
def test_the_number_of_rows_is_asked_for_or_paid_for(
    size: float, asked: int | None, rows: int
) -> None:
    assert run.rows_of(model(size), asked) == rows


@pytest.mark.parametrize("name", ["rows", "copies", "seed"])
@pytest.mark.parametrize("wrong", [-1, 1.5, "3", True])
def test_outputs_that_make_no_sense_are_refused(name: str, wrong: object) -> None:
    asked = {"rows": None, "copies": 1, "seed": None, name: wrong}
    with pytest.raises(UsageError, match=f"{name} must be a whole number"):
        run.check_output(**asked)  # type: ignore[arg-type]


def test_no_copies_are_refused_and_no_rows_are_not() -> None:
    with pytest.raises(UsageError, match="copies"):
        run.check_output(rows=None, copies=0, seed=None)
    run.check_output(rows=0, copies=1, seed=0)


def test_a_currency_that_the_method_cannot_spend_is_refused() -> None:
    class PureOnly:
        accepts = (PureDP,)

    assert run.allotted(ZCDP(1), CLOSED, Independent()).working == ZCDP(1)
    assert run.allotted(PureDP(1), CLOSED, PureOnly()).working == PureDP(1)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="spends PureDP, not ZCDP"):
        run.allotted(ApproxDP(1, "1e-6"), CLOSED, PureOnly())  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", ["1/10", 1, 4, 7, 10, 30])
@pytest.mark.parametrize("delta", ["1e-9", "1e-5"])
@pytest.mark.parametrize("method", [Marginal(("a", "b")), Independent(), Planned(("pairs",))])
def test_epsilon_and_delta_are_worked_in_what_leaves_less_noise(
    method: Synthesizer, epsilon: str | int, delta: str
) -> None:
    """Rounding adds a twelfth to the variance, which is more than mu gains below a row of noise."""
    asked = ApproxDP(epsilon, delta)
    noise = {}
    for kind in (ZCDP, GDP):
        budget = allot(asked, CLOSED, accepts=(kind,)).for_fit
        foretold = method.foretell(domain_of(CLOSED), budget)
        assert foretold is not None
        noise[kind] = [one.stddev for one in foretold]
    chosen = run.allotted(asked, CLOSED, method)
    least = min((GDP, ZCDP), key=lambda kind: sum(stddev**2 for stddev in noise[kind]))
    assert type(chosen.working) is least
    assert asked.covers(enter(chosen.working, ApproxDP, entered=asked).entered)


def test_the_noise_decides_for_mu_and_for_rho() -> None:
    one_table = Marginal(("a", "b"))
    assert isinstance(run.allotted(ApproxDP(1, "1e-5"), CLOSED, one_table).working, GDP)
    assert isinstance(run.allotted(ApproxDP(10, "1e-5"), CLOSED, one_table).working, ZCDP)
    assert isinstance(run.allotted(ApproxDP(10, "1e-5"), CLOSED, MST()).working, GDP)


def test_a_failed_run_leaves_its_whole_reservation_spent() -> None:
    """Whether a run fails can depend on the rows, so a failure gives nothing back."""

    class FailingError(UnderstudyError):
        pass

    class Failing(TinyBackend):
        def count(self, *_: object) -> list[np.ndarray]:
            raise FailingError("the engine failed")

    ledger = Ledger.in_memory(
        table="toy", unit="one row", neighbours=CLOSED.neighbours, total=PureDP(3)
    )
    reservation = ledger.reserve(PureDP(2), purpose="test")
    with pytest.raises(FailingError):
        run.fit(
            Failing(CLOSED, ROWS),
            reservation,
            method=Independent(),
            allotment=allot(PureDP(2), CLOSED, accepts=Independent.accepts),
            rng=np.random.default_rng(1),
        )
    assert ledger.state().left == PureDP(1)
