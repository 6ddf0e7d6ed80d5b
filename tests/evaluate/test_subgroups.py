"""Groups, rules and traces on tables worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.evaluate.tables import grid, people, sample
from understudy.evaluate import disclosure as d
from understudy.evaluate import rules, subgroups
from understudy.evaluate.reference import bootstrap


def rng():
    return np.random.default_rng(0)


# ---- groups ------------------------------------------------------------------------------------


def test_the_group_that_was_damaged_is_the_worst():
    on = grid()
    values = people(3000)
    broken = {name: list(column) for name, column in values.items()}
    for i, city in enumerate(values["city"]):
        if city == "C":
            broken["age"][i] = "3"
    real, other = sample(on, values), sample(on, broken)
    found = subgroups.group_errors(real, other, rng=rng())
    ceiling = subgroups.group_errors(real, bootstrap(real, rows=3000, rng=rng()), rng=rng())
    worst = subgroups.worst_first(found, ceiling)
    assert (worst[0].column, worst[0].level) == ("city", "C")
    in_group = np.array(values["city"]) == "C"
    ages = np.array(values["age"], dtype=int)[in_group]
    # one of five other columns differs: all its rows moved to the cell of age 3
    cells = ages * 32 // 100
    assert worst[0].tvd == pytest.approx(np.mean(cells != 3 * 32 // 100) / 5)
    assert worst[0].real_share == worst[0].synthetic_share == pytest.approx(in_group.mean())
    assert worst[0].excess > 0 > worst[-1].excess


def test_groups_that_vanish_are_at_distance_1_and_small_ones_are_left_out():
    on = grid()
    values = people(400)
    values["city"] = ["A"] * 380 + ["D"] * 20
    gone = {**values, "city": ["B"] * 400}
    found = subgroups.group_errors(sample(on, values), sample(on, gone), rng=rng())
    cities = {group.level: group for group in found if group.column == "city"}
    assert set(cities) == {"A"}
    assert cities["A"].tvd == 1.0
    assert cities["A"].synthetic_share == 0.0


def test_missing_is_a_group_too():
    on = grid()
    values = {**people(200), "city": [None] * 100 + ["A"] * 100}
    table = sample(on, values)
    found = subgroups.group_errors(table, table, rng=rng())
    assert ("city", "(missing)") in {(group.column, group.level) for group in found}
    assert {group.tvd for group in found} == {0.0}
    assert found[0].describe().keys() >= {"column", "level", "tvd", "ceiling"}


def test_a_level_that_is_called_missing_keeps_its_own_ceiling():
    alike = [subgroups.Group("c", "(missing)", 0.5, 0.5, tvd) for tvd in (0.1, 0.3)]
    chance = [subgroups.Group("c", "(missing)", 0.5, 0.5, tvd) for tvd in (0.05, 0.2)]
    worst = subgroups.worst_first(alike, chance)
    assert [group.ceiling for group in worst] == [0.2, 0.05]


# ---- rules -------------------------------------------------------------------------------------

ROWS = {
    "age": ["10", "17", "30", "40"],
    "income": ["50", None, "200", "0"],
    "city": ["A", "B", None, "D"],
    "grade": ["low", "mid", "high", "low"],
    "member": ["false", "true", "true", "false"],
    "joined": ["2001-01-01", "2001-01-02", "2010-06-01", "2020-12-31"],
}


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ("age >= 18", [True, True, False, False]),
        ("age >= 18 or member == 'false'", [False, True, False, False]),
        ("age >= 18 and member == 'true'", [True, True, False, True]),
        ("member == 'true' implies age >= 18", [False, True, False, False]),
        ("income > 0", [False, False, False, True]),
        ("not income > 0", [True, False, True, False]),
        ("income is missing", [True, False, True, True]),
        ("income is not missing", [False, True, False, False]),
        ("city in ('A', 'B')", [False, False, False, True]),
        ("city not in ('A', 'B')", [True, True, False, False]),
        ("city != 'D'", [False, False, False, True]),
        ("grade < 'high'", [False, False, True, False]),
        ("grade >= 'mid'", [True, False, False, True]),
        ("joined >= 2001-01-02", [True, False, False, False]),
        ("joined + 1 > 2001-01-02", [True, False, False, False]),
        ("age + 10 <= 40", [False, False, False, True]),
        ("income >= 50", [False, False, False, True]),
        ("income > 50", [True, False, False, True]),
        ("income <= 200.0", [False, False, False, False]),
        ("income in (50, 200)", [False, False, False, True]),
        ("income >= age", [False, False, False, True]),
        ("city == 'A' and income > 100", [True, True, False, True]),
    ],
)
def test_a_row_breaks_a_rule_where_it_is_false(rule, broken):
    on = grid([rule])
    table = sample(on, ROWS)
    assert rules.broken_shares(table) == {rule: pytest.approx(np.mean(broken))}
    each = [rules.broken_shares(table.take(np.array([i])))[rule] for i in range(4)]
    assert [bool(share) for share in each] == broken


# ---- traces ------------------------------------------------------------------------------------


def test_unique_rows_that_come_back_are_counted():
    on = grid()
    values = people(4)
    real = {name: [*column, column[0]] for name, column in values.items()}  # row 0 twice
    other = {name: [column[1], column[1], column[0]] for name, column in values.items()}
    found = d.unique_matches(sample(on, real), sample(on, other))
    assert found.unique_real == pytest.approx(3 / 5)
    assert found.matched == pytest.approx(1 / 3)


def test_nearest_distances_equal_comparing_all_rows():
    on = grid()
    left, right = sample(on, people(20)), sample(on, people(30, seed=4))
    expected = []
    for i in range(20):
        gaps = []
        for j in range(30):
            total = 0.0
            for name in on.columns:
                a, b = int(left.coarse(name)[i]), int(right.coarse(name)[j])
                proper = on.coarse(name)[1] - on.domain.axes[name].nullable
                ordered = name in on.ordered and a < proper and b < proper
                total += abs(a - b) / (proper - 1) if ordered else float(a != b)
            gaps.append(total / len(on.columns))
        expected.append(min(gaps))
    np.testing.assert_allclose(d.nearest(left, right), expected, atol=1e-6)


def test_copies_are_seen_and_strangers_are_far():
    on = grid()
    real = sample(on, people(400))
    copied = d.nearest_records(real, real, rng=rng())
    assert (copied.equal, copied.median) == (1.0, 0.0)
    fresh = d.nearest_records(real, sample(on, people(400, seed=6)), rng=rng())
    assert fresh.equal < 0.1 < fresh.median * 10


def test_a_copied_table_gives_its_members_away_and_a_fresh_one_does_not():
    on = grid()
    members, strangers = sample(on, people(900)), sample(on, people(900, seed=11))
    caught = d.membership(members, strangers, members, rng=rng())
    assert caught.low > 0.8
    safe = d.membership(members, strangers, sample(on, people(900, seed=12)), rng=rng())
    assert abs(safe.value) < 0.17  # five standard deviations of the difference of two shares
    assert safe.low <= safe.value <= safe.high


def test_newcombes_interval_equals_the_published_example():
    """Newcombe 1998, method 10: 56/70 - 48/80 = 0.2, interval 0.0524 to 0.3339 with own sizes;
    with equal sizes 80: 64/80 - 48/80, checked against Wilson's limits by hand."""
    found = d.difference(64, 48, 80)
    low1, high1 = d._wilson(0.8, 80)
    low2, high2 = d._wilson(0.6, 80)
    assert found.value == pytest.approx(0.2)
    assert found.low == pytest.approx(0.2 - np.hypot(0.8 - low1, high2 - 0.6))
    assert found.high == pytest.approx(0.2 + np.hypot(high1 - 0.8, 0.6 - low2))
    assert d._wilson(0.8, 70) == pytest.approx((0.6918, 0.8769), abs=2e-4)
    assert d.difference(0, 0, 0) == d.Advantage(0.0, -1.0, 1.0)
