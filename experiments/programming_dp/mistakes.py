"""The chapter's mistakes, each measured beside the right way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Final

import numpy as np

import understudy as us
from experiments.programming_dp import laws, published, redone
from experiments.programming_dp.adult import Adult, schema
from experiments.programming_dp.claims import Expected, read

SPENT: Final = {
    "the histogram of ages": 1,
    "two direct range queries": 2,
    "a noisy n, twice": 2,
    "the two-way table": 1,
}
"""What the notebook spends, if each row is one person and people come or go."""


@dataclass(frozen=True)
class Line:
    """One measured consequence: as published, and the right way."""

    what: str
    published: str
    right: str


@dataclass(frozen=True)
class Mistake:
    """What the chapter does, why it matters, what to do instead, and what was measured."""

    name: str
    title: str
    does: str
    matters: str
    instead: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Setting:
    """What the measurements need: the table, a folder to work in, how often to repeat."""

    adult: Adult
    folder: Path
    repeats: int
    false_alarm: float
    rng: np.random.Generator


def measure(setting: Setting) -> list[Mistake]:
    """Every mistake, measured now."""
    return [make(setting) for make in ALL]


def categories(setting: Setting) -> Mistake:
    """Rows and columns of the crosstab exist because somebody is there."""
    adult = setting.adult
    lonely = int(np.flatnonzero(adult.table().sum(axis=1) == 1)[-1])
    kept = (adult.ages != lonely) | (adult.occupations == "?")
    without = Adult(adult.ages[kept], adult.occupations[kept])
    shapes = [published.crosstab(table).counts.shape for table in (adult, without)]
    own = [_released_shape(table, setting.folder) for table in (adult, without)]
    missing = int((adult.occupations == "?").sum())
    return Mistake(
        "categories",
        "The table's own shape gives somebody away",
        "It builds the two-way table from the ages and occupations that occur, and adds noise to "
        "those cells only.",
        f"Exactly one person with a known occupation is {lonely}. Without that person the table "
        "has one row less, whatever the noise. Whoever sees the table knows if that person is in "
        "it: the guarantee is void, not merely weak. People whose occupation is missing silently "
        "vanish too.",
        "Take every cell of the public product: each age from 0 to 99, each occupation, and "
        '"missing". Empty cells get noise like the others.',
        (
            Line("shape with everybody", _by(shapes[0]), _by(own[0])),
            Line(f"shape without the one person aged {lonely}", _by(shapes[1]), _by(own[1])),
            Line("true epsilon for that person", "infinite", "1"),
            Line("people left out", f"{missing:,}", "0"),
        ),
    )


def spending(setting: Setting) -> Mistake:
    """The notebook spends six times what it says."""
    source = setting.adult.write(setting.folder / "adult.csv")
    book = us.Ledger.in_memory(
        table="adult",
        unit=schema().unit.name,
        neighbours=schema().neighbours,
        total=us.PureDP(1),
    )
    options = {"columns": ("age",)}
    found = us.synthesize(
        source, schema(), epsilon=1, method="marginal", options=options, ledger=book
    )
    refused = _is_refused(source, book)
    size = redone.everybody(found)
    return Mistake(
        "spending",
        "Epsilon is 1, again and again",
        "Each step says epsilon = 1. Nothing adds the steps up. Twice it buys the number of rows "
        "for another 1.",
        "All steps ask about the same people, so what they cost adds up: "
        + ", ".join(f"{amount} for {what}" for what, amount in SPENT.items())
        + f". Together {sum(SPENT.values())}. A factor of e becomes a factor of "
        f"{np.exp(sum(SPENT.values())):,.0f}.",
        "Keep a ledger with a total: it refuses what does not fit. And do not buy n: the noisy "
        "cells already add up to it. It is less exact than a bought n, and it costs nothing.",
        (
            Line("epsilon stated", "1", "1"),
            Line("epsilon spent", f"{sum(SPENT.values())}", "1"),
            Line("a further question", "answered", "refused" if refused else "answered"),
            Line("standard error of n", f"{sqrt(2.0):.2f} (for 1 more)", f"{size.stddev:.2f}"),
        ),
    )


def wrong_table(setting: Setting) -> Mistake:
    """The range query looks at the real table, even when it is asked about synthetic rows."""
    adult, rng = setting.adult, setting.rng
    truth = published.count_between(adult.ages, 20, 30)
    broken, right = [], []
    for _ in range(setting.repeats):
        ages, _ = published.sampled_pairs(adult, len(adult), rng)
        broken.append(published.range_query(ages, adult.ages, 20, 30))
        right.append(published.count_between(ages, 20, 30))
    moved = adult.ages.copy()
    person = int(np.flatnonzero((moved < 30) & (ages >= 20))[0])
    moved[person] = 90
    change = published.range_query(ages, moved, 20, 30) - broken[-1]
    theirs = Expected(adult, setting.false_alarm).broken_20_29_error()
    return Mistake(
        "wrong-table",
        "A query that asks the real table about the synthetic rows",
        "Its range query names the real table where it should name its argument. The lower end "
        "is tested on the synthetic rows, the upper end on the real row in the same place.",
        "The result is no count of anything. It is not private either: it reads real rows after "
        "the noise. Age one real person by some decades, leave the synthetic rows alone, and the "
        f'"synthetic" answer changes by {change}, without any noise. The chapter prints an error '
        "of 14.8 percent for ages 20 to 29 and blames the two-way table. The broken query alone "
        f"predicts {theirs.low:.1f} to {theirs.high:.1f} percent.",
        "Count in the table that was passed. Better: add up the noisy cells, which have no drawing "
        "error and come with a standard error.",
        (
            Line("people aged 20 to 29 in the real table", f"{truth:,}", f"{truth:,}"),
            Line("mean answer of the query", f"{np.mean(broken):,.0f}", f"{np.mean(right):,.0f}"),
            Line(
                "mean error in percent",
                f"{np.mean([published.percent_error(truth, x) for x in broken]):.2f}",
                f"{np.mean([published.percent_error(truth, x) for x in right]):.2f}",
            ),
            Line("answer moves when one real row changes", f"yes, by {change}", "no"),
        ),
    )


def swapped(setting: Setting) -> Mistake:
    """The error of the mean divides by the wrong one of its two numbers."""
    mean, other = float(setting.adult.ages.mean()), 38.5542
    return Mistake(
        "swapped",
        "The error of the wrong number",
        "It calls the error function with the synthetic mean as the truth. Two further lines call "
        "a count of people a mean age.",
        "Here the slip hides behind the third digit. With a synthetic count of 9,118 for a true "
        "29,568 it would have said 224 percent instead of 69.",
        "Name the arguments, so that a swap can be seen: `percent_error(true=..., other=...)`.",
        (
            Line(
                "error of the mean age in percent",
                f"{published.percent_error(other, mean):.5f}",
                f"{published.percent_error(mean, other):.5f}",
            ),
            Line(
                "error of the count in percent, if swapped",
                f"{published.percent_error(9118, 29568):.1f}",
                f"{published.percent_error(29568, 9118):.1f}",
            ),
        ),
    )


def clipping(setting: Setting) -> Mistake:
    """Setting negative counts to zero invents people where nobody is."""
    adult, rng = setting.adult, setting.rng
    counts = adult.table().astype(float)
    added = laws.clipped_mean(counts, scale=1.0) - counts
    empty = counts == 0
    measured = [
        np.maximum(published.noisy(counts, rng), 0.0).sum() - counts.sum()
        for _ in range(setting.repeats)
    ]
    old = counts[85:].sum() / counts.sum()
    theirs = laws.clipped_mean(counts, scale=1.0)
    projected = _projected_share(counts, slice(85, None), setting)
    return Mistake(
        "clipping",
        "People out of nothing",
        "Each noisy count below zero becomes zero. Then all counts are scaled to one.",
        f"Here on all {counts.size:,} cells of the public product, so that only the clipping "
        f"differs. {int(empty.sum()):,} of them are empty. Clipping leaves half of their "
        "noise, the positive half: half a person in each, on average. Scaling takes them from the "
        "full cells. The rarer a group is, the more of it is invented.",
        "Project: lower all cells by one amount and drop what falls below zero, so that the total "
        "stays right. It is what `marginal` does unless told `negatives=clip`. Both look at noisy "
        "counts only, so both cost nothing. Some bias remains, since "
        "counts that are never negative cannot be right on average. For a rare group read the "
        "noisy cells themselves: they have no bias.",
        (
            Line("people added, expected", f"{added.sum():,.1f}", "0 (the noisy total is kept)"),
            Line("people added, measured", f"{np.mean(measured):,.1f}", "0"),
            Line(
                f"share aged 85 and over (true: {100 * old:.3f} %)",
                f"{100 * theirs[85:].sum() / theirs.sum():.3f} %",
                f"{100 * projected:.3f} %",
            ),
        ),
    )


def neighbours(setting: Setting) -> Mistake:
    """One noise scale, two promises."""
    source = setting.adult.write(setting.folder / "adult.csv")
    scales = []
    for rows in (None, len(setting.adult)):
        found = us.synthesize(
            source, schema(rows=rows), epsilon=1, method="marginal", options={"columns": ("age",)}
        )
        scales.append(float(found.card.charges[0].detail["noise"][0].split()[1]))
    costs = [_true_epsilon(pair, scale=1.0) for pair in (((3, 5), (3, 6)), ((3, 5), (2, 6)))]
    safe = _true_epsilon(((3, 5), (2, 6)), scale=scales[1])
    return Mistake(
        "neighbours",
        "Which two tables?",
        'Noise of scale 1 for the histogram, "by parallel composition".',
        "That is right if people come or go: one person is in one bin. If instead the number of "
        "people is public and one person is replaced by another, two bins change and the same "
        "noise costs 2. The chapter does not say which it means.",
        "Say it in the schema. Without `rows` the size is private and people come or go. With "
        "`rows` the size is public, people are replaced, and Understudy doubles the noise.",
        (
            Line("epsilon if one person comes or goes", f"{costs[0]:.4f}", f"{costs[0]:.4f}"),
            Line("epsilon if one person is replaced", f"{costs[1]:.4f}", f"{safe:.4f}"),
            Line("scale of the noise, size private", "1", f"{scales[0]:g}"),
            Line("scale of the noise, size public", "1", f"{scales[1]:g}"),
        ),
    )


def relative(setting: Setting) -> Mistake:
    """Errors of ranges grow like a square root, not with the range."""
    printed = {claim.name: claim.printed for claim in read()[0]}
    lines = []
    for low, high in ((30, 31), (30, 71)):
        people = published.count_between(setting.adult.ages, low, high)
        ages = "at age 30" if high == 31 else "at ages 30 to 70"
        for way, terms in (("from the histogram", high - low), ("asked directly", 1)):
            name = f"error in percent {ages}, {way}"
            typical = 100.0 * sqrt(2.0 * terms) / people
            lines.append(Line(name, f"{printed[name]:.4f} (one draw)", f"{typical:.4f} (law)"))
    return Mistake(
        "relative",
        "One draw is no law",
        "From single draws it concludes that the histogram's relative error is about the same for "
        "all ranges.",
        "A sum of m noisy bins has noise that grows like the square root of m. The count grows "
        "like m. So the relative error falls, only more slowly than that of a direct answer. The "
        "chapter's own numbers fall too: from 0.131 percent for one age to 0.024 for 41.",
        "Compute the standard error. `understudy.inference.counts.count` returns it with every "
        "range.",
        tuple(lines),
    )


def floats(setting: Setting) -> Mistake:
    """The last bits of a noisy number can say what it was made from."""
    draws = 20_000
    empty = setting.rng.laplace(0.0, 1.0, draws)  # a cell nobody is in
    near = (empty > 0.0) & (empty < 0.5)
    # 1 + x for x in (-1, -1/2) is exact, and x is a whole multiple of 2^-53; so is the sum.
    told = near & (np.mod(empty * 2.0**53, 1.0) != 0.0)
    whole = redone.release(setting.adult.write(setting.folder / "adult.csv"), ("age",))
    integers = all(noisy.values.dtype.kind == "i" for noisy in whole.measurements)
    return Mistake(
        "floats",
        "The last bits talk",
        "It draws noise as floating-point numbers and prints all digits.",
        "If one person is in a cell, a published 0.3 is 1 - 0.7, and its last bits must be zero. "
        "If nobody is, they can be anything. So many published cells prove that nobody is there, "
        "whatever epsilon says.",
        "Draw whole numbers: counts are whole, and so is Understudy's noise, exactly.",
        (
            Line(
                "empty cells that prove they are empty",
                f"{100.0 * told.mean():.1f} % (of {draws:,} drawn)",
                "none",
            ),
            Line("noisy counts are whole numbers", "no", "yes" if integers else "no"),
        ),
    )


ALL: Final[tuple[Callable[[Setting], Mistake], ...]] = (
    categories,
    spending,
    wrong_table,
    swapped,
    clipping,
    neighbours,
    relative,
    floats,
)


def _released_shape(adult: Adult, folder: Path) -> tuple[int, ...]:
    source = adult.write(folder / "some.csv")
    (noisy,) = redone.release(source, ("age", "occupation")).measurements
    shape: tuple[int, ...] = noisy.values.shape
    return shape


def _is_refused(source: Path, book: us.Ledger) -> bool:
    try:
        us.synthesize(source, schema(), epsilon=1, method="marginal", ledger=book)
    except us.BudgetExceeded:
        return True
    return False


def _projected_share(counts: redone.Floats, ages: slice, setting: Setting) -> float:
    """The share of some ages after projection, on average over the same noise."""
    from understudy.kernels.project import to_simplex

    shares = []
    for _ in range(setting.repeats):
        noisy = published.noisy(counts, setting.rng)
        kept = to_simplex(noisy, total=noisy.sum())
        shares.append(kept[ages].sum() / kept.sum())
    return float(np.mean(shares))


def _true_epsilon(pair: tuple[tuple[int, ...], tuple[int, ...]], *, scale: float) -> float:
    """The largest log-ratio of two histograms' exact laws under whole-number noise."""
    reach = np.arange(-12, 20)
    logs = [-np.abs(reach - count) / scale for table in pair for count in table]
    bins = len(pair[0])
    one, two = (sum(np.ix_(*logs[i : i + bins])) for i in (0, bins))
    return float(np.abs(one - two).max())


def _by(shape: tuple[int, ...]) -> str:
    return " by ".join(map(str, shape))
