"""``us.compare``: any kind of table, the real one through the unprotected door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import understudy as us
from understudy.evaluate.compare import WITHOUT_MODELS
from understudy.evaluate.comparison import NOTICE
from understudy.schema.columns import Category, Drop, Integer, Real
from understudy.schema.schema import Unit

SCHEMA = us.Schema(
    name="pairs",
    columns={
        column.name: column
        for column in (
            Category(name="kind", levels="discover"),
            Integer(name="age", min=0, max=9),
            Real(name="cost", missing=("",)),
        )
    },
)


def frame(seed: int, *, dependent: bool = True, rows: int = 600) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, rows)
    age = np.clip(kind * 3 + rng.integers(0, 2, rows), 0, 9)
    if not dependent:
        rng.shuffle(age)
    return {"kind": np.array(list("abc"))[kind], "age": age, "cost": age * 10.0 + rng.random(rows)}


def as_pandas(content: dict[str, np.ndarray]) -> object:
    import pandas

    return pandas.DataFrame(content)


def as_polars(content: dict[str, np.ndarray]) -> object:
    import polars

    return polars.DataFrame(content)


@pytest.mark.parametrize("make", [as_pandas, as_polars])
def test_a_table_is_as_close_to_itself_as_can_be(make: object) -> None:
    real = make(frame(1))  # type: ignore[operator]
    scores = us.compare(real, [real], SCHEMA).scores
    for name, score in scores.items():
        if name.startswith(("tvd.", "wasserstein.1", "ks.", "pearson.error")):
            assert score == pytest.approx(0, abs=1e-12), name
    assert scores["nist.score"] == pytest.approx(1000)


def test_a_lost_dependence_is_seen_in_pairs_only() -> None:
    real = as_pandas(frame(1))
    close, shuffled = as_pandas(frame(2)), as_pandas(frame(2, dependent=False))
    good, bad = (us.compare(real, one, SCHEMA).scores for one in (close, shuffled))
    assert bad["tvd.2.mean"] > good["tvd.2.mean"] + 0.1  # type: ignore[operator]


def test_several_tables_and_a_target() -> None:
    tables = [as_pandas(frame(seed)) for seed in (2, 3, 4)]
    found = us.compare(as_pandas(frame(1)), tables, SCHEMA, target="kind")
    assert len(found.synthetic_rows) == 3
    assert found.target == "kind"
    figure = found.figures["tvd.1.mean"]
    assert figure.mean == pytest.approx(sum(figure.values) / 3)
    assert NOTICE in found.to_html()
    assert NOTICE in found.to_text()


def test_a_release_beside_its_source(tmp_path: Path) -> None:
    real = as_pandas(frame(1))
    release = us.synthesize(real, SCHEMA, epsilon=5, delta="1e-3")
    found = us.compare(real, release.tables, SCHEMA)
    assert found.real_rows == 600
    assert found.synthetic_rows == (release.synthetic[0].rows,)
    release.save(tmp_path / "r")
    again = us.compare(real, tmp_path / "r" / "synthetic.parquet", SCHEMA)
    assert again.scores["tvd.1.mean"] == found.scores["tvd.1.mean"]


def test_the_seed_fixes_the_references() -> None:
    tables = as_pandas(frame(1)), as_pandas(frame(2))
    one, two = (us.compare(*tables, SCHEMA, seed=4).to_json() for _ in range(2))
    assert one == two


def test_a_hold_out_table_makes_an_attack_possible() -> None:
    names = [f"x{number}" for number in range(6)]
    schema = us.Schema(
        name="cube", columns={name: Real(name=name, min=0.0, max=1.0) for name in names}
    )
    rng = np.random.default_rng(3)
    real, kept, other = (
        as_pandas(dict(zip(names, rng.random((6, 200)), strict=True))) for _ in "abc"
    )
    without = us.compare(real, other, schema).scores
    attacked = us.compare(real, [real, other], schema, holdout=kept)
    assert not any(name.startswith("membership.") for name in without)
    advantage = attacked.figures["membership.advantage"].values
    assert advantage[0] > advantage[1] + 0.5  # the table itself betrays its rows, others do not


def test_models_are_left_out_on_request_and_where_they_cannot_be_trained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = as_pandas(frame(1)), as_pandas(frame(2))
    left_out = us.compare(*tables, SCHEMA, target="kind", models=False)
    assert WITHOUT_MODELS in left_out.notes
    monkeypatch.setattr("understudy.evaluate.compare.available", lambda _: False)
    absent = us.compare(*tables, SCHEMA, target="kind")
    assert absent.to_json() == left_out.to_json()


def test_references_are_drawn_as_often_as_asked() -> None:
    found = us.compare(as_pandas(frame(1)), as_pandas(frame(2)), SCHEMA, repeats=3)
    assert len(found.figures["tvd.2.mean"].ceiling) == 3


def test_pmse_of_a_table_like_the_real_one_is_near_its_null() -> None:
    real = as_pandas(frame(1))
    close, shuffled = as_pandas(frame(2)), as_pandas(frame(2, dependent=False))
    good, bad = (us.pmse(real, one, SCHEMA, depth=2) for one in (close, shuffled))
    assert 0 <= good.value < bad.value <= 0.25
    assert good.ratio < 3 < bad.ratio


def test_pmse_of_a_table_with_itself_is_nothing() -> None:
    real = as_pandas(frame(1))
    assert us.pmse(real, real, SCHEMA, depth=3).value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("depth", [0, 4])
def test_pmse_says_which_depths_there_are(depth: int) -> None:
    real = as_pandas(frame(1))
    with pytest.raises(us.UsageError, match="1, 2, 3"):
        us.pmse(real, real, SCHEMA, depth=depth)


def test_wrong_questions() -> None:
    real = as_pandas(frame(1))
    with pytest.raises(us.UsageError, match="at least one synthetic"):
        us.compare(real, [], SCHEMA)
    with pytest.raises(us.UsageError, match="colour"):
        us.compare(real, real, SCHEMA, target="colour")
    with pytest.raises(us.TableMismatch):
        us.compare(real, as_pandas({"a": np.arange(3)}), SCHEMA)


def test_synthetic_rows_are_of_nobody() -> None:
    """A release has no column of persons if the schema drops it, and nobody's rows are cut."""
    import pandas

    people = {"who": Drop(name="who"), "age": Integer(name="age", min=0, max=9)}
    schema = us.Schema(name="visits", columns=people, unit=Unit(column="who", max_rows=2))
    real = pandas.DataFrame({"who": [f"p{n // 2}" for n in range(200)], "age": [3, 7] * 100})
    made = us.synthesize(real, schema, epsilon=100).table
    assert list(made) == ["age"]
    assert us.compare(real, made, schema).scores["tvd.1.mean"] < 0.2
    assert us.pmse(real, made, schema, depth=1).value < 0.1
    one_name = made.assign(who="x")
    same = us.compare(real, [made, one_name], schema)
    assert same.synthetic_rows == (len(made), len(made))


@pytest.mark.parametrize("wrong", ["real", "synthetic", "holdout"])
def test_a_missing_or_unknown_column_is_named_or_counted_in_any_table(wrong: str) -> None:
    tables = dict.fromkeys(("real", "synthetic", "holdout"), as_pandas(frame(1)))
    for content, message in (
        ({name: column for name, column in frame(1).items() if name != "age"}, "lacks 'age'"),
        ({**frame(1), "secret": np.arange(600)}, "1 of its columns is not in the schema"),
    ):
        given = {**tables, wrong: as_pandas(content)}
        with pytest.raises(us.TableMismatch, match=message):
            us.compare(given["real"], given["synthetic"], SCHEMA, holdout=given["holdout"])


def test_values_of_another_kind_are_far_away_and_never_shown() -> None:
    real, other = as_pandas(frame(1)), as_pandas({**frame(1), "age": np.array(["zebra"] * 600)})
    found = us.compare(real, [real, other], SCHEMA)
    alike, strange = found.figures["tvd.1.mean"].values
    assert alike == 0
    assert strange > 0.2
    assert "zebra" not in found.to_json() + found.to_text() + found.to_html()


def test_a_table_without_rows_is_refused() -> None:
    real, empty = as_pandas(frame(1)), as_pandas(frame(1, rows=0))
    for given in ((real, empty), (empty, real)):
        with pytest.raises(us.UsageError, match="without rows"):
            us.compare(*given, SCHEMA)
