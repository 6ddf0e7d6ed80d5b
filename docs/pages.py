"""The reference pages that are written from the code itself, so that they cannot lie about it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, sqrt
from pathlib import Path
from types import ModuleType
from typing import Any

import understudy
from understudy import errors
from understudy.gate.scale import laplace_scale, laplace_stddev
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

EPSILONS = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2))
ROWS = (300, 1_000, 3_000, 10_000, 100_000)
MEAN_CELLS = 100
PAIR_CELLS = (10, 10)


def write_generated(folder: Path) -> None:
    """Write every generated page into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in PAGES.items():
        (folder / name).write_text("\n".join(lines()) + "\n", encoding="utf-8")


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
        yield f".. {kind}:: understudy.{name}"
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
        yield from (inspect.cleandoc(method.__doc__ or ""), "")
        yield from (without_titles(inspect.getmodule(method).__doc__ or ""), "```", "")


def without_titles(text: str) -> str:
    """Underlined titles as rubrics: several methods share a page, and each has the same ones."""
    return re.sub(r"^(.+)\n-{3,}$", r".. rubric:: \1\n", text, flags=re.MULTILINE).strip()


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


def errors_page() -> Iterator[str]:
    """What noise does to a count, a mean and a two-way table, by epsilon and number of rows."""
    yield from ("# Errors", "")
    yield (
        "What the noise of one table does, under pure privacy, with one row per person and a "
        "private size. The numbers are computed from the law of the noise when this page is built. "
        "With a public size the noise doubles: read the line of epsilon / 2. If k tables share "
        "the budget, read the line of epsilon / k."
    )
    yield from ("", "## A count", "")
    yield "The standard error of one cell, in people. It does not depend on the number of rows."
    yield from ("", "| Epsilon | Standard error |", "|---|---|")
    for epsilon in EPSILONS:
        yield f"| {float(epsilon):g} | {count_error(epsilon):.2f} |"
    yield from ("", "## A mean", "")
    yield (
        f"The standard error of a mean from a histogram with {MEAN_CELLS} bins for the values 0 to "
        f"{MEAN_CELLS - 1}, if the mean lies in the middle."
    )
    yield from error_table(mean_error, "{:.3f}")
    yield from ("", "## A two-way table", "")
    rows, columns = PAIR_CELLS
    yield (
        f"The expected share of people in a wrong cell of a table with {rows} times {columns} "
        "cells, before negative counts are repaired (which makes it smaller)."
    )
    yield from error_table(pair_error, "{:.2%}")


def error_table(error: Callable[..., float], form: str) -> Iterator[str]:
    """A Markdown table of an error by epsilon (lines) and number of rows (columns)."""
    yield from ("", "| Epsilon | " + " | ".join(f"{rows:,} rows" for rows in ROWS) + " |")
    yield "|---" * (len(ROWS) + 1) + "|"
    for epsilon in EPSILONS:
        cells = (form.format(error(epsilon, rows=rows)) for rows in ROWS)
        yield f"| {float(epsilon):g} | " + " | ".join(cells) + " |"


def count_error(epsilon: Fraction) -> float:
    """The standard error of one cell of one table."""
    return laplace_stddev(laplace_scale(1, epsilon))


def mean_error(epsilon: Fraction, *, rows: int) -> float:
    """The standard error of a mean in the middle of evenly spaced values.

    The mean of noisy cells is off by the sum of (value - mean) times noise, divided by the rows.
    """
    middle = (MEAN_CELLS - 1) / 2
    squares = sum((value - middle) ** 2 for value in range(MEAN_CELLS))
    return count_error(epsilon) * sqrt(squares) / rows


def pair_error(epsilon: Fraction, *, rows: int) -> float:
    """Half the expected sum of absolute noise, E|x| = 2 q / (1 - q^2) in each cell, by the rows."""
    q = exp(-1.0 / laplace_scale(1, epsilon))
    cells = PAIR_CELLS[0] * PAIR_CELLS[1]
    return min(cells * q / (1.0 - q * q) / rows, 1.0)


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "cli.md": cli_page,
    "python.md": python_page,
    "methods.md": methods_page,
    "exit-codes.md": exit_code_page,
    "errors.md": errors_page,
}
