"""A release that an earlier program wrote is still read: ``stored/version-1.zip`` is one.

It was made by the program as it was when releases could first be saved: ``independent``, two fits,
every kind of column, levels and bounds bought, Parquet written by DuckDB. It stays as it is. A
change of the format gets a new number, and a release of the old one beside this.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from tests.cli.program import run
from tests.release.releases import assert_same_table
from understudy.release import Release, load
from understudy.release.folder import FORMAT_VERSION

STORED = Path(__file__).parent / "stored"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored")
    for archive in STORED.iterdir():
        with ZipFile(archive) as file:
            file.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def first(unpacked: Path) -> Release:
    return load(unpacked / "version-1")


def test_every_format_but_the_present_one_is_stored(unpacked: Path) -> None:
    manifests = (folder / "release.json" for folder in unpacked.iterdir())
    versions = {json.loads(manifest.read_bytes())["version"] for manifest in manifests}
    assert versions == set(range(1, FORMAT_VERSION))


def test_its_rows_are_what_they_were(first: Release) -> None:
    one, two = (table.to_arrow().to_pylist() for table in first.synthetic)
    assert len(one) == len(two) == 40
    assert one[1] == {
        "person": "SYN-349221223681",
        "sex": "m",
        "city": "Bb",
        "pain": "none",
        "smoker": True,
        "age": 99,
        "cost": 223.87,
        "came": date(2020, 6, 14),
        "left": datetime(2020, 3, 4, 23, 27, 32),
    }
    assert [sum(row["cost"] is None for row in rows) for rows in (one, two)] == [22, 17]


def test_its_measurements_and_card_are_what_they_were(first: Release) -> None:
    assert len(first.measurements) == 16
    noisy = first.measurements[0]
    assert (noisy.columns, noisy.values.tolist()) == (("sex",), [284, 309, -2, 5, 9, -2])
    assert noisy.stddev == 5.358243627592337
    assert not any(noisy.groups for noisy in first.measurements)
    assert str(first.card.guarantee.asked) == "epsilon = 8, delta = 0.0001"
    assert "at most 2 rows kept" in first.card.to_html()


def test_its_models_draw_new_rows(first: Release) -> None:
    assert [round(model.total) for model in first.models] == [599, 604]
    table = first.models[1].sample(500, np.random.default_rng(1))
    assert table.rows == 500
    assert set(table.columns["city"].levels or ()) == {"Aa", "Bb", "OTHER"}


def test_saved_again_it_is_of_the_present_format(first: Release, tmp_path: Path) -> None:
    folder = first.save(tmp_path / "again")
    assert json.loads((folder / "release.json").read_bytes())["version"] == FORMAT_VERSION
    again = load(folder)
    assert again.card == first.card
    for before, after in zip(first.synthetic, again.synthetic, strict=True):
        assert_same_table(before, after)
    for one, two in zip(first.measurements, again.measurements, strict=True):
        assert (one.columns, one.stddev) == (two.columns, two.stddev)
        np.testing.assert_array_equal(one.values, two.values)


def test_the_program_draws_from_it(unpacked: Path, tmp_path: Path) -> None:
    out = tmp_path / "more.csv"
    made = run(
        *("sample", unpacked / "version-1", "--rows", 9, "--where", "smoker=yes", "--out", out)
    )
    assert made.code == 0, made.err
    assert len(out.read_text().splitlines()) == 10
