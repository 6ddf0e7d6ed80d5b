"""Rules: what can never happen in a row, as a small language with types.

    rule        condition [ "implies" rule ]
    condition   parts joined by "and" / "or" ("and" binds tighter), "not" in front, parentheses
    part        value ( == != < <= > >= ) value
                value [ "not" ] "in" ( constant, constant, ... )
                column "is" [ "not" ] "missing"
    value       columns and constants joined by + and -
    column      age, or `marital status` in backticks (a backtick in a name is written twice)
    constant    15, 0.5, "text", 'text', 2010-01-31, 2010-01-31T23:59:59

Numbers compare with numbers, dates with dates, moments with moments, text with text. Text is
ordered only for ordinal columns, by their levels. A number added to a date counts days, to a
moment seconds; the difference of two dates is a number of days, of two moments of seconds.

A row breaks a rule only if the rule is false in it. A comparison with a missing cell is neither
true nor false, as in SQL, so it breaks nothing.
"""

from __future__ import annotations

from understudy.schema.rules.parser import parse
from understudy.schema.rules.tree import Condition, columns_of
from understudy.schema.rules.words import show

__all__ = ["Condition", "columns_of", "parse", "show"]
