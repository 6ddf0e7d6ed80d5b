"""The simulated table keeps to its documented truth. Bands: false alarm below 1e-6 in all."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from understudy.demo import hospital
from understudy.schema.axes import axis_of
from understudy.schema.schema import Schema
from understudy.table.codec import cell_of

ROWS = 40_000
SIGMAS = 6.0
Truth = dict[str, Any]


@pytest.fixture(scope="module")
def table() -> Truth:
    return hospital.simulate(ROWS)


def near(share: float, chance: float, rows: int) -> bool:
    return abs(share - chance) < SIGMAS * np.sqrt(chance * (1 - chance) / rows)


def logistic(value: Any) -> Any:
    return 1 / (1 + np.exp(-value))


def test_the_same_seed_is_the_same_table() -> None:
    one, two = hospital.simulate(200), hospital.simulate(200)
    assert all((one[name] == two[name]).all() for name in one)
    assert (hospital.simulate(200, seed=1)["age"] != one["age"]).any()


@pytest.mark.parametrize("rows", [0, 1, 7])
def test_any_number_of_rows(rows: int, tmp_path: Path) -> None:
    table = hospital.simulate(rows)
    assert {len(column) for column in table.values()} == {rows}
    hospital.write(table, tmp_path / "t.csv")
    with (tmp_path / "t.csv").open() as file:
        assert len(list(csv.DictReader(file))) == rows


def test_it_fits_its_schema(table: Truth) -> None:
    schema = Schema.load(Path(hospital.__file__).with_name("schema.toml"))
    assert tuple(schema.columns) == tuple(table)
    for name in schema.modelled:
        column = schema.columns[name]
        if column.is_open:
            continue
        axis = axis_of(column)
        levels = getattr(axis, "levels", None)
        if levels is not None:
            assert set(table[name].tolist()) <= set(levels)
    assert set(np.unique(table["cost"] == "").tolist()) == {True, False}
    assert cell_of(schema.columns["age"], axis_of(schema.columns["age"]), table["age"][0]) >= 0


def test_people_are_told_apart(table: Truth) -> None:
    assert len(set(table["patient_id"].tolist())) == ROWS
    assert len(set(table["email"].tolist())) == ROWS


def test_240_cities_with_known_chances(table: Truth) -> None:
    names = hospital.towns()
    assert len(set(names)) == 240
    weights = 1 / np.arange(1, 241) ** 0.9
    for place in (0, 1, 10, 100):
        chance = weights[place] / weights.sum()
        assert near(float((table["city"] == names[place]).mean()), chance, ROWS)


def test_shares_of_sex_newborn_and_missing(table: Truth) -> None:
    assert near(float((table["sex"] == "M").mean()), 0.47, ROWS)
    assert near(float((table["cost"] == "").mean()), 0.05, ROWS)
    ages = table["age"].astype(int)
    assert (ages == 0).mean() > 0.06 - SIGMAS * np.sqrt(0.06 * 0.94 / ROWS)
    assert (ages.min(), ages.max()) == (0, 100)


def test_smoking_follows_its_law(table: Truth) -> None:
    age, male = table["age"].astype(int), table["sex"] == "M"
    smokes = table["smoker"] == "yes"
    assert not smokes[age < 15].any()
    chance = logistic(-1.1 + 0.35 * male - 0.015 * (age - 50))[age >= 15]
    gap = float((smokes[age >= 15] - chance).sum())
    assert abs(gap) < SIGMAS * np.sqrt((chance * (1 - chance)).sum())


def severity_of(table: Truth) -> Any:
    return np.array([hospital.SEVERITY.index(level) for level in table["severity"].tolist()])


def test_severity_is_an_ordered_logit(table: Truth) -> None:
    centre = 0.03 * (table["age"].astype(int) - 50) + 0.6 * (table["smoker"] == "yes")
    severity = severity_of(table)
    for level, threshold in enumerate((-0.5, 1.2, 2.8)):
        chance = logistic(threshold - centre)
        gap = float(((severity <= level) - chance).sum())
        assert abs(gap) < SIGMAS * np.sqrt((chance * (1 - chance)).sum())


def test_readmission_follows_its_law(table: Truth) -> None:
    age, smokes = table["age"].astype(int), table["smoker"] == "yes"
    chance = logistic(-2.2 + 0.45 * severity_of(table) + 0.015 * (age - 50) + 0.4 * smokes)
    gap = float(((table["readmitted"] == "yes") - chance).sum())
    assert abs(gap) < SIGMAS * np.sqrt((chance * (1 - chance)).sum())


def test_stays_and_costs_follow_their_laws(table: Truth) -> None:
    days = table["discharged"].astype("datetime64[D]") - table["admitted"].astype("datetime64[D]")
    stay, severity = days.astype(int), severity_of(table)
    assert stay.min() >= 0
    mean = np.exp(0.4 + 0.55 * severity)
    assert abs(float((stay - mean).sum())) < SIGMAS * np.sqrt(mean.sum())
    known = table["cost"] != ""
    logs = np.log(table["cost"][known].astype(float))
    rest = logs - (6.6 + 0.6 * np.log1p(stay) + 0.25 * severity)[known]
    assert abs(float(rest.mean())) < SIGMAS * 0.6 / np.sqrt(known.sum())
    assert float(rest.std()) == pytest.approx(0.6, abs=SIGMAS * 0.6 / np.sqrt(2 * known.sum()))


def test_wards_and_insurance_follow_age(table: Truth) -> None:
    age, ward = table["age"].astype(int), table["ward"]
    assert ((ward == "paediatrics") == (age < 16)).all()
    mothers = (table["sex"] == "F") & (age >= 18) & (age <= 44)
    assert near(float((ward[mothers] == "maternity").mean()), 0.35, int(mothers.sum()))
    assert not (ward[~mothers] == "maternity").any()
    old = age >= 65
    assert near(float((table["insurance"][old] == "public").mean()), 0.95, int(old.sum()))
    assert near(float((table["insurance"][~old] == "none").mean()), 0.10, int((~old).sum()))
    for level, shares in enumerate(hospital.WARD_BY_SEVERITY):
        assert sum(shares) == pytest.approx(1)
        plain = (age >= 45) & (severity_of(table) == level)
        for name, share in zip(hospital.WARDS, shares, strict=True):
            assert near(float((ward[plain] == name).mean()), share, int(plain.sum()))


def test_winters_are_busier(table: Truth) -> None:
    days = np.arange(hospital.FIRST_DAY, hospital.LAST_DAY + 1)
    month = days.astype("datetime64[M]").astype(int) % 12 + 1
    weights = np.where(np.isin(month, (12, 1, 2)), 1.4, 1.0)
    chance = float(weights[np.isin(month, (12, 1, 2))].sum() / weights.sum())
    seen = table["admitted"].astype("datetime64[M]").astype(int) % 12 + 1
    assert near(float(np.isin(seen, (12, 1, 2)).mean()), chance, ROWS)
