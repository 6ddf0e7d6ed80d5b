"""Who may import whom, and how long things may be: the rules of ARCHITECTURE.md as a checker.

``problems_of(path, source)`` judges the text of one file of ``src/understudy`` without running it,
so that the tests can also feed it files that are wrong on purpose. Every import counts: inside
functions, under ``TYPE_CHECKING``, relative or by name at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

SOURCE: Final = Path(__file__).resolve().parent.parent / "src" / "understudy"
EVERYTHING: Final = frozenset({"*"})

ROOMS: Final[dict[str, frozenset[str]]] = {
    "kernels": frozenset(),
    "schema": frozenset(),
    "table": frozenset({"schema", "kernels"}),
    "data": frozenset({"schema", "table", "kernels"}),
    "privacy": frozenset({"schema"}),
    "gate": frozenset({"schema", "data", "privacy", "kernels"}),
    "models": frozenset({"schema", "table", "kernels"}),
    "methods": frozenset(
        {
            "schema",
            "models",
            "kernels",
            "privacy.budget",
            "gate.private_table",
            "gate.price",
            "gate.scores",
            "gate.statistics",
            "gate.losses",
            "gate.impurity",
        }
    ),
    "evaluate": frozenset({"schema", "table", "models", "kernels", "release", "report.comparison"}),
    "inference": frozenset({"schema", "table", "models", "kernels", "release"}),
    "report": frozenset({"schema", "table", "models", "kernels", "release"}),
    "release": frozenset({"schema", "table", "models", "kernels", "privacy", "report.card"}),
    "paid": frozenset(
        {
            *("schema", "table", "privacy", "models", "kernels", "evaluate.grid", "release"),
            *("gate.private_table", "gate.impurity", "gate.statistics", "report.card"),
        }
    ),
    "run": frozenset({"schema", "table", "data", "privacy", "gate", "models", "methods"}),
    "planning": frozenset(
        {"schema", "data.standin", "privacy", "models.base", "models.workload", "methods", "run"}
    ),
    "demo": frozenset({"api", "release", "table"}),
    "cli": EVERYTHING,
    "api": EVERYTHING,
    "__init__": EVERYTHING,
    "__main__": EVERYTHING,
    "errors": frozenset(),
}
OPEN_TO_ALL: Final = frozenset({"errors"})

# A library, or one name of it, that only these files may use.
RESERVED: Final[dict[str, frozenset[str]]] = {
    "opendp": frozenset({"gate/noise.py"}),
    "secrets": frozenset({"gate/noise.py"}),
    "os.urandom": frozenset({"gate/noise.py", "data/contribution.py"}),
    "os.getrandom": frozenset({"gate/noise.py", "data/contribution.py"}),
    "random": frozenset(),
    "pickle": frozenset(),
    "marshal": frozenset(),
    "shelve": frozenset(),
}
RESERVED_TO_ROOMS: Final[dict[str, frozenset[str]]] = {
    "numba": frozenset({"kernels"}),
    "duckdb": frozenset({"data", "table"}),
}
NO_SEEDED_NOISE: Final = frozenset({"data", "gate", "privacy", "schema"})
IMPORT_BY_NAME: Final = frozenset(
    {
        *("__init__.py", "methods/__init__.py", "models/__init__.py"),  # our own lists of names
        *("table/frames.py", "evaluate/extra.py"),  # libraries that may be absent
    }
)
VAGUE_NAMES: Final = frozenset({"utils", "util", "common", "helpers", "helper", "misc"})
LONGEST_FUNCTION: Final = 60
LONGEST_FILE: Final = 350


def source_files() -> list[Path]:
    """Every module of the package."""
    return sorted(SOURCE.rglob("*.py"))


def problems_of(path: str, source: str) -> list[str]:
    """What is wrong with a file at ``path`` below ``src/understudy``; empty if nothing is."""
    tree = ast.parse(source)
    found = [
        *_import_problems(path, tree),
        *_seal_problems(path, tree),
        *_library_problems(path, tree),
        *_size_problems(path, source, tree),
        *_word_problems(path, tree),
    ]
    return [f"{path}: {problem}" for problem in found]


def room_of(path: str) -> str:
    """The room a file belongs to; a file at the top is its own room."""
    parts = PurePosixPath(path).parts
    return parts[0] if len(parts) > 1 else PurePosixPath(path).stem


def imported_names(path: str, tree: ast.AST) -> Iterator[str]:
    """Every dotted name that a file imports, wherever the statement stands."""
    package = ("understudy", *PurePosixPath(path).parts[:-1])
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*above, *filter(None, [node.module])))
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _import_problems(path: str, tree: ast.AST) -> Iterator[str]:
    room = room_of(path)
    if room not in ROOMS:
        yield f"there is no room {room!r}; the rooms are in ARCHITECTURE.md and tests/rooms.py"
        return
    allowed = ROOMS[room] | OPEN_TO_ALL | {room}
    for name in imported_names(path, tree):
        top, _, inside = name.partition(".")
        if top == "understudy" and not _permitted(inside, allowed):
            yield f"{room} may not import {name}"


def _permitted(inside: str, allowed: frozenset[str]) -> bool:
    return allowed >= EVERYTHING or any(
        inside == target or inside.startswith(f"{target}.") for target in allowed
    )


def _seal_problems(path: str, tree: ast.AST) -> Iterator[str]:
    if room_of(path) == "gate":
        return
    for node in ast.walk(tree):
        names = (
            [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom)
            else [node.attr]
            if isinstance(node, ast.Attribute)
            else []
        )
        if "reveal" in names:
            yield f"only gate/ may use 'reveal' (line {node.lineno})"


def _library_problems(path: str, tree: ast.AST) -> Iterator[str]:
    used = set(imported_names(path, tree)) | set(_dotted_attributes(tree))
    for library, files in RESERVED.items():
        if path not in files and _uses(used, library):
            yield f"{library} is reserved to {', '.join(sorted(files)) or 'nobody'}"
    for library, rooms in RESERVED_TO_ROOMS.items():
        if room_of(path) not in rooms and _uses(used, library):
            yield f"{library} is reserved to {', '.join(sorted(rooms))}"
    seeded = _uses(used, "numpy.random") or _uses(used, "np.random")
    if room_of(path) in NO_SEEDED_NOISE and seeded:
        yield "numpy's random numbers are for post-processing only"
    by_name = _uses(used, "importlib.import_module") or "__import__" in _called(tree)
    if path not in IMPORT_BY_NAME and by_name:
        yield "this file may not import by name"
    if _called(tree) & {"eval", "exec", "compile"}:
        yield "text must never be run as code"


def _uses(used: set[str], library: str) -> bool:
    return any(name == library or name.startswith(f"{library}.") for name in used)


def _dotted_attributes(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            parts = [node.attr]
            inner = node.value
            while isinstance(inner, ast.Attribute):
                parts.append(inner.attr)
                inner = inner.value
            if isinstance(inner, ast.Name):
                yield ".".join([inner.id, *reversed(parts)])


def _called(tree: ast.AST) -> set[str]:
    return {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }


def _size_problems(path: str, source: str, tree: ast.AST) -> Iterator[str]:
    if (lines := source.count("\n")) > LONGEST_FILE:
        yield f"{lines} lines; a file has at most {LONGEST_FILE}"
    for function in _functions(tree):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > LONGEST_FUNCTION:
            yield f"{function.name} has {length} lines; at most {LONGEST_FUNCTION}"


def _word_problems(path: str, tree: ast.Module) -> Iterator[str]:
    parts = {PurePosixPath(part).stem for part in PurePosixPath(path).parts}
    for name in sorted(VAGUE_NAMES & parts):
        yield f"{name!r} says nothing; name the file after what it holds"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _untyped(node):
            yield f"{node.name} lacks types"
    yield from _undocumented(tree)


def _is_overload(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """One of several signatures of a function; the function itself has the docstring."""
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _untyped(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    bare = [one.arg for one in named if one.annotation is None and one.arg not in ("self", "cls")]
    missing_return = function.returns is None and function.name != "__init__"
    return bool(bare) or missing_return


def _undocumented(tree: ast.Module) -> Iterator[str]:
    if tree.body and ast.get_docstring(tree) is None:
        yield "the module has no docstring"
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            public = not node.name.startswith("_") and not _is_overload(node)
            if public and ast.get_docstring(node) is None:
                yield f"{node.name} has no docstring"
