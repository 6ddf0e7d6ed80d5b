"""On which line of a TOML file a key is written, as far as reading line by line can tell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from understudy.errors import SchemaError

Path = tuple[str, ...]

_HEADER = re.compile(r"\s*(\[\[?.*\]\]?)\s*(#.*)?")
_LONGEST_LINE = 20_000
_LONG_QUOTES = ('"""', "'''")
_QUOTED = re.compile(r"\"{3}|'{3}|\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*")


def place_of(error: SchemaError, text: str) -> str | None:
    """The line of the key, else of the table, that an error speaks of: ``line 12``."""
    if error.column is None or (error.place or "").startswith("[[rules]]"):
        inside: Path = tuple(re.findall(r"\w+", error.place or ""))
        inside = () if error.place == "the file" else inside
    else:
        inside = ("columns", error.column)
    lines = lines_of(text)
    path = inside if error.key is None else (*inside, error.key)
    while path:
        if path in lines:
            return f"line {lines[path]}"
        path = path[:-1]
    return None


def lines_of(text: str) -> dict[Path, int]:
    """The line of every table and key that stands on a line of its own; rules count from 1."""
    found: dict[Path, int] = {}
    table: Path = ()
    rules = 0
    for number, line in _outside_long_strings(text):
        if header := _HEADER.fullmatch(line):
            path = _only_path(_parsed(header[1]))
            if path is None:
                continue
            rules += path == ("rules",)
            table = ("rules", str(rules)) if path == ("rules",) else path
            found.setdefault(table, number)
        elif "=" in line:
            path = _only_path(_key(line))
            if path is not None:
                for depth in range(1, len(path) + 1):
                    found.setdefault((*table, *path[:depth]), number)
    return found


def _outside_long_strings(text: str) -> Iterator[tuple[int, str]]:
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) <= _LONGEST_LINE:
            if not closing:
                yield number, line.rstrip("\r")
            closing = _open_after(line, closing)


def _open_after(line: str, closing: str) -> str:
    """The quotes of the long string that is open at the end of a line, if one is."""
    at = 0
    while True:
        if closing:
            end = line.find(closing, at)
            if end < 0:
                return closing
            at = end + len(closing)
        match = _QUOTED.search(line, at)
        if match is None:
            return ""
        closing = match[0] if match[0] in _LONG_QUOTES else ""
        at = match.end()


def _key(line: str) -> Mapping[str, Any]:
    """What the shortest readable left side of an equals sign says; names may contain some."""
    at = line.find("=")
    while at >= 0:
        if found := _parsed(f"{line[:at]} = 0"):
            return found
        at = line.find("=", at + 1)
    return {}


def _parsed(line: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(line)
    except (ValueError, RecursionError):
        return {}


def _only_path(parsed: Mapping[str, Any]) -> Path | None:
    path: Path = ()
    inner: Any = parsed
    while inner and isinstance(inner, dict | list):
        if isinstance(inner, list):
            inner = inner[0]
        else:
            key, inner = next(iter(inner.items()))
            path = (*path, key)
    return path or None
