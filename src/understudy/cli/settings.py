"""``--set key=value``: hyper-parameters of a method, checked against its declared types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from difflib import get_close_matches
from math import isfinite
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from understudy.errors import UsageError


def options_of(method: str, pairs: Sequence[str]) -> dict[str, Any]:
    """The settings given on the command line for the method of this name."""
    from understudy import methods as room

    return settings_of(room.get(room.DEFAULT if method == room.AUTO else method), pairs)


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
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]["msg"]
        raise UsageError(f"--set {name}={text}: {first}") from None
    if any(isinstance(value, float) and not isfinite(value) for value in found):
        raise UsageError(f"--set {name}={text}: must be a finite number")
    return found[0] if item is None else tuple(found)


def _items(hint: Any) -> Any | None:
    """The type of the items if a setting takes a list of them (between commas), else None."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return next((get_args(part)[0] for part in parts if get_origin(part) is tuple), None)
