"""``--set key=value``: a method's hyper-parameters, checked by type and told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from difflib import get_close_matches
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from understudy.errors import UsageError

WORDS: Final = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


def options_of(method: str, pairs: Sequence[str]) -> dict[str, Any]:
    """The settings given on the command line for the method of this name."""
    from understudy import methods as room

    return settings_of(room.get(method), pairs)


def settings_of(method: type, pairs: Sequence[str]) -> dict[str, Any]:
    """The hyper-parameters that ``pairs`` set, each of the type its method declares."""
    hints = get_type_hints(method)
    known = {field.name: hints[field.name] for field in fields(method)}
    found: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"--set needs key=value, such as --set rounds=10, not {pair!r}")
        name = key.strip().replace("-", "_")
        if name in found:
            raise UsageError(f"--set {name} is given twice")
        found[name] = _value(name, text.strip(), known)
    return found


def _value(name: str, text: str, known: dict[str, Any]) -> Any:
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        allowed = f"it has {', '.join(known)}" if known else "it has none"
        raise UsageError(f"the method has no setting {name!r}; {allowed}{hint}")
    from pydantic import TypeAdapter, ValidationError

    item = _items(known[name])
    adapter = TypeAdapter(known[name] if item is None else item)
    texts = [text] if item is None else [part.strip() for part in text.split(",")]
    try:
        found = [adapter.validate_strings(part) for part in texts]
    except ValidationError:
        raise UsageError(f"--set {name} takes {_taken(known[name])}, not {text!r}") from None
    if any(isinstance(value, float) and not isfinite(value) for value in found):
        raise UsageError(f"--set {name}={text}: must be a finite number")
    return found[0] if item is None else tuple(found)


def described(method: type) -> list[str]:
    """Each hyper-parameter in words: its name, what it takes and what it is by default."""
    hints = get_type_hints(method)
    return [
        f"{field.name}: {_taken(hints[field.name])}{_default(field.default)}"
        for field in fields(method)
    ]


def _default(value: Any) -> str:
    if value is None or value is MISSING or value == ():
        return ""
    shown = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return f" (default: {shown.lower() if isinstance(value, bool) else shown})"


def _taken(hint: Any) -> str:
    """What a setting of this type takes, in words."""
    item = _items(hint)
    if item is not None:
        return "one or more names, between commas" if item is str else f"{_taken(item)}, or several"
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return " or ".join(words for part in parts for words in _words(part))


def _words(part: Any) -> list[str]:
    if get_origin(part) is Literal:
        return [repr(value) for value in get_args(part)]
    return [] if part is NoneType else [WORDS.get(part, str(part))]


def _items(hint: Any) -> Any | None:
    """The type of the items if a setting takes a list of them (between commas), else None."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return next((get_args(part)[0] for part in parts if get_origin(part) is tuple), None)
