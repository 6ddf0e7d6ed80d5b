"""The chapter's printed numbers against what they should be: exact, by law, or by arithmetic."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from math import isclose, sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np

from experiments.programming_dp import laws
from experiments.programming_dp.adult import AGES, OCCUPATIONS, Adult
from experiments.programming_dp.laws import Interval
from experiments.programming_dp.published import count_between, crosstab, percent_error

FILE: Final = Path(__file__).with_name("claims.toml")
SCALE: Final = 1.0
"""The scale of the chapter's noise: sensitivity 1, epsilon 1."""


@dataclass(frozen=True)
class Claim:
    """One printed number: where it stands and which rule judges it."""

    name: str
    cell: int
    rule: str
    compute: str
    printed: Any


@dataclass(frozen=True)
class Verdict:
    """A claim, what it was compared with, and whether it holds."""

    claim: Claim
    expected: Any
    holds: bool

    @property
    def shown(self) -> str:
        """What was expected, in a few words."""
        if isinstance(self.expected, Interval):
            return f"{self.expected.low:,.6g} to {self.expected.high:,.6g}"
        if isinstance(self.expected, list):
            return f"{sum(len(row) for row in self.expected)} numbers"
        return f"{self.expected:,}"


def read() -> tuple[list[Claim], float]:
    """The claims, and the probability with which a right noisy number may fail."""
    content = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return [Claim(**claim) for claim in content["claims"]], content["false_alarm"]


def judge(adult: Adult) -> list[Verdict]:
    """Every claim, judged on the real table."""
    claims, false_alarm = read()
    expected = Expected(adult, false_alarm)
    return [_verdict(claim, getattr(expected, claim.compute)()) for claim in claims]


def _verdict(claim: Claim, expected: Any) -> Verdict:
    if isinstance(expected, Interval):
        return Verdict(claim, expected, claim.printed in expected)
    if claim.rule == "derived":
        return Verdict(claim, expected, isclose(claim.printed, expected, rel_tol=1e-12))
    return Verdict(claim, expected, claim.printed == expected)


@dataclass(frozen=True)
class Expected:
    """What each printed number should be: a value, or an interval from the law of the noise."""

    adult: Adult
    false_alarm: float

    @cached_property
    def _printed(self) -> dict[str, Any]:
        return {claim.name: claim.printed for claim in read()[0]}

    def _between(self, low: int, high: int) -> int:
        return count_between(self.adult.ages, low, high)

    def people_21_32(self) -> int:
        """A count of rows."""
        return self._between(21, 33)

    def people_21_32_by_histogram(self) -> int:
        """A sum of bins: the same number by another way."""
        return int(self.adult.by_age[21:33].sum())

    def people_20_64(self) -> int:
        """A count of rows."""
        return self._between(20, 65)

    def mean_age(self) -> float:
        """Whole numbers added exactly, then one division."""
        return int(self.adult.ages.sum()) / len(self.adult)

    def table_head(self) -> list[list[int]]:
        """Ages 17 to 21 by the ten occupations that the page has room for."""
        rows: list[list[int]] = self.adult.table(OCCUPATIONS[:10])[17:22].tolist()
        return rows

    def noisy_21_32(self) -> Interval:
        """A sum of twelve noisy bins."""
        reach = laws.laplace_sum(terms=12, scale=SCALE, false_alarm=self.false_alarm)
        return laws.around(self._between(21, 33), reach)

    def _error(self, low: int, high: int, *, terms: int) -> Interval:
        reach = laws.laplace_sum(terms=terms, scale=SCALE, false_alarm=self.false_alarm)
        return Interval(0.0, 100.0 * reach / max(self._between(low, high), 1))

    def error_age_30(self) -> Interval:
        """One bin: the histogram and a direct question have the same noise."""
        return self._error(30, 31, terms=1)

    def error_30_70_histogram(self) -> Interval:
        """A sum of 41 noisy bins."""
        return self._error(30, 71, terms=41)

    def error_30_70_direct(self) -> Interval:
        """One noisy answer."""
        return self._error(30, 71, terms=1)

    def synthetic_mean(self) -> Interval:
        """Noise, clipping and 10,000 draws: the mean of a noisy law, and of draws from it."""
        counts, ages = self.adult.by_age.astype(float), np.array(AGES, dtype=float)
        share = laws.clipped_share(counts, ages, scale=SCALE)
        kept = laws.clipped_mean(counts, scale=SCALE)
        spread = float((kept * (ages - share.mean) ** 2).sum() / kept.sum())
        stddev = sqrt(share.variance + spread / 10_000)
        return laws.around(share.mean, laws.normal(stddev, false_alarm=self.false_alarm))

    def mean_error_as_printed(self) -> float:
        """The two arguments of the error are swapped: it divides by the synthetic mean."""
        mean = self._printed["mean age of 10,000 synthetic people"]
        return percent_error(mean, self.mean_age())

    def count_error_of_10000(self) -> float:
        """Plain arithmetic."""
        found = self._printed["synthetic people aged 20 to 64, of 10,000"]
        return percent_error(self.people_20_64(), found)

    def count_error_of_n(self) -> float:
        """Plain arithmetic."""
        found = self._printed["synthetic people aged 20 to 64, of a noisy n"]
        return percent_error(self.people_20_64(), found)

    def _broken(self, counts: Any, ages: Any, *, low: int, high: int, rows: int) -> Interval:
        """The broken query's law: REAL rows below ``high``, each kept if a draw is >= ``low``."""
        real = int((self.adult.ages[:rows] < high).sum())
        at_least = (np.asarray(ages) >= low).astype(float)
        share = laws.clipped_share(np.asarray(counts, dtype=float), at_least, scale=SCALE)
        return laws.drawn(share, draws=real, false_alarm=self.false_alarm / 2.0)

    def broken_20_64_of_10000(self) -> Interval:
        """The query of cell 230 on 10,000 synthetic rows, matched with as many real ones."""
        return self._broken(self.adult.by_age, AGES, low=20, high=65, rows=10_000)

    def broken_20_64_of_n(self) -> Interval:
        """The same on a noisy number of rows; the size's own noise widens the interval."""
        found = self._broken(self.adult.by_age, AGES, low=20, high=65, rows=len(self.adult))
        return self._missing_rows(found)

    def _missing_rows(self, found: Interval) -> Interval:
        """A noisy n below the real one cuts off rows at the end; above, nothing changes."""
        cut = laws.laplace_sum(terms=1, scale=SCALE, false_alarm=self.false_alarm / 2.0) + 1.0
        return Interval(found.low - cut, found.high)

    def first_cell(self) -> Interval:
        """One noisy count, divided by the sum of all the clipped ones."""
        counts = crosstab(self.adult).counts.astype(float).ravel()
        alarm = self.false_alarm / 2.0
        reach = laws.laplace_sum(terms=1, scale=SCALE, false_alarm=alarm)
        total = float(laws.clipped_mean(counts, scale=SCALE).sum())
        spread = sqrt(float(laws.clipped_variance(counts, scale=SCALE).sum()))
        wide = laws.normal(spread, false_alarm=alarm)
        return Interval(
            max(counts[0] - reach, 0.0) / (total + wide), (counts[0] + reach) / (total - wide)
        )

    def broken_20_29_error(self) -> Interval:
        """The same broken query on the two-way table: what the chapter takes for noise."""
        table = crosstab(self.adult)
        ages = np.repeat(table.ages, table.counts.shape[1])
        found = self._broken(table.counts.ravel(), ages, low=20, high=30, rows=len(self.adult))
        wide = self._missing_rows(found)
        real = self._between(20, 30)
        return Interval(
            percent_error(real, max(wide.low, real)), percent_error(real, max(wide.high, real))
        )
