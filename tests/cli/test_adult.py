"""Adult as it is, with the bounds and levels that its documentation makes public: from file to
release through the program, and what the card and the measurements say of it."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from fractions import Fraction
from html import unescape
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

import understudy as us
from tests.cli.program import run
from understudy.schema.columns import Category, Column, Integer, Ordinal
from understudy.schema.schema import Dialect, Schema

ROWS = 4000


def column_of(entry: dict[str, Any], missing: tuple[str, ...]) -> Column:
    name, public = entry["name"], entry["public"]
    if entry["type"] == "integer":
        low, high = public["bounds"]
        return Integer(name=name, min=low, max=high)
    kind = Ordinal if entry["type"] == "ordinal" else Category
    return kind(name=name, levels=tuple(map(str, public["categories"])), missing=missing)


@pytest.fixture(scope="module")
def adult(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the first rows of the train file and a schema of what is public about it."""
    told = yaml.safe_load((data_dir / "adult" / "adult.yaml").read_text())
    may_miss = {"workclass", "occupation", "native-country"}
    columns = {
        entry["name"]: column_of(entry, ("?",) if entry["name"] in may_miss else ())
        for entry in told["columns"]
    }
    folder = tmp_path_factory.mktemp("adult")
    dialect = Dialect(header=False, strip=True)
    Schema(name="adult", columns=columns, csv=dialect).save(folder / "adult.toml")
    with gzip.open(data_dir / "adult" / "adult_train.csv.gz", "rt") as file:
        (folder / "adult.csv").write_text("".join(islice(file, ROWS)))
    return folder


@pytest.mark.parametrize("method", ["mst", "aim"])
def test_adult_goes_through_with_its_public_bounds(method: str, adult: Path) -> None:
    schema = ("--schema", adult / "adult.toml")
    out, release = adult / f"{method}.csv", adult / method
    made = run(
        *("synthesize", adult / "adult.csv", *schema, "--method", method, "--no-ledger"),
        *("--epsilon", 8, "--delta", "1e-9", "--rows", ROWS, "--seed", 1),
        *("--out", out, "--release", release),
    )
    assert made.code == 0, made.err
    assert run("check", out, *schema).code == 0
    with out.open() as file:
        rows = list(csv.reader(file))
    assert len(rows) == ROWS
    agrees = Counter(row[3] == "HS-grad" for row in rows if row[4] == "9")
    assert agrees[True] > 0.8 * agrees.total() > 0, "9 stands for HS-grad"
    _says_where_the_budget_went(us.load(release))


def _says_where_the_budget_went(release: us.Release) -> None:
    """Every noisy table is in the release, with the noise that its charge on the card bought."""
    counted = [charge for charge in release.card.charges if charge.verb == "count"]
    told = [
        (tuple(marginal), float(noise.removeprefix("rounded-gaussian ")))
        for charge in counted
        for marginal, noise in zip(charge.detail["marginals"], charge.detail["noise"], strict=True)
    ]
    held = [(noisy.columns, noisy.stddev) for noisy in release.measurements]
    assert [columns for columns, _ in held] == [columns for columns, _ in told]
    assert [stddev for _, stddev in held] == pytest.approx([scale for _, scale in told], rel=0.01)
    assert any(len(columns) > 1 for columns, _ in held)
    spent = sum(Fraction(charge.cost.parts["mu_squared"]) for charge in release.card.charges)
    assert spent == release.card.guarantee.worked.main
    page = unescape(release.card.to_html())
    for columns, _ in held:
        assert " × ".join(columns) in page
