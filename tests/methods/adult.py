"""The Adult table as its documentation describes it, for tests that need a real table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from understudy.schema.columns import Category, Column, Drop, Integer
from understudy.schema.schema import Schema

NAMES = [
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
]
OCCUPATIONS = (
    "Adm-clerical",
    "Armed-Forces",
    "Craft-repair",
    "Exec-managerial",
    "Farming-fishing",
    "Handlers-cleaners",
    "Machine-op-inspct",
    "Other-service",
    "Priv-house-serv",
    "Prof-specialty",
    "Protective-serv",
    "Sales",
    "Tech-support",
    "Transport-moving",
)


def adult_schema(data_dir: Path, *, rows: int | None = None) -> tuple[Schema, Any]:
    """Some columns of Adult, the train file as a dataframe of text."""
    import pandas

    learned: dict[str, Column] = {
        "age": Integer(name="age", min=0, max=99),
        "occupation": Category(name="occupation", levels=OCCUPATIONS, missing=("?",)),
        "sex": Category(name="sex", levels=("Female", "Male")),
        "fnlwgt": Integer(name="fnlwgt", min=0, max=2_000_000),
        "hours-per-week": Integer(name="hours-per-week", min=1, max=99),
        "income": Category(name="income", levels=("<=50K", ">50K")),
    }
    columns = {name: learned.get(name, Drop(name=name)) for name in NAMES}
    frame = pandas.read_csv(
        data_dir / "adult" / "adult_train.csv.gz",
        header=None,
        names=NAMES,
        skipinitialspace=True,
        dtype=str,
        keep_default_na=False,
    )
    return Schema(name="adult", columns=columns, rows=rows), frame
