"""The Privacy section of a method's docstring, as something that a ledger can be compared with.

    Privacy
    -------
    Gate calls, in this order:

    1. ``count`` of every one-way marginal ...
    2. ``select`` and ``count``, repeated until ...
    3. ``count`` of ..., optional: only if ...

    Composition: ...
    Neighbours: ADD_REMOVE and REPLACE_ONE. Lemma: ``gate/count.md``, ``gate/select.md``.
    All else is post-processing.

An item starts with the verbs it calls, in their order. "repeated" right after them means once or
more, "optional" once or not at all, both any number of times.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from understudy.schema.neighbours import Neighbours

VERBS = (
    *("prepare", "count", "select", "discover", "quantiles"),
    *("sums", "partition", "draw", "statistic", "minimise"),
)
_TITLE = re.compile(r"^Privacy\n-{7}\n", re.MULTILINE)
_ITEM = re.compile(r"^(\d+)\. (.*(?:\n {3}.*)*)", re.MULTILINE)
_START = re.compile(r"^``\w+``(?:(?:, then |, | and |, and )``\w+``)*(?P<marks>[^.;:(]*)")


@dataclass(frozen=True)
class Step:
    """One numbered item: the verbs it calls and how often."""

    verbs: tuple[str, ...]
    repeated: bool = False
    optional: bool = False

    @property
    def pattern(self) -> str:
        once = "".join(f"{verb} " for verb in self.verbs)
        times = {(True, True): "*", (True, False): "+", (False, True): "?"}
        return f"(?:{once}){times.get((self.repeated, self.optional), '')}"


@dataclass(frozen=True)
class Section:
    """What a method says about its own privacy."""

    steps: tuple[Step, ...]
    neighbours: frozenset[Neighbours]
    lemmas: tuple[str, ...]

    def describes(self, verbs: Sequence[str]) -> bool:
        """Whether these charges, in their order, are what the section announces."""
        pattern = "".join(step.pattern for step in self.steps)
        return re.fullmatch(pattern, "".join(f"{verb} " for verb in verbs)) is not None


def section_of(docstring: str | None) -> Section:
    """The section of a docstring; AssertionError says what is missing."""
    parts = _TITLE.split(docstring or "")
    assert len(parts) == 2, "the module's docstring needs one section titled Privacy"
    text = parts[1].rstrip()
    assert text.endswith("All else is post-processing."), "the section ends with that sentence"
    assert "Gate calls, in this order:\n\n1. " in text, "the section lists its gate calls"
    assert re.search(r"^Composition: \S", text, re.MULTILINE), "the section says how calls compose"
    named = re.search(r"^Neighbours: ([A-Z_, and]+)\.", text, re.MULTILINE)
    assert named, "the section names its neighbours"
    items = _ITEM.findall(text)
    assert [int(number) for number, _ in items] == list(range(1, len(items) + 1))
    lemmas = tuple(re.findall(r"``(gate/\w+\.md)``", text))
    assert lemmas, "the section names its lemmas: ``gate/....md``"
    return Section(
        steps=tuple(_step(item) for _, item in items),
        neighbours=frozenset(Neighbours[name] for name in re.findall(r"[A-Z]+_[A-Z]+", named[1])),
        lemmas=lemmas,
    )


def _step(item: str) -> Step:
    start = _START.match(" ".join(item.split()))
    assert start, f"an item starts with the gate's verbs in double back-ticks: {item!r}"
    head = start[0].removesuffix(start["marks"])
    verbs = tuple(re.findall(r"``(\w+)``", head))
    assert set(verbs) <= set(VERBS), f"the gate has no verb {set(verbs) - set(VERBS)}"
    marks = re.split(r"\W+", start["marks"])
    return Step(verbs, repeated="repeated" in marks, optional="optional" in marks)
