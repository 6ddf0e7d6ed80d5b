"""A recursive descent over the words of a rule; nothing is ever evaluated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Final

from understudy.errors import SchemaError
from understudy.schema import values
from understudy.schema.columns import Column
from understudy.schema.rules import checks
from understudy.schema.rules.tokens import Token, refuse, tokens
from understudy.schema.rules.tree import (
    And,
    Comparison,
    Condition,
    Constant,
    Implies,
    Not,
    Or,
    Reference,
    Sum,
    Term,
    Value,
)

DEEPEST: Final = 40
RELATIONS: Final = ("==", "!=", "<", "<=", ">", ">=")

Node = Condition | Value


def parse(text: str, columns: Mapping[str, Column]) -> Condition:
    """The rule that a text states about these columns; refuses with column and position."""
    parser = _Parser(tokens(text), columns)
    rule = checks.truth(parser.rule(), 1)
    if parser.next.sort != "end":
        raise refuse(f"the rule should end here, but {parser.next.shown} follows", parser.next.at)
    return rule


class _Parser:
    """One method per line of the grammar; each takes its words and returns its node."""

    def __init__(self, words: list[Token], columns: Mapping[str, Column]) -> None:
        self._words, self._columns = words, columns
        self._index, self._depth = 0, 0

    @property
    def next(self) -> Token:
        return self._words[self._index]

    def _take(self) -> Token:
        taken = self.next
        self._index += taken.sort != "end"
        return taken

    def _took(self, *words: str) -> Token | None:
        return self._take() if self.next.is_(*words) else None

    def _expect(self, word: str) -> None:
        if not self._took(word):
            raise refuse(f"{word!r} is needed here, not {self.next.shown}", self.next.at)

    def _deeper(self, part: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise refuse(f"nested more than {DEEPEST} deep; split the rule", self.next.at)
        node = part()
        self._depth -= 1
        return node

    def rule(self) -> Node:
        at, given = (
            self.next.at,
            self._joined("or", Or, lambda: self._joined("and", And, self._not)),
        )
        if not self._took("implies"):
            return given
        then_at = self.next.at
        then = self._deeper(self.rule)
        return Implies(checks.truth(given, at), checks.truth(then, then_at))

    def _joined(self, word: str, kind: type[And] | type[Or], part: Callable[[], Node]) -> Node:
        at = self.next.at
        first = part()
        if not self.next.is_(word):
            return first
        parts = [checks.truth(first, at)]
        while self._took(word):
            at = self.next.at
            parts.append(checks.truth(part(), at))
        return kind(tuple(parts))

    def _not(self) -> Node:
        if not self._took("not"):
            return self._comparison()
        at = self.next.at
        return Not(checks.truth(self._deeper(self._not), at))

    def _comparison(self) -> Node:
        at, left = self.next.at, self._sum()
        if relation := self._took(*RELATIONS):
            right_at = self.next.at
            sides = checks.value(left, at), checks.value(self._sum(), right_at)
            checks.comparison(sides[0], relation.content, sides[1], relation.at)
            node = Comparison(sides[0], relation.content, sides[1])  # type: ignore[arg-type]
            self._refuse_chain()
            return node
        if self._took("is"):
            negated = self._took("not") is not None
            self._expect("missing")
            return checks.missing(checks.value(left, at), negated, at)
        if word := self._took("in", "not"):
            if word.content == "not":
                self._expect("in")
            options = self._options()
            return checks.member(checks.value(left, at), options, word.content == "not", at)
        return left

    def _refuse_chain(self) -> None:
        if self.next.is_(*RELATIONS):
            raise refuse("for 'a < b < c' write 'a < b and b < c'", self.next.at)

    def _options(self) -> tuple[Constant, ...]:
        self._expect("(")
        options = [self._option()]
        while self._took(","):
            options.append(self._option())
        self._expect(")")
        return tuple(options)

    def _option(self) -> Constant:
        at = self.next.at
        option = self._term()
        if not isinstance(option, Constant):
            raise refuse("the list after 'in' holds constants only; write text in quotes", at)
        return option

    def _sum(self) -> Node:
        at, first = self.next.at, self._term()
        if not self.next.is_("+", "-"):
            return first
        terms = [Term(1, checks.value(first, at))]
        while sign := self._took("+", "-"):
            term_at = self.next.at
            term = checks.value(self._term(), term_at)
            terms.append(Term(1 if sign.content == "+" else -1, term))
        return Sum(tuple(terms), checks.sum_kind(tuple(terms), at))

    def _term(self) -> Node:
        if minus := self._took("-"):
            return self._negative(minus.at)
        if self._took("("):
            inside = self._deeper(self.rule)
            self._expect(")")
            return inside
        word = self._take()
        if word.sort == "name":
            return self._column(word)
        return _constant(word)

    def _negative(self, at: int) -> Node:
        term = checks.value(self._deeper(self._term), at)
        if isinstance(term, Constant) and isinstance(term.value, int | float):
            return Constant(-term.value)
        terms = (Term(-1, term),)
        return Sum(terms, checks.sum_kind(terms, at))

    def _column(self, word: Token) -> Reference:
        column = self._columns.get(word.content)
        if column is None:
            raise self._no_column(word)
        if not column.modelled:
            raise refuse(
                f"a {column.kind} column is never read, so no rule can speak of it",
                word.at,
                column=column.name,
            )
        return Reference(column)

    def _no_column(self, word: Token) -> SchemaError:
        nearest = values.guess(word.content, self._columns)
        return refuse(
            f"no column is named {word.shown}; text is written in quotes, and a name with other "
            f"characters than letters, digits and _ in `backticks`.{nearest}",
            word.at,
        )


def _constant(word: Token) -> Constant:
    try:
        match word.sort:
            case "text":
                return Constant(word.content)
            case "number":
                return Constant(_number(word.content))
            case "day":
                return Constant(date.fromisoformat(word.content))
            case "moment":
                return Constant(datetime.fromisoformat(word.content))
    except ValueError:
        raise refuse(f"{word.shown} is no {word.sort} that exists", word.at) from None
    raise refuse(f"a column or a constant is needed here, not {word.shown}", word.at)


def _number(written: str) -> int | float:
    number = int(written) if written.isdecimal() and len(written) <= 300 else float(written)
    if not number <= values.LARGEST_REAL:
        raise ValueError(written)
    return number
