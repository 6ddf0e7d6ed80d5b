"""A plain loop over the estimator of mbi 2.0: ``python mbi_loop.py FILE ITERATIONS [float64]``.

FILE is what ``measured.Rounds.write`` wrote. Round by round the model is fitted to all measurements
so far, from the model of the round before, and every pair of columns is read off it, as AIM does
it. What is printed last is JSON: the CPU seconds of each round; the loss after each. With
``float64`` the last model's pairs are written to FILE.pairs.npz.

It needs mbi 2.0 and nothing of this package.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations
from typing import Any

import jax  # type: ignore[import-not-found]
import numpy as np

if "float64" in sys.argv:
    jax.config.update("jax_enable_x64", True)

import mbi  # type: ignore[import-not-found]


def main(path: str, iterations: int) -> None:
    """Run all rounds."""
    with np.load(path) as file:
        arrays = dict(file)
    about = json.loads(str(arrays["about"]))
    domain = mbi.Domain(list(about["sizes"]), list(about["sizes"].values()))
    measurements = [
        mbi.LinearMeasurement(
            arrays[f"values-{place}"] / arrays[f"stddevs-{place}"],
            tuple(columns),
            1.0,
            mbi.WeightedQuery(1.0 / arrays[f"stddevs-{place}"]),
        )
        for place, columns in enumerate(about["columns"])
    ]
    model: Any = None
    seconds, losses = [], []
    for known, rows in about["rounds"]:
        began = time.process_time()
        seen = measurements[:known]
        model = mbi.estimation.MirrorDescent().estimate(
            domain, seen, known_total=rows, iters=iterations, warm_start=model
        )
        pairs = {
            f"{a}*{b}": np.asarray(model.project((a, b)).datavector(flatten=False))
            for a, b in combinations(about["sizes"], 2)
        }
        seconds.append(time.process_time() - began)
        losses.append(
            float(mbi.marginal_loss.from_linear_measurements(seen, domain)(model.marginals))
        )
    if "float64" in sys.argv:
        np.savez(f"{path}.pairs.npz", **pairs)
    print(json.dumps({"seconds": seconds, "losses": losses}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
