"""Which pairs of tables a guarantee speaks about. Part of every guarantee's type."""

from __future__ import annotations

from enum import Enum


class Neighbours(Enum):
    """ADD_REMOVE: one unit more or less, the size is private. REPLACE_ONE: the size is public."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    @property
    def sentence(self) -> str:
        """The relation in plain words, for cards and help pages."""
        if self is Neighbours.ADD_REMOVE:
            return "the table with and without any one unit (how many there are stays private)"
        return "the table with any one unit replaced by any other (how many there are is public)"
