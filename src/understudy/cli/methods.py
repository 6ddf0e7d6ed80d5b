"""``understudy methods``: which synthesizers there are and what each promises."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from understudy.cli.choices import Json
from understudy.cli.output import say, say_json


def methods(
    *,
    for_: Annotated[
        Path | None,
        typer.Option("--for", metavar="SCHEMA", help="Only methods that fit this schema."),
    ] = None,
    json_: Json = False,
) -> None:
    """List the methods: what each is, its guarantee, its needs and its paper.

    Example: `understudy methods --for schema.toml`
    """
    from understudy import methods as room

    listed = [room.facts(name) for name in room.names()]
    if for_ is not None:
        from understudy.schema.schema import Schema

        relation = Schema.load(for_).neighbours.value
        listed = [facts for facts in listed if relation in facts["neighbours"]]
    if json_:
        say_json(listed)
        return
    say("\n\n".join(_paragraph(facts) for facts in listed))


def _paragraph(facts: dict[str, Any]) -> str:
    settings = ", ".join(f"{key} ({kind})" for key, kind in facts["settings"].items())
    lines = [
        f"{facts['name']}  {facts['summary']}",
        f"  guarantee   {', '.join(facts['guarantee'])} ({facts['status']})",
        f"  neighbours  {', '.join(facts['neighbours'])}",
        f"  needs       {', '.join(facts['needs'])}",
        f"  settings    {settings or 'none'}",
        f"  paper       {facts['paper']}",
    ]
    return "\n".join(lines)
