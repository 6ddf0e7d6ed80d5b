"""The synthesizers, one file each. A method is found by its file's name.

``perturbed_histogram.py`` is ``perturbed-histogram`` on the command line. Each file ends with
``METHOD = TheClass``. Nothing hides an import error: a broken method file breaks loudly.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.errors import UsageError

if TYPE_CHECKING:
    from understudy.methods.base import Synthesizer

NOT_METHODS = frozenset({"__init__", "base"})


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
