"""Made-up values: unique, recognisable, from the generator alone."""

from __future__ import annotations

import re
import uuid

import numpy as np
import pytest

from understudy.schema.columns import FAKE_STYLES, Fake
from understudy.table import fakes
from understudy.table.fakes import invent

FORMS = {
    "id": r"SYN-[0-9]{12}",
    "name": r"[A-Z][a-z]+ [A-Z]\. [A-Z]\. [A-Z][a-z]+",
    "email": r"[a-z]+\.[a-z]+[0-9]+@example\.(org|net)",
    "uuid": r"5e5e5e5e-[0-9a-f]{4}-8[0-9a-f]{3}-a5e5-[0-9a-f]{12}",
    "phone": r"\+1-[2-9][0-9]{2}-555-01[0-9]{2} x[0-9]{4}",
}


def make(style: str, rows: int, seed: int = 0) -> list[str]:
    column = Fake(name="x", style=style)
    values = invent(column, rows=rows, rng=np.random.default_rng(seed))
    assert values.missing is None
    return list(values.data.tolist())


@pytest.mark.parametrize("style", FAKE_STYLES)
def test_every_value_is_unique_and_has_its_form(style: str) -> None:
    texts = make(style, 20_000)
    assert len(set(texts)) == 20_000
    assert all(re.fullmatch(FORMS[style], text) for text in texts)


@pytest.mark.parametrize("style", FAKE_STYLES)
def test_values_come_from_the_generator_alone(style: str) -> None:
    assert make(style, 50, seed=3) == make(style, 50, seed=3)
    assert not set(make(style, 50, seed=3)) & set(make(style, 50, seed=4))
    assert make(style, 0) == []


def test_uuids_are_uuids() -> None:
    assert {uuid.UUID(text).version for text in make("uuid", 100)} == {8}


def test_a_full_walk_visits_every_number_once() -> None:
    for space in (1, 2, 6, 7, 30, 64):
        for seed in range(20):
            walk = fakes._walk(space, space, np.random.default_rng(seed))
            assert sorted(walk.tolist()) == list(range(space))


def test_more_rows_than_names_stay_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    spell, _ = fakes._STYLES["name"]
    texts = spell(np.arange(0, 3 * fakes._NAMES * 676, 676 * 7, dtype=np.int64)).tolist()
    assert len(set(texts)) == len(texts)
    assert any(text[-1].isdigit() for text in texts)
