"""Sections 6 and 7: synthetic tables from every method at every epsilon, and their worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from experiments.pmse.cart import UNLIMITED, Pruning
from experiments.pmse.cells import Cell, pieces
from experiments.pmse.chain import Published
from experiments.pmse.comparators import Functional, NoisyBayes, SmoothedHistogram, no_privacy
from experiments.pmse.proven import NO_BOUND, Proven
from experiments.pmse.setting import ROWS, Floats, Outcome, Rng, measure, table
from understudy.methods import names

PART: Final = "comparison"
EPSILONS: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
SECTION_6: Final = (0.25, 0.5, 1.0)
BOUNDS: Final = (2, 4, 5, 10)
NO_PRIVACY: Final = "non-private synthesis"
BAYES: Final = "noisy Bayes"
HISTOGRAM: Final = "smoothed histogram"
GUESSED: Final = "smoothed histogram, our guess of theirs (not private), bound 4"
FUNCTIONAL: Final = "functional mechanism"
LARGEST: Final = "functional mechanism, l-infinity"
PUBLISHED: Final = "pMSE as published (not private)"
PROVEN: Final = "pMSE with a proof"
PROVEN_SIZES: Final = {
    "depth 1": Proven(4, depth=1),
    "depth 2": Proven(4, depth=2),
    "depth 3": Proven(4, depth=3),
    "fixed partition": Proven(4, leaves="cells"),
    "depth 2, bounds bought": Proven(NO_BOUND),
}

Method = Callable[[Floats, float, Rng], Outcome]


def methods() -> dict[str, Method]:
    """Every method and every size of it by name."""
    found: dict[str, Method] = {NO_PRIVACY: no_privacy}
    for bound in BOUNDS:
        found[f"{BAYES}, bound {bound}"] = NoisyBayes(bound)
        found[f"{HISTOGRAM}, bound {bound}"] = SmoothedHistogram(bound)
        found[f"{FUNCTIONAL}, bound {bound}"] = Functional(bound)
        found[f"{LARGEST}, bound {bound}"] = Functional(bound, largest=True)
    found[GUESSED] = SmoothedHistogram(4, guessed=True)
    for depth in (1, 2, 5, UNLIMITED):
        size = "unlimited" if depth == UNLIMITED else str(depth)
        found[f"{PUBLISHED}, depth {size}"] = Published(Pruning(depth, 0.01))
    if "pmse" in names():
        found.update({f"{PROVEN}, {size}": method for size, method in PROVEN_SIZES.items()})
    return found


def label(method: str, epsilon: float) -> str:
    """What a method at an epsilon is called in the results."""
    return f"{method} @ {epsilon:g}"


def cells(
    *,
    quick: int,
    slow: int,
    each: tuple[int, int] = (25, 5),
    epsilons: tuple[float, ...] = EPSILONS,
) -> Iterator[Cell]:
    """All cells; ``slow`` repetitions of both pMSE mechanisms, ``quick`` ones of the rest."""
    for method in methods():
        many = method.startswith((PUBLISHED, PROVEN))
        for epsilon in sorted({*_epsilons(method)} & {*epsilons}):
            yield from pieces(
                PART,
                label(method, epsilon),
                repeats=slow if many else quick,
                each=each[many],
            )


def _epsilons(method: str) -> tuple[float, ...]:
    """Section 7 asks for one size of each; without privacy all epsilons are the same."""
    if method == NO_PRIVACY:
        return (1.0,)
    shallow = method.startswith(PUBLISHED) and not method.endswith("unlimited")
    return SECTION_6 if shallow else EPSILONS


def work(cell: Cell, *, rows: int = ROWS) -> list[dict[str, float]]:
    """One cell: a fresh table for every repetition."""
    method, epsilon = cell.label.split(" @ ")
    synthesize, rng = methods()[method], cell.rng
    return [_once(synthesize, float(epsilon), rng, rows) for _ in range(cell.repeats)]


def _once(synthesize: Method, epsilon: float, rng: Rng, rows: int) -> dict[str, float]:
    real = table(rng, rows=rows)
    found = measure(real, synthesize(real, epsilon, rng))
    return {name: float(f"{value:.5g}") for name, value in found.items()}
