"""Answers in a journal: written as JSON text and restored exactly, without running any code.

An answer is a dict of plain values: None, booleans, whole numbers, floats, text, lists, tuples,
dicts with text keys, and NumPy arrays of int64 or float64. Whatever would come back as something
else is refused when it is written, so a replayed run sees what the first run saw, bit by bit.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final

import numpy as np

from understudy.errors import LedgerError, UsageError

Answer = dict[str, Any]

_DTYPES: Final = {"int64": np.dtype("<i8"), "float64": np.dtype("<f8")}
_PLAIN: Final = (type(None), bool, int, str)
_MARK: Final = "$"


def encode_answer(answer: Answer) -> str:
    """The text of an answer."""
    if type(answer) is not dict:
        raise UsageError(f"an answer is a dict, not {type(answer).__name__}")
    return json.dumps(_outward(answer), separators=(",", ":"))


def decode_answer(text: str) -> Answer:
    """The answer of a text; LedgerError if the text is damaged."""
    try:
        answer = _inward(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError):
        answer = None
    if type(answer) is not dict:
        raise LedgerError("the ledger is damaged: an answer in its journal cannot be read")
    return answer


def encode_detail(detail: Mapping[str, Any]) -> str:
    """The canonical text of a charge's details: equal details have equal texts."""
    try:
        return json.dumps(dict(detail), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError):
        raise UsageError("the details of a charge must be plain JSON values") from None


def _outward(value: Any) -> Any:
    # Exact types only: a NumPy float or a subclass would come back as another type.
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return {"$float": value.hex()} if not isfinite(value) else value
    if kind is list:
        return [_outward(item) for item in value]
    if kind is tuple:
        return {"$tuple": [_outward(item) for item in value]}
    if kind is dict and all(type(key) is str for key in value):
        pairs = [(key, _outward(item)) for key, item in value.items()]
        marked = any(key.startswith(_MARK) for key, _ in pairs)
        return {"$dict": pairs} if marked else dict(pairs)
    if kind is np.ndarray and value.dtype in _DTYPES.values():
        data = base64.b64encode(value.tobytes()).decode("ascii")
        return {"$array": [value.dtype.name, list(value.shape), data]}
    raise UsageError(
        f"an answer cannot hold {kind.__name__}: use None, bool, int, float, str, list, tuple, "
        "dict with text keys, or a NumPy array of int64 or float64"
    )


def _inward(value: Any) -> Any:
    if type(value) is list:
        return [_inward(item) for item in value]
    if type(value) is not dict:
        return value
    for mark, read in _MARKED.items():
        if mark in value:
            return read(value[mark])
    return {key: _inward(item) for key, item in value.items()}


def _array(parts: list[Any]) -> np.ndarray[Any, Any]:
    name, shape, data = parts
    flat = np.frombuffer(base64.b64decode(data, validate=True), dtype=_DTYPES[name])
    return flat.reshape(shape).copy()


_MARKED: Final[dict[str, Callable[[Any], Any]]] = {
    "$float": float.fromhex,
    "$tuple": lambda items: tuple(_inward(item) for item in items),
    "$dict": lambda pairs: {key: _inward(item) for key, item in pairs},
    "$array": _array,
}
