"""Violations, claims and their tolerances, the store of cells, and the run from end to end."""

from __future__ import annotations

import json
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.pmse import cells, comparison, run, setting, summary, violations
from experiments.pmse.cells import Cell
from experiments.pmse.claims import (
    Claims,
    broken_proofs,
    half_digit,
    measuring_cp,
    same_epsilon,
)

DOCUMENTED = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "pmse-paper"


@pytest.mark.parametrize("rows", [40, 200, 1000])
def test_one_person_moves_a_greedy_tree_by_all_there_is(rows: int) -> None:
    found = violations.worst_case(rows=rows)
    assert found["greedy"] > 0.24
    assert found["exact"] <= 0.5 / (rows + 1)
    assert found["greedy"] / found["bound"] > 0.24 * rows


def test_exact_trees_keep_the_bound_on_every_pair() -> None:
    found = violations.simulate(60, np.random.default_rng(1), rows=100)
    for depth in violations.EXACT_DEPTHS:
        row = found[f"exact depth {depth}"]
        assert row["over"] == row["over tight"] == 0.0
        assert row["largest"] <= 0.5 / 101 + 1e-12
    assert found["depth 1, cp 0.01"]["repeats"] == 60.0


def test_violations_are_counted_above_each_bound() -> None:
    values = np.array([0.0, 0.006, 0.02, 0.2])
    found = violations._summary(values, 100)
    assert (found["over"], found["over tight"], found["largest"]) == (2.0, 3.0, 0.2)


def test_the_rows_of_the_first_table_are_the_paper_s() -> None:
    assert list(Claims.read().content["table_1"]) == list(violations.pruning_rows())


def test_the_methods_of_the_second_table_are_ours() -> None:
    for row in Claims.read().table_2.values():
        assert set(row) <= set(comparison.methods())
    assert sorted(Claims.read().table_2) == list(comparison.EPSILONS)


def test_a_printed_digit_leaves_half_of_itself_open() -> None:
    assert half_digit("0.3") == pytest.approx(0.05)
    assert half_digit("0.00660") == pytest.approx(5e-6)
    assert half_digit("8.681e-07") == pytest.approx(5e-11)


def test_the_variances_of_epsilon_2_are_found_to_be_copies() -> None:
    found = Claims.read().copied()
    assert [(first, second) for _, first, second in found] == [(1.0, 2.0)] * 4
    assert len({method for method, _, _ in found}) == 4


def moments(mean: float, variance: float, repeats: int = 400) -> dict[str, Any]:
    return {"mean": mean, "variance": variance, "kurtosis": 3.0, "repeats": repeats}


def results(**parts: Any) -> dict[str, Any]:
    return {
        "violations": {},
        "worst case": None,
        "comparison": {},
        "unfinished": {},
        **parts,
    }


def test_a_rate_holds_within_both_samples_errors() -> None:
    claims = Claims({**Claims.read().content, "false_alarm": 0.05})
    row = {"over": 60.0, "over tight": 90.0, "repeats": 20_000.0, "largest": 1.0}
    (verdict,) = claims.judge(results(violations={"depth 2, cp 0.01": row}))
    share = (60 + 3000) / 1_020_000
    error = sqrt(share * (1 - share) * (1 / 20_000 + 1e-6))
    assert verdict.tolerance == pytest.approx(100 * 1.959964 * error + 0.05, rel=1e-5)
    assert verdict.ours == pytest.approx(0.3)
    assert verdict.holds
    row["over"] = 120.0
    (verdict,) = claims.judge(results(violations={"depth 2, cp 0.01": row}))
    assert not verdict.holds


def test_means_and_variances_hold_within_both_samples_errors() -> None:
    claims = Claims({**Claims.read().content, "false_alarm": 0.05})
    label = comparison.label("noisy Bayes, bound 4", 0.25)
    found = {f"greedy {cp:g}": moments(0.2, 0.003) for cp in setting.CPS}
    mean, variance = claims.judge(results(comparison={label: found}))
    error = sqrt(0.003 / 400 + 3.079e-3 / 2500)
    assert mean.tolerance == pytest.approx(1.959964 * error + 5e-6, rel=1e-5)
    assert mean.holds
    relative = sqrt(2.0 * (1 / 400 + 1 / 2500))
    assert variance.tolerance == pytest.approx(1.959964 * relative * 0.003 + 5e-7, rel=1e-4)
    assert variance.holds


def test_the_measuring_tree_is_the_one_that_fits_the_column_without_privacy() -> None:
    label = comparison.label(comparison.NO_PRIVACY, same_epsilon(comparison.NO_PRIVACY, 4.0))
    by_cp = dict(zip(setting.CPS, (0.0, 0.003, 0.005, 0.0064, 0.009, 0.01), strict=True))
    found = {f"greedy {cp:g}": moments(mean, 1e-6) for cp, mean in by_cp.items()}
    assert measuring_cp(results(comparison={label: found})) == 0.0014


def test_a_broken_proof_is_said() -> None:
    row = {"over": 0.0, "over tight": 1.0}
    worst = {"rows": 100.0, "greedy": 0.25, "exact": 0.006, "bound": 0.01}
    broken = results(violations={"exact depth 2": row}, **{"worst case": worst})
    assert len(broken_proofs(broken)) == 2
    whole = results(violations={"exact depth 2": {"over": 0.0, "over tight": 0.0}})
    assert broken_proofs(whole) == []


def test_cells_have_their_own_names_and_numbers() -> None:
    plan = run.full_cells()
    assert len({cell.file for cell in plan}) == len(plan)
    pairs = sum(cell.repeats for cell in plan if cell.part == "violations")
    assert pairs >= 20_000
    first, second = plan[0], plan[1]
    assert first.rng.random() == first.rng.random()
    assert first.rng.random() != second.rng.random()


def test_pieces_add_up() -> None:
    found = list(cells.pieces("part", "label", repeats=7, each=3))
    assert [(cell.piece, cell.repeats) for cell in found] == [(0, 3), (1, 3), (2, 1)]


@pytest.mark.parametrize("workers", [1])
def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path, workers: int) -> None:
    plan, asked = list(cells.pieces("part", "one", repeats=4, each=1)), []

    def work(cell: Cell) -> int:
        asked.append(cell.piece)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return 10 * cell.piece

    with pytest.raises(KeyboardInterrupt):
        cells.run(plan, work, tmp_path, workers=workers)
    assert cells.measured(plan, tmp_path) == {"one": [0, 10]}
    cells.run(plan, work, tmp_path, workers=workers)
    assert asked == [0, 1, 2, 2, 3]
    assert cells.measured(plan, tmp_path) == {"one": [0, 10, 20, 30]}
    assert not list(tmp_path.glob("*.part"))


def test_moments_of_a_list_known_by_heart() -> None:
    found = summary.moments([1.0, 1.0, 3.0, 3.0])
    assert found == {"repeats": 4, "mean": 2.0, "variance": 1.0, "kurtosis": 1.0}
    assert summary.moments([2.0, 2.0])["kurtosis"] == 1.0


def test_results_are_the_same_after_writing_and_reading() -> None:
    some = results(comparison={"a @ 1": {"slope": moments(1.0, 2.0)}}, unfinished={"x": [1, 2]})
    assert json.loads(summary.text(some)) == some


def test_the_smoke_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--smoke", "--workers", "1", "--out", str(tmp_path)]
    assert run.main(options) == 0, capsys.readouterr().out
    page = (tmp_path / "index.md").read_text(encoding="utf-8")
    figures = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert figures == ["boxes.svg", "coefficients.svg", "similarity.svg", "violations.svg"]
    for figure in figures:
        assert f"]({figure})" in page
        text = (tmp_path / figure).read_text(encoding="utf-8")
        assert "http" not in text.replace("http://www.w3.org/", ""), "a figure loads nothing"
    for method in comparison.methods():
        assert f"| {method} |" in page
    assert "What was not run at full size" not in page
    before = (tmp_path / "results.json").read_text(encoding="utf-8")
    assert run.main([*options, "--page"]) == 0
    assert (tmp_path / "results.json").read_text(encoding="utf-8") == before


def test_a_page_without_measurements_prints_no_number_of_ours(tmp_path: Path) -> None:
    assert run.publish(summary.summarise(run.full_cells(), tmp_path), tmp_path) == 0
    page = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "## Section" not in page
    assert "| violations: all rows | 0 to 0 | 20,000 |" in page


def test_the_page_in_the_documentation_was_made_from_the_results_beside_it(tmp_path: Path) -> None:
    saved = json.loads((DOCUMENTED / "results.json").read_text(encoding="utf-8"))
    run.publish(saved, tmp_path)
    for name in ("index.md", "results.json"):
        ours = (tmp_path / name).read_text(encoding="utf-8")
        assert (DOCUMENTED / name).read_text(encoding="utf-8") == ours
    assert broken_proofs(saved) == []
    assert saved["worst case"]["greedy"] == pytest.approx(0.25, abs=1e-3)
