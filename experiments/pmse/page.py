"""The page: the paper's tables and figures, ours beside them, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from experiments.pmse import comparison as names
from experiments.pmse import page_proven
from experiments.pmse.chain import BURN_IN, RELEASES, THINNING
from experiments.pmse.claims import Claims, Verdict, measuring_cp, same_epsilon
from experiments.pmse.comparators import (
    GUESSED_SIDE,
    bins_per_column,
    guessed_smoothing,
    smoothing,
    true_epsilon,
)
from experiments.pmse.figures import Figure
from experiments.pmse.layout import NOT_MEASURED, mean, picture, table
from experiments.pmse.setting import CPS, ROWS
from experiments.pmse.summary import Results
from experiments.pmse.violations import EXACT_DEPTHS

OPENING = """\
# The pMSE mechanism's paper redone

This page was written by a program. It redoes the simulations of Snoke and Slavković, *pMSE
Mechanism: Differentially Private Synthetic Data with Maximal Distributional Similarity* (2018).
Their idea: draw the parameters of a model so that a classifier finds it hard to tell the synthetic
rows from the real ones. Its score, the pMSE, is 0 if it cannot tell at all and 0.25 if it always
can.

All tables here are simulated: 5,000 people, X1 ~ N(2, 10) and X2 ~ N(-2.5 + 0.5 X1, 3), variances
second. So we may look at the truth. Methods marked *not private* protect nobody, whatever epsilon
stands beside them.

To run it again: `python -m experiments.pmse`. What the paper leaves open, and how we read it,
stands in `experiments/pmse/README.md`.
"""

SECTION_5 = """\
## Section 5: one person moves a greedy tree by more than the bound

The paper proves that replacing one of n people moves the pMSE by at most 1 / n, if the trees are
the best of their size. (The exact constant for as many synthetic rows is 1 / (2 (n + 1)).) Its
simulations use greedy trees, which choose one split at a time. How often does one person then move
the pMSE by more? "Allowed" is how far chance may put two such percentages apart.
"""

EXACT = """\
Exact trees of depth 1 and 2 on the same pairs of tables, on a public grid: of {repeats:,.0f}
changes {over:,.0f} break the bound, and {tight:,.0f} the exact constant, half as large. That is no
coincidence but the theorem.

A rate like 0.3 percent is not an epsilon. Privacy is about the worst pair of tables, not about a
random one. Here is a bad pair. Two columns tell real from synthetic rows only together, as an
exclusive or; a third column tells nothing. One person decides on which column the greedy tree
splits first. On the wrong one, depth 2 is not enough to see any difference. Of {rows:,.0f} people
one moves the pMSE by **{greedy:.4f}**: all there is, and {times:,.0f} times the bound. The exact
tree of the same depth moves by {exact:.6f}.
"""

SECTION_6 = """\
## Section 6: regression coefficients

Regress X2 on X1 in the private output, and compare with the real table's coefficients. Methods that
release ten tables spend a tenth of epsilon on each and average. Bounds are given in *true* standard
deviations, which no keeper of a real table knows. The table shows mean absolute errors.
"""

SECTION_7 = """\
## Section 7: the pMSE of what is released

The paper does not say which tree measures Table 2. The column without privacy depends on nothing
else that is open, so we let it decide. Of the complexity parameters {cps},
cp {cp:g} comes nearest to its 0.0066, and all numbers below are measured so. The sizes are the
paper's: bounds of four standard deviations, unlimited depth.
"""

NOT_AS_PRINTED = """\
{holds} of {all} printed numbers of Table 2 are what we find, as far as chance can tell. What to
know about the others:

- **No privacy.** The measuring tree was chosen for this column, from a few values of cp. No value
  gives both its mean and its variance, so the paper's tree is another one.
- **Smoothed histogram.** With the printed formula for lambda, {bins} bins and epsilon 1, the
  density that is sampled is {uniform:.1%} uniform. It cannot have the printed pMSE, and more people
  would not help. The printed column looks like lambda = K / (K + n epsilon), which lacks a division
  by n ({side} bins a column; marked as our guess in the table). At "epsilon 1" such a release costs
  an epsilon of {true:,.0f}.
- **Noisy Bayes.** The paper names neither the statistics nor what becomes of a covariance matrix
  that noise has made impossible. Ours are two means, two variances and a covariance at equal
  shares, and eigenvalues are raised to a public floor.
- **pMSE as published.** A Metropolis chain that is stopped has the law of its start and its steps,
  and the paper names neither. Ours starts at the real estimates and takes {steps} steps. Nor are
  the printed numbers a property of the mechanism: with a flat prior and epsilon 0.25 in ten shares,
  its exact form nearly always releases tables of no use.
- **Variances of epsilon 2.** {copied}
"""

UNFINISHED = """\
## What was not run at full size

Planned and measured repetitions, where they differ. Every number on this page is made of measured
ones only; the tables say of how many.
"""


def markdown(results: Results, figures: Sequence[Figure]) -> str:
    """The whole page."""
    by_file = {figure.file: figure for figure in figures}
    verdicts = Claims.read().judge(results)
    parts = [OPENING]
    if results["violations"]:
        parts += _section_5(results, verdicts, by_file)
    if results["comparison"]:
        parts += _section_6(results, by_file)
        parts += _section_7(results, verdicts, by_file)
    parts += page_proven.sections(results)
    if results["unfinished"]:
        parts += [UNFINISHED, _unfinished(results["unfinished"])]
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def _section_5(
    results: Results, verdicts: Sequence[Verdict], figures: dict[str, Figure]
) -> Iterator[str]:
    yield SECTION_5
    yield table(
        ("tree", "pairs", "printed %", "ours %", "allowed", "agrees", "largest change"),
        (_rate(results, one) for one in verdicts if one.place == "Table 1"),
    )
    yield picture(figures["violations.svg"])
    exact = [results["violations"][f"exact depth {depth}"] for depth in EXACT_DEPTHS]
    totals = {key: sum(one[key] for one in exact) for key in ("repeats", "over", "over tight")}
    worst = results["worst case"]
    if worst is not None:
        yield EXACT.format(
            **{**worst, **totals, "tight": totals["over tight"]},
            times=worst["greedy"] / worst["bound"],
        )


def _rate(results: Results, verdict: Verdict) -> tuple[str, ...]:
    row = results["violations"][verdict.name]
    return (
        verdict.name,
        f"{row['repeats']:,.0f}",
        verdict.printed,
        f"{verdict.ours:.2f}",
        f"± {verdict.tolerance:.2f}",
        _yes(verdict),
        f"{row['largest'] * ROWS:.1f} / n",
    )


def _section_6(results: Results, figures: dict[str, Figure]) -> Iterator[str]:
    yield SECTION_6
    yield table(("method", *map(_at, names.SECTION_6)), _coefficients(results))
    yield picture(figures["coefficients.svg"])
    yield picture(figures["boxes.svg"])


def _at(epsilon: float) -> str:
    return f"intercept, slope at epsilon {epsilon:g}"


def _coefficients(results: Results) -> Iterator[list[str]]:
    """Mean absolute errors of both coefficients, for every method that was measured."""
    for method in names.methods():
        line = [method]
        for epsilon in names.SECTION_6:
            label = names.label(method, same_epsilon(method, epsilon))
            found = results["comparison"].get(label, {})
            line.append(
                f"{mean(found.get('intercept'), digits=3)}, {mean(found.get('slope'), digits=3)}"
                if found
                else NOT_MEASURED
            )
        if line.count(NOT_MEASURED) < len(names.SECTION_6):
            yield line


def _section_7(
    results: Results, verdicts: Sequence[Verdict], figures: dict[str, Figure]
) -> Iterator[str]:
    cp = measuring_cp(results)
    yield SECTION_7.format(cps=", ".join(f"{one:g}" for one in CPS), cp=cp)
    yield _similarities(results, cp)
    yield picture(figures["similarity.svg"])
    table_2 = [one for one in verdicts if one.place == "Table 2"]
    yield _not_as_printed(table_2)
    yield table(
        ("number", "printed", "ours", "allowed", "agrees"),
        (
            (one.name, one.printed, f"{one.ours:.4g}", f"± {one.tolerance:.2g}", _yes(one))
            for one in table_2
        ),
    )


def _similarities(results: Results, cp: float) -> str:
    """Means by method and epsilon with their standard errors; the printed mean in parentheses."""
    printed = Claims.read().table_2
    methods = [*next(iter(printed.values())), names.GUESSED]
    lines = []
    for method in methods:
        line = [method]
        for epsilon in names.EPSILONS:
            found = results["comparison"].get(names.label(method, same_epsilon(method, epsilon)))
            theirs = printed[epsilon].get(method)
            line.append(_beside(found[f"greedy {cp:g}"] if found else None, theirs))
        lines.append(line)
    head = ("mean pMSE (printed)", *(f"epsilon {epsilon:g}" for epsilon in names.EPSILONS))
    return table(head, lines)


def _beside(found: dict[str, Any] | None, printed: list[str] | None) -> str:
    theirs = f" ({float(printed[0]):.4f})" if printed else ""
    return f"{mean(found)}{theirs}"


def _not_as_printed(verdicts: Sequence[Verdict]) -> str:
    bins, guessed = bins_per_column(ROWS) ** 2, GUESSED_SIDE**2
    return NOT_AS_PRINTED.format(
        holds=sum(one.holds for one in verdicts),
        all=len(verdicts),
        bins=bins,
        uniform=smoothing(bins, ROWS, 1.0),
        side=GUESSED_SIDE,
        true=true_epsilon(guessed_smoothing(guessed, ROWS, 1.0), guessed, ROWS),
        steps=BURN_IN + RELEASES * THINNING,
        copied=_copied(),
    )


def _copied() -> str:
    found = Claims.read().copied()
    pairs = sorted({(first, second) for _, first, second in found})
    said = " and ".join(f"epsilon {first:g} and {second:g}" for first, second in pairs)
    return f"In {len(found)} of 4 columns they are printed twice, at {said}: a copying error."


def _unfinished(counts: dict[str, list[int]]) -> str:
    """One line per method: the fewest and the most repetitions of its epsilons."""
    methods: dict[str, list[list[int]]] = {}
    for name, both in counts.items():
        methods.setdefault(name.partition(" @ ")[0], []).append(both)
    lines = []
    for name, found in methods.items():
        done, planned = zip(*found, strict=True)
        lines.append((name, f"{min(done):,} to {max(done):,}", f"{max(planned):,}"))
    return table(("part", "measured", "planned"), lines)


def _yes(verdict: Verdict) -> str:
    return "yes" if verdict.holds else "**no**"
