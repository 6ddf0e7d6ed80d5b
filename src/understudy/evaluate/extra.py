"""Libraries that only some figures need."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from understudy.errors import UsageError


def require(module: str) -> ModuleType:
    """A module of the extra ``evaluate``, or a message that says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise UsageError(
            f"this needs {module.split('.', maxsplit=1)[0]}, which is not installed; "
            "install understudy[evaluate], or leave out the models with models=False"
        ) from None


def available(module: str) -> bool:
    """Whether a library is installed; does not load it."""
    return find_spec(module) is not None
