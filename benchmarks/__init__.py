"""Benchmarks, one file each: ``python -m benchmarks.<name> [--smoke | --full]``.

Everything here runs on ``THREADS`` threads: the limits below must be set before numpy and its
friends are imported, which is why they stand here.
"""

from __future__ import annotations

import os

THREADS = int(os.environ.get("BENCHMARK_THREADS", "1"))

for limit in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
):
    os.environ[limit] = str(THREADS)
