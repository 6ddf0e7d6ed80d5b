"""The page's last sections: the mechanism with a proof, and tables with more columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.pmse import comparison as names
from experiments.pmse import larger
from experiments.pmse.claims import PRINTED_MECHANISM, Claims, Target, measuring_cp, same_epsilon
from experiments.pmse.layout import NOT_MEASURED, mean, table
from experiments.pmse.summary import Results

OPENING = """\
## The mechanism with a proof

Understudy's method `pmse` keeps the paper's idea: the parameters are chosen so that the best tree
cannot tell the rows apart. It differs where the proof broke. Its trees are exact, on public cells,
so one person moves the impurity by less than 1. A noisy guess says where the parameters lie, and
one private choice among a thousand candidates around it says which to take: no chain. It releases
one table at the whole epsilon; more tables from the same parameters would cost nothing more. The
guarantee is pure epsilon-differential privacy for one person replaced, n public, as in the paper.

Measured with the same greedy tree as above (cp {cp:g}), so that the numbers compare. "Beats" and
"misses" are said only where chance does not explain the difference to the printed mean.
"""

EXACT = """\
The same releases by exact trees of depth 2, which is what the proof is about:
"""

LARGER = """\
## More columns, and mixed ones

The authors ask for more variables and for categories among them. Adult has 15 columns and 32,561
people, Fertility 10 and 100. The model is a copula with free margins, 1,000 candidates, each column
in at most 16 cells. The table shows the pMSE of exact trees, and the mean distance of one-way and
two-way tables: the share of people in a wrong cell. `pmse` is made for the first of these measures.
The others are there because a release is used for more than that. "Rows resampled" is the real
table drawn from itself, as good as a sample of this size can be, and not private.
"""


def sections(results: Results) -> Iterator[str]:
    """What was measured of both."""
    targets = Claims.read().targets(results)
    if targets:
        yield OPENING.format(cp=measuring_cp(results))
        yield _targets(targets)
        yield EXACT
        yield _exact(results)
    if results["larger"]:
        yield LARGER
        for name in ("adult", "fertility"):
            lines = list(_larger(results, name))
            if lines:
                yield table(_head(name), lines)


def _targets(targets: list[Target]) -> str:
    found = {(one.size, one.epsilon): one for one in targets}
    printed = {one.epsilon: one.printed for one in targets}
    lines = [["paper, greedy (not private)", *(printed.get(e, "") for e in names.EPSILONS)]]
    for size in names.PROVEN_SIZES:
        cells = (found.get((size, epsilon)) for epsilon in names.EPSILONS)
        lines.append([size, *(_target(one) if one else NOT_MEASURED for one in cells)])
    return table(("mean pMSE", *_epsilons()), lines)


def _target(one: Target) -> str:
    return f"{one.ours:.4f}, {one.word}"


def _epsilons() -> list[str]:
    return [f"epsilon {epsilon:g}" for epsilon in names.EPSILONS]


def _exact(results: Results) -> str:
    methods = (
        names.NO_PRIVACY,
        PRINTED_MECHANISM,
        *(f"{names.PROVEN}, {size}" for size in names.PROVEN_SIZES),
    )
    lines = []
    for method in methods:
        line = [method]
        for epsilon in names.EPSILONS:
            label = names.label(method, same_epsilon(method, epsilon))
            line.append(mean(results["comparison"].get(label, {}).get("exact 2")))
        lines.append(line)
    return table(("mean exact pMSE", *_epsilons()), lines)


def _head(name: str) -> tuple[str, ...]:
    measures = ("pMSE, depth 1", "pMSE, depth 2", "one-way", "two-way")
    return (name.capitalize(), "epsilon", "releases", *measures)


def _larger(results: Results, name: str) -> Iterator[tuple[str, ...]]:
    for method in (larger.RESAMPLED, *larger.METHODS):
        for epsilon in larger.EPSILONS:
            found = results["larger"].get(f"{name}: {method} @ {epsilon:g}")
            if found is not None:
                shown = "none" if method == larger.RESAMPLED else f"{epsilon:g}"
                yield (method, shown, *_measures(found))


def _measures(found: dict[str, Any]) -> Iterator[str]:
    yield f"{found['exact 1']['repeats']}"
    for measure in ("exact 1", "exact 2", "distance 1", "distance 2"):
        yield mean(found[measure])
