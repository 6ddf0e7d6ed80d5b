"""The synthesizers, one file each. A method is found by its file's name.

``perturbed_histogram.py`` is ``perturbed-histogram`` on the command line. Each file ends with
``METHOD = TheClass``. Nothing hides an import error: a broken method file breaks loudly.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from understudy.errors import UsageError

if TYPE_CHECKING:
    from understudy.methods.base import Synthesizer

NOT_METHODS = frozenset({"__init__", "base", "opening"})
AUTO = "auto"


def names() -> tuple[str, ...]:
    """The names of all methods, in alphabetical order; imports none of them."""
    stems = (path.stem for path in Path(__file__).parent.glob("*.py"))
    return tuple(sorted(stem.replace("_", "-") for stem in stems if stem not in NOT_METHODS))


def get(name: str) -> type[Synthesizer]:
    """The method of this name."""
    if name not in names():
        near = get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"no method is named {name!r}; {hint}there are: {', '.join(names())}")
    module = import_module(f"understudy.methods.{name.replace('-', '_')}")
    method: type[Synthesizer] = module.METHOD
    return method


def name_of(method: Synthesizer) -> str:
    """The name under which a method is found: its file's."""
    return type(method).__module__.rpartition(".")[2].replace("_", "-")


def build(name: str, options: Mapping[str, Any]) -> Synthesizer:
    """The method of this name with these hyper-parameters; refuses unknown ones."""
    kind = get(name)
    kind.check_settings(options, called=name)
    return kind(**options)


def facts(name: str) -> dict[str, Any]:
    """What the method of this name says about itself, as plain values."""
    method = get(name)
    return {
        "name": name,
        "summary": method.summary,
        "guarantee": [kind.currency for kind in method.accepts],
        "neighbours": sorted(relation.value for relation in method.neighbours),
        "status": method.status,
        "needs": sorted(method.needs),
        "paper": method.paper,
        "settings": method.settings(),
    }


class _Room(ModuleType):
    """Lets ``understudy.methods()`` list the methods although it is the name of this room."""

    def __call__(self) -> list[dict[str, Any]]:
        """What every method says about itself, in alphabetical order of their names."""
        return [facts(name) for name in names()]


sys.modules[__name__].__class__ = _Room
