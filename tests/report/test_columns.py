"""What is public about a column, and where it comes from."""

from __future__ import annotations

import pytest

from tests.report.cards import a_domain, a_schema
from understudy.report.columns import column_notes
from understudy.schema.columns import Category, Integer, Ordinal


def notes(**changes: object) -> dict[str, tuple[str, str, bool]]:
    found = column_notes(a_domain(**changes))  # type: ignore[arg-type]
    return {note.name: (note.origin, note.public, note.missing) for note in found}


@pytest.mark.parametrize(
    ("column", "origin", "public", "missing"),
    [
        ("person", "invented", "made up (id), never read", False),
        ("age", "declared", "0 to 100, 101 bins", False),
        ("cost", "bought", "0 to 65,536 (outside: clipped), 32 bins", True),
        ("admitted", "declared", "2020-01-01 to 2024-12-31, 32 bins", False),
        ("smoker", "declared", "2 levels: false, true", False),
        ("notes", "left out", "never read, never released", False),
    ],
)
def test_each_kind(column: str, origin: str, public: str, missing: bool) -> None:
    assert notes()[column] == (origin, public, missing)


def test_bought_levels_are_counted_and_the_first_are_shown() -> None:
    origin, public, missing = notes(cities=12)["city"]
    assert (origin, missing) == ("bought", True)
    assert public.startswith("13 levels: Town0, Town1")
    assert public.endswith("Town7 and 5 more")


def test_few_levels_are_all_shown() -> None:
    schema = a_schema(
        Ordinal(name="grade", levels=("low", "high")),
        Category(name="only", levels=("x",)),
        Category(name="odd", levels=("a, b", " c", "d")),
        Integer(name="fixed", min=7, max=7),
    )
    found = notes(schema=schema)
    assert found["grade"][1] == "2 levels: low, high"
    assert found["odd"][1] == "3 levels: 'a, b', ' c', d"
    assert found["only"][1] == "1 level: x"
    assert found["fixed"][1] == "7 to 7, 1 bin"
