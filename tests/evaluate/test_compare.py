"""``compare`` as a whole: what is perfect, what is not, hostile tables, JSON, text, criteria."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.evaluate.tables import RULES, code, grid, people
from understudy.errors import QualityGateFailed, SourceError, UsageError
from understudy.evaluate.compare import compare
from understudy.evaluate.comparison import NOTICE, Comparison, Figure
from understudy.evaluate.criteria import Criteria
from understudy.evaluate.grid import Grid
from understudy.schema.axes import domain_of
from understudy.schema.columns import Category, Integer, Real
from understudy.schema.schema import Schema


@pytest.fixture(scope="module")
def found() -> Comparison:
    on = grid(RULES)
    rng = np.random.default_rng(2)
    lost = {
        name: [column[i] for i in rng.permutation(700)[:600]]
        for name, column in people(700).items()
    }
    tables = [people(700), people(700, seed=1), lost]
    real, *others = (code(on, values) for values in tables)
    return compare(real, others, grid=on, target="member", models=False)


def test_identical_tables_are_perfect():
    on = grid()
    real = code(on, people(600))
    figures = compare(real, [real], grid=on, target="member", models=False).figures
    for name, figure in figures.items():
        prefix = name.split(".")[0]
        if prefix in ("tvd", "ks", "missing", "pearson", "kendall", "eta", "queries", "subgroup"):
            assert figure.mean == 0, name
    assert figures["nist.score"].mean == 1000
    assert figures["wasserstein.1.mean"].mean == 0
    assert figures["pmse.depth3"].mean == pytest.approx(0, abs=1e-12)
    assert figures["regression.overlap.mean"].mean == pytest.approx(1)
    assert figures["nearest.equal"].mean == 1


def test_independent_columns_are_at_the_floor_and_fresh_rows_near_the_ceiling(found):
    for name in ("tvd.2.mean", "kendall.error.mean", "eta.error.mean", "pmse.depth2"):
        fresh, lost = found.figures[name].values
        (ceiling,), (floor,) = found.figures[name].ceiling, found.figures[name].floor
        assert fresh < (ceiling + floor) / 2 < lost, name
        assert lost == pytest.approx(floor, rel=0.5), name


def test_the_order_of_rows_and_columns_is_irrelevant():
    columns = dict(grid().domain.schema.columns)
    results = []
    for names in (list(columns), list(reversed(columns))):
        on = Grid.of(domain_of(Schema(name="p", columns={name: columns[name] for name in names})))
        tables = []
        for seed in (0, 1):
            values = people(300, seed=seed)
            order = np.random.default_rng(len(names[0])).permutation(300)
            shuffled = {name: [values[name][i] for i in order] for name in names}
            tables.append(code(on, shuffled))
        results.append(compare(tables[0], tables[1:], grid=on, target="grade", models=False))
    one, two = (result.figures for result in results)
    assert one.keys() == two.keys()
    for name in one:
        assert one[name].values == pytest.approx(two[name].values, rel=1e-9, nan_ok=True), name
        assert one[name].ceiling == pytest.approx(two[name].ceiling, rel=1e-9, nan_ok=True), name


def test_the_same_seed_gives_the_same_text():
    on = grid()
    tables = [code(on, people(200, seed=seed)) for seed in (0, 1)]
    texts = {compare(tables[0], tables[1:], grid=on, seed=3).to_json() for _ in range(2)}
    assert len(texts) == 1


def test_models_stand_beside_training_on_real_rows():
    pytest.importorskip("sklearn")
    on = grid()
    real, other, kept = (code(on, people(500, seed=seed)) for seed in (0, 1, 2))
    found = compare(real, [other], grid=on, target="member", holdout=kept)
    auc = found.figures["auc.logistic"]
    assert auc.ceiling[0] > 0.65 > auc.floor[0]
    assert auc.better == "high"
    assert "cart5" in str(list(found.figures))
    assert found.figures["membership.advantage"].ceiling == ()
    low, high = found.details["traces"][0]["membership_interval"]
    assert low <= found.figures["membership.advantage"].mean <= high


def test_rules_groups_and_columns_are_in_the_details(found):
    broken = found.details["rules"][0]
    assert [rule["rule"] for rule in broken] == list(RULES)
    assert all(0 <= rule["synthetic"] <= 1 for rule in broken)
    gone = np.mean([x is None for x in people(700, seed=1)["income"]])
    assert broken[1]["synthetic"] == pytest.approx(gone)
    assert set(found.details["columns"][0]) == set(grid().columns)
    groups = found.details["subgroups"][1]
    excess = [group["tvd"] - group["ceiling"] for group in groups]
    assert excess == sorted(excess, reverse=True)


HOSTILE = ("</script><b>", "\x1b[2J", "a\nb", "=1+1", "\u202egnp", "'; drop", "")


def test_hostile_strings_survive_as_text():
    column = Category(name="x</td>", levels=HOSTILE)
    other = Category(name="y\x1b[31m", levels=("1", "2"))
    columns = {one.name: one for one in (column, other)}
    on = Grid.of(domain_of(Schema(name="t\x1b[2J\n", columns=columns)))
    rows = {"x</td>": list(HOSTILE) * 60, "y\x1b[31m": ["1"] * 420}
    real = code(on, rows)
    other_rows = code(on, {**rows, "x</td>": [HOSTILE[0]] * 420})
    found = compare(real, [other_rows], grid=on)
    text = found.to_text()
    assert "\x1b" not in text
    assert "\u202e" not in text
    levels = {group["level"] for group in json.loads(found.to_json())["details"]["subgroups"][0]}
    assert levels >= set(HOSTILE)
    assert found.to_json().isascii()


@pytest.mark.parametrize(
    "rows",
    [
        {"n": ["5"], "c": ["a"], "r": ["1.5"]},
        {"n": [None] * 9, "c": [None] * 9, "r": [None] * 9},
        {"n": ["5"] * 9, "c": ["a"] * 9, "r": ["0"] * 9},
        {"n": ["junk", "1e999", "-3"], "c": ["never declared", "", "b"], "r": ["nan", "inf", "x"]},
    ],
    ids=["one row", "all missing", "constant", "junk"],
)
def test_poor_tables_do_not_crash(rows):
    columns = {
        "n": Integer(name="n", min=0, max=9, missing=("",)),
        "c": Category(name="c", levels=("a", "b"), missing=("",)),
        "r": Real(name="r", min=0, max=2, missing=("",)),
    }
    on = Grid.of(domain_of(Schema(name="poor", columns=columns)))
    poor = code(on, rows)
    rich = code(on, {"n": ["1", "2"] * 50, "c": ["a", "b"] * 50, "r": ["0.5", "1"] * 50})
    for real, other in ((poor, rich), (rich, poor), (poor, poor)):
        found = compare(real, [other], grid=on)
        json.loads(found.to_json(), parse_constant=pytest.fail)
        assert found.to_text().startswith(NOTICE)


def test_one_column_with_ten_thousand_levels():
    levels = tuple(f"l{i}" for i in range(10_000))
    on = Grid.of(domain_of(Schema(name="t", columns={"x": Category(name="x", levels=levels)})))
    rng = np.random.default_rng(0)
    real, other = (
        code(on, {"x": np.array(levels, dtype=object)[rng.integers(0, 10_000, 3000)].tolist()})
        for _ in range(2)
    )
    found = compare(real, [other], grid=on)
    assert found.figures["tvd.2.mean"].mean is None
    assert 0.5 < found.figures["tvd.1.mean"].mean < 1


def test_wide_tables_are_sampled_and_say_so():
    columns = {f"c{i}": Integer(name=f"c{i}", min=0, max=3) for i in range(60)}
    on = Grid.of(domain_of(Schema(name="wide", columns=columns)))
    rng = np.random.default_rng(0)
    real, other = (
        code(on, {name: rng.integers(0, 4, 60).astype(str).tolist() for name in columns})
        for _ in range(2)
    )
    found = compare(real, [other], grid=on)
    assert any("random 1000 of 1770 sets of 2" in note for note in found.notes)
    assert found.details["marginals"][0]["3"]["of"] == 34_220


def test_what_cannot_be_compared_is_refused():
    on = grid()
    real = code(on, people(20))
    with pytest.raises(UsageError, match="at least one synthetic"):
        compare(real, [], grid=on)
    with pytest.raises(UsageError, match="no modelled column is named 'incme'"):
        compare(real, [real], grid=on, target="incme")
    with pytest.raises(UsageError, match="repeats"):
        compare(real, [real], grid=on, repeats=0)


# ---- the result --------------------------------------------------------------------------------


def test_spread_needs_several_tables_and_means_need_all():
    figure = Figure("tvd.2.mean", (0.1, 0.3), ceiling=(0.01,), floor=(0.5, 0.7))
    assert figure.mean == pytest.approx(0.2)
    assert figure.spread == pytest.approx(np.std([0.1, 0.3], ddof=1))
    assert figure.to_dict()["floor"] == pytest.approx(0.6)
    assert figure.to_dict()["floor_spread"] == pytest.approx(np.std([0.5, 0.7], ddof=1))
    assert figure.to_dict()["ceiling_spread"] is None
    assert Figure("x", (0.1,)).spread is None
    assert Figure("x", (0.1, float("nan"))).mean is None
    assert Figure("x", (0.1, float("nan"))).to_dict()["values"] == [0.1, None]


def test_json_and_text_say_what_they_are(found):
    parsed = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert parsed["notice"] == NOTICE
    assert (parsed["format"], parsed["version"]) == ("understudy-comparison", 1)
    assert parsed["rows"] == {"real": 700, "synthetic": [700, 600]}
    assert parsed["figures"]["tvd.1.mean"]["spread"] >= 0
    assert parsed["figures"]["nist.score"]["better"] == "high"
    assert found.scores["tvd.2.mean"] == parsed["figures"]["tvd.2.mean"]["mean"]
    text = found.to_text()
    assert text.splitlines()[0] == NOTICE
    assert "nothing about privacy" in text
    assert "'member'" in text
    assert "+-" in text


# ---- criteria ----------------------------------------------------------------------------------


def result(**figures) -> Comparison:
    made = {name: Figure(name, values, (0.1,), (0.9,)) for name, values in figures.items()}
    return Comparison("t", 10, (10,), made, {})


def write(tmp_path, text):
    path = tmp_path / "criteria.toml"
    path.write_text(text)
    return path


def test_limits_are_read_and_kept(tmp_path):
    text = "version = 1\n[limits]\na = { max = 0.5 }\nb = { min = 0.2, from_ceiling = 0.3 }\n"
    criteria = Criteria.load(write(tmp_path, text))
    criteria.enforce(result(a=(0.5,), b=(0.2, 0.4)))
    failures = criteria.check(result(a=(0.1, 0.6), b=(0.1, 0.45)))
    assert [str(failure) for failure in failures] == [
        "a is 0.6, allowed: max 0.5",
        "b is 0.1, allowed: min 0.2",
        "b is 0.45, allowed: from_ceiling 0.3",
    ]
    with pytest.raises(QualityGateFailed, match=r"3 of the criteria not met: a is 0\.6") as caught:
        criteria.enforce(result(a=(0.1, 0.6), b=(0.1, 0.45)))
    assert caught.value.exit_code == 5


@pytest.mark.parametrize("key", ["max", "min", "from_ceiling"])
def test_a_figure_without_a_value_fails(key):
    failures = Criteria({"a": {key: 1.0}}).check(result(a=(float("nan"),)))
    assert [str(failure) for failure in failures] == [f"a does not exist, allowed: {key} 1"]


def test_unknown_figures_are_named_with_a_guess():
    with pytest.raises(UsageError, match=r"tvd\.2\.maen.*tvd\.2\.mean"):
        Criteria({"tvd.2.maen": {"max": 1}}).check(result(**{"tvd.2.mean": (0.1,)}))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 1\n[limits\n", "not valid TOML"),
        ("[limits]\na = { max = 1 }\n", "version = 1"),
        ("version = 1\n", r"\[limits\]"),
        ("version = 1\n[limits]\n", r"\[limits\]"),
        ("version = 1\n[limits]\na = 1\n", "a table of max, min"),
        ("version = 1\n[limits]\na = { most = 1 }\n", "a table of max, min"),
        ("version = 1\n[limits]\na = { max = true }\n", "with numbers"),
        ("version = 1\n[limits]\na = { max = nan }\n", "with numbers"),
        ("version = 1\nother = 2\n[limits]\na = { max = 1 }\n", r"\[limits\]"),
    ],
)
def test_files_that_are_no_criteria_are_refused(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        Criteria.load(write(tmp_path, text))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SourceError, match="cannot read the criteria"):
        Criteria.load(tmp_path / "absent.toml")
