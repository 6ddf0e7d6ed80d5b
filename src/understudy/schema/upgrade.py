"""From older schema files to the current version, one named step per version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from understudy.errors import SchemaError
from understudy.schema.schema import SCHEMA_VERSION

Document = dict[str, Any]
Step = Callable[[Document], Document]

STEPS: Final[Mapping[int, Step]] = {}
"""``STEPS[n]`` turns a document of version n into one of version n + 1. Version 1 was the first."""


def upgrade(
    document: Document, *, steps: Mapping[int, Step] = STEPS, current: int = SCHEMA_VERSION
) -> Document:
    """The same schema as a document of the current version; refuses newer ones."""
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise SchemaError(
            f"the first line of a schema file says which version it is: version = {current}",
            key="version",
        )
    if version > current:
        raise SchemaError(
            f"this file is of version {version}, and this Understudy reads versions up to "
            f"{current}; install a newer one",
            key="version",
        )
    if version < min(steps, default=current):
        raise SchemaError(
            f"there is no version {version}; the first is {min(steps, default=current)}",
            key="version",
        )
    for number in range(version, current):
        document = steps[number](document) | {"version": number + 1}
    return document
