"""The sentences of a card, kept in one place so that text, page and JSON say the same."""

from __future__ import annotations

from math import exp
from typing import Final

from understudy.report.card import Card, Guarantee
from understudy.schema.neighbours import Neighbours
from understudy.schema.schema import Schema

STATUS: Final = {
    "proven": "The proof holds for the code that ran, with its integer arithmetic and its noise.",
    "caller-owes": (
        "The proof holds if a condition is met that the code cannot check; the documentation of "
        "the method states it, and whoever ran it vouches for it."
    ),
    "ideal-numbers": (
        "The proof assumes exact real numbers; the code works with rounded ones. Treat the promise "
        "as weaker than a proven one."
    ),
}

ROWS: Final = {
    "declared": "The schema declares the number of rows as public, and so many were made.",
    "requested": (
        "Whoever ran the synthesis asked for this number. It is safe if it was chosen without "
        "looking at the confidential table."
    ),
    "estimated": (
        "The number comes from the noisy counts that were paid for. The true number of rows stays "
        "private."
    ),
}

ORIGINS: Final = {
    "declared": "stated in the schema",
    "bought": "learned from the table, with noise, and paid for",
    "invented": "made up from nothing",
    "left out": "never read, never released",
}

RULES: Final = (
    "Rules are taken as public. This version does not enforce them: synthetic rows may break them."
)

SEED: Final = (
    "The seed. It fixes only steps after the noise, such as drawing rows from the model. "
    "The noise itself cannot be seeded: running again gives another answer and costs again."
)

NO_LEDGER: Final = (
    "No ledger was kept. Other releases about the same people add to what this one cost, and "
    "nothing here counts them."
)


def promise(guarantee: Guarantee) -> str:
    """The guarantee in two sentences without formulas."""
    opening = f"Take any conclusion drawn from this release. {_change(guarantee)}"
    match guarantee.asked.currency:
        case "pure":
            return f"{opening} changes the chance of reaching it by at most {_factor(guarantee)}."
        case "approx":
            return (
                f"{opening} changes the chance of reaching it by at most {_factor(guarantee)}, "
                f"plus {_chance(guarantee)}."
            )
        case "gdp":
            mu = float(guarantee.asked.main) ** 0.5
            return (
                f"{opening} is at least as hard to tell from it as it is to tell, from one draw "
                f"of a normal variable of variance 1, whether its mean is 0 or {mu:.6g}."
            )
    rho = float(guarantee.asked.main)
    failure = f", apart from a failure of chance {_chance(guarantee)}"
    return (
        f"{opening} changes the chance of reaching it by a factor whose logarithm is no worse, in "
        f"the sense of zero-concentrated privacy, than a normal variable of mean {rho:.6g} and "
        f"variance {2 * rho:.6g}" + (failure if guarantee.asked.part("delta") else "") + "."
    )


def _change(guarantee: Guarantee) -> str:
    if guarantee.neighbours == Neighbours.ADD_REMOVE.value:
        return f"Leaving {guarantee.unit} out of the table, or adding {guarantee.unit},"
    return f"Replacing {guarantee.unit} of the table by any other"


def _factor(guarantee: Guarantee) -> str:
    epsilon = float(guarantee.asked.main)
    return f"a factor of {exp(epsilon):,.3g}" if epsilon < 50 else f"a factor of e^{epsilon:.6g}"


def _chance(guarantee: Guarantee) -> str:
    delta = guarantee.asked.part("delta")
    return f"1 in {1 / delta:,.0f}" if delta else "0"


def size_sentence(card: Card) -> str:
    """Whether the size of the confidential table is public."""
    if card.declared_rows is not None:
        return f"The schema declares the number of rows as public: {card.declared_rows:,}."
    if card.declared_units is not None:
        return f"The schema declares the number of persons as public: {card.declared_units:,}."
    return "The size of the confidential table is private."


def copies_sentence(card: Card) -> str:
    """How many tables there are and whether they share one fit."""
    output = card.output
    if output.copies == 1:
        return "One table was drawn."
    if output.refit:
        return f"{output.copies} tables were made by {output.copies} fits that share the budget."
    return f"{output.copies} tables were drawn from one fit, at no further cost."


def ledger_sentence(card: Card) -> str:
    """Where the run is entered, or that nobody keeps count."""
    if card.ledger is None:
        return NO_LEDGER
    return f"Entered in the ledger {card.ledger.file} as run {card.ledger.run}."


def not_covered(schema: Schema, *, seeded: bool) -> tuple[str, ...]:
    """What the promise does not cover, one sentence or two each."""
    facts = [
        "Facts about people in general. A release is meant to show them, and they may be used "
        "against somebody who is not even in the table.",
        f"Groups. The promise is made to {schema.unit.name}. For several of them together, such as "
        "a family, it weakens with each member.",
        "The schema. Everything in it is taken as public and must not have been read off the "
        "confidential table.",
        "Looking at the real table. Whatever was seen in it, or in a comparison with it, is not "
        "covered, and neither is a decision that rests on it.",
        "Choosing among releases. Running again until the result looks good, or publishing only if "
        "it passes a comparison, reveals more than is written here.",
        "Other releases about the same people. What they cost adds up; a ledger keeps the sum.",
        "How the table came to be. One line of a CSV file is one row: a line break inside a cell "
        "makes one person several rows. A dataframe whose types were guessed from its values has "
        "already mixed its rows.",
        "Timing and resources. How long the run took, its memory and its file accesses may depend "
        "on the table; do not let others watch a run.",
        "The machine. Whoever can read its memory or its disk needs no release.",
        "Truth. Rows are made up and carry noise: ordinary formulas for errors, used on them as if "
        "they were real, promise too much.",
    ]
    return tuple(facts) + ((SEED,) if seeded else ())
