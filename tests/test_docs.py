"""The documentation is true: its examples run, its links lead somewhere, its names exist."""

from __future__ import annotations

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import understudy
from tests import pages
from tests.noise_sources import SeededNoise

ROOT = Path(__file__).resolve().parent.parent
GENERATED = ROOT / "docs" / "reference" / "generated"
TOP = sorted(ROOT.glob("*.md"))
PAGES = [
    *TOP,
    *(
        path
        for path in sorted((ROOT / "docs").rglob("*.md"))
        if GENERATED not in path.parents and "_build" not in path.parts
    ),
]
RUNNABLE = [path for path in PAGES if pages.blocks(path.read_text(encoding="utf-8"))]
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", RUNNABLE, ids=label)
def test_the_examples_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    monkeypatch.chdir(folder)
    pages.run(page, folder)


def test_the_pages_that_promise_examples_have_them() -> None:
    names = {label(path) for path in RUNNABLE}
    assert {"README.md", "docs/tutorials/first-release.md"} <= names
    assert {"docs/how-to/write-a-schema.md", "docs/how-to/keep-a-ledger.md"} <= names
    assert {"docs/how-to/choose-epsilon.md", "docs/tutorials/histograms-and-marginals.md"} <= names
    tasks = ("people-with-several-rows", "several-releases-from-one-budget", "after-a-crash")
    assert {f"docs/how-to/{task}.md" for task in tasks} <= names


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://", "#")):
            continue
        assert (page.parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_python_name_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"\bus\.(\w+)", text):
        assert name in understudy.__all__, name


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_command_and_option_exists(page: Path, known: dict[str, set[str]]) -> None:
    for block in pages.blocks(page.read_text(encoding="utf-8")):
        for line in pages.commands(block.text) if block.language == "console" else ():
            for words in re.findall(r"understudy ([^|;&]+)", line):
                name, options = split_command(words, known)
                assert set(options) <= known[name] | {"--help"}, f"{name}: {options}"


def split_command(words: str, known: dict[str, set[str]]) -> tuple[str, list[str]]:
    """The full name of the command and the long options that follow it."""
    first, *rest = words.split()
    name = f"{first} {rest[0]}" if rest and f"{first} {rest[0]}" in known else first
    assert name in known, f"no command is called {name!r}"
    return name, re.findall(r"(?<=\s)--[\w-]+", words)


@pytest.fixture(scope="module")
def known() -> dict[str, set[str]]:
    """Every command's name and the options it has, as typer knows them."""
    reference = load_reference()
    found = {}
    for name, one in reference.commands(reference.command(), "understudy"):
        options = {option for parameter in one.params for option in parameter.opts}
        found[name.removeprefix("understudy").strip()] = options
    return found


def load_reference() -> ModuleType:
    spec = spec_from_file_location("reference_pages", ROOT / "docs" / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_list_for_language_models_names_every_page_and_no_other() -> None:
    """A decision is found from the first one; the contents are what the list is of."""
    docs = ROOT / "docs"
    text = (docs / "llms.txt").read_text(encoding="utf-8")
    listed = set(re.findall(r"^- ((?!decisions)[\w/.-]+)\.html: ", text, re.MULTILINE))
    written = {
        path.relative_to(docs).with_suffix("").as_posix()
        for path in PAGES
        if docs in path.parents and path.parent.name != "decisions"
    }
    generated = {f"reference/generated/{name[:-3]}" for name in load_reference().PAGES}
    assert listed == (written | generated) - {"index"}


def test_every_command_is_in_the_reference_with_an_example() -> None:
    reference = load_reference()
    text = "\n".join(reference.cli_page())
    for name, one in reference.commands(reference.command(), "understudy"):
        assert f"## `{name}`" in text
        if not getattr(one, "commands", None):
            assert f"{name} " in (one.help or "") or name in (one.epilog or ""), (
                f"the help of {name!r} shows no example"
            )


def test_every_public_name_is_in_the_reference() -> None:
    text = "\n".join(load_reference().python_page())
    for name in understudy.__all__:
        assert name.startswith("_") or f".{name}\n" in text, name


def test_the_tables_of_errors_are_what_the_noise_does() -> None:
    """Simulated noise: 4,000 draws, so a standard error is off by a few percent at most."""
    reference = load_reference()
    rng = SeededNoise(8)
    for epsilon in reference.EPSILONS:
        scale = 1.0 / float(epsilon)
        noise = rng.laplace(np.zeros((4000, 100), dtype=np.int64), scale=scale)
        assert noise.std() == pytest.approx(reference.count_error(epsilon), rel=0.02)
        truth = np.full(100, 300)  # evenly spread, so the mean lies in the middle
        tables = truth + noise
        means = tables @ np.arange(100) / tables.sum(axis=1)
        assert means.std() == pytest.approx(reference.mean_error(epsilon, rows=30_000), rel=0.08)
        wrong = np.abs(noise).sum(axis=1).mean() / 2 / 30_000
        assert wrong == pytest.approx(reference.pair_error(epsilon, rows=30_000), rel=0.02)


def test_the_tables_of_errors_show_every_epsilon_and_number_of_rows() -> None:
    reference = load_reference()
    lines = list(reference.errors_page())
    assert "| 1 | 1.36 |" in lines
    assert sum(line.startswith("| 0.1 |") for line in lines) == 3
    assert sum(f"{rows:,} rows" in line for rows in reference.ROWS for line in lines) == 10
    assert reference.pair_error(reference.EPSILONS[0], rows=1) == 1.0


def test_every_exit_code_is_explained() -> None:
    reference = load_reference()
    assert {one.exit_code for one in reference.exceptions()} <= set(reference.EXIT_CODES)
    assert len(reference.exceptions()) >= 9


def test_the_schema_reference_names_every_key() -> None:
    from understudy.schema import columns

    text = (ROOT / "docs" / "reference" / "schema-file.md").read_text(encoding="utf-8")
    for kind in columns.KINDS:
        assert f"| `{kind}` |" in text
        for key in columns.options(kind):
            assert f"`{key}`" in text, f"{kind}: {key}"


def test_the_front_page_names_every_method_and_what_shows_its_claims() -> None:
    from understudy import methods

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE)) == set(methods.names())
    named = re.findall(r"`((?:src|tests|verification)/[^`]+)`", text)
    assert named
    assert [path for path in named if not list(ROOT.glob(path))] == []


def test_the_changelog_is_one_that_can_be_kept() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[[\d.]+\] - \d{4}-\d\d-\d\d", line) for line in headings[1:])
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Privacy", "Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {project['version']}\n" in citation
    assert f"license: {project['license']}\n" in citation


PAGE = """# A page

```toml
# shape.toml
a = 1
```

```python
x = 1
```

```console
$ cat shape.toml > copy.toml
an output line
$ test -f copy.toml && \\
  echo yes
```

```python
assert x == 1
open("seen", "w").close()
```

```sh
exit 9
```
"""


def test_a_page_is_run_from_top_to_bottom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    assert pages.run(tmp_path / "page.md", folder) == 4
    assert {file.name for file in folder.iterdir()} == {"shape.toml", "copy.toml", "seen"}


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```console\n$ exit 3\n```\n", "page.md:2: exit code 3"),
        ("```console\n$ true\n$ echo told; false\n```\n", "told"),
        ("```python\nassert 1 == 2, 'never'\n```\n", "never"),
    ],
)
def test_a_page_that_lies_is_found(page: str, complaint: str, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    with pytest.raises(AssertionError, match=complaint):
        pages.run(tmp_path / "page.md", folder)


def test_blocks_know_their_line() -> None:
    assert [(block.language, block.line) for block in pages.blocks(PAGE)] == [
        ("toml", 4),
        ("python", 9),
        ("console", 13),
        ("python", 20),
    ]


def test_every_method_is_in_the_reference_with_its_settings_and_its_privacy() -> None:
    from understudy import methods

    text = "\n".join(load_reference().methods_page())
    for name in methods.names():
        part = text.partition(f"## `{name}`")[2].partition("\n## ")[0]
        assert ".. rubric:: Privacy" in part
        assert "All else is post-processing." in part
        for setting in methods.facts(name)["settings"]:
            assert setting in part, f"{name} does not explain {setting!r}"
    assert "-------" not in text, "titles of several methods would clash on one page"
