"""``LatentNormal``: what it draws, what it refuses, saving."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables import cells, numbers, schema_of
from understudy.errors import ReleaseError
from understudy.models.latent import LatentNormal, nearest_correlation
from understudy.schema.axes import domain_of
from understudy.schema.columns import Integer
from understudy.schema.domain import Domain


def domain() -> Domain:
    return domain_of(
        schema_of(cells("a", 3), numbers("x", 0, 3), Integer(name="y", min=0, max=1, missing=("",)))
    )


def model(**changes: object) -> LatentNormal:
    usual = {
        "domain": domain(),
        "size": 10.0,
        "cuts": (np.array([-1.0, 1.0]), np.array([-1.0, 0.0, 1.0]), np.array([0.5])),
        "missing": np.array([0.0, 0.0, 0.25]),
        "correlation": np.array([[1, 0.8, 0], [0.8, 1, 0], [0, 0, 1.0]]),
    }
    return LatentNormal(**{**usual, **changes})  # type: ignore[arg-type]


def test_margins_missing_and_dependence_are_as_told() -> None:
    """200,000 rows: 6 standard deviations are below 0.007."""
    codes = model().draw(200_000, np.random.default_rng(1)).columns
    shares = np.bincount(codes["a"], minlength=3) / 200_000
    assert np.abs(shares - [0.15866, 0.68269, 0.15866]).max() < 0.007
    assert abs((codes["y"] == 2).mean() - 0.25) < 0.007
    assert abs((codes["y"] == 1).mean() - 0.75 * 0.30854) < 0.007
    both = ((codes["a"] == 2) & (codes["x"] == 3)).mean()
    assert 0.09 < both < 0.13
    assert abs(np.corrcoef(codes["a"], codes["y"])[0, 1]) < 0.014


def test_the_same_random_numbers_make_nearly_the_same_rows() -> None:
    """Common random numbers: a small change of the parameters moves few rows, none if none."""
    near = model(correlation=np.array([[1, 0.81, 0], [0.81, 1, 0], [0, 0, 1.0]]))
    drawn = [one.draw(20_000, np.random.default_rng(7)).columns for one in (model(), model(), near)]
    for name in ("a", "x", "y"):
        assert np.array_equal(drawn[0][name], drawn[1][name])
        assert (drawn[0][name] != drawn[2][name]).mean() < 0.02


def test_it_is_itself_after_restoring() -> None:
    one = model()
    two = LatentNormal.restore(one.domain, one.describe(), one.arrays())
    drawn = [m.draw(50, np.random.default_rng(2)).columns["x"].tolist() for m in (one, two)]
    assert drawn[0] == drawn[1]
    with pytest.raises(ReleaseError, match="do not belong"):
        LatentNormal.restore(one.domain, {"size": True}, one.arrays())
    with pytest.raises(ReleaseError, match="do not belong"):
        LatentNormal.restore(one.domain, one.describe(), {"missing": one.missing})


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"size": -1.0}, "size"),
        ({"size": np.nan}, "size"),
        ({"cuts": (np.zeros(2), np.zeros(3), np.zeros(2))}, "cuts"),
        ({"cuts": (np.zeros((2, 2)), np.zeros(3), np.zeros(1))}, "cuts"),
        ({"cuts": (np.array([1.0, 0.0]), np.zeros(3), np.zeros(1))}, "rise"),
        ({"cuts": (np.array([np.nan, 0.0]), np.zeros(3), np.zeros(1))}, "rise"),
        ({"missing": np.array([0.0, 0.0, 1.5])}, "missing"),
        ({"correlation": np.eye(2)}, "correlation"),
        ({"correlation": np.full((3, 3), np.nan)}, "correlation"),
        ({"correlation": 2 * np.eye(3)}, "correlation"),
        ({"correlation": np.array([[1, 1, -1], [1, 1, 1], [-1, 1, 1.0]])}, "correlation"),
    ],
)
def test_what_is_no_model_is_refused(changes: dict[str, object], what: str) -> None:
    with pytest.raises(ReleaseError, match=what):
        model(**changes)


def test_any_matrix_has_a_correlation_matrix_near_it() -> None:
    rng = np.random.default_rng(3)
    wild = rng.normal(0, 3, (50, 4, 4))
    wild[0, 1, 2] = np.nan
    for matrix in nearest_correlation(wild):
        assert np.allclose(np.diag(matrix), 1.0)
        assert np.linalg.eigvalsh(matrix).min() > -1e-9
    fine = np.array([[1.0, 0.3], [0.3, 1.0]])
    assert np.allclose(nearest_correlation(fine), fine)
