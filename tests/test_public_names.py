"""The public names: a short list, lazily loaded, each what it says."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import understudy as us

SOURCE = Path(us.__file__)


def test_the_list_is_sorted_short_and_without_repeats() -> None:
    names = [name for name in us.__all__ if not name.startswith("_")]
    assert len(set(us.__all__)) == len(us.__all__)
    functions_and_types = set(names) - {method.__name__ for method in _methods()}
    assert 15 <= len(functions_and_types) <= 25


def test_every_method_is_a_public_class() -> None:
    assert {getattr(us, method.__name__, None) for method in _methods()} == _methods()


def _methods() -> set[type]:
    return {us.methods.get(name) for name in us.methods.names()}


@pytest.mark.parametrize("name", us.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(us, name)
    assert found is getattr(us, name)
    if name != "__version__":
        assert found.__doc__
        assert callable(found)


def test_the_directory_is_the_list() -> None:
    assert dir(us) == sorted(us.__all__)


def test_types_and_run_time_know_the_same_names() -> None:
    """What a type checker imports from where is what ``__getattr__`` loads from there."""
    tree = ast.parse(SOURCE.read_text())
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    typed = {
        alias.name: (node.module or "").removeprefix("understudy").strip(".")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(typed) | {"__version__"} == set(us.__all__)
    homes = {name: home for name, home in typed.items() if name != "methods"}
    assert homes == us._HOME  # type: ignore[attr-defined]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'synthesise'"):
        us.synthesise  # type: ignore[attr-defined]  # noqa: B018


def test_the_package_is_typed() -> None:
    assert SOURCE.with_name("py.typed").is_file()


def test_importing_it_loads_nothing_else() -> None:
    code = "import sys, understudy; sys.exit(' '.join(m for m in sys.modules if m == 'numpy'))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(SOURCE.parents[1])},
        check=False,
    )
    assert result.stderr.strip() == ""


def test_methods_is_a_room_and_a_list() -> None:
    assert [facts["name"] for facts in us.methods()] == list(us.methods.names())  # type: ignore[operator]
