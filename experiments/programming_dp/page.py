"""The page: the chapter's numbers, what we get, and the mistakes, as Markdown with figures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from experiments.programming_dp.claims import Verdict
from experiments.programming_dp.figures import Figure
from experiments.programming_dp.mistakes import Mistake
from experiments.programming_dp.redone import Answer, Redone

OPENING = """\
# A chapter redone: histograms, marginals and eight mistakes

This page was written by a program. It redoes the chapter on synthetic data of the textbook
*Programming Differential Privacy* on the same table: Adult, 32,561 people of a census. Adult is
public, so we may look at the truth beside every private answer. With your own table you may not.

The page has three parts. First the chapter's steps, done with Understudy. Then its printed
numbers, each held against what it should be. Then its mistakes. They are worth more than the rest,
because most of them are easy to make and none of them looks wrong.

To run it again: `python -m experiments.programming_dp.run --data FILE`. Every number below will
change a little, except those that carry no noise.
"""

STEPS = """\
## One column: a histogram that answers ranges

Count the people of each age from 0 to 99. The ages are fixed before anybody looks, so the bins say
nothing about the table.

{ages}

Add noise to each bin, at epsilon 1. One person is in one bin, so all hundred bins together cost 1.

{noisy}

In Understudy this is the method `marginal` with one column. The release keeps the noisy counts. A
range is a sum of them, and its standard error follows from the noise: √m times 1.36 for m bins.

{answers}

The synthetic rows answer the same questions. They add an error of their own: the drawing. It is
larger than the noise here, and no epsilon makes it smaller. For counts, read the noisy table.

{drawn}

How many people are there? Add up all hundred bins: {size:,.0f}, with a standard error of
{error:.1f}. A question of its own would have a standard error of {bought:.2f}, and cost another
epsilon of 1. Read n off what you have, unless you need it that exactly.

{relative}

## Two columns: what dependence costs

To keep the link between age and occupation, count all pairs: 100 ages times 15 occupations (one of
them "missing"), 1,500 cells. It still costs 1, since one person is in one cell. But the count of an
age is now a sum of 15 noisy cells.

{pairs}

{two_ways}

What do the synthetic rows get for it? The table shows the share of rows that are in a wrong cell,
by age alone and by age and occupation.

{distances}

Independent columns get the ages nearly right and the pairs wrong. One table of pairs pays with the
ages to get the pairs. With two columns and 32,561 people that is a good bargain. Add work class (9
cells) and education (16), and there are 216,000 cells: most are empty, and their noise is all that
the rows would show.
"""

NUMBERS = """\
## The chapter's numbers

{right} of {all} printed numbers are what they should be.

- *exact*: equal to the last digit.
- *derived*: follows from other printed numbers.
- *law*: falls where the noise lets it fall. The intervals are computed from the law of the noise.
  A right number falls outside once in a million.

A number can be what the procedure gives and the procedure still be wrong. The last one comes from a
broken query, as its law shows.
"""


def markdown(
    verdicts: Sequence[Verdict],
    found: Redone,
    mistakes: Sequence[Mistake],
    figures: Sequence[Figure],
) -> str:
    """The whole page."""
    shown = {figure.file.removesuffix(".svg"): figure for figure in figures}
    parts = [
        OPENING,
        _steps(found, shown),
        "\n".join(_numbers(verdicts)),
        "\n".join(_mistakes(mistakes, shown)),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _steps(found: Redone, figures: dict[str, Figure]) -> str:
    distances = [
        (name, f"{100 * by_age:.1f} %", f"{100 * by_pair:.1f} %")
        for name, (by_age, by_pair) in found.distances.items()
    ]
    return STEPS.format(
        ages=_figure(figures["ages"]),
        noisy=_figure(figures["noisy"]),
        drawn=_figure(figures["drawn"]),
        relative=_figure(figures["relative"]),
        two_ways=_figure(figures["two-ways"]),
        answers=_answers(found.answers),
        pairs=_answers(found.answers_two_way),
        size=found.size.value,
        error=found.size.stddev,
        bought=found.bought,
        distances=_table(("", "wrong age", "wrong age or occupation"), distances),
    )


def _answers(answers: Sequence[Answer]) -> str:
    head = ("ages", "real", "noisy count", "standard error", "95 % interval", "synthetic rows")
    return _table(head, [_answer(answer) for answer in answers])


def _answer(answer: Answer) -> tuple[str, ...]:
    low, high = answer.estimate.interval()
    ages = (
        f"{answer.low}" if answer.high == answer.low + 1 else f"{answer.low} to {answer.high - 1}"
    )
    return (
        ages,
        f"{answer.truth:,}",
        f"{answer.estimate.value:,.0f}",
        f"{answer.estimate.stddev:.1f}",
        f"{low:,.0f} to {high:,.0f}",
        f"{answer.in_rows:,}",
    )


def _numbers(verdicts: Sequence[Verdict]) -> Iterator[str]:
    right = sum(verdict.holds for verdict in verdicts)
    yield NUMBERS.format(right=right, all=len(verdicts))
    head = ("cell", "number", "printed", "rule", "should be", "")
    yield _table(head, [_number(verdict) for verdict in verdicts])
    yield ""


def _number(verdict: Verdict) -> tuple[str, ...]:
    claim = verdict.claim
    printed = "(a table)" if isinstance(claim.printed, list) else f"{claim.printed:,}"
    holds = "yes" if verdict.holds else "**NO**"
    return (str(claim.cell), claim.name, printed, claim.rule, verdict.shown, holds)


def _mistakes(mistakes: Sequence[Mistake], figures: dict[str, Figure]) -> Iterator[str]:
    beside = {"wrong-table": "broken-query", "clipping": "invented"}
    yield f"## {_word(len(mistakes)).capitalize()} mistakes, and the right way beside each"
    for number, mistake in enumerate(mistakes, 1):
        yield from ("", f"### {number}. {mistake.title}", "")
        yield f"**The chapter.** {mistake.does}"
        yield from ("", f"**Why it matters.** {mistake.matters}", "")
        yield f"**Instead.** {mistake.instead}"
        lines = [(line.what, line.published, line.right) for line in mistake.lines]
        yield from ("", _table(("measured", "as published", "the right way"), lines))
        if mistake.name in beside:
            yield from ("", _figure(figures[beside[mistake.name]]))


def _word(number: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    return words[number] if number < len(words) else str(number)


def _figure(figure: Figure) -> str:
    return f"![{figure.alt}]({figure.file})\n\n*{figure.caption}*"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
