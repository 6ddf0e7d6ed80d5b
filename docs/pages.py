"""The reference pages that are written from the code itself, so that they cannot lie about it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import understudy
from understudy import errors
from understudy.methods import get, names

EXIT_CODES = {
    0: "everything went well",
    1: "something failed, or a file could not be read or written",
    2: "the arguments or the schema are wrong; no row was read",
    3: "the table's header, columns or declared size do not fit the schema",
    4: "the budget does not cover the run, or the ledger does not fit; nothing more was read",
    5: "a declared quality criterion was not met",
    130: "interrupted from the keyboard",
}


def write_generated(folder: Path) -> None:
    """Write every generated page into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in {
        "cli.md": cli_page(),
        "python.md": python_page(),
        "methods.md": methods_page(),
        "exit-codes.md": exit_code_page(),
    }.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def cli_page() -> Iterator[str]:
    """One section per command: its help, usage line and options."""
    yield from ("# Commands", "")
    yield "Every command shows the same text with `--help`."
    root = command()
    for name, one in commands(root, "understudy"):
        yield from ("", f"## `{name}`", "", *plain(one.help or ""), "")
        yield from ("```text", usage(name, one), "```", "")
        yield from (line for parameter in one.params for line in parameter_lines(parameter))


def command() -> Any:
    """The whole command line as typer builds it."""
    from typer.main import get_command

    from understudy.cli.app import app

    return get_command(app)


def commands(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every command with its full name, the group first."""
    yield name, group
    for child, one in getattr(group, "commands", {}).items():
        if not one.hidden:
            yield from commands(one, f"{name} {child}")


def usage(name: str, one: Any) -> str:
    """The usage line of a command."""
    pieces = [metavar(p) for p in one.params if p.param_type_name == "argument"]
    if getattr(one, "commands", None):
        pieces.append("COMMAND")
    return " ".join([name, "[OPTIONS]", *pieces])


def metavar(parameter: Any) -> str:
    """An argument's name as the usage line shows it."""
    shown = parameter.metavar or (parameter.name or "").upper()
    many = "..." if parameter.nargs == -1 and not shown.endswith("...") else ""
    return f"{shown}{many}" if parameter.required else f"[{shown}]{many}"


def parameter_lines(parameter: Any) -> Iterator[str]:
    """A definition list entry for an option or argument."""
    if getattr(parameter, "hidden", False):
        return
    if parameter.param_type_name == "argument":
        title = metavar(parameter)
    else:
        title = ", ".join([*parameter.opts, *parameter.secondary_opts])
        title += f" {parameter.metavar}" if parameter.metavar else ""
    text = " ".join(plain(getattr(parameter, "help", None) or "")).strip() or "(no description)"
    yield from (f"`{title}`", f": {text}", "")


def plain(text: str) -> list[str]:
    """Help text as Markdown lines: examples become literal blocks, rich's marks go."""
    lines = text.replace("\b", "").strip().splitlines()
    found = []
    for line in lines:
        bare = line.strip()
        example = bare.startswith(("$ ", "understudy "))
        found += ["```text", bare, "```"] if example else [line.rstrip()]
    return found


def python_page() -> Iterator[str]:
    """Every public name of the package, by autodoc."""
    yield from ("# Python", "", "```{eval-rst}", ".. module:: understudy", "")
    for name in public_names():
        found = getattr(understudy, name)
        if isinstance(found, ModuleType):  # a room that is called like a function
            yield from (
                f".. py:function:: understudy.{name}",
                "",
                f"   {type(found).__call__.__doc__}",
                "",
            )
            continue
        kind = "autofunction"
        if isinstance(found, type):
            kind = "autoexception" if issubclass(found, BaseException) else "autoclass"
        yield from (f".. {kind}:: {found.__module__}.{found.__qualname__}",)
        if kind == "autoclass":
            yield "   :members:"
        yield ""
    yield "```"


def public_names() -> list[str]:
    """The names a reader meets, functions first."""
    public = [name for name in understudy.__all__ if not name.startswith("_")]
    return sorted(public, key=lambda name: (isinstance(getattr(understudy, name), type), name))


def methods_page() -> Iterator[str]:
    """One section per method: what it is, what it promises and its proof."""
    yield from ("# Methods", "")
    for name in names():
        method = get(name)
        currencies = ", ".join(budget.__name__ for budget in method.accepts)
        neighbours = ", ".join(sorted(one.value for one in method.neighbours))
        yield from (f"## `{name}`", "", method.summary, "")
        yield from (f"- Status of the guarantee: {method.status}",)
        yield from (f"- Spends: {currencies}", f"- Neighbours: {neighbours}")
        yield from (f"- Paper: {method.paper}", "", "```{eval-rst}")
        yield from (f".. automodule:: {method.__module__}", "   :no-index:", "```", "")


def exit_code_page() -> Iterator[str]:
    """The table of exit codes, with the exceptions that lead to each."""
    yield from ("# Exit codes", "", "| Code | Meaning | Exceptions |", "|---|---|---|")
    for code, meaning in EXIT_CODES.items():
        named = ", ".join(f"`{one.__name__}`" for one in exceptions() if one.exit_code == code)
        yield f"| {code} | {meaning} | {named or '-'} |"


def exceptions() -> list[type[errors.UnderstudyError]]:
    """Every exception that Understudy raises on purpose."""
    found = [one for one in vars(errors).values() if isinstance(one, type)]
    return [one for one in found if issubclass(one, errors.UnderstudyError)]
