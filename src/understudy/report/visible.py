"""Text from a schema made safe to look at: nothing invisible, nothing that moves the cursor."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with every control, format or line-breaking character written as an escape.

    Terminals act on escape sequences and browsers on direction marks; a column's name may hold
    both.
    """
    return "".join(
        character if character.isprintable() else _escape(character) for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
