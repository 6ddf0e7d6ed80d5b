"""The paper's printed numbers against ours, each within what chance allows both sides."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any, Final

from experiments.pmse.comparison import (
    NO_PRIVACY,
    PROVEN,
    PROVEN_SIZES,
    PUBLISHED,
    label,
)
from experiments.pmse.setting import CPS
from experiments.pmse.summary import Results

FILE: Final = Path(__file__).with_name("claims.toml")
PRINTED_MECHANISM: Final = f"{PUBLISHED}, depth unlimited"


@dataclass(frozen=True)
class Verdict:
    """A printed number, ours, and how far apart chance may put them."""

    place: str
    name: str
    printed: str
    ours: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Whether chance explains the difference."""
        return abs(float(self.printed) - self.ours) <= self.tolerance


@dataclass(frozen=True)
class Target:
    """The proven mechanism's mean pMSE against the printed one at the same epsilon."""

    size: str
    epsilon: float
    printed: str
    ours: float
    reach: float

    @property
    def word(self) -> str:
        """Beats, matches or misses, as far as chance can tell."""
        if abs(self.ours - float(self.printed)) <= self.reach:
            return "matches"
        return "beats" if self.ours < float(self.printed) else "**misses**"


@dataclass(frozen=True)
class Claims:
    """The tables as printed, and the errors that their numbers of repetitions leave."""

    content: dict[str, Any]

    @classmethod
    def read(cls) -> Claims:
        """From ``claims.toml``."""
        return cls(tomllib.loads(FILE.read_text(encoding="utf-8")))

    @property
    def normal_reach(self) -> float:
        """How many standard errors a right number strays, except with the false-alarm rate."""
        return NormalDist().inv_cdf(1.0 - self.content["false_alarm"] / 2.0)

    @property
    def table_2(self) -> dict[float, dict[str, list[str]]]:
        """Printed mean and variance by epsilon and method."""
        return {float(epsilon): row for epsilon, row in self.content["table_2"].items()}

    def judge(self, results: Results) -> list[Verdict]:
        """Every printed number whose counterpart was measured."""
        return [*self._rates(results), *self._similarities(results)]

    def targets(self, results: Results) -> list[Target]:
        """Every size of the proven mechanism at every epsilon that was measured."""
        measure = f"greedy {measuring_cp(results):g}"
        found = []
        for size in PROVEN_SIZES:
            for epsilon, row in sorted(self.table_2.items()):
                measured = results["comparison"].get(label(f"{PROVEN}, {size}", epsilon))
                if measured is not None:
                    mean, variance = row[PRINTED_MECHANISM]
                    verdict = self._mean(size, mean, float(variance), measured[measure])
                    found.append(Target(size, epsilon, mean, verdict.ours, verdict.tolerance))
        return found

    def copied(self) -> list[tuple[str, float, float]]:
        """Variances that are printed twice: the method and both epsilons."""
        found = []
        epsilons = sorted(self.table_2)
        for first, second in pairwise(epsilons):
            for method, (_, variance) in self.table_2[first].items():
                if self.table_2[second][method][1] == variance:
                    found.append((method, first, second))
        return found

    def _rates(self, results: Results) -> Iterator[Verdict]:
        theirs = self.content["table_1_repeats"]
        for row, printed in self.content["table_1"].items():
            if row in results["violations"]:
                found = results["violations"][row]
                tolerance = 100.0 * self._share_reach(
                    found["over"], found["repeats"], float(printed) / 100.0, theirs
                )
                rate = 100.0 * found["over"] / found["repeats"]
                yield Verdict("Table 1", row, printed, rate, tolerance + half_digit(printed))

    def _share_reach(self, over: float, ours: float, printed: float, theirs: float) -> float:
        """For two shares of one law: its variance from both samples together."""
        share = (over + printed * theirs) / (ours + theirs)
        return self.normal_reach * sqrt(share * (1.0 - share) * (1.0 / ours + 1.0 / theirs))

    def _similarities(self, results: Results) -> Iterator[Verdict]:
        measure = f"greedy {measuring_cp(results):g}" if results["comparison"] else ""
        for epsilon, row in self.table_2.items():
            for method, (mean, variance) in row.items():
                found = results["comparison"].get(label(method, same_epsilon(method, epsilon)))
                if found is not None:
                    name, moments = f"{method}, epsilon {epsilon:g}", found[measure]
                    yield self._mean(f"mean of {name}", mean, float(variance), moments)
                    yield self._variance(f"variance of {name}", variance, moments)

    def _mean(self, name: str, printed: str, variance: float, found: dict[str, Any]) -> Verdict:
        errors = found["variance"] / found["repeats"] + variance / self.content["table_2_repeats"]
        tolerance = self.normal_reach * sqrt(errors) + half_digit(printed)
        return Verdict("Table 2", name, printed, found["mean"], tolerance)

    def _variance(self, name: str, printed: str, found: dict[str, Any]) -> Verdict:
        """A sample's variance has the relative variance (kurtosis - 1) / repeats."""
        repeats = 1.0 / found["repeats"] + 1.0 / self.content["table_2_repeats"]
        relative = sqrt(max(found["kurtosis"] - 1.0, 0.0) * repeats)
        tolerance = self.normal_reach * relative * found["variance"] + half_digit(printed)
        return Verdict("Table 2", name, printed, found["variance"], tolerance)


def measuring_cp(results: Results) -> float:
    """The cp at which our non-private synthesis has the printed pMSE: the paper does not say.

    That column depends on nothing else that the paper leaves open.
    """
    printed = [float(row[NO_PRIVACY][0]) for row in Claims.read().table_2.values()]
    wanted = sum(printed) / len(printed)
    found = results["comparison"].get(label(NO_PRIVACY, same_epsilon(NO_PRIVACY, 1.0)))
    if found is None:
        return min(CPS)
    return min(CPS, key=lambda cp: abs(found[f"greedy {cp:g}"]["mean"] - wanted))


def same_epsilon(method: str, epsilon: float) -> float:
    """Without privacy one measurement serves all epsilons."""
    return 1.0 if method == NO_PRIVACY else epsilon


def half_digit(printed: str) -> float:
    """Half a unit of the last printed digit, as rounding leaves it."""
    digits, _, power = printed.partition("e")
    places = len(digits.partition(".")[2])
    return 0.5 * 10.0 ** (int(power or 0) - places)


def broken_proofs(results: Results) -> list[str]:
    """What must hold without exception and did not, in words."""
    found = [
        f"{name}: a change above the exact bound"
        for name, row in results["violations"].items()
        if name.startswith("exact") and row["over tight"]
    ]
    worst = results["worst case"]
    if worst is not None and worst["exact"] > worst["bound"] / 2.0:
        found.append("worst case: the exact tree moved by more than its bound")
    return found
