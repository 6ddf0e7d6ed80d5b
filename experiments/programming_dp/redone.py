"""The chapter's steps with Understudy: noisy tables, counts read off them, rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import understudy as us
from experiments.programming_dp import laws
from experiments.programming_dp.adult import AGES, OCCUPATIONS, Adult, schema
from experiments.programming_dp.published import count_between
from understudy.inference.counts import count
from understudy.inference.estimate import Estimate

EPSILON: Final = 1
RANGES: Final = ((21, 33), (30, 31), (30, 71), (20, 65), (20, 30))

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answer:
    """One range query: the truth, what the noisy table says, what the synthetic rows say."""

    low: int
    high: int
    truth: int
    estimate: Estimate
    in_rows: int
    reach: float

    @property
    def holds(self) -> bool:
        """Whether the error is one that the noise can make (see ``laws``)."""
        return bool(abs(self.estimate.value - self.truth) <= self.reach)


@dataclass(frozen=True)
class Redone:
    """What came out: both releases, the queries answered from each, and how good the rows are."""

    one_way: us.Release
    two_way: us.Release
    answers: tuple[Answer, ...]
    answers_two_way: tuple[Answer, ...]
    size: Estimate
    bought: float
    distances: dict[str, tuple[float, float]]

    @property
    def holds(self) -> bool:
        """Whether every estimate lies where the noise lets it lie."""
        return all(answer.holds for answer in (*self.answers, *self.answers_two_way))


def redo(adult: Adult, folder: Path, *, false_alarm: float) -> Redone:
    """Two releases from the table: ages alone, and ages by occupation. Epsilon 1 each."""
    source = adult.write(folder / "adult.csv")
    ages = release(source, ("age",))
    pairs = release(source, ("age", "occupation"))
    apart = us.synthesize(source, schema(), epsilon=EPSILON, method="independent")
    return Redone(
        ages,
        pairs,
        tuple(_answer(adult, ages, *ends, false_alarm=false_alarm) for ends in RANGES),
        tuple(_answer(adult, pairs, *ends, false_alarm=false_alarm) for ends in RANGES),
        size=everybody(ages),
        bought=everybody_alone(source),
        distances={
            "independent columns": _distances(adult, apart),
            "one two-way table": _distances(adult, pairs),
        },
    )


def release(source: Path, columns: tuple[str, ...], *, epsilon: float = EPSILON) -> us.Release:
    """One noisy table over these columns, and rows drawn from it."""
    return us.synthesize(
        source, schema(), epsilon=epsilon, method="marginal", options={"columns": columns}
    )


def between(found: us.Release, low: int, high: int) -> Estimate:
    """How many people are low <= age < high: noisy cells added up, with their standard error."""
    domain = found.models[0].domain
    return count(found.measurements, domain, {"age": range(low, high)})


def everybody(found: us.Release) -> Estimate:
    """How many people there are: all noisy cells added up. Costs nothing more."""
    return between(found, AGES[0], AGES[-1] + 1)


def everybody_alone(source: Path) -> float:
    """The standard error of a number of rows that is bought by itself, for epsilon 1 more."""
    alone = us.synthesize(
        source,
        schema(),
        epsilon=EPSILON,
        method="perturbed-histogram",
        options={"columns": ["age"], "bins": 1},
    )
    return everybody_of(alone).stddev


def everybody_of(found: us.Release) -> Estimate:
    """The sum of a release's only table."""
    (noisy,) = found.measurements
    return Estimate(float(noisy.values.sum()), noisy.stddev * sqrt(noisy.values.size))


def ages_of(found: us.Release) -> Any:
    """The ages of the synthetic rows."""
    return found.synthetic[0].columns["age"].data


def table_of(found: us.Release) -> Floats:
    """The synthetic rows by age and occupation, "missing" last."""
    columns = found.synthetic[0].columns
    occupations = columns["occupation"]
    assert occupations.missing is not None, "an occupation may be missing"
    cells = np.where(occupations.missing, len(OCCUPATIONS), occupations.data).astype(np.int64)
    table = np.zeros((len(AGES), len(OCCUPATIONS) + 1))
    np.add.at(table, (columns["age"].data.astype(np.int64), cells), 1.0)
    return table


def _answer(adult: Adult, found: us.Release, low: int, high: int, *, false_alarm: float) -> Answer:
    (noisy,) = found.measurements
    terms = (high - low) * (noisy.values.size // len(AGES))
    return Answer(
        low,
        high,
        truth=count_between(adult.ages, low, high),
        estimate=between(found, low, high),
        in_rows=count_between(ages_of(found), low, high),
        reach=laws.whole_noise_sum(terms=terms, scale=1.0 / EPSILON, false_alarm=false_alarm),
    )


def _distances(adult: Adult, found: us.Release) -> tuple[float, float]:
    """The share of rows in a wrong cell: by age alone, and by age and occupation."""
    truth = np.concatenate([adult.table(), adult.table(("?",))], axis=1) / len(adult)
    drawn = table_of(found)
    drawn /= max(drawn.sum(), 1.0)
    by_age = float(np.abs(truth.sum(1) - drawn.sum(1)).sum()) / 2.0
    return by_age, float(np.abs(truth - drawn).sum()) / 2.0
