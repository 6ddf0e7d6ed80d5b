"""The parser of Privacy sections, on sections that are right and wrong on purpose."""

from __future__ import annotations

import pytest

from tests.methods.privacy_section import Step, section_of
from understudy.schema.neighbours import Neighbours

TEMPLATE = """A method.

Privacy
-------
Gate calls, in this order:

{items}

Composition: the plain sum.
Neighbours: {neighbours}. Lemma: ``gate/count.md``, ``gate/select.md``.
All else is post-processing.
"""


def text(*items: str, neighbours: str = "ADD_REMOVE and REPLACE_ONE") -> str:
    numbered = "\n".join(f"{i}. {item}" for i, item in enumerate(items, 1))
    return TEMPLATE.format(items=numbered, neighbours=neighbours)


@pytest.mark.parametrize(
    ("item", "step"),
    [
        ("``count`` of everything.", Step(("count",))),
        ("``count`` of every pair; nothing is repeated.", Step(("count",))),
        ("``select`` and ``count``, repeated.", Step(("select", "count"), repeated=True)),
        ("``select``, then ``count``, repeated\n   d - 1 times.", Step(("select", "count"), True)),
        ("``count`` of pairs, optional: if wanted.", Step(("count",), optional=True)),
        ("``count``, optional and repeated.", Step(("count",), True, True)),
        ("``quantiles`` of ``count`` columns.", Step(("quantiles",))),
    ],
)
def test_items_are_read(item: str, step: Step) -> None:
    assert section_of(text(item)).steps == (step,)


def test_the_rest_is_read() -> None:
    section = section_of(text("``count``.", neighbours="REPLACE_ONE"))
    assert section.neighbours == {Neighbours.REPLACE_ONE}
    assert section.lemmas == ("gate/count.md", "gate/select.md")


@pytest.mark.parametrize(
    ("verbs", "fits"),
    [
        ("count select count", True),
        ("count select count select count", True),
        ("count", False),
        ("count select", False),
        ("select count", False),
        ("count select count count", True),
        ("count select count count count", False),
        ("", False),
    ],
)
def test_ledgers_are_compared_with_the_list(verbs: str, fits: bool) -> None:
    section = section_of(
        text("``count`` of x.", "``select`` and ``count``, repeated.", "``count``, optional.")
    )
    assert section.describes(verbs.split()) is fits


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("A method.", "one section titled Privacy"),
        (text("``count``.") + text("``count``."), "one section"),
        (text("``count``.") + "And this.", "ends with"),
        (text("``count``.").replace("Composition", "Sum"), "compose"),
        (text("``count``.").replace("Neighbours", "About"), "neighbours"),
        (text("``count``.").replace("in this order", "maybe"), "lists its gate calls"),
        (text("``count``.").replace("gate/", ""), "lemmas"),
        (text("count everything."), "double back-ticks"),
        (text("``peek`` at the rows."), "no verb"),
    ],
)
def test_sections_that_are_wrong_say_why(wrong: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        section_of(wrong)
