"""The redone chapter: on the real table if it is here, and its parts on tables made by hand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.programming_dp import adult as tables
from experiments.programming_dp import claims, mistakes, published, redone, run
from experiments.programming_dp.adult import AbsentTableError, Adult
from experiments.programming_dp.claims import Claim, Expected

LINE = "39, State-gov, 77516, Bachelors, 13, Never-married, {}, x, White, Male, 0, 0, 40, US, <=50K"


def tiny(*pairs: tuple[int, str]) -> Adult:
    ages, occupations = zip(*pairs, strict=True)
    return Adult(np.array(ages, dtype=np.int64), np.array(occupations, dtype=object))


TINY = tiny((20, "Sales"), (20, "Sales"), (30, "Sales"), (30, "Tech-support"), (64, "?"))


@pytest.fixture(scope="module")
def real(data_dir: Path) -> Adult:
    return tables.load(tables.find(str(data_dir)))


def test_the_smoke_run_on_the_real_table(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run.main(["--smoke", "--data", str(data_dir), "--out", str(tmp_path)])
    assert code == 0, capsys.readouterr().out
    page = (tmp_path / "index.md").read_text(encoding="utf-8")
    figures = sorted(tmp_path.glob("*.svg"))
    assert len(figures) == 7
    for figure in figures:
        assert f"]({figure.name})" in page
        assert "<svg" in figure.read_text(encoding="utf-8")[:200]
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert [claim["holds"] for claim in results["claims"]] == [True] * 18
    assert len(results["mistakes"]) == 8
    for number in ("9,878", "38.58164675532078", "29,568", "14.812515520238389"):
        assert number in page


def test_the_page_in_the_documentation_is_one_that_was_run(real: Adult) -> None:
    folder = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "chapter"
    page = (folder / "index.md").read_text(encoding="utf-8")
    assert "18 of 18 printed numbers" in page
    for verdict in claims.judge(real):
        if verdict.claim.rule != "law" and not isinstance(verdict.expected, list):
            assert verdict.shown in page
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert all(answer["holds"] for answer in results["answers"])
    assert set(results["mistakes"]) == {one.__name__.replace("_", "-") for one in mistakes.ALL}


def test_every_printed_number_holds_on_the_real_table(real: Adult) -> None:
    verdicts = claims.judge(real)
    assert [verdict.claim.name for verdict in verdicts if not verdict.holds] == []
    assert sum(verdict.claim.rule == "law" for verdict in verdicts) == 10


def test_the_published_procedures_fall_where_their_laws_say(real: Adult) -> None:
    rng = np.random.default_rng(1)
    expected = Expected(real, 1e-6)
    for _ in range(10):
        ages = published.sampled_ages(real, 10_000, rng)
        assert published.range_query(ages, real.ages, 20, 65) in expected.broken_20_64_of_10000()
        assert ages.mean() in expected.synthetic_mean()
        pairs, _ = published.sampled_pairs(real, len(real), rng)
        error = published.percent_error(8054, published.range_query(pairs, real.ages, 20, 30))
        assert error in expected.broken_20_29_error()
        honest = published.percent_error(8054, published.count_between(pairs, 20, 30))
        assert honest not in expected.broken_20_29_error(), "the right query has no such error"


def test_every_claim_has_a_rule_and_a_way_to_be_computed() -> None:
    found, false_alarm = claims.read()
    assert 0 < false_alarm <= 1e-6
    assert {claim.rule for claim in found} == {"exact", "law", "derived"}
    assert all(callable(getattr(Expected, claim.compute)) for claim in found)


@pytest.mark.parametrize(
    ("rule", "printed", "expected", "holds"),
    [
        ("exact", 9878, 9878, True),
        ("exact", 9878, 9879, False),
        ("exact", [[1, 2]], [[1, 2]], True),
        ("exact", [[1, 2]], [[1, 3]], False),
        ("derived", 0.1, 0.1 + 1e-16, True),
        ("derived", 0.1, 0.1001, False),
        ("law", 5.0, claims.Interval(4.0, 6.0), True),
        ("law", 6.5, claims.Interval(4.0, 6.0), False),
    ],
)
def test_claims_can_fail(rule: str, printed: Any, expected: Any, holds: bool) -> None:
    claim = Claim(name="x", cell=1, rule=rule, compute="", printed=printed)
    assert claims._verdict(claim, expected).holds is holds


def test_a_wrong_table_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [LINE.format(occupation) for occupation in tables.OCCUPATIONS] * 30
    path = tmp_path / "adult.data"
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8")
    verdicts = claims.judge(tables.load(path))
    assert not any(verdict.holds for verdict in verdicts if verdict.claim.rule == "exact")


def test_files_are_read_as_they_are_plain_or_gzipped(tmp_path: Path) -> None:
    text = "\n".join([LINE.format("Sales"), LINE.format("?"), ""])
    (tmp_path / "adult.data").write_text(text, encoding="utf-8")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("adult.data", "a.csv.gz"):
        found = tables.load(tmp_path / name)
        assert found.ages.tolist() == [39, 39]
        assert found.occupations.tolist() == ["Sales", "?"]


def test_the_table_is_looked_for_where_it_was_said(tmp_path: Path) -> None:
    (tmp_path / "adult").mkdir()
    file = tmp_path / tables.FILE
    with pytest.raises(AbsentTableError, match="give --data FILE"):
        tables.find(None, {})
    with pytest.raises(AbsentTableError, match="there is no file"):
        tables.find(str(tmp_path), {})
    file.touch()
    assert tables.find(str(tmp_path), {}) == file
    assert tables.find(str(file), {"UNDERSTUDY_DATA": "elsewhere"}) == file
    assert tables.find(None, {"UNDERSTUDY_DATA": str(tmp_path)}) == file


def test_without_the_table_the_exit_code_is_two(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run.main(["--data", str(tmp_path / "none.csv")]) == 2
    assert "there is no file" in capsys.readouterr().err


def test_counts_by_hand() -> None:
    assert TINY.by_age[[20, 30, 64]].tolist() == [2, 2, 1]
    assert TINY.table(("Sales", "?"))[[20, 30, 64]].tolist() == [[2, 0], [1, 0], [0, 1]]
    assert TINY.table().sum() == 4, "a missing occupation is no occupation"


def test_the_crosstab_has_the_shape_of_the_rows() -> None:
    found = published.crosstab(TINY)
    assert found.ages.tolist() == [20, 30]
    assert found.occupations == ("Sales", "Tech-support")
    assert found.counts.tolist() == [[2, 0], [1, 1]]


def test_the_broken_query_is_broken_as_the_chapter_s_is() -> None:
    real, synthetic = np.array([25, 70, 25]), np.array([30, 30, 10, 30])
    # row by row: 30 >= 20 and real 25 < 65; real 70 is not; 10 is not; the fourth has no partner
    assert published.range_query(synthetic, real, 20, 65) == 1
    assert published.count_between(synthetic, 20, 65) == 3


def test_errors_divide_by_the_truth() -> None:
    assert published.percent_error(200, 150) == 25.0
    assert published.percent_error(200, 250) == 25.0


def test_shares_are_clipped_and_scaled() -> None:
    assert published.shares(np.array([3.0, -2.0, 1.0])).tolist() == [0.75, 0.0, 0.25]


def test_the_epsilon_of_a_histogram_follows_from_what_may_change() -> None:
    come_or_go, replaced = ((3, 5), (3, 6)), ((3, 5), (2, 6))
    assert mistakes._true_epsilon(come_or_go, scale=1.0) == pytest.approx(1.0)
    assert mistakes._true_epsilon(replaced, scale=1.0) == pytest.approx(2.0)
    assert mistakes._true_epsilon(replaced, scale=2.0) == pytest.approx(1.0)


def test_floating_point_noise_gives_empty_cells_away_and_full_ones_never() -> None:
    rng = np.random.default_rng(2)
    for people in (1, 2, 5):
        noisy = people + rng.laplace(0.0, 1.0, 50_000)
        near = noisy[(noisy > 0.0) & (noisy < 0.5)]
        assert len(near) > 100
        assert (np.mod(near * 2.0**53, 1.0) == 0.0).all()
    empty = rng.laplace(0.0, 1.0, 50_000)
    near = empty[(empty > 0.0) & (empty < 0.5)]
    assert (np.mod(near * 2.0**53, 1.0) != 0.0).mean() > 0.5


def test_our_answers_on_a_small_table_stay_within_their_noise(tmp_path: Path) -> None:
    found = redone.redo(TINY, tmp_path, false_alarm=1e-7)
    assert found.holds
    assert found.size.stddev > found.bought
    (ages,), (pairs,) = found.one_way.measurements, found.two_way.measurements
    assert (ages.values.shape, pairs.values.shape) == ((100,), (100, 15))
    assert redone.table_of(found.two_way).sum() == found.two_way.synthetic[0].rows


@pytest.mark.parametrize("make", mistakes.ALL, ids=lambda make: make.__name__)
def test_each_mistake_has_a_measured_consequence(make: Any, real: Adult, tmp_path: Path) -> None:
    setting = mistakes.Setting(real, tmp_path, 2, 1e-6, np.random.default_rng(3))
    found = make(setting)
    assert found.lines
    assert any(line.published != line.right for line in found.lines)
    for text in (found.title, found.does, found.matters, found.instead):
        assert text.strip()
