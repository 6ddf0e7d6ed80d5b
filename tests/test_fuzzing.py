"""Hypothesis and atheris look for bytes that break a promise; longer in ``verification/``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import fuzzing
from tests.cli.program import environment
from tests.schema.test_files import EXAMPLE

ROOT = Path(__file__).resolve().parents[1]


@st.composite
def inputs(draw: st.DrawFn, name: str) -> bytes:
    """A good input with a few cuts and pastes, or any bytes."""
    data = draw(st.sampled_from([*fuzzing.seeds(name), EXAMPLE.encode()]) | st.binary())
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data)))
        end = place + draw(st.integers(0, 9))
        data = data[:place] + draw(st.binary(max_size=12) | TOKENS) + data[end:]
    return data


TOKENS = st.sampled_from(
    (
        *(b'"', b'""', b"\r\n", b"\n", b"\n\n", b"\xef\xbb\xbf", b"\xff", b"\0", b",", b"\x1b$B"),
        *(b"+AGE-", b"1e999", b"-inf", b"NaN", b"2020-01-01", b"[" * 99, b"{", b"}", b"null"),
        *(b"true", b'= """', b"1_0", b"\\ud800", b"9" * 400, b"../", b'"kind": 3', b"[[rules]]"),
        *(b'require = "', b"PAR1"),
    )
)


def fuzz(name: str, cases: int) -> None:
    """So many cases of one target."""

    slow = HealthCheck.too_slow  # a busy machine is no finding, in verification/ neither

    @settings(max_examples=cases, deadline=None, suppress_health_check=[slow])
    @given(inputs(name))
    def check(data: bytes) -> None:
        fuzzing.TARGETS[name](data)

    check()


def look_with_atheris(name: str, cases: int) -> subprocess.CompletedProcess[str]:
    """The same by atheris, in a process of its own, as it never returns."""
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzzing_with_atheris", name, f"-runs={cases}"],
        cwd=ROOT,
        env=environment({}) | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("name", fuzzing.TARGETS)
def test_a_few_cases(name: str) -> None:
    for seed in fuzzing.seeds(name):
        fuzzing.TARGETS[name](seed)
    fuzz(name, 15 if name == "release" else 40)


def test_atheris_runs() -> None:
    pytest.importorskip("atheris", reason="atheris is not made for this machine")
    done = look_with_atheris("schema", 200)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Done 200 runs in" in done.stderr


def test_a_reader_that_lets_one_line_change_another_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def leaky(file: object, schema: object, *, found_in: str) -> object:
        data = file.read()  # type: ignore[attr-defined]
        return fuzzing.read_csv(fuzzing.io.BytesIO(data.replace(b'"\n', b'"')), schema, found_in="")

    with pytest.raises(AssertionError):
        fuzzing.lines_are_rows(b'\0a,"\nb,"\n', leaky, fuzzing.csv_pieces)


def test_a_loader_that_fails_in_foreign_words_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(fuzzing, "load", fail)
    with pytest.raises(KeyError):
        fuzzing.release_parts(b"\0\0\0\0")
    _, good = fuzzing.release_folder()
    assert {name: (fuzzing.release_folder()[0] / name).read_bytes() for name in good} == good
