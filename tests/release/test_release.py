"""What a release hands out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.release.releases import a_model, a_release, assert_same_table
from understudy.errors import UsageError
from understudy.release import Release, ReleasedModel
from understudy.table.table import Table


def test_a_release_needs_a_table_and_a_model() -> None:
    with pytest.raises(UsageError, match="at least one"):
        a_release(synthetic=())
    with pytest.raises(UsageError, match="at least one"):
        a_release(models=())


def test_tables_come_in_the_kind_that_came_in() -> None:
    import pandas
    import polars
    import pyarrow

    kinds = {
        "understudy": Table,
        "pandas": pandas.DataFrame,
        "polars": polars.DataFrame,
        "arrow": pyarrow.Table,
    }
    for kind, wanted in kinds.items():
        release = a_release(kind=kind, fits=2)
        assert isinstance(release.table, wanted)
        assert [type(table) for table in release.tables] == [wanted] * 2
        assert isinstance(release.model.sample(3, seed=1), wanted)
        assert len(release.model.sample(3)) == 3


def test_a_release_and_its_model_are_shown_in_one_line() -> None:
    release = a_release(fits=3)
    assert "3 tables of" in repr(release)
    assert str(release.card.guarantee.asked) in repr(release)
    for shown in (repr(release), repr(release.model)):
        assert repr(release.card.table) in shown
        assert len(shown.splitlines()) == 1
        assert "array(" not in shown


def test_the_model_samples_reproducibly_after_the_noise() -> None:
    model = ReleasedModel(a_model())
    assert_same_table(model.sample(40, seed=5), model.sample(40, seed=5))
    ages = [model.sample(200, seed=seed).columns["age"].data for seed in (5, 6)]
    assert not np.array_equal(*ages)


def test_the_model_tells_its_size_and_its_cells() -> None:
    model = a_model()
    released = ReleasedModel(model)
    assert released.total == 123.5
    assert released.domain is model.domain


@pytest.mark.parametrize("rows", [-1, 1.5, "3", True, None])
def test_only_whole_numbers_of_rows_are_sampled(rows: object) -> None:
    with pytest.raises(UsageError, match="whole number"):
        ReleasedModel(a_model()).sample(rows)  # type: ignore[arg-type]


def test_the_first_model_is_the_model() -> None:
    release = a_release(fits=3)
    assert release.model.fitted is release.models[0]


def test_releases_are_frozen(tmp_path: Path) -> None:
    release: Release = a_release()
    with pytest.raises(AttributeError):
        release.kind = "pandas"  # type: ignore[misc]
    assert release.save(tmp_path / "r") == tmp_path / "r"
