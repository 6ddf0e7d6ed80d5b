"""``understudy methods``: which synthesizers there are and what each promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from understudy.cli.choices import Json
from understudy.cli.output import say, say_json
from understudy.cli.settings import described
from understudy.errors import UnderstudyError

INDENT: Final = " " * 14


def methods(
    *,
    for_: Annotated[
        Path | None,
        typer.Option(
            "--for", metavar="SCHEMA", help="Only methods that take this schema, as they come."
        ),
    ] = None,
    json_: Json = False,
) -> None:
    """List the methods: what each is, its guarantee, its needs and its paper.

    Example: `understudy methods --for schema.toml`
    """
    from understudy import methods as room

    unfit = {} if for_ is None else _unfit(for_)
    listed = [room.facts(name) for name in room.names() if name not in unfit]
    if json_:
        say_json(listed)
        return
    reasons = [f"{name} is left out: {reason}" for name, reason in unfit.items()]
    say("\n\n".join([*map(_paragraph, listed), *reasons]))


def _unfit(path: Path) -> dict[str, str]:
    """The methods that refuse this schema as they come, and why."""
    from understudy import methods as room
    from understudy.schema.schema import Schema

    schema = Schema.load(path)
    found = {}
    for name in room.names():
        if schema.neighbours not in room.get(name).neighbours:
            found[name] = f"it has no guarantee under {schema.neighbours.value}"
            continue
        try:
            room.build(name, {}).scope(schema)
        except UnderstudyError as problem:
            found[name] = str(problem)
    return found


def _paragraph(facts: dict[str, Any]) -> str:
    from understudy import methods as room

    settings = described(room.get(facts["name"]))
    lines = [
        f"{facts['name']}  {facts['summary']}",
        f"  guarantee   {', '.join(facts['guarantee'])} ({facts['status']})",
        f"  neighbours  {', '.join(facts['neighbours'])}",
        f"  needs       {', '.join(facts['needs'])}",
        f"  settings    {f'{chr(10)}{INDENT}'.join(settings) or 'none'}",
        f"  paper       {facts['paper']}",
    ]
    return "\n".join(lines)
