"""The frame around the code: what is installed, what is imported, what must never be committed."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest
import yaml

import understudy
from tests.data_dir import ROOT, find_data_dir
from tests.rooms import SOURCE, source_files

HEAVY = {
    *("altair", "duckdb", "ibis", "jax", "jinja2", "nanoarrow", "narwhals", "numba", "opendp"),
    *("pandas", "polars", "pyarrow", "pydantic", "scipy", "sklearn", "statsmodels", "vl_convert"),
}
FORBIDDEN = [
    "/" + "work/",
    "/" + "tmp/",
    "/" + "root/",
    "/" + "home/",
    "/" + "Users/",
    "index" + "-url",
    "pypi" + ".org",
    "TO" + "DO",
    "FIX" + "ME",
    "Not" + "ImplementedError",
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def loaded_by(code: str) -> set[str]:
    """The heavy libraries that a fresh interpreter has loaded after running this code."""
    ask = f"import sys, json\n{code}\nsys.stderr.write('\\n' + json.dumps(sorted(sys.modules)))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    result = subprocess.run(
        [sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True
    )
    return set(json.loads(result.stderr.splitlines()[-1])) & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import understudy") == set()


@pytest.mark.parametrize("words", [["--help"], ["synthesize", "--help"], ["--version"]])
def test_asking_for_help_loads_nothing_heavy(words: list[str]) -> None:
    code = f"""
sys.argv = ["understudy", *{words!r}]
from understudy.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
"""
    assert loaded_by(code) <= {"pydantic"}  # typer itself loads it to read arguments


def test_the_heavy_list_is_seen_when_loaded() -> None:
    assert "duckdb" in loaded_by("import duckdb")


def test_every_public_name_exists_once() -> None:
    names = understudy.__all__
    assert len(names) == len(set(names))
    assert 10 <= len(names) <= 40  # methods are among them
    for name in names:
        assert getattr(understudy, name) is not None
    assert set(names) <= set(dir(understudy))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = understudy.nonsense  # type: ignore[attr-defined]


def test_a_room_never_takes_the_place_of_a_public_name() -> None:
    """Importing ``understudy.methods`` sets that name in the package; the function must win."""
    everything = "\n".join(f"import {module.__name__}" for module in modules())
    code = f"""
import understudy as us
first = {{name: getattr(us, name) for name in us.__all__}}
{everything}
assert {{name: getattr(us, name) for name in us.__all__}} == first
assert all(callable(one) for name, one in first.items() if not name.startswith("_"))
"""
    loaded_by(code)


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(understudy.__path__, "understudy."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def test_every_public_name_says_what_it_promises() -> None:
    silent = []
    for module in modules():
        for name, one in vars(module).items():
            if not name.startswith("_") and getattr(one, "__module__", None) == module.__name__:
                silent += [f"{module.__name__}.{path}" for path in undocumented(name, one)]
    assert silent == []


def undocumented(name: str, one: object) -> Iterator[str]:
    """The public parts of a class or function without a docstring, own or inherited."""
    if not (inspect.isclass(one) or inspect.isfunction(one)):
        return
    if not inspect.getdoc(one):
        yield name
    structural = getattr(one, "_is_protocol", False)  # its members are documented where they live
    members = vars(one).items() if inspect.isclass(one) and not structural else ()
    for member, value in members:
        kinds = property | staticmethod | classmethod
        part = isinstance(value, kinds) or inspect.isfunction(value)
        if part and not member.startswith("_") and not inspect.getdoc(getattr(one, member)):
            yield f"{name}.{member}"


class _Loud:
    """Documented."""

    def said(self) -> None:
        """Documented."""

    def silent(self) -> None:
        pass

    @property
    def unsaid(self) -> int:
        return 1


class _Heir(_Loud):
    """Documented."""

    def said(self) -> None:
        return None


def test_a_missing_docstring_is_found_and_an_inherited_one_counts() -> None:
    assert list(undocumented("Loud", _Loud)) == ["Loud.silent", "Loud.unsaid"]
    assert list(undocumented("Heir", _Heir)) == []


def tracked() -> list[Path]:
    """Every text file of the repository, by git or else by walking."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        return [
            file
            for folder in ("src", "tests", "docs", "verification", "benchmarks", "scripts")
            for file in (ROOT / folder).rglob("*")
            if file.is_file() and file.suffix in {".py", ".md", ".toml", ".txt"}
        ]
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_file_holds_a_machine_path_or_a_loose_end() -> None:
    found = []
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{file.relative_to(ROOT)}: {word}" for word in FORBIDDEN if word in text]
    assert found == []


def test_no_confidential_or_built_thing_is_tracked() -> None:
    refused = {".csv", ".gz", ".parquet", ".ledger", ".sqlite", ".whl", ".pyc", ".so", ".pkl"}
    assert [file.name for file in tracked() if file.suffix in refused] == []


def test_the_licence_is_the_whole_apache_licence() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert text.lstrip().startswith("Apache License\n")
    assert "END OF TERMS AND CONDITIONS" in text
    assert [f"   {number}. " in text for number in range(1, 10)] == [True] * 9
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_the_citation_can_be_read() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "version", "license"} <= set(citation)


def test_python_versions_agree() -> None:
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert PROJECT["tool"]["mypy"]["python_version"] == "3.11"
    assert PROJECT["tool"]["ruff"]["target-version"] == "py311"


def test_every_dependency_has_its_reason() -> None:
    text = (ROOT / "docs/decisions/0002-dependencies.md").read_text(encoding="utf-8")
    for requirement in PROJECT["project"]["dependencies"]:
        name = re.split(r"[<>=\[]", requirement)[0]
        assert re.search(rf"\| .*\b{name}\b.* \|", text), name


def test_only_explained_dependencies_have_an_upper_bound() -> None:
    extras = PROJECT["project"]["optional-dependencies"].values()
    everything = PROJECT["project"]["dependencies"] + [one for extra in extras for one in extra]
    bounded = {re.split(r"[<>=\[]", one)[0] for one in everything if "<" in one.partition(";")[0]}
    assert bounded == {"opendp", "sqlglot"}


def test_the_package_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()
    assert len(source_files()) > 20


def test_every_source_line_has_a_test_line() -> None:
    def lines(files: list[Path]) -> int:
        return sum(file.read_text(encoding="utf-8").count("\n") for file in files)

    assert lines(sorted((ROOT / "tests").rglob("*.py"))) >= lines(source_files())


@pytest.mark.parametrize("target", ["demo", "test", "check", "verify", "bench", "docs", "clean"])
def test_the_makefile_has_every_promised_target(target: str) -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:.*## \S", text, re.MULTILINE)


def test_the_data_folder_is_named_or_beside_the_checkout(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    assert find_data_dir({}, root=root) is None
    beside = tmp_path / "shared" / "data"
    beside.mkdir(parents=True)
    assert find_data_dir({}, root=root) == beside
    named = tmp_path / "elsewhere"
    assert find_data_dir({"UNDERSTUDY_DATA": str(named)}, root=root) is None
    named.mkdir()
    assert find_data_dir({"UNDERSTUDY_DATA": str(named)}, root=root) == named


@pytest.fixture(scope="module")
def skips() -> ModuleType:
    """The script that judges skipped tests."""
    loader = SourceFileLoader("ci_skips", str(ROOT / ".ci" / "skips"))
    spec = spec_from_loader("ci_skips", loader)
    assert spec is not None
    module = module_from_spec(spec)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = bytecode
    return module


REPORT = """<testsuites><testsuite>
<testcase name="a"/>
<testcase name="b"><skipped type="pytest.skip" message="needs POSIX signals">x</skipped></testcase>
<testcase name="c"><skipped type="pytest.skip" message="could not import 'z'">x</skipped></testcase>
<testcase name="d"><skipped type="pytest.skip" message="could not import 'z'">x</skipped></testcase>
</testsuite></testsuites>"""


def test_skips_are_counted_and_judged(skips: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "test.xml").write_text(REPORT, encoding="utf-8")
    found = skips.reasons(tmp_path / "test.xml")
    assert found == Counter({"could not import 'z'": 2, "needs POSIX signals": 1})
    assert skips.judge(found, skips.agreed("# why\n^needs POSIX\n", data_required=False)) == [
        "could not import 'z'"
    ]


def test_wanting_data_is_no_reason_where_it_is_required(skips: ModuleType) -> None:
    from tests.data_dir import ABSENT

    text = (ROOT / ".ci" / "allowed-skips.txt").read_text(encoding="utf-8")
    reason = Counter({f"Skipped: {ABSENT}": 1})
    assert skips.judge(reason, skips.agreed(text, data_required=False)) == []
    assert skips.judge(reason, skips.agreed(text, data_required=True)) == list(reason)


def test_a_missing_report_fails_the_run(
    skips: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert skips.main(tmp_path) == 1
    assert "no report of test" in capsys.readouterr().out
    for name in skips.EXPECTED:
        (tmp_path / f"{name}.xml").write_text("<testsuites/>", encoding="utf-8")
    assert skips.main(tmp_path) == 0


def test_set_up_says_what_to_install(tmp_path: Path) -> None:
    """With a Python that is too old, and with one that cannot make environments."""
    checkout = tmp_path / "a checkout"
    (checkout / "scripts").mkdir(parents=True)
    script = checkout / "scripts" / "setup"
    script.write_bytes((ROOT / "scripts" / "setup").read_bytes())
    script.chmod(0o755)
    old = fake_python(tmp_path / "old", "exit 1")
    no_venv = fake_python(tmp_path / "no-venv", 'case "$2" in *ensurepip*) exit 1 ;; esac')
    assert "not a Python of version 3.11" in set_up(checkout, old)
    complaint = set_up(checkout, no_venv)
    assert "virtual environments" in complaint
    assert "apt-get install python3 python3-venv" in complaint
    assert not (checkout / ".venv").exists()


def fake_python(path: Path, body: str) -> Path:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def set_up(checkout: Path, python: Path) -> str:
    result = subprocess.run(
        ["scripts/setup", "dev"],
        cwd=checkout,
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    return result.stderr
