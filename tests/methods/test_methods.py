"""Methods are found by file name, loudly, and say what they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import clone

import understudy
from tests.rooms import SOURCE
from understudy import methods
from understudy.errors import UsageError


def test_every_file_is_a_method_but_the_rooms_own() -> None:
    files = {path.stem for path in (SOURCE / "methods").glob("*.py")} - methods.NOT_METHODS
    assert {name.replace("-", "_") for name in methods.names()} == files
    assert list(methods.names()) == sorted(methods.names())


@pytest.mark.parametrize("name", methods.names())
def test_names_lead_to_methods_and_back(name: str) -> None:
    method = methods.get(name)
    assert methods.name_of(method()) == name
    assert methods.build(name, {}) == method()


@pytest.mark.parametrize(
    "name", ["base", "__init__", "independant", "", "../run", "os", "Independent"]
)
def test_other_names_are_refused_with_the_list(name: str) -> None:
    with pytest.raises(UsageError, match=r"there are: .*independent"):
        methods.get(name)


def test_a_near_miss_is_recognised() -> None:
    with pytest.raises(UsageError, match="did you mean 'independent'"):
        methods.get("independant")


def test_unknown_hyper_parameters_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no setting 'depth', 'x'; it has none"):
        methods.build("independent", {"depth": 3, "x": 1})


@pytest.mark.parametrize("name", methods.names())
def test_methods_have_the_manners_of_scikit_learn(name: str) -> None:
    method = methods.get(name)()
    assert clone(method) == method
    assert method.get_params() == method.get_params(deep=False)
    assert method.set_params(**method.get_params()) == method
    shown = repr(method)
    assert all(f"{setting}=" in shown for setting in method.get_params())


def test_setting_parameters_makes_another_method() -> None:
    method = understudy.AIM()
    other = method.set_params(target="income")
    assert other == understudy.AIM(target="income")
    assert method.target is None
    with pytest.raises(UsageError, match="'AIM' has no setting 'tarqet'; it has workload"):
        method.set_params(tarqet="income")


def test_facts_are_plain_values_and_the_room_lists_them() -> None:
    (facts,) = [facts for facts in understudy.methods() if facts["name"] == "independent"]
    assert facts == methods.facts("independent")
    assert facts["guarantee"] == ["pure", "zcdp", "gdp"]
    assert facts["neighbours"] == ["add-remove", "replace-one"]
    assert facts["status"] == "proven"
    assert facts["needs"] == ["count"]
    assert facts["settings"] == {}


def test_names_are_listed_without_importing_a_method() -> None:
    probe = (
        "import sys; from understudy import methods; methods.names();"
        "assert 'understudy.methods.independent' not in sys.modules;"
        "assert 'opendp' not in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", probe], check=True, env={"PYTHONPATH": str(SOURCE.parent)}
    )


def test_a_broken_file_breaks_loudly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_one.py").write_text("import a_module_that_is_not_there\n")
    monkeypatch.setattr(methods, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setattr(methods, "__path__", [str(tmp_path)])
    assert methods.names() == ("broken-one",)
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
        methods.get("broken-one")
