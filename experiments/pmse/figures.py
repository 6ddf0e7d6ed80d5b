"""The paper's four figures from our results. Each is a static SVG file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from experiments.pmse import comparison as names
from experiments.pmse.cart import UNLIMITED
from experiments.pmse.claims import PRINTED_MECHANISM, Claims, measuring_cp, same_epsilon
from experiments.pmse.setting import ROWS
from experiments.pmse.summary import Results
from experiments.pmse.violations import DEPTHS, EXACT_DEPTHS, row_name

INK: Final = "#1f4e79"
ALERT: Final = "#c2410c"
QUARTILES: Final = ("low", "first", "median", "third", "high")
COEFFICIENTS: Final = ("intercept", "slope")
BETTER: Final = (
    names.NO_PRIVACY,
    f"{names.BAYES}, bound 2",
    f"{names.BAYES}, bound 4",
    f"{names.HISTOGRAM}, bound 2",
    f"{names.FUNCTIONAL}, bound 4",
    f"{names.LARGEST}, bound 4",
    f"{names.PUBLISHED}, depth 5",
    PRINTED_MECHANISM,
    f"{names.PROVEN}, depth 2",
    f"{names.PROVEN}, depth 3",
    f"{names.PROVEN}, fixed partition",
)
"""What the second figure shows, as the paper's: the better results only."""


@dataclass(frozen=True)
class Figure:
    """A figure's file, what it shows in a few words, and what a reader should see in it."""

    file: str
    alt: str
    caption: str


def draw(results: Results, folder: Path) -> list[Figure]:
    """Write every figure for which something was measured into the folder."""
    drawn = []
    for figure, chart in _charts(results):
        chart.configure(background="white", font="sans-serif").configure_view(
            stroke="#d4d7dc"
        ).save(folder / figure.file)
        drawn.append(figure)
    return drawn


def _charts(results: Results) -> Iterator[tuple[Figure, Any]]:
    if results["violations"]:
        yield _violations(results)
    if results["comparison"]:
        yield _lines(results)
        yield _similarity(results)
        yield _boxes(results)


def _data(rows: Iterable[dict[str, Any]]) -> Any:
    import altair

    return altair.InlineData(values=list(rows))


def _chart(rows: Iterable[dict[str, Any]], *, width: int, height: int) -> Any:
    import altair

    return altair.Chart(_data(rows), width=width, height=height)


def _violations(results: Results) -> tuple[Figure, Any]:
    """Figure 1: changes of the pMSE in units of the bound, on a logarithmic axis."""
    import altair

    chart = (
        _chart(list(_points(results)), width=600, height=300)
        .mark_circle(size=14)
        .encode(
            altair.X("group:N", sort=None, title=None, axis=altair.Axis(labelAngle=0)),
            altair.XOffset("place:Q", scale=altair.Scale(domain=[-0.2, 1.2])),
            altair.Y(
                "change:Q",
                title="change of the pMSE, in units of 1 / n",
                scale=altair.Scale(type="log"),
            ),
            altair.Color(
                "over:N",
                legend=None,
                scale=altair.Scale(domain=[False, True], range=["#9db7d1", ALERT]),
            ),
        )
    )
    caption = (
        "What replacing one person does to the pMSE: a sample of pairs of tables for each kind of "
        "tree (cp 0.01; changes below a thousandth of the bound are left out). Dark points break "
        "the bound 1 / n. Exact trees stay below half of it, always."
    )
    return Figure("violations.svg", "Points: changes of the pMSE by kind of tree", caption), chart


def _points(results: Results) -> Iterator[dict[str, Any]]:
    groups = {row_name(d, 0.01): f"greedy, {_depth(d)}" for d in DEPTHS}
    groups |= {f"exact depth {d}": f"exact, depth {d}" for d in EXACT_DEPTHS}
    for row, group in groups.items():
        for place, value in results["violations"][row]["shown"]:
            change = round(value * ROWS, 4)
            yield {"group": group, "place": place, "change": change, "over": change > 1.0}


def _depth(depth: int) -> str:
    return "unlimited" if depth == UNLIMITED else f"depth {depth}"


def _measured(results: Results, method: str, epsilon: float) -> dict[str, Any] | None:
    found: dict[str, Any] | None = results["comparison"].get(
        names.label(method, same_epsilon(method, epsilon))
    )
    return found


def _lines(results: Results) -> tuple[Figure, Any]:
    """Figure 2: mean errors of both coefficients by epsilon."""
    import altair

    rows = [
        {"method": method, "epsilon": epsilon, "coefficient": one, "error": found[one]["mean"]}
        for method in BETTER
        for epsilon in names.SECTION_6
        if (found := _measured(results, method, epsilon)) is not None
        for one in COEFFICIENTS
    ]
    facets = altair.Facet("coefficient:N", title=None)
    chart = _epsilon_lines(rows, "error", "mean absolute error").facet(facets)
    caption = (
        "Mean absolute difference between the private and the real regression coefficient. "
        "Published pMSE and non-private synthesis protect nobody."
    )
    return Figure("coefficients.svg", "Lines: errors of coefficients by epsilon", caption), chart


def _epsilon_lines(rows: list[dict[str, Any]], value: str, title: str) -> Any:
    import altair

    return (
        _chart(rows, width=260, height=240)
        .mark_line(point=True)
        .encode(
            altair.X("epsilon:Q", scale=_log(nice=False, padding=20), axis=_epsilon_axis(rows)),
            altair.Y(f"{value}:Q", scale=_log(), title=title),
            altair.Color(
                "method:N", sort=None, legend=_legend(), scale=altair.Scale(scheme="tableau20")
            ),
            altair.StrokeDash("method:N", sort=None, legend=None),
        )
    )


def _log(**options: Any) -> Any:
    import altair

    return altair.Scale(type="log", **options)


def _epsilon_axis(rows: list[dict[str, Any]]) -> Any:
    import altair

    return altair.Axis(values=sorted({row["epsilon"] for row in rows}), title="epsilon")


def _legend() -> Any:
    import altair

    return altair.Legend(orient="bottom", columns=2, title=None, labelLimit=500)


def _similarity(results: Results) -> tuple[Figure, Any]:
    """Figure 3: mean pMSE by epsilon, ours and as printed."""
    claims, measure = Claims.read(), f"greedy {measuring_cp(results):g}"
    rows = []
    for epsilon, printed in claims.table_2.items():
        for method, (mean, _) in printed.items():
            rows.append({"method": f"{method}: printed", "epsilon": epsilon, "pmse": float(mean)})
        for method in (*printed, names.GUESSED, f"{names.PROVEN}, depth 2"):
            found = _measured(results, method, epsilon)
            if found is not None:
                rows.append({"method": method, "epsilon": epsilon, "pmse": found[measure]["mean"]})
    chart = _epsilon_lines(rows, "pmse", "mean pMSE").properties(width=560)
    caption = (
        "Mean pMSE by epsilon, ours and as printed, measured with a greedy tree "
        f"(cp {measuring_cp(results):g}). Smaller is better."
    )
    return Figure("similarity.svg", "Lines: mean pMSE by epsilon and method", caption), chart


def _boxes(results: Results) -> tuple[Figure, Any]:
    """Figure 4: all results of section 6, as boxes from minimum to maximum."""
    import altair

    rows = list(_quartiles(results))
    base = _chart(rows, width=190, height=13 * len({row["method"] for row in rows}))
    log = altair.Scale(type="log")
    place = altair.Y("method:N", sort=None, title=None, axis=altair.Axis(labelLimit=300))
    whole = base.mark_rule(color=INK).encode(
        altair.X("low:Q", scale=log, title="absolute error"), altair.X2("high:Q"), place
    )
    middle = base.mark_bar(color="#9db7d1", size=8).encode(
        altair.X("first:Q", scale=log), altair.X2("third:Q"), place
    )
    median = base.mark_tick(color=ALERT, size=9, thickness=2).encode(
        altair.X("median:Q", scale=log), place
    )
    chart = altair.layer(whole, middle, median).facet(
        row=altair.Row("coefficient:N", title=None),
        column=altair.Column("epsilon:N", title="epsilon"),
    )
    caption = (
        "Absolute errors of both coefficients, all methods, tree sizes and bounds: from smallest "
        "to largest, the middle half, and the median."
    )
    return Figure("boxes.svg", "Boxes: errors by method, coefficient and epsilon", caption), chart


def _quartiles(results: Results) -> Iterator[dict[str, Any]]:
    for method in names.methods():
        for epsilon in names.SECTION_6:
            found = _measured(results, method, epsilon)
            for one in COEFFICIENTS if found is not None else ():
                shown = [max(value, 1e-6) for value in found[one]["quartiles"]]
                yield {
                    **dict(zip(QUARTILES, shown, strict=True)),
                    **{"method": method, "epsilon": f"{epsilon:g}", "coefficient": one},
                }
