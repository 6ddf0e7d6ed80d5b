"""What a CHECK says about one column, if it says it simply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from understudy.schema.ddl_words import Word

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TYPE_WORDS = frozenset({"varying", "precision", "with", "without", "time", "zone"})


@dataclass
class Found:
    """Levels and bounds found so far; dates are still text."""

    levels: list[str] | None = None
    low: float | str | None = None
    high: float | str | None = None


def facts_of(name: str, body: Sequence[Word], found: Found) -> bool:
    """Add what a condition says about a column to ``found``; whether all of it was understood.

    Understood are conditions joined by AND: ``x IN (...)``, ``x = ANY (ARRAY[...])``,
    ``x BETWEEN a AND b`` and comparisons of x with a constant, with casts and parentheses.
    """
    words = _without_casts(body)
    if not words or any(word.plain in ("or", "not", "case") for word in words):
        return False
    understood = True
    for clause in _clauses(words):
        understood &= _one(name, clause, found)
    return understood


def _without_casts(body: Sequence[Word]) -> list[Word]:
    """Words that carry meaning: no ``::varchar(3)``, no parentheses or brackets."""
    kept: list[Word] = []
    cast = ""
    for word in body:
        if word.plain == "::" or (cast == "type" and word.plain == "."):
            cast = "start"
        elif cast == "start" or (cast == "type" and word.plain in _TYPE_WORDS):
            cast = "type"
        elif cast == "type" and word.plain == "(":
            cast = "size"
        elif cast == "size" and word.plain != ")":
            continue
        else:
            cast = ""
            kept += [] if word.plain in ("(", ")", "[", "]") else [word]
    return kept


def _clauses(words: Sequence[Word]) -> list[list[Word]]:
    """Parts between ANDs, the AND of a BETWEEN not counted."""
    clauses: list[list[Word]] = [[]]
    between = False
    for word in words:
        between = between or word.plain == "between"
        if word.plain == "and" and not between:
            clauses.append([])
        else:
            between = between and word.plain != "and"
            clauses[-1].append(word)
    return clauses


def _one(name: str, clause: list[Word], found: Found) -> bool:
    plain = [word.plain for word in clause]
    if len(clause) < 3 or not _is_column(clause[0], name):
        return _mirrored(name, clause, found)
    rest = clause[1:]
    if plain[1] == "in" or plain[1:4] == ["=", "any", "array"]:
        listed = [word for word in rest if word.sort in ("text", "number")]
        found.levels = list(dict.fromkeys(word.content for word in listed))
        return bool(found.levels)
    if plain[1] == "between" and "and" in plain:
        at = plain.index("and")
        low, high = _constant(clause[2:at]), _constant(clause[at + 1 :])
        return _bound(">=", low, found) and _bound("<=", high, found)
    return _bound(plain[1], _constant(clause[2:]), found)


def _mirrored(name: str, clause: list[Word], found: Found) -> bool:
    """``0 <= x`` as ``x >= 0``."""
    if len(clause) < 3 or not _is_column(clause[-1], name):
        return False
    return _bound(_MIRRORED.get(clause[-2].plain, ""), _constant(clause[:-2]), found)


def _is_column(word: Word, name: str) -> bool:
    return word.sort in ("word", "name") and word.content.lower() == name.lower()


def _constant(words: Sequence[Word]) -> float | str | None:
    """A number, perhaps signed, or a text, perhaps after DATE or TIMESTAMP."""
    plain = [word.plain for word in words]
    negative = plain[:1] == ["-"]
    rest = list(words[1:] if plain[:1] in (["-"], ["date"], ["timestamp"]) else words)
    if len(rest) != 1 or rest[0].sort not in ("number", "text"):
        return None
    written = rest[0].content
    if rest[0].sort == "text":
        return None if negative else written
    number = int(written) if len(written) < 300 and written.isdecimal() else float(written)
    return -number if negative else number


def _bound(relation: str, bound: float | str | None, found: Found) -> bool:
    if bound is None or relation not in _MIRRORED:
        return False
    if relation in ("<", ">") and isinstance(bound, int):
        bound += 1 if relation == ">" else -1
    if relation in (">", ">="):
        found.low = bound
    else:
        found.high = bound
    return True
