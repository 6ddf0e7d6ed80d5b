"""Measurements of a run, round by round: to be fitted again, here or by a peer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from understudy.models.learner import Learner, Observation
from understudy.schema.domain import Domain

Floats = NDArray[np.float64]

PEER: Final = "UNDERSTUDY_MBI_PYTHON"
INSTALL: Final = (
    "mbi 2.0 is not here: pip install mbi==2.0.0, here or in an environment of its own (it brings "
    f"jax with it) whose Python is then named by {PEER}=peers/bin/python. Ten rounds take seven "
    "minutes; jax needs more memory maps than Linux allows (sysctl -w vm.max_map_count=1048576)"
)
PROGRAM = Path(__file__).with_name("mbi_loop.py")


@dataclass
class Rounds:
    """What was observed, in order, and after how many observations which size was fitted."""

    domain: Domain
    seen: list[Observation] = field(default_factory=list)
    fits: list[tuple[int, float]] = field(default_factory=list)

    def replay(
        self, *, steps: Callable[[int], int], tolerance: float, ahead: int = 0
    ) -> Iterator[Learner]:
        """The learner after each round; ``steps`` says how many a model of some size may take."""
        learner, known = Learner(self.domain), 0
        for upto, rows in self.fits:
            cells = max(learner.cells_with(one.columns) for one in self.seen[known:upto])
            for observation in self.seen[known:upto]:
                learner.observe(observation)
            known = upto
            learner.fit(rows, steps=steps(cells), tolerance=tolerance, ahead=ahead)
            yield learner

    def loss(self, learner: Learner, fit: int) -> float:
        """Half the sum of squared errors of a round's fit, each in standard deviations."""
        known, rows = self.fits[fit]
        seen = self.seen[:known]
        shares = learner.marginals([one.columns for one in seen], np.random.default_rng(0))
        return sum(
            0.5 * float(((rows * share - one.counts) ** 2 / one.variances).sum())
            for share, one in zip(shares, seen, strict=True)
        )

    def write(self, path: Path) -> None:
        """For ``mbi_loop.py``."""
        about = {
            "sizes": {name: axis.size for name, axis in self.domain.axes.items()},
            "columns": [one.columns for one in self.seen],
            "rounds": self.fits,
        }
        arrays: dict[str, Any] = {"about": np.array(json.dumps(about))}
        for place, one in enumerate(self.seen):
            arrays[f"values-{place}"] = np.asarray(one.counts, dtype=np.float64).ravel()
            spread = np.broadcast_to(np.sqrt(one.variances), one.counts.shape)
            arrays[f"stddevs-{place}"] = np.array(spread).ravel()
        np.savez(path, **arrays)


@contextmanager
def recorded() -> Iterator[list[Rounds]]:
    """While this lasts, every learner that is made writes down what it is shown."""
    made: list[Rounds] = []
    rounds: dict[int, Rounds] = {}
    init, observe, fit = Learner.__init__, Learner.observe, Learner.fit

    def noted_init(self: Learner, domain: Domain) -> None:
        init(self, domain)
        made.append(rounds.setdefault(id(self), Rounds(domain)))

    def noted_observe(self: Learner, seen: Observation) -> None:
        rounds[id(self)].seen.append(seen)
        observe(self, seen)

    def noted_fit(self: Learner, size: float, **how: Any) -> None:
        one = rounds[id(self)]
        one.fits.append((len(one.seen), max(size, 1.0)))
        fit(self, size, **how)

    Learner.__init__, Learner.observe, Learner.fit = noted_init, noted_observe, noted_fit  # type: ignore[assignment,method-assign]
    try:
        yield made
    finally:
        Learner.__init__, Learner.observe, Learner.fit = init, observe, fit  # type: ignore[assignment,method-assign]


def peer_python() -> str | None:
    """The Python that has mbi 2.0: the one that somebody named, else this one if it has it."""
    here = sys.executable if find_spec("mbi") is not None else None
    return os.environ.get(PEER, here)


def by_peer(python: str, path: Path, *, iterations: int, exactly: bool = False) -> dict[str, Any]:
    """What ``mbi_loop.py`` says about measurements that were written to this file."""
    command = [python, str(PROGRAM), str(path), str(iterations)] + ["float64"] * exactly
    fresh = {"JAX_ENABLE_COMPILATION_CACHE": "false"}  # what was cut off while writing it is broken
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, **fresh}
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if exactly:
        with np.load(f"{path}.pairs.npz") as pairs:
            found["pairs"] = dict(pairs)
    return found


def pairs_of(learner: Learner) -> dict[str, Floats]:
    """The share of every cell of every pair of columns."""
    wanted = list(combinations(learner.domain.columns, 2))
    shares = learner.marginals(wanted, np.random.default_rng(0))
    return {f"{a}*{b}": share for (a, b), share in zip(wanted, shares, strict=True)}
