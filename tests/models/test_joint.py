"""What fits into a joint table, and what is said if it does not."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.errors import UsageError
from understudy.models.joint import LARGEST_TABLE, check_choice, check_size, chosen


def test_columns_are_names_in_any_sequence() -> None:
    assert chosen(None) is None
    assert chosen(["b", "a"]) == ("b", "a")
    assert chosen("age") == ("age",), "one name is not a list of letters"


@pytest.mark.parametrize("columns", [[], ["a", "a"], ["a", 3], [None]])
def test_odd_columns_are_refused(columns: list[Any]) -> None:
    with pytest.raises(UsageError, match="different names"):
        chosen(columns)


@pytest.mark.parametrize("negatives", ["reject", "", None, "Clip"])
def test_counts_below_zero_are_never_drawn_again(negatives: Any) -> None:
    with pytest.raises(UsageError, match="'project' or 'clip'"):
        check_choice(negatives, 10)


@pytest.mark.parametrize("most", [0, -1, 1.5, True, LARGEST_TABLE + 1, None])
def test_odd_caps_are_refused(most: Any) -> None:
    with pytest.raises(UsageError, match="most_cells is a whole number"):
        check_choice("project", most)


def test_a_table_fits_up_to_the_last_cell() -> None:
    check_size({"a": 10, "b": 10}, most=100)
    check_size({}, most=1)
    with pytest.raises(UsageError, match="2 columns has 110 cells, and at most 100"):
        check_size({"a": 10, "b": 11}, most=100)


def test_the_refusal_names_the_widest_columns_and_the_ways_out() -> None:
    sizes = {"a": 2, "b": 5000, "c": 300, "d": 40, **{f"x{i}": 9 for i in range(40)}}
    with pytest.raises(UsageError) as caught:
        check_size(sizes, most=2**24)
    text = str(caught.value)
    assert "about 10^46" in text  # 2 * 5000 * 300 * 40 * 9^40 = 1.77e46
    assert "'b' has 5,000, 'c' has 300, 'd' has 40" in text
    assert "'a'" not in text
    for way in ("columns=", "fewer bins", "most_cells=", "'independent'"):
        assert way in text
