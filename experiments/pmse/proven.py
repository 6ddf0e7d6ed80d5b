"""The mechanism with a proof: Understudy's method ``pmse`` on the paper's table.

A noisy guess, a cloud of candidates around it, and one private choice by the impurity of exact
trees: one table at the whole epsilon, instead of ten at a tenth. Its noise comes from the operating
system, so these cells are the only ones that come out differently each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

import understudy as us
from experiments.pmse.comparators import Box
from experiments.pmse.setting import Floats, Outcome, Rng, of_tables
from understudy.schema.columns import Real

COLUMNS: Final = ("x1", "x2")
NO_BOUND: Final = 0.0


@dataclass(frozen=True)
class Proven:
    """Normal candidates, judged by exact trees or on a fixed partition.

    ``bound`` is in true standard deviations, as the comparators'. With 0 the schema names no bounds
    and the method buys them.
    """

    bound: float
    depth: int = 2
    leaves: Literal["trees", "cells"] = "trees"

    def __call__(self, real: Floats, epsilon: float, rng: Rng) -> Outcome:
        """One table at the whole epsilon."""
        import pandas

        release = us.synthesize(
            pandas.DataFrame(real, columns=list(COLUMNS)),
            self.schema(len(real)),
            epsilon=epsilon,
            method="pmse",
            options=self.options,
            seed=int(rng.integers(2**31)),
        )
        return of_tables([np.asarray(release.table.to_numpy(), dtype=np.float64)])

    @property
    def options(self) -> dict[str, Any]:
        """The method's settings; what is not named is its default."""
        return {"model": "normal", "depth": self.depth, "leaves": self.leaves}

    def schema(self, rows: int) -> us.Schema:
        """Two numbers of a public number of people: one person is replaced, as in the paper."""
        box = Box(self.bound)
        columns = {}
        for name, low, width in zip(COLUMNS, box.low, box.widths, strict=True):
            bounds = {"min": round(low, 2), "max": round(low + width, 2)}
            columns[name] = Real(name=name, **(bounds if self.bound != NO_BOUND else {}))
        return us.Schema(name="simulated", columns=columns, rows=rows)
