"""A sealed answer stays sealed against everything that an innocent line of code might do."""

from __future__ import annotations

import builtins
import copy
import dataclasses
import io
import json
import logging
import math
import operator
import pickle
import pprint
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from understudy.gate.sensitive import Sensitive, reveal

SECRET = 31415926
BINARY = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor",
    "lshift", "rshift", "eq", "ne", "lt", "le", "gt", "ge", "concat", "contains", "getitem",
    "iadd", "isub", "imul", "countOf", "indexOf",
]  # fmt: skip
UNARY = ["neg", "pos", "abs", "invert", "not_", "truth", "index"]


def on_the_left(name: str) -> Callable[[Any], Any]:
    return lambda sealed: getattr(operator, name)(sealed, 1)


def on_the_right(name: str) -> Callable[[Any], Any]:
    return lambda sealed: getattr(operator, name)(1, sealed)


CALLS: dict[str, Callable[[Any], Any]] = {
    **{f"operator.{name}": getattr(operator, name) for name in UNARY},
    **{f"operator.{name}, left": on_the_left(name) for name in BINARY},
    **{f"operator.{name}, right": on_the_right(name) for name in BINARY},
    **{
        f"{name}()": getattr(builtins, name)
        for name in (
            "len", "iter", "list", "tuple", "set", "dict", "sum", "max", "sorted", "any", "all",
            "enumerate", "reversed", "bool", "int", "float", "complex", "bytes", "hash", "round",
            "abs", "hex", "chr", "range", "next", "vars", "format",
        )
    },
    "call": lambda s: s(),
    "str.format": "{}".format,
    "f-string": lambda s: f"{s}",
    "f-string with a width": lambda s: f"{s:>10}",
    "f-string after a call": lambda s: f"{s.__format__('')}",
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "deepcopy in a list": lambda s: copy.deepcopy([s]),
    **{f"pickle {p}": (lambda s, p=p: pickle.dumps(s, p)) for p in range(6)},
    "json": json.dumps,
    "math.floor": math.floor,
    "math.sqrt": math.sqrt,
    "np.asarray": np.asarray,
    "np.array of objects": lambda s: np.array(s, dtype=object),
    "np.array in a list": lambda s: np.array([s]),
    "np.sum": np.sum,
    "np.add": lambda s: np.add(s, 1),
    "np.add left": lambda s: np.ones(3) + s,
    "np.matmul": lambda s: np.ones(3) @ s,
    "np.save": lambda s: np.save(io.BytesIO(), s),
    "np.isfinite": np.isfinite,
    "comparison chain": lambda s: 0 < s < 5,
    "unpacking": lambda s: [*s],
    "keyword unpacking": lambda s: dict(**s),
    "if": lambda s: 1 if s else 0,
    "slice": lambda s: s[:2],
    "assignment": lambda s: operator.setitem(s, 0, 1),
    "attribute": lambda s: s.exact,
    "new attribute": lambda s: setattr(s, "copy", 1),
    "__dict__": lambda s: s.__dict__,
    "key of a dict": lambda s: {s: 1},
    "shape": lambda s: s.shape,
    "dtype": lambda s: s.dtype,
}  # fmt: skip


@pytest.mark.parametrize("exact", [SECRET, np.arange(3), {"level": SECRET}, [SECRET]], ids=repr)
@pytest.mark.parametrize("name", CALLS)
def test_everything_is_refused(name: str, exact: object) -> None:
    with pytest.raises((TypeError, AttributeError)) as refusal:
        CALLS[name](Sensitive(exact))
    assert "31415926" not in str(refusal.value)
    assert "[0 1 2]" not in str(refusal.value)


def test_what_can_be_shown_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    sealed = Sensitive(SECRET)
    assert repr(sealed) == str(sealed) == pprint.pformat(sealed) == "<Sensitive>"
    assert repr([sealed]) == "[<Sensitive>]"
    with caplog.at_level(logging.INFO):
        logging.getLogger("toy").info("%s %r", sealed, sealed)
    assert caplog.messages == ["<Sensitive> <Sensitive>"]
    assert operator.length_hint(sealed, 7) == 7
    assert "31415926" not in repr(dir(sealed))


def test_the_refusal_says_where_to_ask() -> None:
    with pytest.raises(TypeError, match="ask PrivateTable for a noisy one"):
        len(Sensitive(SECRET))


def test_the_gate_can_open_it() -> None:
    exact = np.arange(3)
    assert reveal(Sensitive(exact)) is exact


def test_it_cannot_be_opened_by_subclassing_or_by_dataclass_tools() -> None:
    with pytest.raises(TypeError):
        dataclasses.asdict(Sensitive(SECRET))  # type: ignore[call-overload]
    assert not hasattr(Sensitive(SECRET), "__dict__")
