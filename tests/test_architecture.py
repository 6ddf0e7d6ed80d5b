"""ARCHITECTURE.md says what is true: its table, its folders and the rules checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rooms import EVERYTHING, ROOMS, SOURCE

ROOT = SOURCE.parent.parent
NOT_ROOMS = {"__init__", "__main__", "errors"}


def table_of(text: str) -> dict[str, tuple[frozenset[str], str]]:
    """Room -> (what it may import, whether it sees private rows), as the page's table says."""
    _, _, below = text.partition("## The rooms")
    section, _, _ = below.partition("\n## ")
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    found = {}
    for row in rows:
        name, _, imports, private = (cell.strip() for cell in row.strip("|").split("|"))
        room = name.strip("`").removesuffix("/").removesuffix(".py")
        found[room] = (imports_of(imports), private.strip("*"))
    return found


def imports_of(cell: str) -> frozenset[str]:
    if cell == "everything":
        return EVERYTHING
    names = frozenset(re.findall(r"`([^`]+)`", cell))
    assert bool(names) != (cell == "nothing"), f"cannot read {cell!r}"
    return names


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def test_the_table_names_every_folder_and_no_other(page: str) -> None:
    folders = {entry.name for entry in SOURCE.iterdir() if (entry / "__init__.py").exists()}
    modules = {file.stem for file in SOURCE.glob("*.py")} - NOT_ROOMS
    assert set(table_of(page)) == folders | modules


def test_the_table_says_what_the_checker_holds(page: str) -> None:
    told = {room: imports for room, (imports, _) in table_of(page).items()}
    held = {room: imports for room, imports in ROOMS.items() if room not in NOT_ROOMS}
    assert told == held


def test_only_two_rooms_see_private_rows(page: str) -> None:
    sees = {room: private for room, (_, private) in table_of(page).items() if private != "no"}
    assert {room for room in sees if "handles" not in sees[room]} == {"data", "gate"}
    assert sees["data"] == "yes"
    assert sees["gate"] == "sealed"


def test_whoever_may_reach_the_rows_is_known(page: str) -> None:
    reach = {room for room, imports in ROOMS.items() if imports & {"data", "*"}}
    assert reach - NOT_ROOMS == {"gate", "run", "api", "cli"}


@pytest.mark.parametrize("room", sorted(set(ROOMS) - NOT_ROOMS))
def test_imports_name_rooms_or_files_that_exist(room: str) -> None:
    for target in ROOMS[room] - EVERYTHING:
        path = SOURCE / target.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").is_file(), target


def test_the_page_fits_on_one_page(page: str) -> None:
    assert len(page.splitlines()) <= 80


def test_every_path_the_page_names_exists(page: str) -> None:
    named = set(re.findall(r"`([\w./*-]+(?:/|\.md|\.py))`", page))
    assert "tests/rooms.py" in named
    for path in named:
        pattern = path.rstrip("/")
        assert any(ROOT.glob(pattern)) or any(SOURCE.glob(pattern)), path


def test_the_reader_of_the_table_can_fail() -> None:
    good = "## The rooms\n| `data/` | rows | `schema` | **yes** |\n## Next\n| `x/` | a | b | no |"
    assert table_of(good) == {"data": (frozenset({"schema"}), "yes")}
    with pytest.raises(AssertionError, match="cannot read"):
        table_of("## The rooms\n| `data/` | rows | schema | no |")


def test_methods_reach_private_rows_through_one_verb_file_only() -> None:
    assert {name for name in ROOMS["methods"] if name.startswith("gate")} == {
        "gate.private_table",
        "gate.price",
        "gate.scores",
        "gate.statistics",
        "gate.losses",
        "gate.impurity",
    }


def test_root_is_the_checkout() -> None:
    assert Path(ROOT, "pyproject.toml").is_file()
