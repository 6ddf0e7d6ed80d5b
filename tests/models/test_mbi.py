"""The estimates against those of mbi 2.0, which lives in an environment of its own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import understudy as us
from benchmarks.peers.measured import INSTALL, by_peer, pairs_of, peer_python, recorded
from tests.methods.adult import adult_schema


@pytest.mark.parametrize("method", ["mst", "aim"])
def test_measurements_of_adult_are_fitted_as_mbi_fits_them(
    data_dir: Path, tmp_path: Path, method: str
) -> None:
    python = peer_python()
    if python is None:
        pytest.skip(INSTALL)
    schema, source = adult_schema(data_dir)
    with recorded() as made:
        us.synthesize(source, schema, method=method, epsilon=1, delta="1e-9", rows=1)
    (rounds,) = made
    rounds.fits = rounds.fits[-1:]
    path = tmp_path / "measurements.npz"
    rounds.write(path)
    theirs = by_peer(python, path, iterations=30_000, exactly=True)
    (learner,) = rounds.replay(steps=lambda cells: 20_000, tolerance=1e-9)
    assert rounds.loss(learner, 0) <= theirs["losses"][0] * 1.001
    rows = rounds.fits[0][1]
    for pair, share in pairs_of(learner).items():
        assert np.abs(share - theirs["pairs"][pair] / rows).sum() / 2 < 1e-3, pair
