"""Every method, replayed over other tables: the saved release is the same to the byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.cli.program import snapshot
from tests.tables import cells, numbers, schema_of
from understudy import methods

SCHEMA = schema_of(cells("a", 3), cells("b", 2), numbers("x", 0, 5))


def frame(rows: int, *, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, rows)
    return pd.DataFrame({"a": a.astype(str), "b": (a > 0).astype(str), "x": a + rng.integers(0, 3)})


OTHERS = {
    "no rows": frame(0, seed=0),
    "other rows": frame(400, seed=2),
    "nothing that fits": pd.DataFrame({"x": [None, "y"], "b": ["no", "such"], "a": [1.5, 7.0]}),
}


def saved(folder: Path, table: pd.DataFrame, *, method: str, resume: str | None) -> Any:
    kind = methods.get(method)
    budget: dict[str, Any] = {"epsilon": 1} if us.PureDP in kind.accepts else {"rho": "1/10"}
    made = us.synthesize(
        table, SCHEMA, **budget, method=method, ledger=folder / "t.ledger", seed=3, resume=resume
    )
    name = "first" if resume is None else "again"
    made.save(folder / name, force=True)
    return snapshot(folder / name), made.table


@pytest.mark.parametrize("method", methods.names())
def test_only_the_journal_reaches_a_release(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    ledger = us.Ledger.init(
        tmp_path / "t.ledger",
        table=SCHEMA.name,
        unit=SCHEMA.unit.name,
        neighbours=SCHEMA.neighbours,
        total=None,
        currency=us.ZCDP,
    )
    files, table = saved(tmp_path, frame(300, seed=1), method=method, resume=None)
    (run,) = ledger.entries()
    for name, other in OTHERS.items():
        again, replayed = saved(tmp_path, other, method=method, resume=run.run_id)
        assert again == files, name
        pd.testing.assert_frame_equal(replayed, table)
