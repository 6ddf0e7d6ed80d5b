"""How everything is measured, so that figures compare.

A benchmark is a file with a docstring and ``main(arguments)``; it builds a ``Report`` and adds
comparisons to it:

    report = Report.begin(__name__, arguments)
    race = report.race("all pairs", {"ours": count, "numpy.bincount": count_slowly})
    report.floor("times faster than numpy.bincount", race.ratio("numpy.bincount"), at_least=12)
    return report.end()

Contenders run in turn, round after round, so that a busy minute hits all of them alike. What counts
is CPU seconds of the process and its children; wall seconds are kept beside them and mean something
only on an idle machine. The first call of each contender, with whatever it compiles or loads, is
reported apart. Ratios are taken within a round; their median and range are shown. Threads are fixed
for all (see ``benchmarks/__init__.py``). The table is printed and everything is written as JSON to
``benchmarks/results/``. ``end`` gives exit code 1 if a floor was missed.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from benchmarks import THREADS

RESULTS = Path(__file__).parent / "results"
REPEATS = 5
REPEATS_IF_LONG = 3
LONG = 60.0  # CPU seconds
VERSIONS_OF = ("understudy", "numpy", "numba", "duckdb", "polars", "pyarrow", "opendp", "mbi")


@dataclass(frozen=True)
class Race:
    """Contenders that did the same work; the first is ours. Seconds per repeat, in order."""

    title: str
    first_call: dict[str, float]
    cpu: dict[str, list[float]]
    wall: dict[str, list[float]]

    def ratios(self, other: str) -> list[float]:
        """How many times the CPU seconds of ours the other took, round by round."""
        ours = next(iter(self.cpu.values()))
        return [theirs / mine for theirs, mine in zip(self.cpu[other], ours, strict=True)]

    def ratio(self, other: str) -> float:
        """The median of ``ratios``."""
        return median(self.ratios(other))

    def lines(self) -> list[str]:
        """The race as a table to print."""
        head = f"{'':28}{'first':>9}{'CPU s':>10}{'range':>20}{'times ours':>12}{'range':>16}"
        return [f"\n{self.title}", head, *map(self._line, self.cpu)]

    def _line(self, name: str) -> str:
        cpu, ratios = self.cpu[name], self.ratios(name)
        return (
            f"  {name:26}{self.first_call[name]:9.3f}{median(cpu):10.4f}"
            f"{f'{min(cpu):.4f}..{max(cpu):.4f}':>20}{median(ratios):12.2f}"
            f"{f'{min(ratios):.2f}..{max(ratios):.2f}':>16}"
        )


@dataclass
class Report:
    """What one benchmark measured, with the machine it ran on."""

    name: str
    size: str
    machine: dict[str, Any]
    races: list[Race] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    floors: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def begin(cls, name: str, arguments: Sequence[str]) -> Report:
        """Start a report; the arguments may be ``--smoke`` (toy size) or ``--full`` (hours)."""
        unknown = set(arguments) - {"--smoke", "--full"}
        if unknown or len(arguments) > 1:
            sys.exit(f"usage: python -m benchmarks.{name} [--smoke | --full]")
        size = arguments[0].strip("-") if arguments else "usual"
        report = cls(name, size, _machine())
        print(f"\n== {name} ({size} size, {THREADS} thread(s), load {report.machine['load']})")
        return report

    @property
    def smoke(self) -> bool:
        """Whether only to show that the benchmark runs."""
        return self.size == "smoke"

    def race(
        self,
        title: str,
        contenders: Mapping[str, Callable[[], Any]],
        *,
        agree: Callable[[Any, Any], bool] | None = None,
    ) -> Race:
        """Run the contenders in turn; ``agree`` compares each answer with that of ours."""
        first_call, answers = {}, []
        for name, run in contenders.items():
            answer, first_call[name], _ = timed(run)
            answers.append(answer)
            if agree is not None and not agree(answers[0], answer):
                sys.exit(f"{title}: {name} does not give our answer")
            del answers[1:]
        race = Race(
            title, first_call, {name: [] for name in contenders}, {n: [] for n in contenders}
        )
        for _ in range(self._repeats(sum(first_call.values()))):
            for name, run in contenders.items():
                _, cpu, wall = timed(run)
                race.cpu[name].append(cpu)
                race.wall[name].append(wall)
        self.races.append(race)
        print("\n".join(race.lines()))
        return race

    def figure(self, name: str, value: float) -> None:
        """A number beside the races: how many rows, how large a file, how good a fit."""
        self.figures[name] = value
        print(f"  {name}: {value:,.6g}")

    def spread(self, name: str, values: Sequence[float]) -> None:
        """The mean of repeats and, of several, their standard deviation."""
        self.figures[name] = fmean(values)
        deviation = ""
        if len(values) > 1:
            self.figures[f"{name} (std)"] = stdev(values)
            deviation = f" +- {stdev(values):.2g}"
        print(f"  {name}: {fmean(values):,.6g}{deviation}")

    def floor(self, name: str, value: float, *, at_least: float) -> None:
        """What must be reached; not judged at smoke size."""
        self._judge(name, value, "floor", at_least, reached=value >= at_least)

    def ceiling(self, name: str, value: float, *, at_most: float) -> None:
        """What must not be passed; not judged at smoke size."""
        self._judge(name, value, "ceiling", at_most, reached=value <= at_most)

    def _judge(self, name: str, value: float, kind: str, limit: float, *, reached: bool) -> None:
        self.floors.append({"name": name, "value": value, kind: limit, "reached": reached})
        word = "not judged at this size" if self.smoke else "reached" if reached else "MISSED"
        print(f"  {name}: {value:.4g}, {kind} {limit:g}: {word}")

    def end(self) -> int:
        """Write the report; 1 if a floor was missed."""
        RESULTS.mkdir(exist_ok=True)
        self.machine["load_after"] = _load()
        (RESULTS / f"{self.name}.json").write_text(json.dumps(asdict(self), indent=1) + "\n")
        missed = not self.smoke and not all(floor["reached"] for floor in self.floors)
        return int(missed)

    def _repeats(self, round_seconds: float) -> int:
        if self.smoke:
            return 1
        return REPEATS if round_seconds < LONG else REPEATS_IF_LONG


def timed(run: Callable[[], Any]) -> tuple[Any, float, float]:
    """The answer, the CPU seconds (children included) and the wall seconds of one call."""
    wall, cpu = time.perf_counter(), _cpu_seconds()
    answer = run()
    return answer, _cpu_seconds() - cpu, time.perf_counter() - wall


def _cpu_seconds() -> float:
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in use)


def _machine() -> dict[str, Any]:
    versions = {}
    for name in VERSIONS_OF:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "pinned_to": sorted(os.sched_getaffinity(0)),
        "threads": THREADS,
        "versions": versions,
        "load": _load(),
    }


def _load() -> float:
    return round(os.getloadavg()[0], 2)


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()
