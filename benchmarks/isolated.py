"""Work in a process of its own: what it took from start to end, and the most memory it held."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

# The peak of the new program alone: what getrusage says includes its parent's at the fork.
PROGRAM = """
import json, resource, sys
from pathlib import Path
from {module} import {function} as work

answer = work(*sys.argv[1:])
use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
cpu = sum(each.ru_utime + each.ru_stime for each in use)
status = Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
print()
print(json.dumps([answer, cpu, peak]))
"""


@dataclass(frozen=True)
class Use:
    """What a piece of work returned and took. CPU seconds include starting Python."""

    answer: Any
    cpu: float
    peak_bytes: int


def run(work: str, *arguments: object) -> Use:
    """Call ``module:function`` with these arguments, as texts, in a new process.

    The answer must be plain JSON values. A failure of the work ends the benchmark; what the work
    said about it stands above on standard error.
    """
    module, _, function = work.partition(":")
    program = PROGRAM.format(module=module, function=function)
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{work} failed with exit code {done.returncode}; see above")
    return Use(*json.loads(done.stdout.splitlines()[-1]))
