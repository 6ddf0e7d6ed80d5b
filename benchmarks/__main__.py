"""Every benchmark of this folder, one after the other: ``python -m benchmarks [--smoke | --full]``.

Each runs in a process of its own, pinned to one core where that is possible. The exit code is 1 if
any of them failed or missed a floor.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchmarks import THREADS

NOT_BENCHMARKS = {"__init__", "__main__", "harness", "isolated"}


def main(arguments: list[str]) -> int:
    """Run all; report the names of those that failed."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-THREADS:])
    names = sorted({path.stem for path in Path(__file__).parent.glob("*.py")} - NOT_BENCHMARKS)
    failed = [
        name
        for name in names
        if subprocess.call([sys.executable, "-m", f"benchmarks.{name}", *arguments])
    ]
    if failed:
        print(f"\nfailed or missed a floor: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
