"""What goes into the journal comes out bit by bit, or is refused going in."""

from __future__ import annotations

import json
from collections import OrderedDict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from understudy.errors import LedgerError, UsageError
from understudy.privacy.answer import decode_answer, encode_answer, encode_detail

shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
arrays = st.one_of(hnp.arrays("int64", shapes), hnp.arrays("float64", shapes))
words = st.text(st.characters(), max_size=8)
keys = st.one_of(words, st.sampled_from(["$float", "$tuple", "$dict", "$array", "$"]))
leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words, arrays)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
    ),
    max_leaves=12,
)


def identical(one, other) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        same_form = one.dtype == other.dtype and one.shape == other.shape
        return same_form and one.tobytes() == other.tobytes()
    if isinstance(one, float):
        return one.hex() == other.hex()
    if isinstance(one, dict):
        return list(one) == list(other) and all(identical(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return one == other


@given(st.dictionaries(keys, values, max_size=4))
def test_every_answer_comes_back_bit_by_bit(answer):
    text = encode_answer(answer)
    assert text.isascii()
    assert identical(decode_answer(text), answer)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12).reshape(3, 4)[::-1, ::2],
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([np.nan, -np.nan, np.inf, -0.0, 5e-324]),
        np.array([2**63 - 1, -(2**63)]),
        np.array(7),
        np.zeros((0, 3)),
    ],
)
def test_arrays_come_back_whole_and_writable(array):
    back = decode_answer(encode_answer({"a": array}))["a"]
    assert identical(back, np.ascontiguousarray(array).reshape(array.shape))
    assert back.flags.writeable


@pytest.mark.parametrize(
    "value",
    [
        np.int64(1),
        np.float64(1),
        np.bool_(True),
        np.zeros(2, "float32"),
        np.zeros(2, ">i8"),
        np.zeros(2, "uint64"),
        np.array(["a"]),
        np.array([object()]),
        np.ma.masked_array([1]),
        OrderedDict(a=1),
        {1: 2},
        {"a": {None: 1}},
        {1, 2},
        b"x",
        Fraction(1, 2),
        1j,
        object(),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_what_would_come_back_as_something_else_is_refused(value):
    with pytest.raises(UsageError, match="an answer cannot hold"):
        encode_answer({"a": [value]})


@pytest.mark.parametrize("answer", [None, [1], OrderedDict(), np.zeros(1)])
def test_an_answer_is_a_dict(answer):
    with pytest.raises(UsageError, match="an answer is a dict"):
        encode_answer(answer)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        "null",
        '{"$tuple": [1]}',
        '{"a": {"$array": ["int32", [1], "AAAA"]}}',
        '{"a": {"$array": ["object", [1], "AAAA"]}}',
        '{"a": {"$array": ["int64", [2], "AAAAAAAAAAA="]}}',
        '{"a": {"$array": ["int64", [1], "not base64"]}}',
        '{"a": {"$array": 3}}',
        '{"a": {"$float": "x"}}',
        '{"a": {"$dict": [1]}}',
        "[" * 100_000,
    ],
    ids=lambda text: text[:40],
)
def test_a_damaged_journal_is_refused(text):
    with pytest.raises(LedgerError, match="damaged"):
        decode_answer(text)


def test_equal_details_have_equal_texts():
    one = {"columns": ["a", "b"], "scale": 0.1, "n": 3}
    assert encode_detail(one) == encode_detail(dict(reversed(one.items())))
    assert encode_detail(one) == encode_detail(json.loads(encode_detail(one)))
    assert encode_detail({"a": 1}) != encode_detail({"a": 1.0})


@pytest.mark.parametrize("detail", [{"a": np.int64(1)}, {"a": float("nan")}, {"a": {1}}, 3])
def test_details_are_plain_json(detail):
    with pytest.raises(UsageError, match="plain JSON"):
        encode_detail(detail)
