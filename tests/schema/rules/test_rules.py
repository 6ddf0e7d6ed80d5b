from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from understudy.errors import SchemaError
from understudy.schema.columns import (
    Boolean,
    Category,
    Date,
    Datetime,
    Drop,
    Fake,
    Integer,
    Ordinal,
    Real,
)
from understudy.schema.rules import columns_of, parse, show
from understudy.schema.rules.tree import (
    And,
    Comparison,
    Constant,
    Implies,
    Kind,
    Member,
    Missing,
    Not,
    Or,
    Reference,
    Sum,
    Term,
)

DAYS = {"min": date(2010, 1, 1), "max": date(2020, 1, 1)}
MOMENTS = {"min": datetime(2010, 1, 1), "max": datetime(2020, 1, 1)}
COLUMNS = {
    column.name: column
    for column in (
        Integer(name="age", min=0, max=99),
        Real(name="income", missing=[""]),
        Category(name="marital", levels=("N", "M"), other="X", missing=["?"]),
        Category(name="city", levels="discover"),
        Ordinal(name="severity", levels=("low", "mid", "high")),
        Ordinal(name="before", levels=("low", "mid", "high")),
        Ordinal(name="grade", levels=("1", "2")),
        Boolean(name="dead", true="yes", false="no", missing=[""]),
        Date(name="admitted", **DAYS),
        Date(name="discharged", **DAYS, missing=[""]),
        Datetime(name="seen", **MOMENTS),
        Datetime(name="left", **MOMENTS),
        Integer(name="odd `name`\n🦆", min=0, max=1),
        Integer(name="education-num", min=0, max=1),
        Integer(name="größe", min=0, max=1),
        Drop(name="ssn"),
        Fake(name="id"),
    )
}
AGE, INCOME = Reference(COLUMNS["age"]), Reference(COLUMNS["income"])
ADULT = Comparison(AGE, ">=", Constant(18))
RICH = Comparison(INCOME, ">", Constant(1e6))


def rule(text):
    return parse(text, COLUMNS)


GOOD = [
    ("age >= 18", ADULT),
    ("  (age)>=( 18 )\n", ADULT),
    ("not age >= 18", Not(ADULT)),
    ("not not age >= 18", Not(Not(ADULT))),
    ("age >= 18 and income > 1e6", And((ADULT, RICH))),
    ("age >= 18 or income > 1e6 and age >= 18", Or((ADULT, And((RICH, ADULT))))),
    ("(age >= 18 or income > 1e6) and age >= 18", And((Or((ADULT, RICH)), ADULT))),
    ("not age >= 18 and income > 1e6", And((Not(ADULT), RICH))),
    ("age >= 18 implies income > 1e6", Implies(ADULT, RICH)),
    (
        "age >= 18 implies income > 1e6 implies age >= 18",
        Implies(ADULT, Implies(RICH, ADULT)),
    ),
    ("age >= 18 or income > 1e6 implies age >= 18", Implies(Or((ADULT, RICH)), ADULT)),
    ("income is missing", Missing(INCOME, negated=False)),
    ("income is not missing", Missing(INCOME, negated=True)),
    ("age in (-1, 2.5)", Member(AGE, (Constant(-1), Constant(2.5)), negated=False)),
    ("age not in (7)", Member(AGE, (Constant(7),), negated=True)),
    (
        "age - 1 + 2 <= income",
        Comparison(
            Sum(
                (Term(1, AGE), Term(-1, Constant(1)), Term(1, Constant(2))),
                Kind.NUMBER,
            ),
            "<=",
            INCOME,
        ),
    ),
    ("-age < 0", Comparison(Sum((Term(-1, AGE),), Kind.NUMBER), "<", Constant(0))),
    (
        "`odd ``name``\n🦆` == 1",
        Comparison(Reference(COLUMNS["odd `name`\n🦆"]), "==", Constant(1)),
    ),
    ("größe == 1", Comparison(Reference(COLUMNS["größe"]), "==", Constant(1))),
    (
        "marital == 'X'",
        Comparison(Reference(COLUMNS["marital"]), "==", Constant("X")),
    ),
    ('city != "it""s"', Comparison(Reference(COLUMNS["city"]), "!=", Constant('it"s'))),
    ("city != 'it''s'", Comparison(Reference(COLUMNS["city"]), "!=", Constant("it's"))),
    (
        "2010-01-31 < admitted",
        Comparison(Constant(date(2010, 1, 31)), "<", Reference(COLUMNS["admitted"])),
    ),
    (
        "seen < 2010-01-31T10:30",
        Comparison(Reference(COLUMNS["seen"]), "<", Constant(datetime(2010, 1, 31, 10, 30))),
    ),
]


@pytest.mark.parametrize(("text", "tree"), GOOD)
def test_what_a_rule_means(text, tree):
    assert rule(text) == tree
    assert hash(rule(text)) == hash(tree)


@pytest.mark.parametrize(
    "text",
    [
        "discharged >= admitted",
        "discharged <= admitted + 30",
        "discharged - admitted <= 30",
        "admitted + discharged - admitted < 2012-01-01",
        "left - seen < 3600",
        "3600 + seen < left",
        "severity < 'high'",
        "'low' < severity",
        "severity >= before",
        "severity == grade",
        "dead == 'yes'",
        "dead is missing implies discharged is missing",
        "severity in ('low', 'mid')",
        "grade == '1'",
    ],
)
def test_rules_that_fit_the_types(text):
    assert rule(text)


BAD = [
    # rule, position, column, what the message says
    ("", 1, None, "the end of the rule"),
    ("age", 1, "age", "column 'age' (a number) is not true or false"),
    ("5", 1, None, "5 (a number) is not true or false"),
    ("age + 1", 1, "age", "a sum (a number)"),
    ("age <", 6, None, "the end of the rule"),
    ("age < 5 6", 9, None, "'6' follows"),
    ("age < 5 and", 12, None, "the end of the rule"),
    ("age < 5 and age", 13, "age", "not true or false"),
    ("age implies age < 5", 1, "age", "not true or false"),
    ("not age", 5, "age", "not true or false"),
    ("age = 5", 5, None, "write =="),
    ("age < 5 && age > 1", 9, None, "write 'and'"),
    ("age < 5 | age > 1", 9, None, "write 'or'"),
    ("!(age < 5)", 1, None, "write 'not'"),
    ("age * 2 < 5", 5, None, "only + and -"),
    ("age < 'five", 7, None, "no closing quote"),
    ("`age < 5", 1, None, "no closing backtick"),
    ("age < 5$", 8, None, "backticks"),
    ("1 < age < 5", 9, None, "a < b and b < c"),
    ("(1 < age) < 5", 1, None, "a condition stands where a value is needed"),
    ("(age < 1) + 5 < 3", 1, None, "a condition stands where a value is needed"),
    ("aeg < 5", 1, None, "Did you mean 'age'?"),
    ("education-num < 5", 1, None, "`backticks`. Did you mean 'education-num'?"),
    ("marital == N", 12, None, "text is written in quotes"),
    ("ssn == 'x'", 1, "ssn", "never read"),
    ("id == 'x'", 1, "id", "never read"),
    ("age == '5'", 5, "age", "write numbers and dates without quotes"),
    ("admitted > '2010-01-01'", 10, "admitted", "write numbers and dates without quotes"),
    ("marital == 5", 9, "marital", "write levels in quotes"),
    ("admitted < seen", 10, "admitted", "(a date) cannot be compared with "),
    ("admitted < 5", 10, "admitted", "a number"),
    ("1 < 2", 3, None, "two constants"),
    ("'a' in ('a', 'b')", 1, None, "two constants"),
    ("marital < 'N'", 9, "marital", "< needs an order"),
    ("city >= 'a'", 6, "city", "needs an order"),
    ("severity < grade", 10, "severity", "same levels"),
    ("severity < 'hihg'", 10, "severity", "Did you mean 'high'?"),
    ("'Y' == marital", 5, "marital", "its levels are 'N', 'M', 'X'"),
    ("dead == 'true'", 6, "dead", "its levels are 'no', 'yes'"),
    ("marital in ('N', 'Q')", 1, "marital", "'Q' is no level"),
    ("age in (1, 'a')", 1, "age", "cannot be compared"),
    ("age in (income)", 9, None, "constants only"),
    ("age in ()", 9, None, "a column or a constant"),
    ("age in 5", 8, None, "'(' is needed here, not '5'"),
    ("age in (5", 10, None, "')' is needed here, not the end of the rule"),
    ("age not 5", 9, None, "'in' is needed"),
    ("age is 5", 8, None, "'missing' is needed"),
    ("age is missing", 1, "age", "never missing"),
    ("income + 1 is missing", 1, None, "only a column"),
    ("(age < 5) is missing", 1, None, "a value is needed"),
    ("marital + 1 == 5", 1, "marital", "text cannot be added"),
    ("-'a' == marital", 1, None, "text cannot be added"),
    ("admitted + discharged > 5", 1, "admitted", "do not leave one date"),
    ("-admitted > 5", 1, "admitted", "do not leave one date"),
    ("admitted - seen > 5", 1, "admitted", "a date and a moment"),
    ("admitted > 2010-02-30", 12, None, "no day that exists"),
    ("seen > 2010-01-01T25:00", 8, None, "no moment that exists"),
    ("age < 1e999", 7, None, "no number that exists"),
    ("age < 1" + "0" * 400, 7, None, "no number that exists"),
    ("age < 5 age", 9, None, "follows"),
    ("in < 5", 1, None, "not 'in'"),
    ("(" * 200 + "age < 5", 42, None, "nested more than 40 deep"),
    ("not " * 200 + "age < 5", 165, None, "nested more than 40 deep"),
    ("- " * 200 + "age < 5", 83, None, "nested more than 40 deep"),
    ("age < 5 implies " * 100 + "age < 5", 657, None, "nested more than 40 deep"),
    ("age < 5" + " " * 10_000, 10_001, None, "at most 10000 characters"),
]


@pytest.mark.parametrize(("text", "at", "column", "said"), BAD, ids=[b[0][:30] for b in BAD])
def test_what_is_refused_and_where(text, at, column, said):
    with pytest.raises(SchemaError) as raised:
        rule(text)
    assert said in str(raised.value)
    assert (raised.value.column, raised.value.place) == (column, f"position {at}")


def test_long_flat_rules_are_fine():
    many = " and ".join(["age + " + " + ".join(["1"] * 30) + " < 200"] * 60)
    assert len(rule(many).parts) == 60
    assert show(rule(many)).count(" and ") == 59


def test_the_columns_of_a_rule_in_the_order_of_the_text():
    text = (
        "not (income is missing or age in (1, 2)) and admitted + 1 > 2010-01-01 "
        "implies age < 5 and discharged > admitted"
    )
    assert columns_of(rule(text)) == ("income", "age", "admitted", "discharged")


SHOWN = [
    ("age >= 18", "age is at least 18"),
    ("income < -2.5", "income is below -2.5"),
    ("age < 15 implies marital == 'N'", "if age is below 15, then marital is 'N'"),
    ("admitted <= discharged", "admitted is on or before discharged"),
    ("admitted > 2010-01-31", "admitted is after 2010-01-31"),
    ("seen >= 2010-01-31T10:30", "seen is at or after 2010-01-31T10:30:00"),
    ("severity > 'low'", "severity is above 'low'"),
    ("discharged - admitted <= 30", "discharged minus admitted is at most 30"),
    ("-age + (income - 1) < 0", "(minus age) plus (income minus 1) is below 0"),
    ("age not in (1, 2)", "age is none of 1, 2"),
    ("marital in ('N', 'M')", "marital is one of 'N', 'M'"),
    ("income is not missing", "income is not missing"),
    ("not (age < 5 or age > 9)", "it is not so that (age is below 5 or age is above 9)"),
    ("age < 5 and not age < 3", "age is below 5 and (it is not so that age is below 3)"),
    ("`odd ``name``\n🦆` != 1", "'odd `name`\\n🦆' is not 1"),
]


@pytest.mark.parametrize(("text", "words"), SHOWN)
def test_rules_in_plain_words(text, words):
    assert show(rule(text)) == words


def written(node) -> str:  # noqa: PLR0911 - one return per node
    """The rule's text with every parenthesis; the parser's independent inverse."""
    match node:
        case Reference(column):
            return "`" + column.name.replace("`", "``") + "`"
        case Constant(str() as text):
            return "'" + text.replace("'", "''") + "'"
        case Constant(date() as day):
            return day.isoformat()
        case Constant(value):
            return f"{value!r}"
        case Sum(terms):
            parts = ["-" * (term.sign < 0) + f"({written(term.value)})" for term in terms]
            return "(" + " + ".join(parts).replace("+ -", "- ") + ")"
        case Comparison(left, relation, right):
            return f"({written(left)} {relation} {written(right)})"
        case Member(value, options, negated):
            listed = ", ".join(map(written, options))
            return f"({written(value)} {'not ' * negated}in ({listed}))"
        case Missing(cell, negated):
            return f"({written(cell)} is {'not ' * negated}missing)"
        case Not(inner):
            return f"(not {written(inner)})"
        case And(parts):
            return "(" + " and ".join(map(written, parts)) + ")"
        case Or(parts):
            return "(" + " or ".join(map(written, parts)) + ")"
        case Implies(given, then):
            return f"({written(given)} implies {written(then)})"


NUMBERS = st.one_of(
    st.sampled_from([AGE, INCOME]),
    st.integers(-99, 99).map(Constant),
    st.builds(
        lambda first, sign, value: Sum((Term(1, first), Term(sign, Constant(value))), Kind.NUMBER),
        st.sampled_from([AGE, INCOME]),
        st.sampled_from([1, -1]),
        st.integers(0, 9),
    ),
)
RELATIONS = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
ATOMS = st.one_of(
    st.builds(Comparison, st.sampled_from([AGE, INCOME]), RELATIONS, NUMBERS),
    st.builds(
        Member,
        st.just(Reference(COLUMNS["city"])),
        st.lists(st.text("ab'\"` \n🦆").map(Constant), min_size=1, max_size=3).map(tuple),
        st.booleans(),
    ),
    st.builds(Missing, st.just(INCOME), st.booleans()),
    st.builds(
        Comparison,
        st.just(Reference(COLUMNS["admitted"])),
        RELATIONS,
        st.dates(date(1000, 1, 1)).map(Constant),
    ),
)


def joined(inner):
    parts = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, parts),
        st.builds(Or, parts),
        st.builds(Implies, inner, inner),
    )


@given(st.recursive(ATOMS, joined, max_leaves=8))
def test_reading_undoes_writing(tree):
    assert rule(written(tree)) == tree
    assert show(tree)


@given(st.text(st.sampled_from("age income<>=!()'\"`+-,1. 20-01T:ndorismplt\n🦆\x00"), max_size=40))
@example("--age")
@example("''")
@example("age < 2010-01-01-1")
def test_any_text_is_a_rule_or_a_schema_error(text):
    try:
        parsed = rule(text)
    except SchemaError as refused:
        error = refused
    else:
        assert columns_of(parsed)
        return
    assert error.place.startswith("position ")
