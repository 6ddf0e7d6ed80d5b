"""What each mistake measures, on tables small enough to know the answer beforehand."""

from __future__ import annotations

from math import exp
from pathlib import Path

import numpy as np
import pytest

from experiments.programming_dp import adult as tables
from experiments.programming_dp import mistakes
from experiments.programming_dp.adult import Adult
from experiments.programming_dp.mistakes import Mistake, Setting

AGES = [*([25] * 40), *([40] * 40), *([70] * 19), 86]
JOBS = [*(["Sales"] * 60), *(["Tech-support"] * 30), *(["?"] * 9), "Sales"]
TOWN = Adult(np.array(AGES, dtype=np.int64), np.array(JOBS, dtype=object))


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(TOWN, tmp_path, 4, 1e-6, np.random.default_rng(5))


def measured(found: Mistake) -> dict[str, tuple[str, str]]:
    return {line.what: (line.published, line.right) for line in found.lines}


def test_a_lonely_person_changes_the_shape_of_the_crosstab_and_not_ours(setting: Setting) -> None:
    found = measured(mistakes.categories(setting))
    assert found["shape with everybody"] == ("4 by 2", "100 by 15")
    assert found["shape without the one person aged 86"] == ("3 by 2", "100 by 15")
    assert found["people left out"] == ("9", "0")


def test_somebody_without_an_occupation_is_not_the_lonely_one(tmp_path: Path) -> None:
    ages = np.array([*AGES, 90], dtype=np.int64)
    jobs = np.array([*JOBS, "?"], dtype=object)
    setting = Setting(Adult(ages, jobs), tmp_path, 1, 1e-6, np.random.default_rng(5))
    assert any("aged 86" in line.what for line in mistakes.categories(setting).lines)


def test_the_ledger_refuses_what_the_notebook_goes_on_to_ask(setting: Setting) -> None:
    found = measured(mistakes.spending(setting))
    assert found["epsilon spent"] == ("6", "1")
    assert found["a further question"] == ("answered", "refused")
    # a hundred cells, each with discrete Laplace noise of scale 1
    error = 10 * np.sqrt(2 * exp(-1)) / (1 - exp(-1))
    assert found["standard error of n"] == ("1.41 (for 1 more)", f"{error:.2f}")


def test_the_broken_query_moves_with_a_real_row(setting: Setting) -> None:
    found = measured(mistakes.wrong_table(setting))
    assert found["people aged 20 to 29 in the real table"] == ("40", "40")
    assert found["answer moves when one real row changes"] == ("yes, by -1", "no")
    broken, right = (float(x) for x in found["mean answer of the query"])
    # 40 real rows are below 30 and nearly all synthetic ages are 20 or more
    assert broken > 30
    assert right >= 0


def test_a_swapped_error_divides_by_the_other_number(setting: Setting) -> None:
    mean = np.mean(AGES)
    found = measured(mistakes.swapped(setting))
    theirs, ours = found["error of the mean age in percent"]
    assert theirs == f"{abs(mean - 38.5542) / 38.5542 * 100:.5f}"
    assert ours == f"{abs(mean - 38.5542) / mean * 100:.5f}"
    assert found["error of the count in percent, if swapped"] == ("224.3", "69.2")


def test_clipping_adds_half_a_person_to_every_empty_cell(setting: Setting) -> None:
    found = measured(mistakes.clipping(setting))
    expected, kept = found["people added, expected"]
    full = np.array([40, 20, 20, 10, 1])  # 25 and 40: Sales, 40 and 70: Tech-support, 86: Sales
    by_hand = 0.5 * (1400 - full.size) + 0.5 * np.exp(-full).sum()
    assert float(expected) == pytest.approx(by_hand, abs=0.06)
    assert kept.startswith("0")
    theirs = float(found["people added, measured"][0])
    assert theirs == pytest.approx(by_hand, abs=6 * np.sqrt(1400 * 0.75 / 4))


def test_projecting_keeps_rare_groups_rarer_than_clipping(setting: Setting) -> None:
    found = measured(mistakes.clipping(setting))
    (line,) = (what for what in found if what.startswith("share aged 85"))
    clipped, projected = (float(text.removesuffix(" %")) for text in found[line])
    assert projected < clipped
    assert "(true: 1.099 %)" in line  # 1 of the 91 people with an occupation


def test_a_public_size_doubles_the_noise_of_understudy(setting: Setting) -> None:
    found = measured(mistakes.neighbours(setting))
    assert found["epsilon if one person is replaced"] == ("2.0000", "1.0000")
    assert found["scale of the noise, size private"] == ("1", "1")
    assert found["scale of the noise, size public"] == ("1", "2")


def test_relative_errors_come_from_the_claims_and_the_law(tmp_path: Path) -> None:
    thirty = Adult(np.full(200, 30), np.full(200, "Sales", dtype=object))
    setting = Setting(thirty, tmp_path, 1, 1e-6, np.random.default_rng(5))
    found = measured(mistakes.relative(setting))
    one = found["error in percent at age 30, from the histogram"]
    assert one == ("0.1311 (one draw)", f"{100 * np.sqrt(2) / 200:.4f} (law)")
    many = found["error in percent at ages 30 to 70, from the histogram"]
    assert many == ("0.0242 (one draw)", f"{100 * np.sqrt(82) / 200:.4f} (law)")


def test_last_bits_prove_emptiness_in_one_of_eight_cells_or_more(setting: Setting) -> None:
    found = measured(mistakes.floats(setting))
    share = float(found["empty cells that prove they are empty"][0].split(" %")[0])
    # half of the numbers between 0.25 and 0.5, and most below: 12 to 20 percent of all
    assert 10.0 < share < 20.0
    assert found["noisy counts are whole numbers"] == ("no", "yes")


def test_every_mistake_has_its_own_name() -> None:
    names = [make.__name__.replace("_", "-") for make in mistakes.ALL]
    assert len(set(names)) == len(names) == 8
    assert set(tables.PLACES) == {"age", "occupation"}
