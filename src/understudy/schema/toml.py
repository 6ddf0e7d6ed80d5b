"""A schema document as TOML text that people like to read and edit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

WIDTH: Final = 100
Comments = Mapping[str | None, Sequence[str]]


def written(document: Mapping[str, Any], *, comments: Comments | None = None) -> str:
    """The text of a document; ``comments`` go above columns, under ``None`` to the top."""
    comments = comments or {}
    lines = [*_comment(comments.get(None, ())), f"version = {document['version']}"]
    table = dict(document["table"])
    csv = table.pop("csv", {})
    lines += ["", "[table]", *_keys(table)]
    if csv:
        lines += ["", "[table.csv]", *_keys(csv)]
    for name, column in document["columns"].items():
        lines += ["", *_comment(comments.get(name, ())), f"[columns.{_key(name)}]", *_keys(column)]
    for rule in document.get("rules", ()):
        lines += ["", "[[rules]]", *_keys(rule)]
    return "\n".join(lines) + "\n"


def _comment(sentences: Sequence[str]) -> Iterator[str]:
    for sentence in sentences:
        for line in sentence.splitlines():
            yield "# " + "".join(letter if letter.isprintable() else " " for letter in line)


def _keys(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        yield f"{key} = {_value(value, indent=len(key) + 3)}"


def _value(value: Any, *, indent: int = 0) -> str:
    from tomlkit import item, string

    if isinstance(value, dict):
        return "{ " + ", ".join(_keys(value)) + " }"
    if isinstance(value, list):
        return _list([_value(part) for part in value], indent=indent)
    if isinstance(value, str) and '"' in value and "'" not in value and value.isprintable():
        return string(value, literal=True).as_string()
    return str(item(value).as_string())


def _list(parts: Sequence[str], *, indent: int) -> str:
    """On one line if it fits, else as many per line as fit."""
    line = f"[{', '.join(parts)}]"
    if indent + len(line) <= WIDTH:
        return line
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) + 5 > WIDTH:
            lines.append("")
        lines[-1] += f" {part}," if lines[-1] else f"{part},"
    return "[\n" + "".join(f"    {line}\n" for line in lines) + "]"


def _key(name: str) -> str:
    from tomlkit import key

    return key(name).as_string()
