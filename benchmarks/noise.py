"""Drawing long vectors of exact noise: our tables against OpenDP's samplers.

Both draw the same laws, but for the rounded Gaussian, which OpenDP does not know and races against
OpenDP's discrete one. OpenDP is given a shorter vector, since its time per value does not depend on
the length; ratios are per value. Making the table is part of the first call, reported apart.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import median

import numpy as np

from benchmarks.harness import Report
from understudy.gate.noise import OpenDPNoise, SystemNoise

DRAWS = {"smoke": 20_000, "usual": 4_000_000, "full": 20_000_000}
SHORTER = 200
SCALES = {
    "laplace": (1.0, 20.0, 500.0),
    "gaussian": (1.0, 42.4, 2000.0),
    "rounded_gaussian": (1.0, 30.0, 1000.0, 1e5),
}
OF_OPENDP = {"laplace": "laplace", "gaussian": "gaussian", "rounded_gaussian": "gaussian"}
MILLIONS_A_SECOND = 3.0


def main(arguments: Sequence[str]) -> int:
    """Race every law and scale."""
    report = Report.begin("noise", arguments)
    long = np.zeros(DRAWS[report.size], dtype=np.int64)
    short = long[:: SHORTER if not report.smoke else 10]
    for law, scales in SCALES.items():
        for scale in scales:
            race = report.race(
                f"{law}, scale {scale:g}",
                {
                    "SystemNoise": lambda d=law, s=scale: getattr(SystemNoise(), d)(long, scale=s),
                    "OpenDP, fewer draws": lambda d=OF_OPENDP[law], s=scale: getattr(
                        OpenDPNoise(), d
                    )(short, scale=s),
                },
            )
            speed = len(long) / median(race.cpu["SystemNoise"]) / 1e6
            per_value = race.ratio("OpenDP, fewer draws") * len(long) / len(short)
            report.figure("times OpenDP, per value", per_value)
            report.floor("million draws a second", speed, at_least=MILLIONS_A_SECOND)
    return report.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
