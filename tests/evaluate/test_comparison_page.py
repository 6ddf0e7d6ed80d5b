"""docs/reference/comparison.md names every key that a comparison writes, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.evaluate.tables import RULES, code, grid, people
from understudy.evaluate.compare import compare

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "comparison.md"
LIKE_PEARSON = ("spearman", "kendall", "cramers_v", "eta")


def leaves(value: Any, path: str, names: frozenset[str]) -> Iterator[str]:
    """The places of all plain values, with a table's own keys replaced as on the page."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{placed(key, path, names)}", names)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, f"{path}[]", names)
    elif not (value is None and path.endswith("quantiles")):  # a column without an order has none
        yield path.removeprefix(".")


def placed(key: str, path: str, names: frozenset[str]) -> str:
    if path == ".figures":
        return "NAME"
    if path == ".details.columns[]":
        assert key in names
        return "COLUMN"
    if path == ".details.marginals[]":
        return "K"
    if path == ".details.associations[]" and key in LIKE_PEARSON:
        return "pearson"
    return "Q" if path.endswith(".quantiles") else key


def test_the_page_names_every_key_and_no_other() -> None:
    on = grid(RULES)
    real, one, two, kept = (code(on, people(200, seed=seed)) for seed in range(4))
    found = compare(
        real, [one, two], grid=on, target="member", holdout=kept, models=False, repeats=2
    )
    written = set(leaves(json.loads(found.to_json()), "", frozenset(on.columns)))
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    named = {match[1] for line in lines if (match := re.match(r"\| `([^`]+)` \|", line))}
    assert named - written == {"figures.NAME", "details.GROUP"}  # explained further down the page
    assert written - named == set()
