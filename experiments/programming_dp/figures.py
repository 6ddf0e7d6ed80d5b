"""The chapter's figures redrawn, and three of our own. Each is a static SVG file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np

from experiments.programming_dp import laws, published, redone
from experiments.programming_dp.adult import AGES, Adult
from experiments.programming_dp.redone import Redone

INK: Final = "#1f4e79"
ALERT: Final = "#c2410c"
GREY: Final = "#8a8f98"
WIDTH: Final = 640


@dataclass(frozen=True)
class Figure:
    """A figure's file, what it shows in a few words, and what a reader should see in it."""

    file: str
    alt: str
    caption: str


def draw(adult: Adult, found: Redone, folder: Path, rng: np.random.Generator) -> list[Figure]:
    """Write every figure into the folder."""
    charts = (
        _histogram(adult),
        _noisy(found),
        _drawn(found, rng),
        _two_ways(adult, found),
        _relative(adult),
        _invented(adult),
        _broken(adult, rng),
    )
    for figure, chart in charts:
        chart.configure(background="white", font="sans-serif").configure_view(stroke=None).save(
            folder / figure.file
        )
    return [figure for figure, _ in charts]


def _rows(**columns: Iterable[Any]) -> Any:
    """Rows of named values, as altair takes them."""
    import altair

    lists = {name: np.asarray(values).tolist() for name, values in columns.items()}
    return altair.InlineData(
        values=[dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    )


def _chart(rows: Any, *, height: int = 220, title: str = "") -> Any:
    import altair

    return altair.Chart(rows, width=WIDTH, height=height, title=title)


def _bars(values: Iterable[Any], *, unit: str) -> Any:
    import altair

    return (
        _chart(_rows(age=AGES, value=values))
        .mark_bar(color=INK)
        .encode(
            altair.X("age:Q", title="age", scale=altair.Scale(domain=[0, 100])),
            altair.Y("value:Q", title=unit),
        )
    )


def _histogram(adult: Adult) -> tuple[Figure, Any]:
    caption = "How many people of each age are in the table. This figure is not private."
    return Figure("ages.svg", "Bars: people by age", caption), _bars(adult.by_age, unit="people")


def _noisy(found: Redone) -> tuple[Figure, Any]:
    (noisy,) = found.one_way.measurements
    caption = (
        "The noisy counts at epsilon 1, scaled to sum to one. The noise is there, and too small "
        "to be seen: 1.36 people in each bar."
    )
    return Figure("noisy.svg", "Bars: noisy share of people by age", caption), _bars(
        noisy.values / noisy.values.sum(), unit="share of people"
    )


def _drawn(found: Redone, rng: np.random.Generator) -> tuple[Figure, Any]:
    table = found.one_way.models[0].sample(10_000, rng)
    drawn = np.bincount(table.columns["age"].data.astype(np.int64), minlength=len(AGES))
    caption = (
        "Ten thousand synthetic people. What wobbles here is the drawing, not the noise: the "
        "drawing error of a bar of 250 people is 16."
    )
    return Figure("drawn.svg", "Bars: synthetic people by age", caption), _bars(
        drawn, unit="synthetic people"
    )


def _two_ways(adult: Adult, found: Redone) -> tuple[Figure, Any]:
    import altair

    names = ("noise of the table of ages", "noise of ages by occupation, added up")
    error = {
        name: _age_errors(adult, release)
        for name, release in zip(names, (found.one_way, found.two_way), strict=True)
    }
    rows = _rows(
        age=[*AGES] * 2,
        error=[value for values in error.values() for value in values],
        table=[name for name in names for _ in AGES],
    )
    colours = altair.Scale(domain=list(names), range=[INK, ALERT])
    chart = (
        _chart(rows)
        .mark_line()
        .encode(
            altair.X("age:Q"),
            altair.Y("error:Q", title="noisy minus real count"),
            altair.Color(
                "table:N",
                scale=colours,
                legend=altair.Legend(orient="top", title=None, labelLimit=400),
            ),
        )
    )
    caption = (
        "What a second column costs. The count of an age is now a sum of 15 noisy cells, so its "
        f"noise is √15 = {sqrt(15):.1f} times as large."
    )
    return Figure(
        "two-ways.svg",
        "Lines: error of the count of each age, from one-way and two-way tables",
        caption,
    ), chart


def _age_errors(adult: Adult, release: Any) -> list[float]:
    return [
        redone.between(release, age, age + 1).value - people
        for age, people in zip(AGES, adult.by_age, strict=True)
    ]


def _relative(adult: Adult) -> tuple[Figure, Any]:
    import altair

    highs = range(31, 91)
    people = np.array([published.count_between(adult.ages, 30, high) for high in highs])
    ways = {"from the histogram": [sqrt(2.0 * (h - 30)) for h in highs]}
    ways["asked directly, each for epsilon 1"] = [sqrt(2.0)] * len(highs)
    rows = _rows(
        width=[h - 30 for h in highs] * 2,
        error=np.concatenate([100.0 * np.array(s) / np.maximum(people, 1) for s in ways.values()]),
        way=[name for name in ways for _ in highs],
    )
    log = altair.Scale(type="log")
    chart = (
        _chart(rows)
        .mark_line()
        .encode(
            altair.X("width:Q", scale=log, title="ages in the range, from 30 on"),
            altair.Y("error:Q", scale=log, title="standard error, percent of the count"),
            altair.Color(
                "way:N",
                scale=altair.Scale(domain=list(ways), range=[INK, GREY]),
                legend=altair.Legend(orient="top", title=None, labelLimit=400),
            ),
        )
    )
    caption = (
        "Both errors fall as the range grows. The histogram's falls more slowly, and rises again "
        "where the range takes in ages that hardly anybody has: they add noise and no people."
    )
    return Figure("relative.svg", "Lines: relative error by width of the range", caption), chart


def _invented(adult: Adult) -> tuple[Figure, Any]:
    import altair

    counts = adult.table().astype(float)
    kept = laws.clipped_mean(counts, scale=1.0)
    rows = _rows(
        age=AGES,
        real=counts.sum(1),
        invented=(kept - counts).sum(1),
    )
    caption = (
        "How many people clipping invents at each age, expected, when all ages are counted by all "
        "occupations. Nobody in the table is under 17 or over 90."
    )
    chart = (
        _chart(rows)
        .mark_bar(color=ALERT)
        .encode(
            altair.X("age:Q", scale=altair.Scale(domain=[0, 100])),
            altair.Y("invented:Q", title="people out of nothing"),
        )
    )
    return Figure("invented.svg", "Bars: people added by clipping, by age", caption), chart


def _broken(adult: Adult, rng: np.random.Generator) -> tuple[Figure, Any]:
    import altair

    ages, _ = published.sampled_pairs(adult, len(adult), rng)
    lows = range(17, 81)
    counts: Mapping[str, list[int]] = {
        "the chapter's query": [
            published.range_query(ages, adult.ages, low, low + 10) for low in lows
        ],
        "counted in the synthetic rows": [
            published.count_between(ages, low, low + 10) for low in lows
        ],
        "real": [published.count_between(adult.ages, low, low + 10) for low in lows],
    }
    rows = _rows(
        low=[*lows] * 3,
        people=[value for values in counts.values() for value in values],
        query=[name for name in counts for _ in lows],
    )
    chart = (
        _chart(rows, height=260)
        .mark_line(strokeWidth=2)
        .encode(
            altair.X("low:Q", title="range: this age and the nine after it"),
            altair.Y("people:Q", title="people"),
            altair.Color(
                "query:N",
                scale=altair.Scale(domain=list(counts), range=[ALERT, INK, GREY]),
                legend=altair.Legend(orient="top", title=None, labelLimit=400),
            ),
            altair.StrokeDash(
                "query:N",
                scale=altair.Scale(domain=list(counts), range=[[1, 0], [1, 0], [5, 4]]),
                legend=None,
            ),
        )
    )
    caption = (
        "The same synthetic rows, asked by the chapter's query and by a right one. Its answers "
        "are not noisy counts but counts of something else."
    )
    return Figure(
        "broken-query.svg",
        "Lines: answers of the broken and the right query, and the truth",
        caption,
    ), chart
