"""A mechanism as a tree of questions, so that what it computes is computed once for all tables.

A mechanism sees a table through the gate only: its next question, and its outcome, are functions
of the schema and of the answers so far. Neighbouring tables lead through the same answers with
other probabilities; where a path is known, only the gate is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy.gate.private_table import PrivateTable

VERBS = frozenset(
    {"count", "draw", "minimise", "partition", "quantiles", "select", "statistic", "sums"}
)
Answers = tuple[Hashable, ...]


@dataclass(frozen=True)
class Question:
    """One call of a verb."""

    verb: str
    arguments: tuple[Any, ...]
    named: Mapping[str, Any]

    def put_to(self, private: PrivateTable) -> Any:
        return getattr(private, self.verb)(*self.arguments, **self.named)


@dataclass(frozen=True)
class Returned:
    """The end of a path."""

    outcome: Hashable


class Transcripts:
    """All that a mechanism was seen to ask and return, by what is public and the answers before."""

    def __init__(self, mechanism: Callable[[PrivateTable], Hashable]) -> None:
        self._mechanism = mechanism
        self._next: dict[Answers, Question | Returned] = {}

    def outcome(
        self, opened: Callable[[], PrivateTable], *, public: Hashable, again: Callable[[], None]
    ) -> Hashable:
        """What the mechanism returns on this path.

        ``public`` is what it knows before it asks; ``again`` goes back to the path's first draw.
        """
        private, answers = opened(), (public,)
        while isinstance(step := self._next.get(answers), Question):
            answers += (frozen_answer(step.put_to(private)),)
        if step is None:
            again()
            recorder = Recorder(opened(), self._next, public)
            step = Returned(self._mechanism(recorder))  # type: ignore[arg-type]
            self._next[recorder.answers] = step
        return step.outcome


class Recorder:
    """A private table that notes every question under the answers before it."""

    def __init__(
        self,
        private: PrivateTable,
        steps: dict[Answers, Question | Returned],
        public: Hashable,
    ) -> None:
        self._private, self._steps = private, steps
        self.answers: Answers = (public,)

    def __getattr__(self, name: str) -> Any:
        return self._asking(name) if name in VERBS else getattr(self._private, name)

    def _asking(self, verb: str) -> Callable[..., Any]:
        def ask(*arguments: Any, **named: Any) -> Any:
            question = Question(verb, arguments, named)
            answer = question.put_to(self._private)
            self._steps.setdefault(self.answers, question)
            self.answers += (frozen_answer(answer),)
            return answer

        return ask


def frozen_answer(answer: Any) -> Hashable:
    """Everything that an answer of the gate says, as something to look up."""
    if isinstance(answer, np.ndarray):
        return answer.shape, answer.dtype.str, answer.tobytes()
    if isinstance(answer, list | tuple):
        return tuple(frozen_answer(part) for part in answer)
    if isinstance(answer, Mapping):
        return tuple((name, frozen_answer(part)) for name, part in answer.items())
    if hasattr(answer, "__dataclass_fields__"):
        return tuple(frozen_answer(getattr(answer, name)) for name in answer.__dataclass_fields__)
    return answer
