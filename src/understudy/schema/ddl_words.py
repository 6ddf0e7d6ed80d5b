"""SQL declarations as words: comments gone, quotes off, statements and list items apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

_PATTERN: Final = re.compile(
    r"""(?P<skip>\s+|--[^\n]*|/\*.*?\*/)
    | (?P<text>[eEnN]?'([^']|'')*')
    | (?P<name>"([^"]|"")*"|`[^`]*`|\[[^\W\d][\w\ ]*\])
    | (?P<number>[0-9]+(\.[0-9]+)?)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<sign>::|<=|>=|<>|!=|.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Word:
    """A word of SQL: ``content`` without quotes, ``plain`` for comparing with keywords."""

    sort: Literal["text", "name", "number", "word", "sign"]
    content: str

    @property
    def plain(self) -> str:
        """The word in lower case; empty for quoted names and texts, which are no keywords."""
        return "" if self.sort in ("text", "name") else self.content.lower()


def statements(text: str) -> Iterator[list[Word]]:
    """The words of each statement, without its semicolon; empty ones are left out."""
    current: list[Word] = []
    for word in _words(text):
        if word == Word("sign", ";"):
            if current:
                yield current
            current = []
        else:
            current.append(word)
    if current:
        yield current


def inside(words: Sequence[Word], start: int) -> list[Word]:
    """What stands between the parenthesis at ``start`` and the one that closes it."""
    depth, found = 0, []
    for word in words[start:]:
        depth += {"(": 1, ")": -1}.get(word.plain, 0)
        if depth <= 0:
            break
        found.append(word)
    return found[1:]


def top_level(words: Sequence[Word]) -> Iterator[list[Word]]:
    """The items of a list, split at its commas but not at commas inside parentheses."""
    depth = 0
    item: list[Word] = []
    for word in words:
        depth += {"(": 1, ")": -1}.get(word.plain, 0)
        if word.plain == "," and depth == 0:
            if item:
                yield item
            item = []
        else:
            item.append(word)
    if item:
        yield item


def _words(text: str) -> Iterator[Word]:
    for match in _PATTERN.finditer(text):
        sort, written = str(match.lastgroup), match[0]
        if sort == "text":
            yield Word("text", written[written.index("'") + 1 : -1].replace("''", "'"))
        elif sort == "name":
            quote = written[-1]
            yield Word("name", written[1:-1].replace(quote * 2, quote))
        elif sort != "skip":
            yield Word(sort, written)  # type: ignore[arg-type]
