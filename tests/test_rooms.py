"""The rules of the house hold for every file, and the checker of the rules can fail."""

from __future__ import annotations

import ast

import pytest

from tests.rooms import ROOMS, SOURCE, imported_names, problems_of, room_of, source_files

DOC = '"""A module."""\n'


@pytest.mark.parametrize("path", [file.relative_to(SOURCE).as_posix() for file in source_files()])
def test_every_file_keeps_the_rules(path: str) -> None:
    assert problems_of(path, (SOURCE / path).read_text(encoding="utf-8")) == []


def test_the_walk_finds_the_whole_package() -> None:
    found = {room_of(file.relative_to(SOURCE).as_posix()) for file in source_files()}
    folders = {entry.name for entry in SOURCE.iterdir() if (entry / "__init__.py").exists()}
    assert folders <= found <= set(ROOMS)
    assert {"data", "gate", "methods", "errors"} <= found


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("methods/peek.py", "from understudy.data.backend import Backend"),
        ("methods/peek.py", "import understudy.data.backend"),
        ("methods/peek.py", "from understudy import data"),
        ("methods/peek.py", "import understudy"),
        ("methods/peek.py", "from understudy.gate.sensitive import Sensitive"),
        ("methods/peek.py", "from understudy.gate import sensitive"),
        ("methods/peek.py", "from understudy.privacy.ledger import Ledger"),
        ("methods/peek.py", "from understudy.gate.private_tables import X"),
        ("methods/peek.py", "from ..data import backend"),
        ("methods/peek.py", "from .. import data"),
        ("methods/peek.py", "def _f() -> None:\n    from understudy.data import backend"),
        (
            "methods/peek.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
            "    from understudy.data.backend import Backend",
        ),
        ("models/deep/peek.py", "from ...gate import noise"),
        ("privacy/peek.py", "import understudy.gate.noise"),
        ("schema/peek.py", "from understudy.table.codec import encode"),
        ("kernels/peek.py", "from understudy.schema.schema import Schema"),
        ("report/peek.py", "from understudy.data.open import open_source"),
        ("evaluate/peek.py", "from understudy.api import synthesize"),
        ("release.py", "from understudy.gate.private_table import PrivateTable"),
        ("attic/peek.py", "import math"),
    ],
)
def test_a_forbidden_import_is_found(path: str, line: str) -> None:
    assert len(problems_of(path, f"{DOC}{line}\n")) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("methods/mst.py", "from understudy.gate.private_table import PrivateTable"),
        ("methods/mst.py", "from understudy.gate import scores"),
        ("methods/mst.py", "from .base import Synthesizer"),
        ("methods/mst.py", "from ..errors import UsageError"),
        ("gate/count.py", "from understudy.data.backend import Backend"),
        ("gate/count.py", "from understudy.gate.sensitive import reveal"),
        ("gate/noise.py", "import opendp.prelude as dp"),
        ("kernels/count.py", "import numba"),
        ("api.py", "from understudy.data.open import open_source"),
        ("data/contribution.py", "import os\nkey = os.urandom(16)"),
        ("models/tree.py", "import numpy as np\ny = np.random.default_rng(1)"),
        ("methods/__init__.py", "import importlib\nx = importlib.import_module('a')"),
        ("table/read.py", "import duckdb"),
        ("table/read.py", "import re\npattern = re.compile('a')"),
    ],
)
def test_a_permitted_line_passes(path: str, line: str) -> None:
    assert problems_of(path, f"{DOC}{line}\n") == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("methods/peek.py", "from understudy.gate.private_table import reveal"),
        ("api.py", "from understudy.gate.sensitive import reveal"),
        ("cli/peek.py", "from understudy.gate import sensitive\nx = sensitive.reveal(1)"),
        ("gate/count.py", "import opendp.prelude as dp"),
        ("gate/count.py", "from opendp import measurements"),
        ("gate/select.py", "import secrets"),
        ("table/codec.py", "import os\nkey = os.urandom(16)"),
        ("privacy/ledger.py", "from os import urandom"),
        ("models/peek.py", "import random"),
        ("models/peek.py", "import pickle"),
        ("models/peek.py", "import numba"),
        ("gate/count.py", "def _f() -> None:\n    from numba import njit"),
        ("gate/count.py", "import numpy as np\ny = np.random.default_rng(1)"),
        ("gate/count.py", "from numpy.random import default_rng"),
        ("data/memory.py", "import numpy\ny = numpy.random.normal()"),
        ("methods/peek.py", "import importlib\nx = importlib.import_module('a')"),
        ("methods/peek.py", "x = __import__('a')"),
        ("schema/rules.py", "x = eval('1')"),
        ("models/peek.py", "import duckdb"),
    ],
)
def test_a_forbidden_tool_is_found(path: str, line: str) -> None:
    assert len(problems_of(path, f"{DOC}{line}\n")) == 1


@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("table/utils.py", DOC, "'utils' says nothing"),
        ("table/common/x.py", DOC, "'common' says nothing"),
        ("table/x.py", "import math\n", "no docstring"),
        ("table/x.py", f"{DOC}class Public:\n    x = 1\n", "Public has no docstring"),
        ("table/x.py", f"{DOC}def public() -> None:\n    return\n", "public has no docstring"),
        ("table/x.py", f"{DOC}def _f(x) -> None:\n    return\n", "_f lacks types"),
        ("table/x.py", f"{DOC}def _f(x: int):\n    return\n", "_f lacks types"),
        ("table/x.py", f"{DOC}def _f(*xs) -> None:\n    return\n", "_f lacks types"),
        ("table/x.py", DOC + "x = 1\n" * 350, "351 lines"),
        ("table/x.py", f"{DOC}def _f() -> None:\n" + "    x = 1\n" * 60, "_f has 61 lines"),
    ],
)
def test_a_breach_of_style_is_found(path: str, source: str, complaint: str) -> None:
    (problem,) = problems_of(path, source)
    assert complaint in problem


def test_limits_are_inclusive() -> None:
    assert problems_of("table/x.py", DOC + "x = 1\n" * 349) == []
    assert problems_of("table/x.py", f"{DOC}def _f() -> None:\n" + "    x = 1\n" * 59) == []


def test_relative_imports_are_resolved() -> None:
    tree = ast.parse("from . import a\nfrom .b import c\nfrom ..d import e\nfrom ... import f")
    found = list(imported_names("methods/deep/x.py", tree))
    assert found == [
        "understudy.methods.deep.a",
        "understudy.methods.deep.b.c",
        "understudy.methods.d.e",
        "understudy.f",
    ]
