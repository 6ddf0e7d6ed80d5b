"""Groups of figures. Each panel looks at several tables at once, so that the real one is counted
once, and returns one ``Finding`` per table.

To add figures: write a panel and put it in ``PANELS`` (name, function). Random choices come from
``setting.rng(name)``, the same for every table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from understudy.evaluate import columns, disclosure, marginals, queries
from understudy.evaluate.associations import NAMES, associations, errors
from understudy.evaluate.grid import Sample
from understudy.evaluate.marginals import Floats, Subsets
from understudy.evaluate.pmse import PMSE, cart_pmse, logistic_pmse, tree_pmse
from understudy.evaluate.prediction import Task, train_and_test
from understudy.evaluate.regression import Fit, Regression, overlap
from understudy.evaluate.rules import broken_shares
from understudy.evaluate.subgroups import group_errors

WASSERSTEIN_SETS: Final = 20
QUERIES: Final = 300
DEEP_TREES_UP_TO: Final = 8  # columns for which depth 3 takes no longer than the rest


@dataclass(frozen=True)
class Setting:
    """What all panels share: the real table and how it is looked at."""

    real: Sample
    sets: Mapping[int, Subsets]
    seed: int
    target: str | None = None
    train: Sample | None = None
    test: Sample | None = None
    holdout: Sample | None = None
    models: bool = True

    def rng(self, panel: str) -> np.random.Generator:
        """The panel's random choices; the same for every table."""
        return np.random.default_rng([self.seed, *panel.encode()])


@dataclass(frozen=True)
class Finding:
    """One table's figures, by name, and what else is worth keeping."""

    figures: dict[str, float]
    details: Any = None


Panel = Callable[[Setting, Sequence[Sample]], list[Finding]]


def one_way(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Column by column."""
    real, names = setting.real, sorted(setting.real.grid.columns)
    distances = marginals.total_variation_of_cells(real, tables)
    order = [real.grid.columns.index(name) for name in names]
    found = []
    for table, tvds in zip(tables, distances[:, order], strict=True):
        about = {name: columns.describe(real, table, name) for name in names}
        for name, tvd in zip(names, tvds, strict=True):
            about[name]["tvd"] = float(tvd)
        found.append(Finding(_one_way_figures(about, tvds), about))
    return found


def _one_way_figures(about: Mapping[str, Mapping[str, Any]], tvds: Floats) -> dict[str, float]:
    figures = _mean_and_max("tvd.1", tvds)
    for key in ("scaled", "ks"):
        values = [one[key] for one in about.values() if one[key] is not None]
        figures |= _mean_and_max({"scaled": "wasserstein.1"}.get(key, key), np.array(values))
    return figures | {"missing.max": max(one["missing"] for one in about.values())}


def k_way(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Pairs and triples: total variation and the NIST score."""
    found = [Finding({}, {}) for _ in tables]
    for k, sets in setting.sets.items():
        distances = marginals.total_variation(setting.real, tables, sets.chosen)
        for finding, row in zip(found, distances, strict=True):
            finding.figures.update(_mean_and_max(f"tvd.{k}", row))
            finding.details[str(k)] = _distribution(row, sets)
    scores = marginals.nist_score(setting.real, tables, setting.sets[2].chosen)
    for finding, score in zip(found, scores, strict=True):
        finding.figures["nist.score"] = float(score)
    return found


def _distribution(row: Floats, sets: Subsets) -> dict[str, Any]:
    levels = (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1)
    at = np.quantile(row, levels).tolist() if len(row) else [None] * len(levels)
    return {
        "sets": len(sets.chosen),
        "of": sets.of,
        "quantiles": {f"{level:g}": value for level, value in zip(levels, at, strict=True)},
        "worst": list(marginals.worst(row[None, :], sets.chosen)),
    }


def wasserstein(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Wasserstein distances of 20 random pairs and triples."""
    found = [Finding({}) for _ in tables]
    calls = len(tables) * len(setting.sets) * WASSERSTEIN_SETS
    for k, sets in setting.sets.items():
        rng = setting.rng("wasserstein")
        picked = [sets.chosen[i] for i in rng.permutation(len(sets.chosen))[:WASSERSTEIN_SETS]]
        for finding, table in zip(found, tables, strict=True):
            rng = setting.rng("wasserstein rows")
            values = [
                marginals.wasserstein(setting.real, table, columns, rng, calls=calls)
                for columns in picked
            ]
            finding.figures[f"wasserstein.{k}.mean"] = _mean(np.array(values))
    return found


def association(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Errors of the coefficients of pairs."""
    pairs = setting.sets[2].chosen
    real = associations(setting.real, pairs)
    found = []
    for table in tables:
        here = associations(table, pairs)
        figures: dict[str, float] = {}
        for name in NAMES:
            figures |= _mean_and_max(f"{name}.error", errors(real[name], here[name]))
        details = {
            name: [
                {"columns": list(pair), "real": real[name][pair], "synthetic": here[name][pair]}
                for pair in real[name]
            ]
            for name in NAMES
        }
        found.append(Finding(figures, details))
    return found


def counting_queries(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Errors of random range and conjunctive queries."""
    found = [Finding({}) for _ in tables]
    grid = setting.real.grid
    for k in range(1, min(3, len(grid.columns)) + 1):
        asked = queries.random_queries(grid, k=k, count=QUERIES, rng=setting.rng(f"queries {k}"))
        real = queries.answers(setting.real, asked)
        for finding, table in zip(found, tables, strict=True):
            errors = np.abs(queries.answers(table, asked) - real)
            finding.figures.update(_mean_and_max(f"queries.{k}", errors))
    return found


def propensity(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """pMSE of exact trees, a logistic regression and, with models, a greedy tree."""
    real = setting.real
    depths = (1, 2, 3) if len(real.grid.columns) <= DEEP_TREES_UP_TO else (1, 2)
    found = []
    for table in tables:
        rng = setting.rng("pmse")
        exact = tree_pmse(real, table, depths=depths, rng=rng)
        scores = {f"depth{depth}": score for depth, score in exact.items()}
        scores["logistic"] = logistic_pmse(real, table, rng=rng)
        if setting.models and setting.target is not None:
            scores["cart5"] = cart_pmse(real, table, rng=rng)
        found.append(Finding(_pmse_figures(scores)))
    return found


def _pmse_figures(scores: Mapping[str, PMSE]) -> dict[str, float]:
    figures = {f"pmse.{name}": score.value for name, score in scores.items()}
    return figures | {f"pmse_ratio.{name}": score.ratio for name, score in scores.items()}


def prediction(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Train on the table, test on real rows."""
    if setting.target is None or not setting.models or setting.test is None:
        return [Finding({}) for _ in tables]
    task = Task.of(setting.real, setting.target)
    found = []
    for table in tables:
        rng = setting.rng("prediction")
        figures: dict[str, float] = {}
        for name, quality in train_and_test(task, table, setting.test, rng).items():
            figures[f"auc.{name}"] = quality.auc
            figures[f"accuracy.{name}"] = quality.accuracy
            if quality.calibration is not None:
                figures[f"calibration.{name}"] = quality.calibration
        found.append(Finding(figures))
    return found


def regression(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Overlap of the intervals of regression coefficients."""
    if setting.target is None or len(setting.real.grid.columns) < 2:
        return [Finding({}) for _ in tables]
    rng = setting.rng("regression")
    model = Regression.of(setting.real, setting.target, rng=rng)
    real = model.fit(setting.real, rng)
    found = []
    for table in tables:
        here = model.fit(table, setting.rng("regression rows"))
        shares = overlap(real, here)
        figures = {
            "regression.overlap.mean": float(np.mean(shares)),
            "regression.disjoint": float(np.mean(shares == 0)),
        }
        found.append(Finding(figures, _coefficients(model.names, real, here, shares)))
    return found


def _coefficients(names: list[str], real: Fit, here: Fit, shares: Floats) -> list[dict[str, Any]]:
    return [
        {
            "feature": name,
            "real": [float(real.coefficients[i]), float(real.errors[i])],
            "synthetic": [float(here.coefficients[i]), float(here.errors[i])],
            "overlap": float(shares[i]),
        }
        for i, name in enumerate(names)
    ]


def subgroups(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Errors within groups."""
    found = []
    for table in tables:
        groups = group_errors(setting.real, table, rng=setting.rng("subgroups"))
        figures = _mean_and_max("subgroup.tvd", np.array([group.tvd for group in groups]))
        found.append(Finding(figures, groups))
    return found


def rules(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Shares of rows that break the schema's rules."""
    if not setting.real.grid.domain.schema.rules:
        return [Finding({}) for _ in tables]
    real, found = broken_shares(setting.real), []
    for table in tables:
        here = broken_shares(table)
        details = [{"rule": rule, "real": real[rule], "synthetic": here[rule]} for rule in here]
        found.append(Finding({"rules.broken.max": max(here.values())}, details))
    return found


def traces(setting: Setting, tables: Sequence[Sample]) -> list[Finding]:
    """Unique matches, nearest records, membership; no proof of privacy."""
    found = []
    for table in tables:
        rng = setting.rng("traces")
        matches = disclosure.unique_matches(setting.real, table)
        near = disclosure.nearest_records(setting.real, table, rng=rng)
        figures = {
            "unique_match.share": matches.matched,
            "nearest.median": near.median,
            "nearest.equal": near.equal,
        }
        details: dict[str, Any] = {
            "unique_real_rows": matches.unique_real,
            "nearest_lowest_5_percent": near.lowest_5_percent,
        }
        if setting.holdout is not None:
            gain = disclosure.membership(setting.real, setting.holdout, table, rng=rng)
            figures["membership.advantage"] = gain.value
            details["membership_interval"] = [gain.low, gain.high]
        found.append(Finding(figures, details))
    return found


def _mean_and_max(name: str, values: Floats) -> dict[str, float]:
    largest = float(values.max()) if len(values) else float("nan")
    return {f"{name}.mean": _mean(values), f"{name}.max": largest}


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else float("nan")


PANELS: Final[Mapping[str, Panel]] = {
    "columns": one_way,
    "marginals": k_way,
    "wasserstein": wasserstein,
    "associations": association,
    "queries": counting_queries,
    "pmse": propensity,
    "prediction": prediction,
    "regression": regression,
    "subgroups": subgroups,
    "rules": rules,
    "traces": traces,
}
