"""The page shows what it was given, in tables that Markdown understands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from experiments.programming_dp import figures, page, redone
from experiments.programming_dp.adult import Adult
from experiments.programming_dp.claims import Claim, Verdict
from experiments.programming_dp.figures import Figure
from experiments.programming_dp.laws import Interval
from experiments.programming_dp.mistakes import Line, Mistake
from experiments.programming_dp.redone import Redone

STEMS = ("ages", "noisy", "drawn", "two-ways", "relative", "invented", "broken-query")
FIGURES = [Figure(f"{stem}.svg", f"alt of {stem}", f"caption of {stem}") for stem in STEMS]
TOWN = Adult(np.array([*([25] * 40), *([45] * 60)]), np.array(["Sales"] * 100, dtype=object))


def verdict(printed: object, expected: object, *, holds: bool, rule: str = "law") -> Verdict:
    claim = Claim(name="a number", cell=7, rule=rule, compute="x", printed=printed)
    return Verdict(claim, expected, holds)


MISTAKE = Mistake(
    name="wrong-table",
    title="A title",
    does="It does.",
    matters="It matters.",
    instead="Do this.",
    lines=(Line("something", "12", "34"),),
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Redone:
    return redone.redo(TOWN, tmp_path_factory.mktemp("redo"), false_alarm=1e-7)


def test_every_number_and_mistake_has_its_line(found: Redone) -> None:
    verdicts = [
        verdict(1234.5, Interval(1000.0, 2000.0), holds=True),
        verdict(9.0, 8, holds=False, rule="exact"),
        verdict([[1, 2], [3, 4]], [[1, 2], [3, 4]], holds=True, rule="exact"),
    ]
    text = page.markdown(verdicts, found, [MISTAKE], FIGURES)
    assert "| 7 | a number | 1,234.5 | law | 1,000 to 2,000 | yes |" in text
    assert "| 7 | a number | 9.0 | exact | 8 | **NO** |" in text
    assert "| 7 | a number | (a table) | exact | 4 numbers | yes |" in text
    assert "2 of 3 printed numbers" in text
    assert "### 1. A title\n\n**The chapter.** It does." in text
    assert "| something | 12 | 34 |" in text


def test_figures_stand_beside_what_they_show(found: Redone) -> None:
    text = page.markdown([], found, [MISTAKE], FIGURES)
    after = text.partition("### 1. A title")[2]
    assert "![alt of broken-query](broken-query.svg)\n\n*caption of broken-query*" in after
    for stem in ("ages", "noisy", "drawn", "two-ways", "relative"):
        assert text.count(f"]({stem}.svg)") == 1


def test_answers_show_their_errors(found: Redone) -> None:
    text = page.markdown([], found, [], FIGURES)
    line = next(one for one in text.splitlines() if one.startswith("| 20 to 29 | 40 |"))
    cells = [cell.strip() for cell in line.split("|")[1:-1]]
    assert len(cells) == 6
    assert float(cells[3]) == pytest.approx(1.357 * np.sqrt(10), abs=0.06)


def test_tables_have_as_many_cells_in_every_line() -> None:
    lines = page._table(("a", "b"), [("1", "2"), ("3", "4")]).splitlines()
    assert lines == ["| a | b |", "| --- | --- |", "| 1 | 2 |", "| 3 | 4 |"]


def test_all_figures_are_drawn_from_any_table(found: Redone, tmp_path: Path) -> None:
    drawn = figures.draw(TOWN, found, tmp_path, np.random.default_rng(1))
    assert [figure.file for figure in drawn] == [f"{stem}.svg" for stem in STEMS]
    for figure in drawn:
        text = (tmp_path / figure.file).read_text(encoding="utf-8")
        assert text.startswith("<svg")
        assert "http" not in text.replace("http://www.w3.org/", ""), "a figure loads nothing"
        assert figure.alt != figure.caption
