"""Fitted models: what is left of a table once the budget is spent. Pure post-processing.

The model of kind ``product`` stands in ``product.py``. Only kinds that have a file here can be
loaded from a release, so a release never names code of its own.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.errors import ReleaseError

if TYPE_CHECKING:
    from understudy.models.base import Model

NOT_MODELS = frozenset({"__init__", "base"})


def get(kind: str) -> type[Model]:
    """The model class of this kind."""
    stems = {path.stem for path in Path(__file__).parent.glob("*.py")} - NOT_MODELS
    stem = kind.replace("-", "_")
    if stem in stems:
        for found in vars(import_module(f"understudy.models.{stem}")).values():
            if isinstance(found, type) and vars(found).get("kind") == kind:
                return found
    raise ReleaseError(f"this version knows no model of kind {kind!r}; install a newer understudy")
