"""``us.compare``: any kind of table, the real one through the unprotected door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import understudy as us
from understudy.evaluate.comparison import NOTICE
from understudy.schema.columns import Category, Integer, Real

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


def test_wrong_questions() -> None:
    real = as_pandas(frame(1))
    with pytest.raises(us.UsageError, match="at least one synthetic"):
        us.compare(real, [], SCHEMA)
    with pytest.raises(us.UsageError, match="colour"):
        us.compare(real, real, SCHEMA, target="colour")
    with pytest.raises(us.TableMismatch):
        us.compare(real, as_pandas({"a": np.arange(3)}), SCHEMA)
