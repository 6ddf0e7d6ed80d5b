"""``sample``: more rows, also of one cell, and never for a wrong question."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.cli.program import run, untouched
from tests.release.releases import a_model
from understudy.cli import condition
from understudy.cli.condition import draw_where
from understudy.errors import UsageError
from understudy.models.base import Model
from understudy.models.paid_rows import PaidRows
from understudy.models.product import ProductModel
from understudy.table.table import Table, joined


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def where_table(model: Model, rows: int, *, where: str, seed: int) -> Table:
    return joined(list(draw_where(model, rows, where=where, seed=seed)))


def paid_model(rows: int = 400) -> PaidRows:
    """A model that cannot say what its rows in one cell look like."""
    model = a_model()
    codes = model.draw(rows, np.random.default_rng(1)).columns
    columns = np.stack([codes[name].astype(np.int64) for name in model.domain.columns])
    return PaidRows(model.domain, 400.0, columns)


def test_rows_to_a_file(released: Path, tmp_path: Path) -> None:
    with untouched(released):
        made = run("sample", released, "--rows", 25, "--out", tmp_path / "s.csv")
    assert made.code == 0, made.err
    assert "25 synthetic rows" in made.out
    assert len(rows_of((tmp_path / "s.csv").read_text())) == 25


def test_json_and_quiet(released: Path, tmp_path: Path) -> None:
    made = run("sample", released, "--rows", 2, "--out", tmp_path / "a.csv", "--json")
    assert json.loads(made.out) == {"rows": 2, "files": {"rows": [str(tmp_path / "a.csv")]}}
    made = run("sample", released, "--rows", 2, "--out", tmp_path / "b.csv", "--quiet")
    assert (made.code, made.out) == (0, "")


def test_a_seed_repeats_the_rows(released: Path) -> None:
    asked = ("sample", released, "--rows", 30, "--out", "-", "--seed")
    assert run(*asked, 4).out == run(*asked, 4).out
    assert run(*asked, 4).out != run(*asked, 5).out


def test_only_rows_in_the_cell(released: Path) -> None:
    made = run("sample", released, "--rows", 50, "--out", "-", "--where", "sex=F")
    assert [row["sex"] for row in rows_of(made.out)] == ["F"] * 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "-1", "--out", "s.csv"], "rows"),
        (["--rows", "3"], "out"),
        (["--out", "s.csv"], "rows"),
        (["--rows", "3", "--out", "s.xls"], ".csv"),
        (["--rows", "3", "--out", "old.csv"], "exists"),
        (["--rows", "3", "--out", "s.csv", "--where", "sex"], "column=value"),
        (["--rows", "3", "--out", "s.csv", "--where", "colour=red"], "person"),
        (["--rows", "3", "--out", "s.csv", "--where", "sex=X"], "no level 'X'"),
        (["--rows", "3", "--out", "s.csv", "--where", "age=old"], "no value of 'age'"),
        (["--rows", "3", "--out", "s.csv", "--where", "age=4000"], "out of the bounds of 'age'"),
        (["--rows", "3", "--out", "s.csv", "--where", "age=-1"], "out of the bounds of 'age'"),
        (["--rows", "3", "--out", "s.csv", "--where", "person=1"], "column=value"),
        (["--rows", "3", "--out", "s.csv", "--seed", "x"], "seed"),
    ],
)
def test_wrong_questions(
    released: Path,
    tmp_path: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.csv").write_text("precious")
    with untouched(tmp_path):
        made = run("sample", released, *arguments)
    assert made.code == 2, made.out
    expected = "age, sex, income" if message == "person" else message
    assert expected in " ".join(made.err.replace("│", " ").split())


def test_a_damaged_release_is_refused(released: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(released, tmp_path / "r"))
    (copy / "card.json").write_text("{}")
    made = run("sample", copy, "--rows", 3, "--out", tmp_path / "s.csv")
    assert made.code == 1
    assert "card.json is damaged" in made.err
    assert run("sample", tmp_path / "no", "--rows", 3, "--out", tmp_path / "s.csv").code == 1


@pytest.mark.parametrize(
    ("where", "column", "expected"),
    [
        ("age=40", "age", {40}),
        ("smoker=true", "smoker", {1}),
        ("city=Bb", "city", {1}),
        ("admitted=2020-01-01", "admitted", None),
    ],
)
def test_conditions_by_kind(where: str, column: str, expected: set[int] | None) -> None:
    table = where_table(a_model(), 20, where=where, seed=1)
    values = table.columns[column]
    assert table.rows == 20
    if expected is None:
        assert values.data.max() < np.datetime64("2020-03-01")
    else:
        assert set(values.data.tolist()) == expected
    assert values.missing is None or not values.missing.any()


@pytest.mark.parametrize("where", ["city=", "cost=?", "visits=-1"])
def test_a_missing_code_asks_for_missing(where: str) -> None:
    column = where.partition("=")[0]
    missing = where_table(a_model(), 10, where=where, seed=1).columns[column].missing
    assert missing is not None
    assert missing.all()


def test_no_row_needs_no_draw() -> None:
    assert where_table(a_model(), 0, where="city=Bb", seed=1).rows == 0


def test_the_conditioned_share_is_the_models() -> None:
    """Given a cell of one column, another column keeps its distribution (columns independent).

    5-sigma-and-more band of a binomial share: false alarm below 1e-6.
    """
    model = a_model()
    table = where_table(model, 20_000, where="city=Bb", seed=3)
    share = float((table.columns["smoker"].data == 1).mean())
    chance = float(model.probabilities["smoker"][1])
    assert abs(share - chance) < 5.2 * np.sqrt(chance * (1 - chance) / 20_000)


def test_a_model_that_cannot_say_it_draws_and_throws_away() -> None:
    model = paid_model()
    assert model.given({"city": np.array([True] * model.domain.axes["city"].size)}) is None
    table = where_table(model, 100, where="city=Bb", seed=1)
    assert table.rows == 100
    assert set(table.columns["city"].data.tolist()) == {1}


def test_a_rare_cell_ends_in_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condition, "BATCH", 10)
    monkeypatch.setattr(condition, "MOST_DRAWN", 20)
    with pytest.raises(UsageError, match="too rare: 20 rows"):
        draw_where(paid_model(), 1000, where="city=Bb", seed=1)


def test_a_cell_that_the_model_holds_impossible_is_refused() -> None:
    model = a_model()
    cells = dict(model.probabilities)
    cells["city"] = np.where(np.arange(len(cells["city"])) == 0, 1.0, 0.0)
    with pytest.raises(UsageError, match="impossible that 'city'"):
        draw_where(ProductModel(model.domain, 9.0, cells), 10, where="city=Bb", seed=1)
