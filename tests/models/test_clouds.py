"""Families and clouds: what they ask, where their candidates lie, what those expect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.tables import cells, numbers, schema_of
from understudy.errors import UsageError
from understudy.models.chain_family import ChainFamily
from understudy.models.cloud import Cloud, CloudPlan, Family, Grid
from understudy.models.copula_family import CopulaFamily
from understudy.models.general_location_family import GeneralLocationFamily
from understudy.models.latent_cloud import LatentCloud
from understudy.models.normal_family import NormalFamily
from understudy.schema.axes import domain_of
from understudy.schema.columns import Column, Integer, Real
from understudy.schema.domain import BinAxis, Domain
from understudy.schema.measurement import Noisy, NoisyVector

PLAN = CloudPlan(40, cells=8, simulated=50_000)
ROWS = 4000
FAMILIES = [NormalFamily(), ChainFamily(), CopulaFamily(), GeneralLocationFamily()]
OF_SUMS = [NormalFamily(), ChainFamily(), GeneralLocationFamily()]


def normal_rows(rho: float = 0.6) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    rows = rng.multivariate_normal([2.0, -1.0], [[1.0, 0.5 * rho], [0.5 * rho, 0.25]], ROWS)
    return pd.DataFrame(rows, columns=["x", "y"])


REALS: tuple[Column, ...] = (
    Real(name="x", min=-2.0, max=6.0),
    Real(name="y", min=-3.0, max=1.0),
)


def domain_for(*columns: Column) -> Domain:
    return domain_of(schema_of(*columns, rows=ROWS))


def run(family: Family, domain: Domain, rows: pd.DataFrame, *, plan: CloudPlan = PLAN) -> Any:
    """The cloud of a family that gets exact answers with the noise they would have had."""
    asking = family.ask(domain, plan)
    question, shares = next(asking), []
    while True:
        shares.append(question.share)
        answer: Sequence[Noisy] | NoisyVector
        if question.moments:
            answer = NoisyVector(_sums(question, rows), 8.0)
        else:
            answer = [Noisy(m, _counts(question.domain, m, rows), 5.0) for m in question.marginals]
        try:
            question = asking.send(answer)
        except StopIteration as done:
            assert sum(shares) == 1
            return done.value


def _code(domain: Domain, name: str, rows: pd.DataFrame) -> np.ndarray:
    axis, values = domain.axes[name], rows[name].to_numpy()
    if not isinstance(axis, BinAxis):
        return values.astype(int)
    inside = np.clip(np.searchsorted(axis.edges, values, side="right") - 1, 0, axis.proper - 1)
    return np.where(np.isnan(values), axis.proper, inside)


def _counts(domain: Domain, marginal: tuple[str, ...], rows: pd.DataFrame) -> np.ndarray:
    table = np.zeros(domain.shape(marginal), dtype=np.int64)
    np.add.at(table, tuple(_code(domain, name, rows) for name in marginal), 1)
    return table


def _sums(question: Any, rows: pd.DataFrame) -> np.ndarray:
    def feature(one: Any) -> np.ndarray:
        if one.cell is not None:
            codes = _code(question.domain, one.column, rows)
            return (codes == one.cell).astype(float)
        axis = question.domain.axes[one.column]
        low, high = axis.edges[0], axis.edges[-1] - axis.whole
        scaled = 2 * (np.clip(rows[one.column].to_numpy(), low, high) - low) / (high - low) - 1
        return np.nan_to_num(scaled)

    return np.array(
        [
            np.prod([feature(one) for one in m.features] or [np.ones(len(rows))], axis=0).sum()
            for m in question.moments
        ]
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_the_guess_is_the_table_and_the_cloud_lies_around_it(family: Family) -> None:
    rows = normal_rows()
    cloud = run(family, domain_for(*REALS), rows)
    drawn = cloud.model(0).sample(40_000, np.random.default_rng(0)).to_pandas().astype(float)
    assert np.abs(drawn.mean() - rows.mean()).max() < 0.06
    assert abs(drawn.corr().iloc[0, 1] - 0.6) < 0.06
    found = cloud.correlations[:, 0, 1]
    assert found[1:].min() < found[0] < found[1:].max()
    assert cloud.candidates == 40


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("depth", [1, 2])
def test_what_is_expected_by_formula_is_what_is_simulated(family: Family, depth: int) -> None:
    """50,000 simulated rows: 6 standard deviations of a share are below 0.014."""
    rows = normal_rows()
    rows.loc[::7, "y"] = np.nan
    columns = (REALS[0], Real(name="y", min=-4.0, max=4.0, missing=("",)))
    cloud = run(family, domain_for(*columns), rows)
    tables = [("x",), ("y",)] if depth == 1 else [("x", "y")]
    formula = cloud.shares(tables, 0, 3)
    simulated = Cloud.shares(cloud, tables, 0, 3)
    assert formula.shape == simulated.shape
    assert np.abs(formula - simulated).max() < 0.014
    assert np.allclose(formula.sum(axis=1), len(tables))


def test_simulated_candidates_have_common_random_numbers() -> None:
    cloud = run(NormalFamily(), domain_for(*REALS), normal_rows())
    same = LatentCloud(
        **{
            **vars(cloud),
            **{name: vars(cloud)[name][[3, 3]] for name in ("places", "scales", "correlations")},
        }
    )
    one, two = Cloud.shares(same, [("x", "y")], 0, 2)
    assert np.array_equal(one, two)


@pytest.mark.parametrize("family", OF_SUMS)
def test_bought_bounds_do_not_cut_the_tails_of_a_normal_model(family: Family) -> None:
    schema = schema_of(Real(name="x"), Real(name="y", min=0.0), rows=ROWS)
    domain = domain_of(schema, bounds={"x": (-1.0, 1.0), "y": (0.0, 2.0)})
    rows = pd.DataFrame({"x": np.linspace(-1, 1, ROWS), "y": np.linspace(0, 2, ROWS)})
    axes = run(family, domain, rows).domain.axes
    assert axes["x"].edges[0] < -2.5 < 2.5 < axes["x"].edges[-1]
    assert axes["y"].edges[0] == 0.0
    assert axes["y"].edges[-1] > 3.5


@pytest.mark.parametrize("value", [0.0, -9.0, np.nan])
def test_constant_columns_make_models(value: float) -> None:
    columns = (REALS[0], Integer(name="k", min=-10, max=10, missing=("",)))
    rows = pd.DataFrame({"x": np.full(ROWS, 3.0), "k": np.full(ROWS, value)})
    for family in FAMILIES:
        cloud = run(family, domain_for(*columns), rows)
        for index in range(cloud.candidates):
            cloud.model(index).draw(5, np.random.default_rng(0))
        drawn = cloud.model(0).sample(500, np.random.default_rng(0)).to_pandas()
        assert abs(drawn["x"].astype(float).mean() - 3.0) < 0.4
        assert drawn["k"].isna().mean() > 0.9 or not np.isnan(value)
        assert np.isfinite(cloud.shares([("k", "x")], 0, 40)).all()


@pytest.mark.parametrize("family", OF_SUMS)
@pytest.mark.parametrize("noise", [1e9, -1e9, 0.0])
def test_answers_that_are_all_noise_still_make_candidates(family: Family, noise: float) -> None:
    """Sums that no table has: negative variances, correlations beyond 1, no rows at all."""
    domain = domain_of(schema_of(*REALS, numbers("k", 0, 3)))
    asking = family.ask(domain, PLAN)
    question = next(asking)
    answers = np.where(np.arange(len(question.moments)) % 2, noise, -noise)
    with pytest.raises(StopIteration) as done:
        asking.send(NoisyVector(answers, 1e6))
    cloud = done.value.value
    for index in range(cloud.candidates):
        cloud.model(index).draw(3, np.random.default_rng(0))
    assert np.isfinite(cloud.shares([("k", "x"), ("k", "y"), ("x", "y")], 0, 40)).all()


@pytest.mark.parametrize("family", [NormalFamily(), ChainFamily()])
def test_a_normal_model_refuses_levels(family: Family) -> None:
    with pytest.raises(UsageError, match="copula"):
        family.scope(schema_of(*REALS, cells("ward", 2)))


def test_a_grid_has_few_cells_that_are_about_equally_likely() -> None:
    domain = domain_for(
        Integer(name="k", min=0, max=99, missing=("",)), cells("a", 3), cells("b", 65)
    )
    shares = {"k": np.repeat([0.04, 0.0], [25, 75]), "a": np.ones(3), "b": np.ones(65)}
    grid = Grid.of(domain, shares, most=5)
    assert grid.columns == ("a", "k"), "65 levels are too many to be scored"
    assert grid.sizes == (3, 6)
    assert set(np.bincount(grid.parents["k"][:25]).tolist()) <= {4, 5, 6}
    assert grid.parents["k"][-1] == 5
    assert grid.parents["a"].tolist() == [0, 1, 2]
