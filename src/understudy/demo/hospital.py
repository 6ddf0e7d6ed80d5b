"""A simulated table of hospital admissions with a known truth. Nobody in it exists.

Everything below is the truth that a synthetic table can be judged by. With z = age - 50, severity
counted 0 (mild) to 3 (critical), and logit the inverse of p -> log(p / (1 - p)):

    age          6 % newborn (0), 44 % normal(34, 13), 50 % normal(68, 12), clipped to 0..100
    sex          F 53 %, M 47 %
    city         240 invented names, chance proportional to 1 / rank^0.9
    smoker       false below 15, else logit(-1.1 + 0.35 [M] - 0.015 z)
    severity     ordered logit of 0.03 z + 0.6 [smoker], thresholds -0.5, 1.2, 2.8
    ward         below 16 paediatrics; women of 18..44 maternity 35 %; else by severity (WARDS)
    insurance    65 and older: public 95 %, private 5 %; else public 68, private 22, none 10 %
    admitted     a day of 2022..2024; December to February 1.4 times as likely
    discharged   admitted + stay; stay = Poisson with mean exp(0.4 + 0.55 severity)
    cost         exp(6.6 + 0.6 log(1 + stay) + 0.25 severity + normal(0, 0.6)), 2 decimals;
                 5 % missing, completely at random
    readmitted   logit(-2.2 + 0.45 severity + 0.015 z + 0.4 [smoker])
    patient_id, name, email   made up; unique

Every patient is admitted once. The seed fixes the simulation and has nothing to do with privacy.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]

SEED: Final = 20260101
SEVERITY: Final = ("mild", "moderate", "severe", "critical")
WARDS: Final = ("general", "surgery", "cardiology", "oncology", "intensive")
WARD_BY_SEVERITY: Final = (
    (0.55, 0.25, 0.12, 0.07, 0.01),
    (0.40, 0.28, 0.18, 0.11, 0.03),
    (0.22, 0.26, 0.24, 0.18, 0.10),
    (0.06, 0.16, 0.24, 0.14, 0.40),
)
FIRST_DAY: Final = np.datetime64("2022-01-01")
LAST_DAY: Final = np.datetime64("2024-12-31")
TOWN_STARTS: Final = (
    *("Alder", "Birch", "Cold", "Dun", "Elm", "Fern", "Gold", "Hazel", "Iron", "Juniper"),
    *("Kings", "Lark", "Mill", "North", "Oak", "Pine", "Quarry", "Raven", "Stone", "Thorn"),
)
TOWN_ENDS: Final = (
    *("bury", "by", "dale", "field", "ford", "ham"),
    *("haven", "mere", "port", "stead", "wick", "worth"),
)
GIVEN: Final = (
    "Ada",
    "Ben",
    "Cleo",
    "Dara",
    "Emil",
    "Fay",
    "Gus",
    "Hana",
    "Ivo",
    "Jo",
    "Kai",
    "Lu",
)
FAMILY: Final = (
    "Amberly",
    "Brook",
    "Castell",
    "Dorn",
    "Ewing",
    "Farrow",
    "Grove",
    "Hollis",
    "Ives",
)


def towns() -> list[str]:
    """The 240 invented cities, the most frequent first."""
    return [start + end for end in TOWN_ENDS for start in TOWN_STARTS]


def simulate(rows: int, *, seed: int = SEED) -> dict[str, Column]:
    """The table as columns of text, exactly as they stand in the file."""
    rng = np.random.default_rng(seed)
    age = _ages(rng, rows)
    male = rng.random(rows) < 0.47
    smoker = (age >= 15) & _happens(rng, -1.1 + 0.35 * male - 0.015 * (age - 50))
    severity = _severity(rng, 0.03 * (age - 50) + 0.6 * smoker)
    admitted = _admissions(rng, rows)
    stay = rng.poisson(np.exp(0.4 + 0.55 * severity))
    readmitted = _happens(rng, -2.2 + 0.45 * severity + 0.015 * (age - 50) + 0.4 * smoker)
    return {
        **_identities(rng, rows),
        "age": age.astype(str),
        "sex": np.where(male, "M", "F"),
        "city": _cities(rng, rows),
        "ward": _wards(rng, age, male, severity),
        "insurance": _insurance(rng, age),
        "severity": np.array(SEVERITY)[severity],
        "smoker": _yes_no(smoker),
        "admitted": admitted.astype(str),
        "discharged": (admitted + stay).astype(str),
        "cost": _costs(rng, stay, severity),
        "readmitted": _yes_no(readmitted),
    }


def write(table: dict[str, Column], path: Path) -> None:
    """Write the simulated table as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


def _ages(rng: np.random.Generator, rows: int) -> Column:
    group = rng.choice(3, size=rows, p=(0.06, 0.44, 0.50))
    centre, spread = np.array([0, 34, 68])[group], np.array([0, 13, 12])[group]
    return np.clip(np.rint(rng.normal(centre, spread)), 0, 100).astype(np.int64)


def _happens(rng: np.random.Generator, logit: Column) -> Column:
    return rng.random(len(logit)) < 1 / (1 + np.exp(-logit))


def _severity(rng: np.random.Generator, centre: Column) -> Column:
    passed = np.searchsorted((-0.5, 1.2, 2.8), centre + rng.logistic(size=len(centre)))
    return np.asarray(passed)


def _cities(rng: np.random.Generator, rows: int) -> Column:
    names = np.array(towns())
    weights = 1 / np.arange(1, len(names) + 1) ** 0.9
    return rng.choice(names, size=rows, p=weights / weights.sum())


def _wards(rng: np.random.Generator, age: Column, male: Column, severity: Column) -> Column:
    steps = np.cumsum(WARD_BY_SEVERITY, axis=1)[severity]
    place = (rng.random((len(age), 1)) > steps[:, :-1]).sum(axis=1)
    ward: Column = np.array(WARDS)[place].astype("U12")
    mothers = ~male & (age >= 18) & (age <= 44) & (rng.random(len(age)) < 0.35)
    ward[mothers] = "maternity"
    ward[age < 16] = "paediatrics"
    return ward


def _insurance(rng: np.random.Generator, age: Column) -> Column:
    kinds = np.array(("public", "private", "none"))
    young = rng.choice(kinds, size=len(age), p=(0.68, 0.22, 0.10))
    old = rng.choice(kinds, size=len(age), p=(0.95, 0.05, 0.0))
    return np.asarray(np.where(age >= 65, old, young))


def _admissions(rng: np.random.Generator, rows: int) -> Column:
    days = np.arange(FIRST_DAY, LAST_DAY + 1)
    month = days.astype("datetime64[M]").astype(np.int64) % 12 + 1
    weights = np.where(np.isin(month, (12, 1, 2)), 1.4, 1.0)
    return rng.choice(days, size=rows, p=weights / weights.sum())


def _costs(rng: np.random.Generator, stay: Column, severity: Column) -> Column:
    logs = 6.6 + 0.6 * np.log1p(stay) + 0.25 * severity + rng.normal(0, 0.6, len(stay))
    texts = _texts(f"{cost:.2f}" for cost in np.exp(logs).tolist())
    return np.asarray(np.where(rng.random(len(stay)) < 0.05, "", texts))


def _identities(rng: np.random.Generator, rows: int) -> dict[str, Column]:
    numbers = (rng.permutation(rows) + 100_000).tolist()
    given = rng.choice(GIVEN, size=rows).tolist()
    family = rng.choice(FAMILY, size=rows).tolist()
    people = list(zip(given, family, numbers, strict=True))
    return {
        "patient_id": _texts(f"P{number}" for number in numbers),
        "name": _texts(f"{one} {two}" for one, two, _ in people),
        "email": _texts(f"{one}.{two}{n}@mail.example".lower() for one, two, n in people),
    }


def _texts(texts: Iterable[str]) -> Column:
    return np.array(list(texts), dtype=np.str_)


def _yes_no(happened: Column) -> Column:
    return np.asarray(np.where(happened, "yes", "no"))
