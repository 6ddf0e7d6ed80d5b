"""From the text of a rule to its words, each with its position."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from understudy.errors import SchemaError
from understudy.schema import values

LONGEST_RULE: Final = 10_000
KEYWORDS: Final = frozenset({"and", "or", "not", "in", "is", "missing", "implies"})
END: Final = "the end of the rule"

_PATTERN: Final = re.compile(
    r"""(?P<space>\s+)
    | (?P<moment>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(?![\w:]))
    | (?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\w))
    | (?P<number>[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?(?!\w))
    | (?P<text>"([^"]|"")*" | '([^']|'')*')
    | (?P<name>`([^`]|``)+`)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>==|!=|<=|>=|<|>|\(|\)|,|\+|-)""",
    re.VERBOSE,
)
_HINTS: Final = {
    "=": "write == for 'is equal to'",
    "&": "write 'and'",
    "|": "write 'or'",
    "!": "write 'not', or != for 'is not equal to'",
    "*": "only + and - are there",
    "/": "only + and - are there",
    '"': "this text has no closing quote",
    "'": "this text has no closing quote",
    "`": "this name has no closing backtick",
}

Sort = Literal["moment", "day", "number", "text", "name", "keyword", "sign", "end"]


@dataclass(frozen=True)
class Token:
    """A word of the rule: its sort, its content without quotes, and where it starts (from 1)."""

    sort: Sort
    content: str
    at: int

    def is_(self, *words: str) -> bool:
        """Whether this is one of some keywords or signs."""
        return self.sort in ("keyword", "sign") and self.content in words

    @property
    def shown(self) -> str:
        """The word as a message shows it."""
        return END if self.sort == "end" else values.shown(self.content)


def refuse(problem: str, at: int, *, column: str | None = None) -> SchemaError:
    """The error for a problem at a position of a rule."""
    return SchemaError(problem, column=column, place=f"position {at}")


def tokens(text: str) -> list[Token]:
    """The words of a rule, an ``end`` last."""
    if len(text) > LONGEST_RULE:
        raise refuse(f"a rule may have at most {LONGEST_RULE} characters", LONGEST_RULE + 1)
    found, start = [], 0
    while start < len(text):
        match = _PATTERN.match(text, start)
        if match is None:
            hint = _HINTS.get(text[start], "put names with such characters in `backticks`")
            raise refuse(f"{values.shown(text[start])} cannot stand here; {hint}", start + 1)
        if match.lastgroup != "space":
            found.append(_token(str(match.lastgroup), match[0], start + 1))
        start = match.end()
    return [*found, Token("end", "", len(text) + 1)]


def _token(sort: str, written: str, at: int) -> Token:
    match sort:
        case "word":
            return Token("keyword" if written in KEYWORDS else "name", written, at)
        case "text" | "name":
            quote = written[0]
            return Token(sort, written[1:-1].replace(quote * 2, quote), at)
    return Token(sort, written, at)  # type: ignore[arg-type]
